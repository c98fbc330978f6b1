//! The machine stops at any instant, or the disk fails. What was acknowledged is there afterwards, and is sound.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing, reason = "tests")]

mod common;

use common::{Bench, NOW, SMALL, granted, one_action, row};
use lychgate_core::event::RowKind;
use lychgate_core::ids::BootNo;
use lychgate_journal::finding::Fault;
use lychgate_journal::random::SystemRandom;
use lychgate_journal::verify::{Verdict, VerifyOptions, verify};
use lychgate_journal::{Disk, Journal, JournalError, SegmentFile, Storage};
use proptest::prelude::*;
use std::io;
use std::path::Path;
use std::sync::{Arc, Mutex};

/// Which call fails next.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Fails {
    Nothing,
    /// The write fails after so many bytes.
    Write(usize),
    Sync,
    Create,
    Publish,
}

#[derive(Clone)]
struct Faulty(Arc<Mutex<Fails>>);

struct FaultyFile(Box<dyn SegmentFile>, Faulty);

impl Faulty {
    fn set(&self, fails: Fails) {
        *self.0.lock().unwrap() = fails;
    }
    fn hits(&self, call: impl Fn(Fails) -> bool) -> Option<Fails> {
        let mut next = self.0.lock().unwrap();
        call(*next).then(|| std::mem::replace(&mut *next, Fails::Nothing))
    }
}

fn broken<T>() -> io::Result<T> {
    Err(io::Error::from_raw_os_error(5))
}

impl Storage for Faulty {
    fn create(&self, path: &Path, bytes: u64) -> io::Result<Box<dyn SegmentFile>> {
        if self.hits(|call| call == Fails::Create).is_some() {
            return Err(io::Error::from_raw_os_error(28));
        }
        Ok(Box::new(FaultyFile(Disk.create(path, bytes)?, self.clone())))
    }
    fn open(&self, path: &Path) -> io::Result<Box<dyn SegmentFile>> {
        Ok(Box::new(FaultyFile(Disk.open(path)?, self.clone())))
    }
    fn publish(&self, from: &Path, to: &Path) -> io::Result<()> {
        if self.hits(|call| call == Fails::Publish).is_some() {
            return broken();
        }
        Disk.publish(from, to)
    }
}

impl SegmentFile for FaultyFile {
    fn write_at(&self, bytes: &[u8], at: u64) -> io::Result<()> {
        match self.1.hits(|call| matches!(call, Fails::Write(_))) {
            Some(Fails::Write(some)) => {
                self.0.write_at(&bytes[..some.min(bytes.len())], at)?;
                broken()
            }
            _ => self.0.write_at(bytes, at),
        }
    }
    fn sync(&self) -> io::Result<()> {
        if self.1.hits(|call| call == Fails::Sync).is_some() {
            return broken();
        }
        self.0.sync()
    }
    fn cut(&self, at: u64) -> io::Result<()> {
        self.0.cut(at)
    }
}

fn faulty(bench: &Bench) -> (Journal, Faulty) {
    let disk = Faulty(Arc::new(Mutex::new(Fails::Nothing)));
    let (journal, _) = Journal::open_on(
        &bench.dir,
        NOW,
        Some(bench.created.vault_key),
        Box::new(SystemRandom),
        Box::new(disk.clone()),
    )
    .unwrap();
    (journal, disk)
}

#[test]
fn after_a_failed_write_or_sync_the_row_is_not_there_and_later_rows_verify() {
    for fails in [Fails::Write(0), Fails::Write(100), Fails::Write(100_000), Fails::Sync] {
        let bench = Bench::new(SMALL);
        let (journal, disk) = faulty(&bench);
        granted(&journal, 1);
        journal.append(row(RowKind::Intent, 5, 0, 7)).wait().unwrap();
        let before = journal.receipt(None);
        disk.set(fails);
        let failed = journal.append(row(RowKind::Dispatch, 5, 1, 7)).wait();
        assert!(matches!(failed, Err(JournalError::NotDurable(_))), "{fails:?} {failed:?}");
        assert_eq!(journal.receipt(None), before, "no receipt for what failed");
        assert_eq!(bench.verify().rows, before.size, "{fails:?}: nobody sees the rows that failed");
        assert!(!journal.state_of(lychgate_core::ids::Ref([7; 16])).unwrap_or_else(|_| unreachable!()).dispatch);
        one_action(&journal, 1, 8);
        journal.close(NOW).unwrap();
        let mut options = bench.pinned();
        options.receipts.push(before);
        let report = verify(&bench.dir, &options);
        assert_eq!(report.exit, 0, "{fails:?} {report}");
        assert_eq!(bench.segments().len(), 2);
    }
}

