//! Checkpoints from the files of a log.
#![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "tests")]

mod common;

use common::{Bench, NOW, SMALL};
use lychgate_journal::verify::{Verdict, VerifyOptions, verify};
use lychgate_journal::{JournalError, checkpoint};

#[test]
fn a_checkpoint_vouches_for_every_row_that_was_there_and_shows_a_cut_later() {
    let bench = Bench::new(SMALL);
    assert!(checkpoint(&bench.dir).is_err(), "a log without rows has nothing to vouch for");
    let (journal, _) = bench.open();
    // While it is being written.
    let early = checkpoint(&bench.dir).unwrap();
    journal.close(NOW).unwrap();
    let late = checkpoint(&bench.dir).unwrap();
    assert_ne!(early, late);
    let against = |note: &str| VerifyOptions { checkpoints: vec![note.to_owned()], ..bench.pinned() };
    assert!(matches!(verify(&bench.dir, &against(&early)).verdict, Verdict::OkUnanchored { .. }));
    let report = verify(&bench.dir, &against(&late));
    assert!(matches!(report.verdict, Verdict::Ok { vouched_to, .. } if vouched_to == report.rows), "{report}");

    // Another log's checkpoint is refused by name.
    let other = Bench::new(SMALL);
    other.open().0.close(NOW).unwrap();
    assert_eq!(verify(&other.dir, &VerifyOptions { checkpoints: vec![late], ..other.pinned() }).exit, 17);
}

#[test]
fn an_altered_log_gets_no_checkpoint() {
    let bench = Bench::new(SMALL);
    bench.open().0.close(NOW).unwrap();
    let segment = std::fs::read_dir(&bench.dir)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .find(|path| path.extension().is_some_and(|ext| ext == "lgj"))
        .unwrap();
    let mut bytes = std::fs::read(&segment).unwrap();
    bytes[60] ^= 1;
    std::fs::write(&segment, bytes).unwrap();
    assert!(matches!(checkpoint(&bench.dir), Err(JournalError::Quarantine(_))));
}
