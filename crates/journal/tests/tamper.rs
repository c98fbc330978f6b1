//! Somebody edits, cuts, reorders or replaces the log. None of it may be accepted.
#![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "tests")]

mod common;

use common::{Bench, NOW, SMALL, Vault, create, granted, one_action, row, segments};
use lychgate_core::event::RowKind;
use lychgate_journal::finding::Fault;
use lychgate_journal::format::frame::{Frames, Step, write_frame};
use lychgate_journal::random::SystemRandom;
use lychgate_journal::verify::{Report, Verdict, VerifyOptions, verify};
use lychgate_journal::{Journal, JournalError};
use std::fs::OpenOptions;
use std::os::unix::fs::FileExt;
use std::path::Path;

fn at_rest(bench: &Bench, dir: &Path) -> Report {
    verify(dir, &VerifyOptions { at_rest: true, ..bench.pinned() })
}

/// A closed segment and a live one, small.
fn two_segments() -> Bench {
    let bench = Bench::new(SMALL);
    let (journal, _) = bench.open();
    granted(&journal, 1);
    one_action(&journal, 1, 7);
    journal.close(NOW).unwrap();
    let (journal, _) = bench.open();
    journal.anchor(Box::new(Vault::new(1)), NOW).wait().unwrap();
    journal.append(row(RowKind::Event, 5, 0, 0)).wait().unwrap();
    drop(journal);
    assert_eq!(bench.verify().exit, 0);
    bench
}

fn shorten_rest(path: &Path, keep: u64) {
    let bytes = std::fs::read(path).unwrap();
    let used = bytes.iter().rposition(|byte| *byte != 0).unwrap() as u64 + 1;
    OpenOptions::new().write(true).open(path).unwrap().set_len(used.next_multiple_of(8) + keep).unwrap();
}

#[test]
fn every_flipped_byte_of_log_and_segments_is_rejected() {
    let bench = two_segments();
    let mut files = bench.segments();
    // Of the zeroed rest a few hundred bytes stand for all.
    shorten_rest(&files[1], 200);
    assert_eq!(bench.verify().exit, 0);
    files.push(bench.dir.join("LOG"));
    for path in files {
        let file = OpenOptions::new().read(true).write(true).open(&path).unwrap();
        for place in 0..file.metadata().unwrap().len() {
            let mut byte = [0];
            file.read_exact_at(&mut byte, place).unwrap();
            file.write_all_at(&[byte[0] ^ (1 << (place % 8))], place).unwrap();
            let report = at_rest(&bench, &bench.dir);
            assert!(
                !report.verdict.accepts() && report.verdict != Verdict::SelfSigned,
                "{path:?} byte {place}: {report}"
            );
            file.write_all_at(&byte, place).unwrap();
        }
    }
    assert_eq!(bench.verify().exit, 0);
}

/// Entries of all frames of a segment, in order.
fn entries(path: &Path) -> Vec<Vec<u8>> {
    let bytes = std::fs::read(path).unwrap();
    let (mut frames, mut entry, mut found) = (Frames::new(&bytes[..]), Vec::new(), Vec::new());
    while let Step::Frame { .. } = frames.next(&mut entry).unwrap() {
        found.push(entry.clone());
    }
    found
}

/// Writes a segment anew, checksums included, as somebody does who knows the format.
fn rewrite(path: &Path, entries: &[Vec<u8>]) {
    let mut bytes = Vec::new();
    for entry in entries {
        write_frame(&mut bytes, entry);
    }
    std::fs::write(path, bytes).unwrap();
}

fn is_commit(entry: &[u8]) -> bool {
    entry[1] == lychgate_journal::format::entry::COMMIT_KIND
}

#[test]
fn swapping_any_two_neighbours_is_corruption() {
    let bench = two_segments();
    for path in bench.segments() {
        let all = entries(&path);
        let before = std::fs::read(&path).unwrap();
        for place in 0..all.len() - 1 {
            let mut swapped = all.clone();
            swapped.swap(place, place + 1);
            rewrite(&path, &swapped);
            let report = at_rest(&bench, &bench.dir);
            assert_eq!(report.verdict, Verdict::Bad(Fault::Corrupt), "{path:?} {place}: {report}");
        }
        std::fs::write(&path, before).unwrap();
    }
}

#[test]
fn dropping_any_row_or_commit_that_others_follow_is_rejected() {
    let bench = two_segments();
    for path in bench.segments() {
        let all = entries(&path);
        let before = std::fs::read(&path).unwrap();
        for place in 0..all.len() - 1 {
            let mut shorter = all.clone();
            shorter.remove(place);
            rewrite(&path, &shorter);
            let report = at_rest(&bench, &bench.dir);
            assert!(!report.verdict.accepts(), "{path:?} {place}: {report}");
        }
        std::fs::write(&path, before).unwrap();
    }
}

