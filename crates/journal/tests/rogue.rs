//! Whoever has the segment keys can sign anything. What the protocol and the seams forbid is found all the same.
#![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "tests")]

mod common;

use common::Vault;
use common::rogue::Rogue;
use ed25519_dalek::SigningKey;
use lychgate_core::event::RowKind::{self, Abort, Dispatch, Event, Final, Grant, Intent, Revoke, Unobserved};
use lychgate_core::ids::{BootNo, GrantNo, Ref};
use lychgate_journal::VaultSigner as _;
use lychgate_journal::finding::{BadRow, BadSegment, Finding};
use lychgate_journal::protocol::{OpenAction, Violation};
use lychgate_journal::verify::{Report, Verdict, VerifyOptions, verify};

fn judge(rogue: Rogue) -> Report {
    let root = tempfile::tempdir().unwrap();
    let dir = root.path().join("audit");
    rogue.write(&dir);
    let vault_key = Some(Vault::new(1).public());
    verify(&dir, &VerifyOptions { vault_key, at_rest: true, ..VerifyOptions::default() })
}

fn judge_rows(rows: &[(RowKind, u64, u32, u8)]) -> Report {
    let mut rogue = Rogue::begun();
    for (kind, epoch, grant, reference) in rows {
        rogue.row(*kind, *epoch, *grant, *reference);
    }
    rogue.commit();
    judge(rogue)
}

/// The worst finding is this one, and the verdict follows from it.
#[track_caller]
fn assert_found(report: &Report, expected: impl Into<Finding>) {
    let expected = expected.into();
    assert_eq!(report.flaws.first().map(|flaw| &flaw.finding), Some(&expected), "{report}");
    assert_eq!(report.verdict, Verdict::Bad(expected.fault()), "{report}");
}

#[test]
fn a_log_in_perfect_form_is_accepted() {
    let report = judge_rows(&[(Grant, 5, 1, 0), (Intent, 5, 0, 7), (Dispatch, 5, 1, 7), (Final, 5, 1, 7)]);
    assert_eq!((report.exit, report.rows), (0, 5), "{report}");
}

#[test]
fn every_violation_of_the_protocol_is_found_with_its_row() {
    type Row = (RowKind, u64, u32, u8);
    const G: Row = (Grant, 5, 1, 0);
    const I: Row = (Intent, 5, 0, 7);
    const D: Row = (Dispatch, 5, 1, 7);
    const F: Row = (Final, 5, 1, 7);
    let broken: &[(&[Row], Violation)] = &[
        (&[G, D], Violation::NotOpen),
        (&[I, D], Violation::NoGrant),
        (&[G, I, I], Violation::IntentAgain),
        (&[G, I, D, D], Violation::DispatchAgain),
        (&[G, I, F], Violation::NotDispatched),
        (&[G, I, (Unobserved, 5, 1, 7)], Violation::NotDispatched),
        (&[G, I, D, F, F], Violation::NotOpen),
        (&[G, I, D, F, D], Violation::NotOpen),
        (&[G, I, D, F, I], Violation::IntentAgain),
        (&[G, I, (Abort, 5, 0, 7), D], Violation::NotOpen),
        (&[G, I, (Revoke, 5, 1, 0), D], Violation::NoGrant),
        (&[G, I, (Dispatch, 6, 1, 7)], Violation::OtherEpoch),
        (&[G, I, (Dispatch, 5, 2, 7)], Violation::NoGrant),
        (&[G, G], Violation::GrantNotRising),
        (&[(Grant, 5, 0, 0)], Violation::NoGrantNumber),
        (&[(Intent, 5, 0, 0)], Violation::NoRef),
    ];
    for (rows, violation) in broken {
        let report = judge_rows(rows);
        assert_found(&report, *violation);
        assert_eq!((report.exit, report.seq), (18, Some(rows.len() as u64)), "{rows:?}");
    }
}

#[test]
fn an_action_of_an_earlier_segment_can_not_be_announced_again() {
    let mut rogue = Rogue::begun();
    for (kind, grant) in [(Grant, 1), (Intent, 0), (Dispatch, 1), (Final, 1)] {
        rogue.row(kind, 5, grant, if kind == Grant { 0 } else { 7 });
    }
    rogue.close();
    rogue.commit();
    rogue.next_segment();
    rogue.boot = 2;
    rogue.open();
    rogue.row(Intent, 6, 0, 7);
    rogue.commit();
    assert_found(&judge(rogue), Finding::IntentAgain(Ref([7; 16])));
}

/// Two segments; `end` ends the first, `begin` bends the second before it is opened.
fn two(end: impl FnOnce(&mut Rogue), begin: impl FnOnce(&mut Rogue), rows: impl FnOnce(&mut Rogue)) -> Report {
    let mut rogue = Rogue::begun();
    rogue.row(Event, 5, 0, 0);
    end(&mut rogue);
    rogue.commit();
    rogue.next_segment();
    rogue.boot = 2;
    begin(&mut rogue);
    rogue.open();
    rows(&mut rogue);
    rogue.commit();
    judge(rogue)
}

