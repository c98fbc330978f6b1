//! From one segment to the next: announced keys, exactly one end each, rows, roots and protocol state that join.

use super::flaw::Flaw;
use super::segment::{Life, Segment};
use crate::finding::{BadSegment, Finding};
use crate::format::log::Log;
use crate::protocol::Carry;
use lychgate_core::ids::{BootNo, Ref};
use std::collections::HashMap;

/// Checks the first segment against LOG, and each against the one before it.
#[must_use]
pub fn check(log: &Log, segments: &[&Segment]) -> Vec<Flaw> {
    let mut flaws = Vec::new();
    if let Some(first) = segments.first() {
        flaws.extend(check_first(log, first));
    }
    for pair in segments.windows(2) {
        if let [before, after] = pair {
            flaws.extend(check_pair(before, after));
        }
    }
    flaws
}

fn check_first(log: &Log, first: &Segment) -> Option<Flaw> {
    let start = |kind: BadSegment| Some(first.flaw(Some(0), Some(first.header.seq), kind));
    if first.header.seq > 0 && first.open.segment > 0 {
        // Earlier segments may be archived; whether this start is believed is decided by anchors and checkpoints.
        return None;
    }
    if first.open.key != log.genesis_key {
        return start(BadSegment::GenesisKey);
    }
    let begins = first.open.segment == 0
        && first.header.seq == 0
        && first.header.prev_leaf == [0; 32]
        && first.header.boot == BootNo(1)
        && first.open.carry == Carry::empty()
        && first.recovery.is_none();
    if begins { None } else { start(BadSegment::NoBeginning) }
}

fn check_pair(before: &Segment, after: &Segment) -> Option<Flaw> {
    let end = before.committed.tree.size();
    let flaw = |kind: BadSegment| Some(after.flaw(Some(0), Some(after.header.seq), kind));
    if after.header.seq < end || after.open.segment <= before.open.segment {
        return flaw(BadSegment::Twice);
    }
    if after.header.seq > end || after.open.segment != before.open.segment + 1 {
        let missing = Finding::RowsMissing { first: end, last: after.header.seq.saturating_sub(1) };
        return Some(after.flaw(Some(0), Some(end), missing));
    }
    if after.open.key != before.open.next_key {
        return flaw(BadSegment::OtherKey);
    }
    if after.open.prev_root != before.committed.tree.root() || after.header.prev_leaf != before.committed.last_leaf {
        return flaw(BadSegment::OtherRows);
    }
    if let Some(kind) = check_end(before, after) {
        return flaw(kind);
    }
    let same_boot = after.boot() == before.boot();
    if !same_boot && before.boot().0.checked_add(1) != Some(after.boot().0) {
        return flaw(BadSegment::Boot);
    }
    let carry = before.committed.carry.clone();
    let expected = if same_boot { carry } else { carry.into_new_boot() };
    if after.open.carry != expected {
        return flaw(BadSegment::State);
    }
    None
}

/// Exactly one CLOSE or RECOVERY per segment.
fn check_end(before: &Segment, after: &Segment) -> Option<BadSegment> {
    match (&after.recovery, before.committed.closed) {
        (None, true) => None,
        (Some(_), true) => Some(BadSegment::Recovered),
        (None, false) => Some(BadSegment::NoEnd),
        (Some(recovery), false) => {
            let fits = recovery.segment == before.open.segment && recovery.offset == before.committed.offset;
            (!fits).then_some(BadSegment::OtherEnd)
        }
    }
}

/// What all segments together say of each action; a second INTENT in a later segment is a flaw.
#[must_use]
pub fn merge_lives(segments: &[&Segment]) -> (HashMap<Ref, Life>, Vec<Flaw>) {
    let mut merged: HashMap<Ref, Life> = HashMap::new();
    let mut flaws = Vec::new();
    if let Some(first) = segments.first() {
        merged.extend(first.open.carry.actions.iter().map(|(reference, action)| {
            let life = Life {
                intent: true,
                dispatch: action.dispatched,
                end: None,
                boot: action.boot,
                epoch: action.epoch,
                grant: action.grant,
            };
            (*reference, life)
        }));
    }
    for segment in segments {
        for (reference, here) in &segment.lives {
            let Some(earlier) = merged.get_mut(reference) else {
                merged.insert(*reference, here.clone());
                continue;
            };
            if here.intent {
                flaws.push(segment.flaw(None, None, Finding::IntentAgain(*reference)));
            }
            join(earlier, here);
        }
    }
    (merged, flaws)
}

/// Adds what a later segment says.
pub fn join(earlier: &mut Life, later: &Life) {
    earlier.intent |= later.intent;
    earlier.dispatch |= later.dispatch;
    earlier.end = later.end.or(earlier.end);
    (earlier.boot, earlier.epoch, earlier.grant) = (later.boot, later.epoch, later.grant);
}
