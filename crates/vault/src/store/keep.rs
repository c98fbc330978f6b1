//! What stays in the store when it is opened. Pure.

use lychgate_core::ids::{ActionNo, Ref, RunId, WallTime};
use lychgate_core::limits::RESULTS_KEPT_MS;
use lychgate_core::programs::{self, ProgramImage};
use lychgate_core::record::{Record, StoredResult};
use std::collections::{HashMap, HashSet};

/// Actions and runs are remembered so long after the last thing that happened to them.
const RECORDS_KEPT_MS: u64 = 7 * 24 * 60 * 60 * 1000;
/// Bodies of results that stay, in bytes, newest first.
const BODIES_KEPT_BYTES: usize = 64 * 1024 * 1024;

/// The records that stay, in their order, after one [`Record::Counter`] that is above every action number among all.
///
/// A run or an action stays as long as its newest record does: half of one would say something else than the whole. By
/// the wall clock; a record from the future stays.
pub(super) fn keep(records: Vec<Record>, now: WallTime) -> Vec<Record> {
    let newest = newest_of(&records);
    let counter = Record::Counter { next_action: next_action(&records).0 };
    let mut programs = ProgramsKept::of(&records);
    let mut kept: Vec<Record> = records
        .into_iter()
        .filter(|record| {
            if let Record::Program { .. } = record {
                return programs.stays(record);
            }
            let subject = Subject::of(record);
            let newest = subject.and_then(|subject| newest.get(&subject));
            newest.is_some_and(|at| now.0.saturating_sub(at.0) <= RECORDS_KEPT_MS)
        })
        .collect();
    let mut room = BODIES_KEPT_BYTES;
    for record in kept.iter_mut().rev() {
        let Record::Final { result, at, .. } = record else { continue };
        let young = now.0.saturating_sub(at.0) <= RESULTS_KEPT_MS;
        match room.checked_sub(result.body.len()) {
            Some(left) if young => room = left,
            _ => {
                result.headers.clear();
                drop_body(result);
            }
        }
    }
    kept.insert(0, counter);
    kept
}

/// What programs did is remembered for as long as there is room: of each the first card, and of each place the last yes.
struct ProgramsKept {
    seen: HashSet<ProgramImage>,
    /// Records of yeses that are not the last one at their place.
    older: HashMap<(String, Option<String>), usize>,
}

impl ProgramsKept {
    fn of(records: &[Record]) -> Self {
        let mut older = HashMap::new();
        for record in records {
            if let Record::Program { image, yes: true, .. } = record {
                *older.entry(place(image)).or_insert(0) += 1;
            }
        }
        Self { seen: HashSet::new(), older }
    }

    /// For the next record, in their order.
    fn stays(&mut self, record: &Record) -> bool {
        let Record::Program { image, yes, .. } = record else { return false };
        let last_yes = *yes
            && self.older.get_mut(&place(image)).is_some_and(|left| {
                *left = left.saturating_sub(1);
                *left == 0
            });
        let first = self.seen.len() < programs::MOST && self.seen.insert(image.clone());
        first || last_yes
    }
}

fn place(image: &ProgramImage) -> (String, Option<String>) {
    (image.path.clone(), image.script.as_ref().map(|script| script.path.clone()))
}

/// The record with less in it, where it is a result with a body.
pub(super) fn without_body(record: &Record) -> Option<Record> {
    let Record::Final { reference, result, at } = record else { return None };
    let slim = || StoredResult {
        body: Vec::new(),
        truncated: true,
        headers: result.headers.clone(),
        notice: result.notice.clone(),
        ..*result
    };
    (!result.body.is_empty()).then(|| Record::Final { reference: *reference, result: slim(), at: *at })
}

fn drop_body(result: &mut StoredResult) {
    if !result.body.is_empty() {
        result.truncated = true;
        result.body = Vec::new();
    }
}

/// What a record is about.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Subject {
    Action(Ref),
    Run(RunId),
}