#[test]
fn a_changed_sequence_number_is_found_although_its_checksum_is_right() {
    let bench = two_segments();
    let path = &bench.segments()[0];
    let mut all = entries(path);
    let place = all.iter().rposition(|entry| !is_commit(entry)).unwrap() - 2;
    all[place][4] ^= 1;
    rewrite(path, &all);
    assert_eq!(at_rest(&bench, &bench.dir).verdict, Verdict::Bad(Fault::Corrupt));
}

#[test]
fn a_tail_cut_below_a_receipt_is_truncated_and_above_it_never_a_plain_ok() {
    let bench = Bench::new(SMALL);
    let (journal, _) = bench.open();
    granted(&journal, 1);
    let receipt = journal.receipt(None);
    one_action(&journal, 1, 7);
    let late = journal.receipt(None);
    drop(journal);
    let path = &bench.segments()[0];
    let all = entries(path);
    let with = |receipt| VerifyOptions { receipts: vec![receipt], at_rest: true, ..bench.pinned() };
    // Every cut that ends with a COMMIT looks like a log that stopped there.
    for end in (1..=all.len()).filter(|end| is_commit(&all[end - 1])) {
        rewrite(path, &all[..end]);
        let rows = all[..end].iter().filter(|entry| !is_commit(entry)).count() as u64;
        let bare = at_rest(&bench, &bench.dir).verdict;
        assert_eq!(bare, Verdict::OkUnanchored { since: 0 }, "{rows}");
        let cut_below = |receipt: &lychgate_core::receipt::Receipt| rows < receipt.size;
        for receipt in [&receipt, &late] {
            let verdict = verify(&bench.dir, &with(receipt.clone())).verdict;
            let expected = Verdict::Bad(Fault::Truncated);
            assert_eq!(verdict == expected, cut_below(receipt), "{rows} {verdict}");
        }
    }
    std::fs::write(path, []).unwrap();
    assert_eq!(verify(&bench.dir, &with(receipt.clone())).verdict, Verdict::Bad(Fault::Corrupt));
    std::fs::remove_file(path).unwrap();
    assert_eq!(verify(&bench.dir, &with(receipt)).verdict, Verdict::Bad(Fault::Truncated));
    assert_eq!(at_rest(&bench, &bench.dir).verdict, Verdict::OkUnanchored { since: 0 });
}

#[test]
fn a_wholly_replaced_directory_is_a_bad_key_or_self_signed() {
    let bench = two_segments();
    let foreign = bench.root.path().join("foreign");
    create(&foreign, 66, SMALL);
    let (journal, _) = Journal::open(&foreign, NOW, None, Box::new(SystemRandom)).unwrap();
    journal.close(NOW).unwrap();
    assert_eq!(at_rest(&bench, &foreign).verdict, Verdict::Bad(Fault::BadKey));
    let keyless = VerifyOptions { at_rest: true, ..VerifyOptions::default() };
    assert_eq!(verify(&foreign, &keyless).verdict, Verdict::SelfSigned);
    let refused = Journal::open(&foreign, NOW, Some(bench.created.vault_key), Box::new(SystemRandom)).unwrap_err();
    assert!(matches!(refused, JournalError::Log(_)), "{refused}");
}

#[test]
fn segments_of_another_log_are_a_bad_key_even_under_the_genuine_log_file() {
    let bench = two_segments();
    let foreign = bench.root.path().join("foreign");
    create(&foreign, 1, SMALL);
    let (journal, _) = Journal::open(&foreign, NOW, None, Box::new(SystemRandom)).unwrap();
    journal.close(NOW).unwrap();
    let mixed = bench.copy("mixed");
    for path in segments(&mixed) {
        std::fs::remove_file(path).unwrap();
    }
    let segment = &segments(&foreign)[0];
    std::fs::copy(segment, mixed.join(segment.file_name().unwrap())).unwrap();
    assert_eq!(at_rest(&bench, &mixed).verdict, Verdict::Bad(Fault::BadKey));
    std::fs::copy(foreign.join("next.key"), mixed.join("next.key")).unwrap();
    let refused = Journal::open(&mixed, NOW, None, Box::new(SystemRandom)).unwrap_err();
    assert!(matches!(refused, JournalError::NextKey(_)), "{refused}");
}

