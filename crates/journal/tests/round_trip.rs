//! What an untouched log must be, live, closed and recovered.
#![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "tests")]

mod common;

use common::{Bench, NOW, SMALL, Vault, granted, one_action, row};
use lychgate_core::event::RowKind;
use lychgate_core::ids::{BootNo, Ref};
use lychgate_core::proof::JournalAck;
use lychgate_journal::verify::{Verdict, VerifyOptions, verify};
use lychgate_journal::{End, JournalError, VaultSigner};

#[test]
fn an_untouched_log_is_accepted_live_closed_and_opened_again() {
    let bench = Bench::new(SMALL);
    let (journal, opened) = bench.open();
    assert_eq!((opened.boot, opened.previous_boot, opened.recovered.is_none()), (BootNo(1), None, true));
    granted(&journal, 1);
    one_action(&journal, 1, 7);
    let report = bench.verify();
    assert_eq!(report.verdict, Verdict::OkUnanchored { since: 0 }, "{report}");
    assert_eq!(report.rows, 5);
    journal.close(NOW).unwrap();
    let report = bench.verify();
    assert_eq!((report.exit, report.rows), (0, 6), "{report}");
    let (journal, opened) = bench.open();
    assert_eq!((opened.boot, opened.previous_boot), (BootNo(2), Some(BootNo(1))));
    assert!(opened.recovered.is_none() && opened.unfinished.is_empty());
    assert_eq!(bench.verify().exit, 0);
    drop(journal);
}

#[test]
fn without_a_key_from_outside_the_verdict_is_self_signed() {
    let bench = Bench::new(SMALL);
    let (journal, _) = bench.open();
    journal.close(NOW).unwrap();
    let report = verify(&bench.dir, &VerifyOptions::default());
    assert_eq!((report.verdict, report.exit), (Verdict::SelfSigned, 10));
    let text = report.to_string();
    assert!(text.contains(&hex::encode(bench.created.vault_key)), "{text}");
}

#[test]
fn an_anchor_vouches_for_the_rows_before_it_and_a_receipt_for_all() {
    let bench = Bench::new(SMALL);
    let (journal, _) = bench.open();
    granted(&journal, 1);
    let ack = journal.anchor(Box::new(Vault::new(1)), NOW).wait().unwrap();
    assert_eq!(ack.kind(), RowKind::Anchor);
    assert_eq!(bench.verify().verdict, Verdict::Ok { anchored_to: 3, vouched_to: 0 });
    one_action(&journal, 1, 7);
    assert_eq!(bench.verify().verdict, Verdict::OkUnanchored { since: 3 });
    let mut options = bench.pinned();
    options.receipts.push(journal.receipt(None));
    assert_eq!(verify(&bench.dir, &options).verdict, Verdict::Ok { anchored_to: 3, vouched_to: 6 });
    let other = journal.anchor(Box::new(Vault::new(2)), NOW).wait();
    assert_eq!(other, Err(JournalError::OtherVault));
    journal.close(NOW).unwrap();
    assert_eq!(verify(&bench.dir, &options).verdict, Verdict::OkUnanchored { since: 6 });
}

/// The vault that LOG names, locked before it was asked to sign.
struct Locked(Vault);

impl VaultSigner for Locked {
    fn sign(&self, _: &[u8]) -> [u8; 64] {
        [0; 64]
    }
    fn public(&self) -> [u8; 32] {
        self.0.public()
    }
}

#[test]
fn an_anchor_that_the_vault_no_longer_signs_does_not_enter_the_log() {
    let bench = Bench::new(SMALL);
    let (journal, _) = bench.open();
    granted(&journal, 1);
    let refused = journal.anchor(Box::new(Locked(Vault::new(1))), NOW).wait();
    assert_eq!(refused, Err(JournalError::NotSigned));
    one_action(&journal, 1, 7);
    assert_eq!(bench.verify().verdict, Verdict::OkUnanchored { since: 0 });
    journal.anchor(Box::new(Vault::new(1)), NOW).wait().unwrap();
    journal.close(NOW).unwrap();
    assert!(matches!(bench.verify().verdict, Verdict::OkUnanchored { since } if since > 0));
}

#[test]
fn a_receipt_names_the_row_of_its_ack_and_covers_it() {
    let bench = Bench::new(SMALL);
    let (journal, _) = bench.open();
    granted(&journal, 1);
    let ack: JournalAck = journal.append(row(RowKind::Intent, 5, 0, 7)).wait().unwrap();
    let receipt = journal.receipt_for(&ack);
    let named = receipt.row.unwrap();
    assert_eq!((named.seq, named.leaf), (ack.seq(), ack.leaf()));
    assert!(receipt.size > ack.seq());
    one_action(&journal, 1, 8);
    let mut options = bench.pinned();
    options.receipts.push(receipt.clone());
    assert_eq!(verify(&bench.dir, &options).exit, 0);
    let mut forged = receipt;
    forged.row.as_mut().unwrap().leaf.0[0] ^= 1;
    options.receipts = vec![forged];
    assert_eq!(verify(&bench.dir, &options).exit, 14);
}