#[test]
fn a_batch_that_failed_leaves_no_protocol_state_behind() {
    let bench = Bench::new(SMALL);
    let (journal, disk) = faulty(&bench);
    disk.set(Fails::Sync);
    assert!(journal.append(row(RowKind::Grant, 5, 1, 0)).wait().is_err());
    journal.append(row(RowKind::Intent, 5, 0, 7)).wait().unwrap();
    let refused = journal.append(row(RowKind::Dispatch, 5, 1, 7)).wait();
    assert!(matches!(refused, Err(JournalError::Protocol(_))), "the grant was never durable: {refused:?}");
    journal.close(NOW).unwrap();
    assert_eq!(bench.verify().exit, 0);
}

#[test]
fn with_no_space_for_a_new_segment_rows_fail_until_there_is() {
    let bench = Bench::new(SMALL);
    let (journal, disk) = faulty(&bench);
    for also in [Fails::Create, Fails::Publish, Fails::Sync, Fails::Write(10)] {
        disk.set(Fails::Sync);
        assert!(journal.append(row(RowKind::Event, 5, 0, 0)).wait().is_err());
        disk.set(also);
        assert!(journal.append(row(RowKind::Event, 5, 0, 0)).wait().is_err(), "{also:?}");
        journal.append(row(RowKind::Event, 5, 0, 0)).wait().unwrap();
        assert_eq!(bench.verify().exit, 0, "{also:?} {}", bench.verify());
    }
    journal.close(NOW).unwrap();
    assert_eq!(bench.verify().exit, 0);
    let (_, opened) = bench.open();
    assert_eq!(opened.boot, BootNo(2));
}

#[test]
fn a_start_that_fails_at_any_step_can_be_repeated() {
    let bench = Bench::new(SMALL);
    let (journal, _) = bench.open();
    granted(&journal, 1);
    drop(journal);
    for fails in [Fails::Create, Fails::Write(10), Fails::Sync, Fails::Publish] {
        let disk = Faulty(Arc::new(Mutex::new(fails)));
        let opened = Journal::open_on(&bench.dir, NOW, None, Box::new(SystemRandom), Box::new(disk));
        assert!(opened.is_err(), "{fails:?}");
        assert_eq!(bench.verify().exit, 0, "{fails:?} {}", bench.verify());
        let (journal, opened) = bench.open();
        assert!(opened.recovered.is_some());
        drop(journal);
        assert_eq!(bench.verify().exit, 0, "{fails:?} {}", bench.verify());
    }
}

#[test]
fn a_copy_taken_while_the_gateway_runs_recovers_to_what_was_acknowledged() {
    let bench = Bench::new(SMALL);
    let (journal, _) = bench.open();
    granted(&journal, 1);
    let receipt = journal.receipt(None);
    let copy = bench.copy("crashed");
    one_action(&journal, 1, 7);
    let (recovered, opened) = Journal::open(&copy, NOW, None, Box::new(SystemRandom)).unwrap();
    assert_eq!(opened.recovered.unwrap().size, 2);
    drop(recovered);
    let options = VerifyOptions { receipts: vec![receipt], ..bench.pinned() };
    assert_eq!(verify(&copy, &options).exit, 0);
}

/// A log whose last batch holds several rows, and the offset where that batch begins.
fn with_a_large_last_batch(bench: &Bench) -> (u64, Vec<u8>) {
    let (journal, _) = bench.open();
    granted(&journal, 1);
    let path = &bench.segments()[0];
    let begins = used(path);
    let pending: Vec<_> = (0..5).map(|n| journal.append(row(RowKind::Intent, 5, 0, 10 + n))).collect();
    for pending in pending {
        pending.wait().unwrap();
    }
    drop(journal);
    (begins, std::fs::read(path).unwrap())
}

fn used(path: &Path) -> u64 {
    let bytes = std::fs::read(path).unwrap();
    let end = bytes.iter().rposition(|byte| *byte != 0).unwrap() as u64 + 1;
    end.next_multiple_of(8)
}