fn nothing(_: &mut Rogue) {}

fn recover(rogue: &mut Rogue) {
    // The root before the OPEN, which is the only row of the segment so far.
    let root = rogue.recovered_root();
    rogue.recovery(root);
}

#[test]
fn a_segment_ends_with_exactly_one_close_or_recovery() {
    assert_eq!(two(Rogue::close, nothing, nothing).exit, 0);
    let recovered = two(nothing, nothing, recover);
    assert_eq!(recovered.exit, 0, "{recovered}");
    assert_found(&two(nothing, nothing, nothing), BadSegment::NoEnd);
    assert_found(&two(Rogue::close, nothing, recover), BadSegment::Recovered);
    let twice = two(nothing, nothing, |rogue| {
        recover(rogue);
        recover(rogue);
    });
    assert_found(&twice, BadRow::RecoveryPlace);
}

#[test]
fn rows_behind_a_close_are_corruption() {
    let mut rogue = Rogue::begun();
    rogue.close();
    rogue.row(Event, 5, 0, 0);
    rogue.commit();
    assert_found(&judge(rogue), BadRow::AfterClose);
}

#[test]
fn only_the_announced_key_opens_the_next_segment() {
    let foreign = |rogue: &mut Rogue| rogue.key = SigningKey::from_bytes(&[7; 32]);
    assert_found(&two(Rogue::close, foreign, nothing), BadSegment::OtherKey);
    let mut rogue = Rogue::new();
    rogue.key = SigningKey::from_bytes(&[7; 32]);
    rogue.open();
    rogue.commit();
    assert_found(&judge(rogue), BadSegment::GenesisKey);
}

#[test]
fn boots_count_up_by_one_and_a_log_begins_with_the_first() {
    assert_eq!(two(Rogue::close, |rogue| rogue.boot = 1, nothing).exit, 0, "a full segment");
    assert_found(&two(Rogue::close, |rogue| rogue.boot = 3, nothing), BadSegment::Boot);
    assert_found(&two(Rogue::close, |rogue| rogue.boot = 0, nothing), BadSegment::Boot);
    let mut rogue = Rogue::new();
    rogue.boot = 2;
    rogue.open();
    rogue.commit();
    assert_found(&judge(rogue), BadSegment::NoBeginning);
}

#[test]
fn a_segment_can_not_invent_or_forget_what_is_open() {
    let invented = |rogue: &mut Rogue| {
        let action = OpenAction { boot: BootNo(1), epoch: 5, grant: GrantNo(1), dispatched: true };
        rogue.carry.actions.insert(Ref([9; 16]), action);
    };
    assert_found(&two(Rogue::close, invented, nothing), BadSegment::State);
    let granted = |rogue: &mut Rogue| {
        rogue.carry.grants.insert(GrantNo(1), 5);
    };
    assert_found(&two(Rogue::close, granted, nothing), BadSegment::State);
    let forgets = |rogue: &mut Rogue| {
        rogue.row(Intent, 5, 0, 7);
        rogue.close();
    };
    assert_found(&two(forgets, nothing, nothing), BadSegment::State);
}

#[test]
fn an_anchor_by_another_vault_or_over_another_root_is_rejected() {
    let anchored = |vault: u8, root: Option<[u8; 32]>| {
        let mut rogue = Rogue::begun();
        let root = root.unwrap_or(rogue.tree.root());
        rogue.anchor(vault, root);
        rogue.commit();
        judge(rogue)
    };
    assert_eq!(anchored(1, None).verdict, Verdict::Ok { anchored_to: 2, vouched_to: 0 });
    assert_found(&anchored(2, None), BadRow::AnchorSignature);
    assert_found(&anchored(1, Some([0; 32])), BadRow::AnchorRows);
}

#[test]
fn the_journals_own_rows_name_no_epoch_grant_or_action() {
    let mut rogue = Rogue::begun();
    let mut header = rogue.header(RowKind::Rekey, 1, 0, 0);
    let clear =
        lychgate_journal::format::clear::Rekey { opening: 1, prev_root: rogue.tree.root(), enc: vec![1] }.encode();
    header.clear_len = u32::try_from(clear.len()).unwrap();
    rogue.push(header, &clear);
    rogue.commit();
    assert_found(&judge(rogue), Violation::OwnRow);
}

#[test]
fn a_row_of_another_boot_within_a_segment_is_corruption() {
    let mut rogue = Rogue::begun();
    rogue.boot = 2;
    rogue.row(Event, 5, 0, 0);
    rogue.commit();
    assert_found(&judge(rogue), BadRow::OtherBoot);
}
