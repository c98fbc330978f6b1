//! What the log says of one action, after the segments that the answer rests on were verified from their bytes.

use crate::error::JournalError;
use crate::finding::BadSegment;
use crate::format::log::Log;
use crate::read::directory;
use crate::read::flaw::{About, Flaw};
use crate::read::seams;
use crate::read::segment::{Life, Reading, Segment, read};
use crate::shared::DurableEnd;
use lychgate_core::event::RowKind;
use lychgate_core::ids::{BootNo, GrantNo, Ref};
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::Arc;

/// The end of an action.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct End {
    /// FINAL, ABORT or UNOBSERVED.
    pub kind: RowKind,
}

/// What the log says of one action. That it says nothing is no evidence by itself: the log's end must be vouched for
/// from outside before absence means anything.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RefState {
    /// It was announced.
    pub intent: bool,
    /// It was dispatched: it may have taken effect.
    pub dispatch: bool,
    /// Its end.
    pub end: Option<End>,
    /// Grant of its last row.
    pub grant: GrantNo,
    /// Epoch of its last row.
    pub epoch: u64,
    /// Boot of its last row.
    pub boot: BootNo,
}

/// Closed segments that were verified, by number. They can't change without this process noticing at its next start.
#[derive(Default)]
pub(crate) struct Verified {
    segments: BTreeMap<u64, Arc<Segment>>,
}

impl Verified {
    /// Reads the log up to its durable end and asks it about `reference`.
    pub(crate) fn state_of(
        &mut self,
        dir: &Path,
        log: &Log,
        end: &DurableEnd,
        reference: Ref,
    ) -> Result<RefState, JournalError> {
        let segments = self.load(dir, log, end)?;
        let borrowed: Vec<&Segment> = segments.iter().map(Arc::as_ref).collect();
        let flaws = segments.iter().flat_map(|segment| segment.flaws.iter().cloned());
        if let Some(flaw) = flaws.chain(seams::check(log, &borrowed)).min_by_key(|flaw| flaw.fault) {
            return Err(JournalError::Quarantine(flaw));
        }
        let complete = borrowed.first().is_some_and(|first| first.open.segment == 0);
        life_of(&borrowed, reference, complete)
    }

    fn load(&mut self, dir: &Path, log: &Log, end: &DurableEnd) -> Result<Vec<Arc<Segment>>, JournalError> {
        let names = directory::segments(dir).map_err(|error| JournalError::Files(error.to_string()))?;
        let none = BTreeSet::new();
        let mut loaded: Vec<Arc<Segment>> = Vec::new();
        for name in names {
            let current = name.path == end.path;
            let number = loaded.last().map(|segment| segment.open.segment + 1);
            let cached = number.or(Some(0)).and_then(|number| self.segments.get(&number));
            if let Some(cached) = cached.filter(|cached| !current && cached.name == name) {
                loaded.push(Arc::clone(cached));
                continue;
            }
            let limit = current.then_some(end.offset);
            let reading = Reading { log, last: false, limit, all_commits: false, roots: &none, leaves: &none };
            let segment = Arc::new(read(&name, &reading).map_err(JournalError::Quarantine)?);
            if !current && segment.flaws.is_empty() {
                self.segments.insert(segment.open.segment, Arc::clone(&segment));
            }
            loaded.push(segment);
            if current {
                break;
            }
        }
        check_end(&loaded, end)?;
        Ok(loaded)
    }
}

/// The log on the disk must be the one that this process wrote.
fn check_end(loaded: &[Arc<Segment>], end: &DurableEnd) -> Result<(), JournalError> {
    let fits = loaded.last().is_some_and(|last| {
        last.open.segment == end.segment
            && last.committed.tree.size() == end.point.size
            && last.committed.tree.root() == end.point.root
    });
    if fits {
        return Ok(());
    }
    let name = end.path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    let (offset, seq) = (Some(end.offset), Some(end.point.size));
    Err(JournalError::Quarantine(Flaw::new(About::File(name), offset, seq, BadSegment::NotAsWritten)))
}

fn life_of(segments: &[&Segment], reference: Ref, complete: bool) -> Result<RefState, JournalError> {
    let carried = segments.first().and_then(|first| first.open.carry.actions.get(&reference));
    let mut found = carried.map(|action| Life {
        intent: true,
        dispatch: action.dispatched,
        end: None,
        boot: action.boot,
        epoch: action.epoch,
        grant: action.grant,
    });
    for here in segments.iter().filter_map(|segment| segment.lives.get(&reference)) {
        match &mut found {
            Some(earlier) => seams::join(earlier, here),
            None => found = Some(here.clone()),
        }
    }
    match found {
        Some(life) => Ok(RefState {
            intent: life.intent,
            dispatch: life.dispatch,
            end: life.end.map(|kind| End { kind }),
            grant: life.grant,
            epoch: life.epoch,
            boot: life.boot,
        }),
        None if complete => {
            Ok(RefState { intent: false, dispatch: false, end: None, grant: GrantNo::NONE, epoch: 0, boot: BootNo(0) })
        }
        None => Err(JournalError::Archived),
    }
}