#[test]
fn commits_signed_by_a_foreign_key_are_a_bad_key() {
    use ed25519_dalek::{Signer as _, SigningKey};
    use lychgate_journal::format::entry::{Entry, parse};
    use lychgate_journal::format::note::{Point, checkpoint_text};
    let bench = two_segments();
    let path = &bench.segments()[1];
    let mut all = entries(path);
    for entry in all.iter_mut().filter(|entry| is_commit(entry)) {
        let Ok(Entry::Commit(mut commit)) = parse(entry) else { unreachable!("a COMMIT") };
        let point = Point { size: commit.size, root: commit.root };
        let text = checkpoint_text(&common::ORIGIN.parse().unwrap(), &point);
        commit.signature = SigningKey::from_bytes(&[5; 32]).sign(text.as_bytes()).to_bytes();
        *entry = commit.encode();
    }
    rewrite(path, &all);
    assert_eq!(at_rest(&bench, &bench.dir).verdict, Verdict::Bad(Fault::BadKey));
    let refused = bench.try_open().unwrap_err();
    assert!(matches!(refused, JournalError::Quarantine(_)), "{refused}");
}

#[test]
fn a_missing_segment_is_a_gap_and_a_doubled_one_a_fork() {
    let bench = Bench::new(SMALL);
    for _ in 0..3 {
        let (journal, _) = bench.open();
        granted(&journal, 1);
        journal.close(NOW).unwrap();
    }
    let all = bench.segments();
    let without = bench.copy("without");
    std::fs::remove_file(without.join(all[1].file_name().unwrap())).unwrap();
    assert_eq!(at_rest(&bench, &without).verdict, Verdict::Bad(Fault::Gap));
    let headless = bench.copy("headless");
    std::fs::remove_file(headless.join(all[0].file_name().unwrap())).unwrap();
    assert_eq!(at_rest(&bench, &headless).verdict, Verdict::Bad(Fault::Gap));
}

#[test]
fn an_archived_start_is_accepted_where_an_anchor_vouches_for_what_follows() {
    let bench = Bench::new(SMALL);
    let (journal, _) = bench.open();
    journal.close(NOW).unwrap();
    let (journal, _) = bench.open();
    journal.anchor(Box::new(Vault::new(1)), NOW).wait().unwrap();
    journal.close(NOW).unwrap();
    std::fs::remove_file(&bench.segments()[0]).unwrap();
    let report = at_rest(&bench, &bench.dir);
    assert_eq!((report.exit, report.from_row), (0, 2), "{report}");
}

#[test]
fn two_checkpoints_of_one_size_with_different_roots_are_a_fork() {
    let bench = Bench::new(SMALL);
    let early = bench.copy("early");
    let (journal, _) = bench.open();
    granted(&journal, 1);
    let one = journal.receipt(None);
    drop(journal);
    let (journal, _) = Journal::open(&early, NOW, None, Box::new(SystemRandom)).unwrap();
    granted(&journal, 1);
    let other = journal.receipt(None);
    drop(journal);
    assert_eq!((one.size, one.root == other.root), (other.size, false));
    let options = VerifyOptions { receipts: vec![one.clone(), other.clone()], at_rest: true, ..bench.pinned() };
    assert_eq!(verify(&bench.dir, &options).verdict, Verdict::Bad(Fault::Fork));
    let options = VerifyOptions { checkpoints: vec![other.note], at_rest: true, ..bench.pinned() };
    assert_eq!(verify(&bench.dir, &options).verdict, Verdict::Bad(Fault::Rewritten));
    let options = VerifyOptions { checkpoints: vec![one.note], at_rest: true, ..bench.pinned() };
    assert_eq!(verify(&bench.dir, &options).exit, 0);
}

#[test]
fn a_receipt_of_another_log_is_a_bad_key() {
    let bench = two_segments();
    let foreign = bench.root.path().join("foreign");
    create(&foreign, 66, SMALL);
    let (journal, _) = Journal::open(&foreign, NOW, None, Box::new(SystemRandom)).unwrap();
    let options = VerifyOptions { receipts: vec![journal.receipt(None)], at_rest: true, ..bench.pinned() };
    assert_eq!(verify(&bench.dir, &options).verdict, Verdict::Bad(Fault::BadKey));
}

#[test]
fn bytes_behind_a_closed_segment_are_corruption() {
    let bench = two_segments();
    let path = &bench.segments()[0];
    let mut bytes = std::fs::read(path).unwrap();
    bytes.extend_from_slice(&[1; 64]);
    std::fs::write(path, bytes).unwrap();
    assert_eq!(at_rest(&bench, &bench.dir).verdict, Verdict::Bad(Fault::Corrupt));
}