/// Finds the start of the last batch: rows may have gone out in more than one.
fn last_batch(bytes: &[u8]) -> (usize, usize) {
    use lychgate_journal::format::entry::COMMIT_KIND;
    use lychgate_journal::format::frame::{Frames, Step};
    let (mut frames, mut entry) = (Frames::new(bytes), Vec::new());
    let mut ends = vec![];
    while let Step::Frame { end, .. } = frames.next(&mut entry).unwrap() {
        if entry[1] == COMMIT_KIND {
            ends.push(end as usize);
        }
    }
    (ends[ends.len() - 2], ends[ends.len() - 1])
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]
    #[test]
    fn whatever_sectors_of_the_last_batch_persist_the_rest_is_recovered(kept in prop::collection::vec(any::<bool>(), 64)) {
        const SECTOR: usize = 512;
        let bench = Bench::new(SMALL);
        let (_, mut bytes) = with_a_large_last_batch(&bench);
        let (begins, ends) = last_batch(&bytes);
        let path = &bench.segments()[0];
        let mut torn = false;
        for sector in begins / SECTOR..=(ends - 1) / SECTOR {
            if !kept[sector % kept.len()] {
                let from = (sector * SECTOR).max(begins);
                let to = ((sector + 1) * SECTOR).min(ends);
                torn |= bytes[from..to].iter().any(|byte| *byte != 0);
                bytes[from..to].fill(0);
            }
        }
        std::fs::write(path, &bytes).unwrap();
        let nothing_left = bytes[begins..].iter().all(|byte| *byte == 0);
        let report = verify(&bench.dir, &VerifyOptions { at_rest: true, ..bench.pinned() });
        let expected = if torn && !nothing_left { 11 } else { 0 };
        prop_assert_eq!(report.exit, expected, "{}", report);
        let (journal, opened) = bench.open();
        let recovered = opened.recovered.unwrap();
        prop_assert_eq!(recovered.set_aside_bytes > 0, torn && !nothing_left);
        drop(journal);
        let after = bench.verify();
        prop_assert_eq!(after.exit, 0, "{}", after);
    }
}

#[test]
fn a_torn_tail_is_set_aside_and_named() {
    let bench = Bench::new(SMALL);
    let (_, mut bytes) = with_a_large_last_batch(&bench);
    let (begins, ends) = last_batch(&bytes);
    bytes[begins + 20] ^= 1;
    let path = &bench.segments()[0];
    std::fs::write(path, &bytes).unwrap();
    let report = verify(&bench.dir, &VerifyOptions { at_rest: true, ..bench.pinned() });
    assert_eq!((report.verdict, report.offset), (Verdict::Bad(Fault::TornTail), Some(begins as u64)));
    let (_journal, opened) = bench.open();
    let set_aside = opened.recovered.unwrap().set_aside_bytes as usize;
    let torn: Vec<_> = std::fs::read_dir(bench.dir.join("torn")).unwrap().map(|entry| entry.unwrap().path()).collect();
    assert_eq!(torn.len(), 1);
    let copy = std::fs::read(&torn[0]).unwrap();
    assert_eq!((copy.len(), &copy[..]), (set_aside, &bytes[begins..begins + set_aside]));
    assert!(set_aside <= ends - begins);
    assert_eq!(std::fs::metadata(path).unwrap().len(), begins as u64);
    assert_eq!(bench.verify().exit, 0);
}

#[test]
fn damage_before_a_later_commit_is_quarantine_and_changes_nothing() {
    let bench = Bench::new(SMALL);
    let (journal, _) = bench.open();
    granted(&journal, 1);
    let path = &bench.segments()[0];
    let begins = used(path) as usize;
    one_action(&journal, 1, 7);
    drop(journal);
    let good = std::fs::read(path).unwrap();
    let next_key = std::fs::read(bench.dir.join("next.key")).unwrap();
    let (last, _) = last_batch(&good);
    for place in [begins + 9, begins + 200, last - 1, last - 100] {
        let mut bytes = good.clone();
        bytes[place] ^= 4;
        std::fs::write(path, &bytes).unwrap();
        let flaw = match bench.try_open() {
            Err(JournalError::Quarantine(flaw)) => flaw,
            other => unreachable!("byte {place} of {begins}..{last}: {:?}", other.map(|(_, opened)| opened)),
        };
        assert!(flaw.offset.unwrap() <= place as u64);
        assert_eq!(std::fs::read(path).unwrap(), bytes);
        assert_eq!(std::fs::read(bench.dir.join("next.key")).unwrap(), next_key);
        assert!(!bench.dir.join("torn").exists());
    }
}

#[test]
fn a_recovery_that_was_interrupted_still_names_the_tail() {
    let bench = Bench::new(SMALL);
    let (_, mut bytes) = with_a_large_last_batch(&bench);
    let (begins, _) = last_batch(&bytes);
    bytes[begins + 20] ^= 1;
    std::fs::write(&bench.segments()[0], &bytes).unwrap();
    let disk = Faulty(Arc::new(Mutex::new(Fails::Create)));
    assert!(Journal::open_on(&bench.dir, NOW, None, Box::new(SystemRandom), Box::new(disk)).is_err());
    let (_journal, opened) = bench.open();
    assert!(opened.recovered.unwrap().set_aside_bytes > 0);
    assert_eq!(bench.verify().exit, 0);
}
