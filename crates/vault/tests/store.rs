//! The action store: what comes back, what is dropped, and what is noticed.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing, reason = "tests")]

mod common;

use common::State;
use lychgate_core::evidence::ProcessInode;
use lychgate_core::ids::{ActionNo, BootNo, Digest, Ref, RunId, WallTime};
use lychgate_core::outcome::EndReason;
use lychgate_core::record::{AgentIdentity, EndKind, IntentRecord, Record, RunRecord, StoredResult};
use lychgate_vault::{Opened, Store, StoreDamage, StoreKey, StoreNotice};
use std::fs;

const HOUR: u64 = 60 * 60 * 1000;
const NOW: WallTime = WallTime(1_800_000_000_000);

fn ago(hours: u64) -> WallTime {
    WallTime(NOW.0 - hours * HOUR)
}

fn reference(n: u8) -> Ref {
    Ref([n; 16])
}

fn intent(n: u8, run: u64, at: WallTime) -> Record {
    Record::Intent(IntentRecord {
        reference: reference(n),
        client_ref: Ref([n + 100; 16]),
        action: ActionNo(u64::from(n)),
        run: RunId(run),
        boot: BootNo(1),
        peer: ProcessInode(9),
        kernel_boot: "kernel".into(),
        channel: "github".parse().unwrap(),
        channel_version: 1,
        method: "GET".into(),
        target: "https://api.example.com/canary-target".into(),
        conversation: Some("label".into()),
        digest: Digest([n; 32]),
        action_key: None,
        retry_of: None,
        idempotency_key: None,
        at,
    })
}

fn done(n: u8, body: &[u8], at: WallTime) -> Record {
    let result = StoredResult {
        status: 200,
        headers: vec![("content-type".into(), "text/plain".into())],
        body: body.to_vec(),
        truncated: false,
        total_bytes: body.len() as u64,
        notice: None,
    };
    Record::Final { reference: reference(n), result, at }
}

fn run(n: u64, at: WallTime) -> Record {
    Record::Run(RunRecord {
        run: RunId(n),
        boot: BootNo(1),
        conversation: None,
        agent: AgentIdentity { program: "/usr/bin/agent".into(), sha256: Some(Digest([1; 32])), directory: None },
        peer: ProcessInode(9),
        kernel_boot: "kernel".into(),
        at,
    })
}

fn open(state: &State, key: &StoreKey) -> Opened {
    Store::open(&state.files().actions(), key, NOW).unwrap()
}

/// A store with five records, its bytes, and where each frame begins.
fn five(state: &State, key: &StoreKey) -> (Vec<Record>, Vec<u8>, Vec<usize>) {
    let mut opened = open(state, key);
    let mut ends = vec![fs::metadata(state.files().actions()).unwrap().len() as usize];
    let records = [run(1, NOW), intent(1, 1, NOW), done(1, b"canary-body", NOW), intent(2, 1, NOW), done(2, b"b", NOW)];
    for record in &records {
        opened.store.append(record, true).unwrap();
        ends.push(fs::metadata(state.files().actions()).unwrap().len() as usize);
    }
    (records.to_vec(), fs::read(state.files().actions()).unwrap(), ends)
}

#[test]
fn every_kind_of_record_comes_back_in_order() {
    let state = State::with_vault();
    let key = state.unlock().store_key();
    let channel = || "github".parse().unwrap();
    let records = [
        run(1, NOW),
        Record::Approved { run: RunId(1), channel: channel(), epoch: 3, at: NOW },
        intent(1, 1, NOW),
        done(1, &[0, 255, 7], NOW),
        intent(2, 1, NOW),
        Record::Ended { reference: reference(2), kind: EndKind::NotObserved, at: NOW },
        Record::ApprovalEnded { run: RunId(1), channel: channel(), reason: EndReason::ManualRevoke, at: NOW },
        Record::RunEnded { run: RunId(1), reason: EndReason::ProcessExited, at: NOW },
        run(2, NOW),
        Record::Inherited { from: RunId(1), to: RunId(2), channels: vec![channel()], at: NOW },
    ];
    let mut opened = open(&state, &key);
    assert_eq!(opened.records, [Record::Counter { next_action: 1 }]);
    for record in &records {
        opened.store.append(record, false).unwrap();
    }
    opened.store.sync().unwrap();
    drop(opened);
    for _ in 0..3 {
        let opened = open(&state, &key);
        assert_eq!(opened.notice, None);
        assert_eq!(opened.records[0], Record::Counter { next_action: 3 });
        assert_eq!(opened.records[1..], records);
    }
}

