//! Verdicts, their exit status, and how they read.

use crate::format::log::Log;
use crate::read::flaw::{Fault, Flaw};
use lychgate_core::ids::Ref;
use std::fmt;

/// The one word about a log.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verdict {
    /// Sound, and every row is vouched for.
    Ok {
        /// Rows that an ANCHOR covers.
        anchored_to: u64,
        /// Rows that a receipt or checkpoint covers.
        vouched_to: u64,
    },
    /// Sound; a cut tail could not be seen from this row on.
    OkUnanchored {
        /// First row that nothing vouches for.
        since: u64,
    },
    /// Sound in itself, held against no key from outside: a wholly replaced directory would read the same.
    SelfSigned,
    /// What [`Fault`] says.
    Bad(Fault),
}

impl Verdict {
    /// Exit status of `audit verify`.
    #[must_use]
    pub fn exit(self) -> u8 {
        match self {
            Self::Ok { .. } | Self::OkUnanchored { .. } => 0,
            Self::SelfSigned => 10,
            Self::Bad(fault) => match fault {
                Fault::TornTail => 11,
                Fault::Gap => 12,
                Fault::Corrupt => 13,
                Fault::Rewritten => 14,
                Fault::Truncated => 15,
                Fault::Fork => 16,
                Fault::BadKey => 17,
                Fault::Protocol => 18,
            },
        }
    }

    /// True for the two verdicts that accept.
    #[must_use]
    pub fn accepts(self) -> bool {
        self.exit() == 0
    }
}

impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Ok { anchored_to, vouched_to } => {
                write!(f, "OK (anchored to {anchored_to}, vouched outside to {vouched_to})")
            }
            Self::OkUnanchored { since } => write!(f, "OK, UNANCHORED since {since}"),
            Self::SelfSigned => f.write_str("SELF-SIGNED"),
            Self::Bad(fault) => f.write_str(fault.word()),
        }
    }
}

/// What a verification found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Report {
    /// The verdict: the worst flaw, or how far a sound log is vouched for.
    pub verdict: Verdict,
    /// Exit status of `audit verify`.
    pub exit: u8,
    /// Offset of the worst flaw in its file.
    pub offset: Option<u64>,
    /// Sequence number at the worst flaw.
    pub seq: Option<u64>,
    /// First row that is in the directory; more than 0 where segments were archived.
    pub from_row: u64,
    /// Rows up to the last good COMMIT.
    pub rows: u64,
    /// Rows that an ANCHOR of a vault key from outside covers.
    pub anchored_to: u64,
    /// Rows that a receipt or checkpoint covers.
    pub vouched_to: u64,
    /// The vault key that LOG names.
    pub vault_key: Option<[u8; 32]>,
    /// Actions whose outcome the log does not know: dispatched without an end, or UNOBSERVED.
    pub unknown: Vec<Ref>,
    /// Everything that was found, the worst first.
    pub flaws: Vec<Flaw>,
}

impl Report {
    /// A log of which nothing could be believed.
    pub(super) fn refused(flaw: Flaw) -> Self {
        let verdict = Verdict::Bad(flaw.fault);
        Self {
            verdict,
            exit: verdict.exit(),
            offset: flaw.offset,
            seq: flaw.seq,
            from_row: 0,
            rows: 0,
            anchored_to: 0,
            vouched_to: 0,
            vault_key: None,
            unknown: Vec::new(),
            flaws: vec![flaw],
        }
    }

    pub(super) fn new(log: &Log, pinned: bool, found: Found, mut flaws: Vec<Flaw>) -> Self {
        flaws.sort_by_key(|flaw| flaw.fault);
        let Found { from_row, rows, anchored_to, vouched_to, unknown } = found;
        let worst = flaws.first();
        let verdict = match worst {
            Some(flaw) => Verdict::Bad(flaw.fault),
            None if !pinned => Verdict::SelfSigned,
            // The ANCHOR's own row is covered: it carries the vault's signature.
            None if rows > 0 && anchored_to.max(vouched_to) >= rows => Verdict::Ok { anchored_to, vouched_to },
            None => Verdict::OkUnanchored { since: anchored_to.max(vouched_to) },
        };
        Self {
            verdict,
            exit: verdict.exit(),
            offset: worst.and_then(|flaw| flaw.offset),
            seq: worst.and_then(|flaw| flaw.seq),
            from_row,
            rows,
            anchored_to,
            vouched_to,
            vault_key: Some(log.vault_key),
            unknown,
            flaws,
        }
    }
}

/// What was counted.
pub(super) struct Found {
    pub(super) from_row: u64,
    pub(super) rows: u64,
    pub(super) anchored_to: u64,
    pub(super) vouched_to: u64,
    pub(super) unknown: Vec<Ref>,
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{}", self.verdict)?;
        match (self.from_row, self.rows) {
            (0, 0) => writeln!(f, "no rows")?,
            (0, rows) => writeln!(f, "{rows} rows, 0 to {}", rows - 1)?,
            (from, rows) => {
                match rows.checked_sub(from).filter(|here| *here > 0) {
                    Some(here) => writeln!(f, "{here} rows, {from} to {}", rows - 1)?,
                    None => writeln!(f, "no rows")?,
                }
                writeln!(f, "rows 0 to {} are not in this directory (archived, if you moved them)", from - 1)?;
            }
        }
        if let Some(key) = &self.vault_key {
            let held = if self.verdict == Verdict::SelfSigned { "found in LOG, not checked" } else { "in LOG" };
            writeln!(f, "vault key {} ({held})", hex::encode(key))?;
        }
        writeln!(f, "anchored to {}, vouched outside to {}", self.anchored_to, self.vouched_to)?;
        for flaw in &self.flaws {
            writeln!(f, "{flaw}")?;
        }
        for reference in &self.unknown {
            writeln!(f, "UNKNOWN action {reference}: it was dispatched and its result was not seen")?;
        }
        Ok(())
    }
}
