//! Verdicts, their exit status, and how they read.

use crate::finding::Fault;
use crate::format::log::Log;
use crate::read::flaw::Flaw;
use lychgate_core::ids::Ref;
use lychgate_text::words;
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

    /// Its code, without numbers: the same in every language.
    #[must_use]
    pub fn code(self) -> &'static str {
        match self {
            Self::Ok { .. } => "OK",
            Self::OkUnanchored { .. } => "UNANCHORED",
            Self::SelfSigned => "SELF-SIGNED",
            Self::Bad(fault) => fault.word(),
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
        let words = &words().journal().report;
        match self {
            Self::Ok { anchored_to, vouched_to } => f.write_str(&(words.ok)(*anchored_to, *vouched_to)),
            Self::OkUnanchored { since } => f.write_str(&(words.unanchored)(*since)),
            Self::SelfSigned | Self::Bad(_) => f.write_str(self.code()),
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
        let words = &words().journal().report;
        writeln!(f, "{}", self.verdict)?;
        match self.rows.checked_sub(self.from_row).filter(|here| *here > 0) {
            Some(here) => writeln!(f, "{}", (words.rows)(here, self.from_row, self.rows - 1))?,
            None => writeln!(f, "{}", words.no_rows)?,
        }
        if let Some(last) = self.from_row.checked_sub(1) {
            writeln!(f, "{}", (words.rows_elsewhere)(last))?;
        }
        if let Some(key) = &self.vault_key {
            let unchecked = self.verdict == Verdict::SelfSigned;
            writeln!(f, "{}", (words.vault_key)(&hex::encode(key), unchecked))?;
        }
        writeln!(f, "{}", (words.covered)(self.anchored_to, self.vouched_to))?;
        for flaw in &self.flaws {
            writeln!(f, "{flaw}")?;
        }
        for reference in &self.unknown {
            writeln!(f, "{}", (words.unknown)(reference))?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::finding::BadRow;
    use crate::read::flaw::About;

    fn report(verdict: Verdict, from_row: u64, rows: u64) -> Report {
        Report {
            verdict,
            exit: verdict.exit(),
            offset: None,
            seq: None,
            from_row,
            rows,
            anchored_to: 3,
            vouched_to: 0,
            vault_key: Some([0xab; 32]),
            unknown: Vec::new(),
            flaws: Vec::new(),
        }
    }

    #[test]
    fn a_sound_log_is_told_in_four_lines() {
        let key = "ab".repeat(32);
        let told = report(Verdict::OkUnanchored { since: 3 }, 0, 5).to_string();
        let expected = format!(
            "OK, UNANCHORED since 3\n5 rows, 0 to 4\nvault key {key} (in LOG)\nanchored to 3, vouched outside to 0\n"
        );
        assert_eq!(told, expected);
        let told = report(Verdict::SelfSigned, 0, 0).to_string();
        let first = format!("SELF-SIGNED\nno rows\nvault key {key} (found in LOG, not checked)\n");
        assert!(told.starts_with(&first), "{told}");
        let all = Verdict::Ok { anchored_to: 3, vouched_to: 2 };
        assert_eq!(all.to_string(), "OK (anchored to 3, vouched outside to 2)");
    }

    #[test]
    fn what_is_elsewhere_what_was_found_and_what_is_unknown_stand_below() {
        let mut damaged = report(Verdict::Bad(Fault::Corrupt), 3, 5);
        damaged.flaws = vec![Flaw::new(About::File("seg".to_owned()), Some(8), Some(4), BadRow::OutOfOrder)];
        damaged.unknown = vec![Ref([7; 16])];
        let told = damaged.to_string();
        let lines: Vec<&str> = told.lines().collect();
        let [verdict, rows, elsewhere, _, _, flaw, unknown] = lines.as_slice() else {
            unreachable!("{told}");
        };
        assert_eq!((*verdict, *rows), ("CORRUPT", "2 rows, 3 to 4"));
        assert_eq!(*elsewhere, "rows 0 to 2 are not in this directory (archived, if you moved them)");
        assert_eq!(*flaw, "CORRUPT: seg at byte 8, row 4: a sequence number is not the next one");
        let told_of = Ref([7; 16]).to_string();
        assert_eq!(*unknown, format!("UNKNOWN action {told_of}: it was dispatched and its result was not seen"));
    }
}