#[test]
fn the_next_start_names_what_was_not_finished_over_any_number_of_starts() {
    let bench = Bench::new(SMALL);
    let (journal, _) = bench.open();
    granted(&journal, 1);
    journal.append(row(RowKind::Intent, 5, 0, 7)).wait().unwrap();
    journal.append(row(RowKind::Intent, 5, 0, 8)).wait().unwrap();
    journal.append(row(RowKind::Dispatch, 5, 1, 8)).wait().unwrap();
    drop(journal);
    for _ in 0..3 {
        let (journal, opened) = bench.open();
        assert!(opened.recovered.is_some());
        let found: Vec<(Ref, bool)> =
            opened.unfinished.iter().map(|action| (action.reference, action.dispatched)).collect();
        assert_eq!(found, [(Ref([7; 16]), false), (Ref([8; 16]), true)]);
        drop(journal);
    }
    let report = bench.verify();
    assert_eq!((report.exit, report.unknown.as_slice()), (0, &[Ref([8; 16])][..]), "{report}");
    let (journal, _) = bench.open();
    journal.append(row(RowKind::Abort, 6, 0, 7)).wait().unwrap();
    journal.append(row(RowKind::Unobserved, 6, 1, 8)).wait().unwrap();
    drop(journal);
    let (_journal, opened) = bench.open();
    assert!(opened.unfinished.is_empty());
}

#[test]
fn the_state_of_an_action_is_read_back_from_verified_segments() {
    let bench = Bench::new(SMALL);
    let (journal, _) = bench.open();
    granted(&journal, 1);
    one_action(&journal, 1, 7);
    journal.append(row(RowKind::Intent, 5, 0, 8)).wait().unwrap();
    let ended = journal.state_of(Ref([7; 16])).unwrap();
    assert_eq!((ended.intent, ended.dispatch, ended.end), (true, true, Some(End { kind: RowKind::Final })));
    let open = journal.state_of(Ref([8; 16])).unwrap();
    assert_eq!((open.intent, open.dispatch, open.end), (true, false, None));
    let absent = journal.state_of(Ref([9; 16])).unwrap();
    assert_eq!((absent.intent, absent.dispatch, absent.end), (false, false, None));
    journal.close(NOW).unwrap();
    let (journal, _) = bench.open();
    assert_eq!(journal.state_of(Ref([7; 16])).unwrap(), ended);
    journal.append(row(RowKind::Abort, 6, 0, 8)).wait().unwrap();
    assert_eq!(journal.state_of(Ref([8; 16])).unwrap().end, Some(End { kind: RowKind::Abort }));
}

#[test]
fn a_damaged_log_answers_nothing_about_an_action() {
    let bench = Bench::new(SMALL);
    let (journal, _) = bench.open();
    granted(&journal, 1);
    one_action(&journal, 1, 7);
    journal.close(NOW).unwrap();
    let (journal, _) = bench.open();
    let first = &bench.segments()[0];
    let mut bytes = std::fs::read(first).unwrap();
    let middle = bytes.len() / 2;
    bytes[middle] ^= 1;
    std::fs::write(first, bytes).unwrap();
    assert!(matches!(journal.state_of(Ref([7; 16])), Err(JournalError::Quarantine(_))));
}

#[test]
fn a_full_segment_is_closed_and_the_next_one_continues() {
    let bench = Bench::new(SMALL);
    let (journal, _) = bench.open();
    granted(&journal, 1);
    for reference in 1..=60 {
        one_action(&journal, 1, reference);
    }
    assert!(bench.segments().len() >= 3, "{:?}", bench.segments());
    let report = bench.verify();
    assert_eq!(report.exit, 0, "{report}");
    assert_eq!(journal.state_of(Ref([1; 16])).unwrap().end, Some(End { kind: RowKind::Final }));
    assert_eq!(journal.state_of(Ref([60; 16])).unwrap().end, Some(End { kind: RowKind::Final }));
    journal.close(NOW).unwrap();
    assert_eq!(bench.verify().exit, 0);
}

#[test]
fn a_second_writer_is_refused_and_the_first_goes_on() {
    let bench = Bench::new(SMALL);
    let (journal, _) = bench.open();
    let refused = bench.try_open().unwrap_err();
    assert!(matches!(refused, JournalError::Held(_)), "{refused}");
    granted(&journal, 1);
    journal.close(NOW).unwrap();
    let (second, _) = bench.open();
    granted(&second, 1);
}

