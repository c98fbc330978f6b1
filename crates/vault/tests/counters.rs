//! Numbers for people never restart, and a damaged file stops nobody.
#![allow(clippy::unwrap_used, reason = "tests")]

mod common;

use common::State;
use lychgate_core::ids::{ActionNo, RunId, WallTime};
use lychgate_core::record::Record;
use lychgate_vault::{Counters, Opened, Store, StoreNotice};
use std::fs;

#[test]
fn run_numbers_go_on_after_every_restart() {
    let state = State::empty();
    let path = state.files().counters();
    for n in 1..=6 {
        assert_eq!(Counters::open(&path).next_run().unwrap(), RunId(n));
    }
    let mut counters = Counters::open(&path);
    counters.runs_seen(RunId(30));
    counters.runs_seen(RunId(2));
    assert_eq!(counters.next_run().unwrap(), RunId(31));
    assert!(counters.damaged().is_none());
}

#[test]
fn action_numbers_follow_the_store_and_jump_over_all_that_were_used_where_it_was_lost() {
    let state = State::with_vault();
    let key = state.unlock().store_key();
    let open = || Store::open(&state.files().actions(), &key, WallTime(0)).unwrap();
    let path = state.files().counters();
    let follow = |opened: &Opened| {
        let mut counters = Counters::open(&path);
        counters.follow(opened);
        counters
    };
    let mut opened = open();
    let mut counters = follow(&opened);
    for n in 1..=3 {
        let action = counters.next_action().unwrap();
        assert_eq!(action, ActionNo(n));
        opened.store.append(&Record::Counter { next_action: action.0 + 1 }, false).unwrap();
    }
    drop(opened);
    // A restart with the store: no gap.
    assert_eq!(follow(&open()).next_action().unwrap(), ActionNo(4));
    // Lost, or put back from long ago, or damaged: a gap, and no number twice.
    std::fs::remove_file(state.files().actions()).unwrap();
    let mut opened = open();
    let mut counters = follow(&opened);
    let first = counters.next_action().unwrap();
    assert!(first > ActionNo(4), "{first}");
    let mut used = first;
    for _ in 0..2_500 {
        let next = counters.next_action().unwrap();
        assert_eq!(next.0, used.0 + 1);
        used = next;
    }
    opened.store.append(&Record::Counter { next_action: used.0 + 1 }, true).unwrap();
    drop(opened);
    let mut opened = open();
    assert_eq!(follow(&opened).next_action().unwrap().0, used.0 + 1);
    opened.notice = Some(StoreNotice::CutTail { bytes: 9 });
    assert!(follow(&opened).next_action().unwrap().0 > used.0 + 1);
    assert!(Counters::open(&path).next_action().unwrap() > used);
}

#[test]
fn a_damaged_file_is_said_and_the_largest_readable_numbers_count() {
    let state = State::empty();
    let path = state.files().counters();
    for (text, run) in [
        ("runs 7\nactions x\n", 8),
        ("runs 7\nruns 9\nactions 1\n", 10),
        ("runs\u{0} 7\nactions 5\n", 1),
        ("runs 99999999999999999999999\nactions 5\n", 1),
        ("runs -4\nactions 5\n", 1),
        ("\u{1b}[2J", 1),
    ] {
        lychgate_seal::durable::replace(&path, text.as_bytes(), 0o600).unwrap();
        let mut counters = Counters::open(&path);
        assert!(counters.damaged().is_some(), "{text:?}");
        assert_eq!(counters.next_run().unwrap(), RunId(run), "{text:?}");
    }
    lychgate_seal::durable::replace(&path, &[0xff; 100], 0o600).unwrap();
    assert!(Counters::open(&path).damaged().is_some());
    fs::remove_file(&path).unwrap();
    std::os::unix::fs::symlink("/etc/passwd", &path).unwrap();
    let mut counters = Counters::open(&path);
    assert!(counters.damaged().is_some());
    assert_eq!(counters.next_run().unwrap(), RunId(1));
    assert!(fs::symlink_metadata(&path).unwrap().is_file(), "replaced, not followed");
}

#[test]
fn the_largest_number_does_not_wrap() {
    let state = State::empty();
    let path = state.files().counters();
    lychgate_seal::durable::replace(&path, format!("runs {0}\nactions {0}\n", u64::MAX).as_bytes(), 0o600).unwrap();
    let mut counters = Counters::open(&path);
    assert_eq!(counters.next_run().unwrap(), RunId(u64::MAX));
    assert_eq!(counters.next_action().unwrap(), ActionNo(u64::MAX));
}