impl Subject {
    fn of(record: &Record) -> Option<Self> {
        match record {
            Record::Intent(intent) => Some(Self::Action(intent.reference)),
            Record::Final { reference, .. } | Record::Ended { reference, .. } => Some(Self::Action(*reference)),
            Record::Run(run) => Some(Self::Run(run.run)),
            Record::Approved { run, .. } | Record::ApprovalEnded { run, .. } | Record::RunEnded { run, .. } => {
                Some(Self::Run(*run))
            }
            Record::Inherited { to, .. } => Some(Self::Run(*to)),
            Record::Program { .. } | Record::Counter { .. } => None,
        }
    }
}

fn at(record: &Record) -> WallTime {
    match record {
        Record::Intent(intent) => intent.at,
        Record::Run(run) => run.at,
        Record::Final { at, .. }
        | Record::Ended { at, .. }
        | Record::Approved { at, .. }
        | Record::ApprovalEnded { at, .. }
        | Record::RunEnded { at, .. }
        | Record::Inherited { at, .. }
        | Record::Program { at, .. } => *at,
        Record::Counter { .. } => WallTime(0),
    }
}

fn newest_of(records: &[Record]) -> HashMap<Subject, WallTime> {
    let mut newest = HashMap::new();
    let mut see = |subject, at: WallTime| {
        let entry = newest.entry(subject).or_insert(at);
        *entry = at.max(*entry);
    };
    for record in records {
        if let Some(subject) = Subject::of(record) {
            see(subject, at(record));
        }
        match record {
            // What one subject needs of another keeps that one too.
            Record::Intent(intent) => see(Subject::Run(intent.run), intent.at),
            Record::Inherited { from, at, .. } => see(Subject::Run(*from), *at),
            _ => {}
        }
    }
    newest
}

fn next_action(records: &[Record]) -> ActionNo {
    let next = records.iter().map(|record| match record {
        Record::Counter { next_action } => *next_action,
        Record::Intent(intent) => intent.action.0.saturating_add(1),
        _ => 1,
    });
    ActionNo(next.max().unwrap_or(1))
}

#[cfg(test)]
mod tests {
    #![expect(clippy::indexing_slicing, reason = "tests")]
    use super::*;
    use lychgate_core::ids::Digest;

    fn result(bytes: usize) -> Record {
        let result = StoredResult {
            status: 200,
            headers: vec![],
            body: vec![7; bytes],
            truncated: false,
            total_bytes: bytes as u64,
            notice: None,
        };
        Record::Final { reference: Ref([1; 16]), result, at: WallTime(1) }
    }

    fn bodies(records: &[Record]) -> Vec<(usize, bool)> {
        let body = |record: &Record| match record {
            Record::Final { result, .. } => Some((result.body.len(), result.truncated)),
            _ => None,
        };
        records.iter().filter_map(body).collect()
    }

    #[test]
    fn only_so_many_bytes_of_bodies_stay_the_newest_first() {
        let third = BODIES_KEPT_BYTES / 3;
        let kept = keep((0..5).map(|_| result(third)).collect(), WallTime(2));
        assert_eq!(bodies(&kept), [(0, true), (0, true), (third, false), (third, false), (third, false)]);
    }

    #[test]
    fn of_a_program_the_first_card_and_the_last_yes_stay_however_old() {
        let image = |sha| ProgramImage { path: "/a".into(), sha256: Digest([sha; 32]), script: None };
        let record = |sha, yes, at| Record::Program { image: image(sha), yes, at: WallTime(at) };
        let all = vec![
            record(1, false, 1),
            record(1, true, 2),
            record(1, false, 3),
            record(1, true, 4),
            record(2, false, 5),
            record(1, true, 6),
        ];
        let kept = keep(all.clone(), WallTime(u64::MAX));
        assert_eq!(
            kept,
            [&[Record::Counter { next_action: 1 }][..], &[all[0].clone(), all[4].clone(), all[5].clone()]].concat()
        );
        assert_eq!(keep(kept.clone(), WallTime(u64::MAX)), kept, "and again");
    }

    #[test]
    fn a_result_without_a_body_is_not_called_cut() {
        assert_eq!(without_body(&result(0)), None);
        assert_eq!(without_body(&result(5)).map(|slim| bodies(&[slim])), Some(vec![(0, true)]));
        assert_eq!(bodies(&keep(vec![result(0)], WallTime(u64::MAX))), []);
        assert_eq!(bodies(&keep(vec![result(0)], WallTime(RESULTS_KEPT_MS + 2))), [(0, false)]);
    }
}
