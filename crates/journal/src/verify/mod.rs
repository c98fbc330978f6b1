//! The verdict on a whole log. Reads only, needs no secret.

mod outside;
mod report;

pub use report::{Report, Verdict};

use crate::finding::{BadLog, Finding};
use crate::format::log::Log;
use crate::read::directory::{self, LOG, SegmentName};
use crate::read::flaw::{About, Flaw};
use crate::read::seams;
use crate::read::segment::{Reading, Segment, read, read_settled};
use lychgate_core::event::RowKind;
use lychgate_core::ids::Ref;
use lychgate_core::receipt::Receipt;
use outside::Outside;
use report::Found;
use std::path::Path;

/// What a log is held against.
#[derive(Debug, Clone, Default)]
pub struct VerifyOptions {
    /// The vault's public key, as printed at `init`. Without it, and without `log_key`, the best verdict is SELF-SIGNED.
    pub vault_key: Option<[u8; 32]>,
    /// The log's public key, as it stands in a saved checkpoint's verifier key. Trusts receipts and checkpoints, not
    /// anchors.
    pub log_key: Option<[u8; 32]>,
    /// Saved checkpoints: C2SP signed notes.
    pub checkpoints: Vec<String>,
    /// Receipts that were given out.
    pub receipts: Vec<Receipt>,
    /// Check the signature of every COMMIT, not of each segment's last one alone.
    pub all_commits: bool,
    /// No gateway is writing this log: an incomplete last batch is judged at once. Otherwise it is looked at again for a
    /// moment, since it may be one that is being written.
    pub at_rest: bool,
}

/// Verifies the log in `dir`. Never writes; what can't be read is a flaw.
#[must_use]
pub fn verify(dir: &Path, options: &VerifyOptions) -> Report {
    let log = match believe_log(dir, options) {
        Ok(log) => log,
        Err(flaw) => return Report::refused(flaw),
    };
    let outside = match Outside::read(&log, options) {
        Ok(outside) => outside,
        Err(flaw) => return Report::refused(flaw),
    };
    let names = match directory::segments(dir) {
        Ok(names) => names,
        Err(error) => return Report::refused(Flaw::unreadable(About::Directory, &error)),
    };
    let mut flaws = Vec::new();
    let segments = read_all(&log, &names, &outside, options, &mut flaws);
    judge(&log, options, &outside, &segments, flaws)
}

fn judge(log: &Log, options: &VerifyOptions, outside: &Outside, segments: &[Segment], mut flaws: Vec<Flaw>) -> Report {
    let borrowed: Vec<&Segment> = segments.iter().collect();
    flaws.extend(segments.iter().flat_map(|segment| segment.flaws.iter().cloned()));
    flaws.extend(seams::check(log, &borrowed));
    let (lives, repeated) = seams::merge_lives(&borrowed);
    flaws.extend(repeated);
    let from_row = segments.first().map_or(0, |first| first.header.seq);
    let rows = segments.last().map_or(0, |last| last.committed.tree.size());
    flaws.extend(outside.compare(log, &borrowed));

    // Only a vault key from outside makes an ANCHOR more than the log's own word.
    let anchors = segments.iter().flat_map(|segment| &segment.anchors);
    let anchored_to = anchors.map(|anchor| anchor.seq + 1).max().filter(|_| options.vault_key.is_some()).unwrap_or(0);
    let vouched_to = outside.newest().unwrap_or(0);
    if from_row > 0 && anchored_to.max(vouched_to) <= from_row {
        flaws.push(Flaw::of(About::Directory, Finding::BeginningMissing { last: from_row - 1 }));
    }

    let mut unknown: Vec<Ref> = lives
        .iter()
        .filter(|(_, life)| match life.end {
            None => life.dispatch,
            Some(kind) => kind == RowKind::Unobserved,
        })
        .map(|(reference, _)| *reference)
        .collect();
    unknown.sort_unstable();
    let pinned = options.vault_key.is_some() || options.log_key.is_some();
    Report::new(log, pinned, Found { from_row, rows, anchored_to, vouched_to, unknown }, flaws)
}

fn believe_log(dir: &Path, options: &VerifyOptions) -> Result<Log, Flaw> {
    let about = || About::File(LOG.to_owned());
    let bytes = std::fs::read(dir.join(LOG)).map_err(|error| Flaw::unreadable(about(), &error))?;
    let log = Log::parse(&bytes).map_err(|kind| Flaw::of(about(), kind))?;
    if options.vault_key.is_some_and(|key| key != log.vault_key) {
        return Err(Flaw::of(about(), BadLog::OtherVaultKey));
    }
    if options.log_key.is_some_and(|key| key != log.log_key) {
        return Err(Flaw::of(about(), BadLog::OtherLogKey));
    }
    Ok(log)
}

fn read_all(
    log: &Log,
    names: &[SegmentName],
    outside: &Outside,
    options: &VerifyOptions,
    flaws: &mut Vec<Flaw>,
) -> Vec<Segment> {
    let mut segments = Vec::new();
    for (place, name) in names.iter().enumerate() {
        let last = place + 1 == names.len();
        let reading = Reading {
            log,
            last,
            limit: None,
            all_commits: options.all_commits,
            roots: outside.sizes(),
            leaves: outside.seqs(),
        };
        let found = if last && !options.at_rest { read_settled(name, &reading) } else { read(name, &reading) };
        match found {
            Ok(segment) => segments.push(segment),
            Err(flaw) => flaws.push(flaw),
        }
    }
    segments
}