#[test]
fn nothing_of_a_record_is_readable_and_no_two_files_share_bytes() {
    let state = State::with_vault();
    let key = state.unlock().store_key();
    let (_, bytes, _) = five(&state, &key);
    for clear in [b"canary".as_slice(), b"github", b"agent"] {
        assert!(!bytes.windows(clear.len()).any(|window| window == clear));
    }
    let again = open(&state, &key);
    assert!(!format!("{:?} {key:?}", again.store).contains("canary"));
    assert_ne!(fs::read(state.files().actions()).unwrap()[10..42], bytes[10..42], "a key of its own for each file");
}

#[test]
fn every_flipped_bit_is_noticed_and_what_came_before_it_is_kept() {
    let state = State::with_vault();
    let key = state.unlock().store_key();
    let (records, bytes, ends) = five(&state, &key);
    let path = state.files().actions();
    for at in 0..bytes.len() {
        let mut other = bytes.clone();
        other[at] ^= 1 << (at % 8);
        fs::write(&path, &other).unwrap();
        let opened = open(&state, &key);
        let Some(StoreNotice::Damaged { aside, .. }) = &opened.notice else { panic!("{at}: {:?}", opened.notice) };
        assert_eq!(fs::read(aside).unwrap(), other);
        // Of the counter (one frame) and five records, those whose frames end before the flip.
        let kept = ends.iter().filter(|end| **end <= at).count().saturating_sub(1);
        assert_eq!(opened.records[1..], records[..kept], "{at}");
    }
}

#[test]
fn a_cut_tail_is_tolerated_at_every_length_and_said() {
    let state = State::with_vault();
    let key = state.unlock().store_key();
    let (records, bytes, ends) = five(&state, &key);
    let path = state.files().actions();
    for cut in ends[0]..bytes.len() {
        fs::write(&path, &bytes[..cut]).unwrap();
        let mut opened = open(&state, &key);
        let whole = ends.iter().rposition(|end| *end <= cut).unwrap();
        let left = (cut - ends[whole]) as u64;
        let expected = (left > 0).then_some(StoreNotice::CutTail { bytes: left });
        assert_eq!(opened.notice, expected, "cut at {cut}");
        assert_eq!(opened.records[1..], records[..whole], "cut at {cut}");
        if cut % 64 == 0 {
            // And it goes on from there.
            opened.store.append(&run(9, NOW), true).unwrap();
            assert_eq!(open(&state, &key).records.last(), Some(&run(9, NOW)));
        }
    }
    // Zeros after the end are what a file system leaves that grew the file and lost the data.
    fs::write(&path, [bytes.as_slice(), &[0; 5000]].concat()).unwrap();
    let opened = open(&state, &key);
    assert_eq!(opened.notice, Some(StoreNotice::CutTail { bytes: 5000 }));
    assert_eq!(opened.records[1..], records);
}

/// What showed that the store was damaged.
fn damage(opened: &Opened) -> Option<StoreDamage> {
    match &opened.notice {
        Some(StoreNotice::Damaged { why, .. }) => Some(why.clone()),
        Some(StoreNotice::CutTail { .. }) | None => None,
    }
}