#[test]
fn rows_that_break_the_protocol_are_refused_and_leave_no_trace() {
    let bench = Bench::new(SMALL);
    let (journal, _) = bench.open();
    for refused in [
        row(RowKind::Dispatch, 5, 1, 7),
        row(RowKind::Final, 5, 1, 7),
        row(RowKind::Anchor, 0, 0, 0),
        row(RowKind::SegmentClose, 0, 0, 0),
    ] {
        assert!(matches!(journal.append(refused).wait(), Err(JournalError::Protocol(_))));
    }
    granted(&journal, 1);
    journal.append(row(RowKind::Intent, 5, 0, 7)).wait().unwrap();
    journal.append(row(RowKind::Revoke, 5, 1, 0)).wait().unwrap();
    assert!(matches!(journal.append(row(RowKind::Dispatch, 5, 1, 7)).wait(), Err(JournalError::Protocol(_))));
    let report = bench.verify();
    assert_eq!((report.exit, report.rows), (0, 4), "{report}");
}

#[test]
fn rows_keep_the_order_in_which_they_were_handed_over() {
    let bench = Bench::new(1024 * 1024);
    let (journal, _) = bench.open();
    let pending: Vec<_> = (1..=200).map(|grant| journal.append(row(RowKind::Grant, 5, grant, 0))).collect();
    let seqs: Vec<u64> = pending.into_iter().map(|pending| pending.wait().unwrap().seq()).collect();
    assert_eq!(seqs, (1..=200).collect::<Vec<u64>>());
}

#[test]
fn many_threads_share_one_log() {
    let bench = Bench::new(1024 * 1024);
    let (journal, _) = bench.open();
    std::thread::scope(|scope| {
        for thread in 1..=8 {
            let journal = &journal;
            scope.spawn(move || {
                for turn in 0..20 {
                    journal.append(row(RowKind::Intent, 5, 0, thread * 20 + turn)).wait().unwrap();
                }
            });
        }
    });
    journal.close(NOW).unwrap();
    let report = bench.verify();
    assert_eq!((report.exit, report.rows), (0, 162), "{report}");
}

#[test]
fn events_nobody_waits_for_are_written_too() {
    let bench = Bench::new(SMALL);
    let (journal, _) = bench.open();
    journal.append_event(row(RowKind::Event, 5, 0, 0));
    let ack = journal.append(row(RowKind::Event, 5, 0, 0)).wait().unwrap();
    assert_eq!(ack.seq(), 2);
    journal.append_event(row(RowKind::Event, 5, 0, 0));
    journal.close(NOW).unwrap();
    assert_eq!(bench.verify().rows, 5);
}

#[test]
fn nothing_of_a_payload_is_readable_in_the_files() {
    let bench = Bench::new(SMALL);
    let (journal, _) = bench.open();
    granted(&journal, 1);
    journal.close(NOW).unwrap();
    for entry in std::fs::read_dir(&bench.dir).unwrap() {
        let path = entry.unwrap().path();
        let bytes = std::fs::read(&path).unwrap();
        for canary in [&b"canary-plaintext-0815"[..], &NOW.0.to_be_bytes()] {
            assert!(!bytes.windows(canary.len()).any(|window| window == canary), "{path:?}");
        }
    }
}

#[test]
fn an_oversized_row_is_refused_and_the_log_goes_on() {
    let bench = Bench::new(SMALL);
    let (journal, _) = bench.open();
    let mut large = row(RowKind::Grant, 5, 1, 0);
    large.event = lychgate_core::event::Event::Journal { note: "x".repeat(10_000) };
    assert_eq!(journal.append(large).wait(), Err(JournalError::TooLarge));
    granted(&journal, 1);
    assert_eq!(bench.verify().exit, 0);
}

#[test]
fn a_log_that_is_being_written_is_accepted_at_any_moment() {
    let bench = Bench::new(1024 * 1024);
    let (journal, _) = bench.open();
    let stop = std::sync::atomic::AtomicBool::new(false);
    std::thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| {
                while !stop.load(std::sync::atomic::Ordering::Relaxed) {
                    journal.append(row(RowKind::Revoke, 5, 9, 0)).wait().unwrap();
                }
            });
        }
        for _ in 0..25 {
            let receipt = journal.receipt(None);
            let options = VerifyOptions { receipts: vec![receipt], ..bench.pinned() };
            let report = verify(&bench.dir, &options);
            assert_eq!(report.exit, 0, "{report}");
        }
        stop.store(true, std::sync::atomic::Ordering::Relaxed);
    });
}
