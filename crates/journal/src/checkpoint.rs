//! A checkpoint of a whole log, for `audit checkpoint`: from its files, with or without a gateway that writes them.

use crate::error::JournalError;
use crate::finding::Fault;
use crate::format::log::Log;
use crate::format::note::{Point, checkpoint_text, key_id, signature_line};
use crate::read::directory::{self, LOG, NEXT_KEY};
use crate::read::segment::{Reading, read_settled};
use crate::verify::{VerifyOptions, verify};
use crate::write::next_key::NextKey;
use std::collections::BTreeSet;
use std::path::Path;

/// The C2SP checkpoint of the log in `dir` at its last good COMMIT, signed by the log key and the segment's.
///
/// The whole log is verified first: a checkpoint vouches for every row, and one of an altered log would lend it a
/// signature. Reads everything, writes nothing.
///
/// # Errors
/// [`JournalError::Quarantine`] with the flaw; also where the log holds no row yet, or its keys can't be read.
pub fn checkpoint(dir: &Path) -> Result<String, JournalError> {
    let files = |error: std::io::Error| JournalError::Files(error.to_string());
    let report = verify(dir, &VerifyOptions::default());
    // An incomplete last batch is behind the COMMIT that is signed here.
    if let Some(flaw) = report.flaws.into_iter().find(|flaw| flaw.fault != Fault::TornTail) {
        return Err(JournalError::Quarantine(flaw));
    }
    let log = Log::parse(&std::fs::read(dir.join(LOG)).map_err(files)?)?;
    let names = directory::segments(dir).map_err(files)?;
    let last = names.last().ok_or(JournalError::NoRowYet)?;
    let none = BTreeSet::new();
    let reading = Reading { log: &log, last: true, limit: None, all_commits: false, roots: &none, leaves: &none };
    let commit = read_settled(last, &reading).map_err(JournalError::Quarantine)?.committed.commit;
    let keys = NextKey::load(&dir.join(NEXT_KEY), log.id, &log.log_key)?;
    let text = checkpoint_text(&log.origin, &Point { size: commit.size, root: commit.root });
    let name = log.origin.as_str();
    let by_log = signature_line(name, key_id(name, &log.log_key), &keys.log_key.sign(text.as_bytes()));
    let by_segment = signature_line(&log.origin.segment_name(), commit.key_id, &commit.signature);
    Ok(format!("{text}\n{by_log}{by_segment}"))
}
