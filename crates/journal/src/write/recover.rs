//! What a start does with the last segment: walk it, set a torn tail aside, cut the file.

use super::head::Start;
use super::storage::Storage;
use crate::error::JournalError;
use crate::finding::{BadSegment, Fault};
use crate::format::clear::{Open, Recovery};
use crate::format::entry::{self, Entry};
use crate::format::frame::{Frames, Step};
use crate::format::log::Log;
use crate::format::tree::Tree;
use crate::protocol::Carry;
use crate::read::directory::{SegmentName, TORN};
use crate::read::flaw::Flaw;
use crate::read::segment::{Reading, Segment, about, file_name, read};
use crate::read::tail::bytes_behind;
use lychgate_core::ids::{BootNo, Digest};
use lychgate_seal::durable;
use sha2::{Digest as _, Sha256};
use std::collections::BTreeSet;
use std::fs::File;
use std::io::BufReader;
use std::path::Path;

/// A log whose last segment had no CLOSE.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Recovered {
    /// File name of that segment.
    pub segment: String,
    /// Rows up to and with its last good COMMIT.
    pub size: u64,
    /// Root over them.
    pub root: Digest,
    /// Bytes of an incomplete last batch that were set aside; nothing in them was ever acknowledged.
    pub set_aside_bytes: u64,
}

/// Where the new segment begins.
pub(crate) struct Found {
    pub(crate) start: Start,
    pub(crate) previous_boot: Option<BootNo>,
    pub(crate) recovery: Option<Recovery>,
    pub(crate) recovered: Option<Recovered>,
}

/// Looks at the last segment and makes it fit to be followed. Changes nothing where it finds damage.
pub(crate) fn recover(
    dir: &Path,
    log: &Log,
    names: &[SegmentName],
    storage: &dyn Storage,
) -> Result<Found, JournalError> {
    let Some((last, earlier)) = names.split_last() else {
        let start =
            Start { segment: 0, boot: BootNo(1), tree: Tree::empty(), last_leaf: [0; 32], carry: Carry::empty() };
        return Ok(Found { start, previous_boot: None, recovery: None, recovered: None });
    };
    let segment = walk(log, last)?;
    check_announced(log, &segment, earlier.last())?;
    let boot = segment.boot();
    let next_boot = BootNo(boot.0.checked_add(1).ok_or(JournalError::BootsUsedUp)?);
    let committed = &segment.committed;
    let files = |error: std::io::Error| JournalError::Files(error.to_string());
    let tail = if committed.closed { Vec::new() } else { set_aside(dir, &segment)? };
    let file = storage.open(&last.path).map_err(files)?;
    file.cut(committed.offset).map_err(files)?;
    let recovery = (!committed.closed).then(|| Recovery {
        segment: segment.open.segment,
        size: committed.tree.size(),
        root: committed.tree.root(),
        offset: committed.offset,
        tail_len: tail.len() as u64,
        tail_hash: Sha256::digest(&tail).into(),
        failed: None,
    });
    let recovered = recovery.as_ref().map(|recovery| Recovered {
        segment: file_name(last),
        size: recovery.size,
        root: Digest(recovery.root),
        set_aside_bytes: recovery.tail_len,
    });
    let start = Start {
        segment: segment.open.segment + 1,
        boot: next_boot,
        tree: committed.tree.clone(),
        last_leaf: committed.last_leaf,
        carry: committed.carry.clone().into_new_boot(),
    };
    Ok(Found { start, previous_boot: Some(boot), recovery, recovered })
}

fn walk(log: &Log, name: &SegmentName) -> Result<Segment, JournalError> {
    let none = BTreeSet::new();
    let reading = Reading { log, last: true, limit: None, all_commits: false, roots: &none, leaves: &none };
    let segment = read(name, &reading).map_err(JournalError::Quarantine)?;
    match segment.flaws.iter().find(|flaw| flaw.fault != Fault::TornTail) {
        Some(flaw) => Err(JournalError::Quarantine(flaw.clone())),
        None => Ok(segment),
    }
}

/// The last segment must be opened by the key that its predecessor (or LOG) announced.
fn check_announced(log: &Log, last: &Segment, before: Option<&SegmentName>) -> Result<(), JournalError> {
    let announced = match before {
        Some(before) => read_open(before)?.next_key,
        None if last.open.segment == 0 => log.genesis_key,
        // Earlier segments may be archived.
        None => return Ok(()),
    };
    if announced == last.open.key {
        return Ok(());
    }
    Err(JournalError::Quarantine(last.flaw(Some(0), Some(last.header.seq), BadSegment::OtherKey)))
}

fn read_open(name: &SegmentName) -> Result<Open, JournalError> {
    let damaged =
        || JournalError::Quarantine(Flaw::new(about(name), Some(0), Some(name.first_seq), BadSegment::OpenUnreadable));
    let file = File::open(&name.path).map_err(|_| damaged())?;
    let mut bytes = Vec::new();
    let step = Frames::new(BufReader::new(file)).next(&mut bytes);
    let Ok(Step::Frame { .. }) = step else { return Err(damaged()) };
    match entry::parse(&bytes) {
        Ok(Entry::Row(row)) => Open::parse(row.clear).ok_or_else(damaged),
        Ok(Entry::Commit(_)) | Err(_) => Err(damaged()),
    }
}

/// Copies what stands behind the last good COMMIT to `torn/`, durably, before the file is cut. A start that was
/// interrupted between the two finds its own copy again.
fn set_aside(dir: &Path, segment: &Segment) -> Result<Vec<u8>, JournalError> {
    let files = |why: String| JournalError::Files(why);
    let offset = segment.committed.offset;
    let torn = dir.join(TORN);
    let copy = torn.join(format!("seg-{:020}-at-{offset}.torn", segment.header.seq));
    let torn_now = segment.flaws.iter().any(|flaw| flaw.fault == Fault::TornTail);
    let tail = if torn_now {
        bytes_behind(&segment.name.path, offset).map_err(|error| files(error.to_string()))?
    } else {
        Vec::new()
    };
    if tail.is_empty() {
        let limit = usize::try_from(crate::format::log::SEGMENT_BYTES_MAX).unwrap_or(usize::MAX);
        return match durable::read_owned(&copy, limit) {
            Ok(earlier) => Ok(earlier.to_vec()),
            Err(durable::ReadRefused::Absent(_)) => Ok(tail),
            Err(refused) => Err(files(refused.to_string())),
        };
    }
    durable::private_dir(&torn).map_err(|refused| files(refused.to_string()))?;
    durable::replace(&copy, &tail, durable::PRIVATE_FILE).map_err(|error| files(error.to_string()))?;
    Ok(tail)
}