#[test]
fn frames_that_are_dropped_repeated_moved_or_of_another_file_are_noticed() {
    let state = State::with_vault();
    let key = state.unlock().store_key();
    let (records, bytes, ends) = five(&state, &key);
    let frame = |n: usize| &bytes[ends[n]..ends[n + 1]];
    let head = &bytes[..ends[0]];
    let other_state = State::empty();
    let (_, other_bytes, other_ends) = five(&other_state, &key);
    let foreign = &other_bytes[other_ends[1]..other_ends[2]];
    let attacks: [(&str, Vec<u8>, usize); 6] = [
        ("first dropped", [head, frame(1), frame(2), frame(3), frame(4)].concat(), 0),
        ("middle dropped", [head, frame(0), frame(1), frame(3), frame(4)].concat(), 2),
        ("swapped", [head, frame(0), frame(2), frame(1), frame(3), frame(4)].concat(), 1),
        ("repeated", [head, frame(0), frame(1), frame(1), frame(2)].concat(), 2),
        ("foreign frame", [head, frame(0), foreign, frame(2)].concat(), 1),
        ("foreign tail", [&other_bytes[..other_ends[0]], frame(0)].concat(), 0),
    ];
    for (name, bytes, kept) in attacks {
        fs::write(state.files().actions(), bytes).unwrap();
        let opened = open(&state, &key);
        assert_eq!(damage(&opened), Some(StoreDamage::Length(kept + 1)), "{name}");
        assert_eq!(opened.records[1..], records[..kept], "{name}");
    }
}

#[test]
fn the_store_of_another_vault_and_what_is_no_file_of_ours_are_put_aside() {
    let state = State::with_vault();
    let key = state.unlock().store_key();
    five(&state, &key);
    let stranger = State::with_vault().unlock().store_key();
    let opened = open(&state, &stranger);
    assert_eq!(damage(&opened), Some(StoreDamage::Length(0)));
    assert_eq!(opened.records.len(), 1);
    drop(opened);

    let path = state.files().actions();
    fs::remove_file(&path).unwrap();
    std::os::unix::fs::symlink("/etc/passwd", &path).unwrap();
    let opened = open(&state, &key);
    assert!(matches!(damage(&opened), Some(StoreDamage::Refused(why)) if why.contains("symbolic link")));
    assert!(fs::symlink_metadata(&path).unwrap().is_file());
    drop(opened);

    for short in [b"".as_slice(), b"LYCHACTS"] {
        fs::write(&path, short).unwrap();
        assert_eq!(damage(&open(&state, &key)), Some(StoreDamage::Short));
    }
}

#[test]
fn results_lose_their_bodies_after_a_day_and_runs_and_actions_go_after_a_week() {
    let state = State::with_vault();
    let key = state.unlock().store_key();
    let mut opened = open(&state, &key);
    let records = [
        run(1, ago(200)),
        intent(7, 1, ago(199)),
        done(7, b"old", ago(199)),
        Record::RunEnded { run: RunId(1), reason: EndReason::ProcessExited, at: ago(199) },
        // A run that began long ago and still did something this week stays as a whole.
        run(2, ago(200)),
        Record::Approved { run: RunId(2), channel: "github".parse().unwrap(), epoch: 1, at: ago(200) },
        intent(3, 2, ago(26)),
        done(3, b"yesterday", ago(25)),
        intent(4, 2, ago(24)),
        done(4, b"today", ago(23)),
        // A clock that was wrong once.
        run(3, WallTime(NOW.0 + 999 * HOUR)),
    ];
    for record in &records {
        opened.store.append(record, false).unwrap();
    }
    drop(opened);
    let opened = open(&state, &key);
    assert_eq!(opened.records[0], Record::Counter { next_action: 8 }, "the counter outlives its actions");
    let mut expected = records[4..].to_vec();
    let Record::Final { result, .. } = &mut expected[3] else { panic!("fixture") };
    (result.body, result.headers, result.truncated) = (vec![], vec![], true);
    assert_eq!(opened.records[1..], expected);
    let bytes = fs::metadata(state.files().actions()).unwrap().len();
    drop(opened);
    open(&state, &key);
    assert_eq!(fs::metadata(state.files().actions()).unwrap().len(), bytes);
}
