//! The epoch rises and never comes back, and files that were put back are noticed.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing, reason = "tests")]

mod common;

use common::{CHEAP, PASSPHRASE, PIN, State, canary, channel, unlock};
use lychgate_seal::durable;
use lychgate_vault::{EpochWarning, init};
use std::collections::HashSet;
use std::fs;

#[test]
fn it_rises_at_start_unlock_and_lock_and_no_two_share_a_nonce() {
    let state = State::with_vault();
    let mut seen = Vec::new();
    for _ in 0..3 {
        let locked = state.load();
        seen.push(locked.epoch());
        let open = unlock(locked).unwrap();
        seen.push(open.epoch());
        let (locked, error) = open.lock();
        assert!(error.is_none());
        seen.push(locked.epoch());
        let open = unlock(locked).unwrap();
        seen.push(open.epoch());
        assert_eq!(open.warning(), None);
        // The gateway is killed here.
    }
    assert!(seen.windows(2).all(|pair| pair[0].number < pair[1].number), "{seen:?}");
    let nonces: HashSet<_> = seen.iter().map(|epoch| epoch.nonce).collect();
    assert_eq!(nonces.len(), seen.len());
}

#[test]
fn a_wrong_passphrase_raises_nothing() {
    let state = State::with_vault();
    let locked = state.load();
    let before = locked.epoch();
    let failed = common::unlock_with(locked, b"wrong passphrase").unwrap_err();
    assert_eq!(failed.locked.epoch(), before);
}

#[test]
fn an_older_vault_file_put_back_is_named_with_both_epochs_and_the_epoch_rises_above_both() {
    let state = State::with_vault();
    drop(state.unlock().lock());
    let yesterday = fs::read(state.files().vault()).unwrap();
    let mut open = state.unlock();
    let old = open.epoch().number;
    open.add_channel(channel("github"), canary()).unwrap();
    let (locked, _) = open.lock();
    let newest = locked.epoch().number;
    drop(locked);
    durable::replace(&state.files().vault(), &yesterday, 0o600).unwrap();

    let open = state.unlock();
    let Some(EpochWarning::OlderVault { file, mark }) = open.warning().copied() else {
        panic!("no warning: {:?}", open.warning())
    };
    assert!(file < old && mark == newest, "{file} {mark}");
    let warning = EpochWarning::OlderVault { file, mark };
    assert_eq!(warning.code(), format!("older_vault:file={file},mark={mark}"));
    let sentence = warning.to_string();
    assert!(sentence.contains(&format!("in epoch {file}")) && sentence.contains(&format!("in epoch {mark}")));
    assert!(open.epoch().number > newest);
    // A crash before the first save takes no warning away; after a save the state is the new truth.
    drop(open);
    let open = state.unlock();
    assert!(matches!(open.warning(), Some(EpochWarning::OlderVault { .. })));
    drop(open.lock());
    assert_eq!(state.unlock().warning(), None);
}

#[test]
fn an_older_file_of_the_same_epoch_is_noticed_too() {
    let state = State::with_vault();
    let mut open = state.unlock();
    open.add_channel(channel("leaked"), canary()).unwrap();
    let with_leaked = fs::read(state.files().vault()).unwrap();
    open.remove_channel(&"leaked".parse().unwrap()).unwrap();
    drop(open);
    durable::replace(&state.files().vault(), &with_leaked, 0o600).unwrap();
    assert!(matches!(state.unlock().warning(), Some(EpochWarning::OlderVault { .. })));
}

#[test]
fn an_older_file_put_back_while_the_gateway_waits_locked_is_noticed() {
    let state = State::with_vault();
    let yesterday = fs::read(state.files().vault()).unwrap();
    let mut open = state.unlock();
    open.add_channel(channel("github"), canary()).unwrap();
    let (locked, _) = open.lock();
    durable::replace(&state.files().vault(), &yesterday, 0o600).unwrap();
    let open = unlock(locked).unwrap();
    assert!(matches!(open.warning(), Some(EpochWarning::OlderVault { .. })));
    assert_eq!(open.channels().len(), 0);
}

#[test]
fn a_lost_damaged_foreign_or_older_mark_is_a_warning_and_the_epoch_never_falls() {
    type Attack = fn(&State);
    let attacks: [(&str, Attack); 5] = [
        ("lost", |state| fs::remove_file(state.files().epoch_mark()).unwrap()),
        ("damaged", |state| fs::write(state.files().epoch_mark(), b"rubbish").unwrap()),
        ("linked", |state| {
            fs::rename(state.files().epoch_mark(), state.dir().join("real")).unwrap();
            std::os::unix::fs::symlink(state.dir().join("real"), state.files().epoch_mark()).unwrap();
        }),
        ("foreign", |state| {
            let other = State::with_vault();
            fs::copy(other.files().epoch_mark(), state.files().epoch_mark()).unwrap();
        }),
        ("older", |state| fs::copy(state.dir().join("old"), state.files().epoch_mark()).map(|_| ()).unwrap()),
    ];
    for (name, attack) in attacks {
        let state = State::with_vault();
        fs::copy(state.files().epoch_mark(), state.dir().join("old")).unwrap();
        let mut open = state.unlock();
        open.add_channel(channel("github"), canary()).unwrap();
        let (locked, _) = open.lock();
        let saved = locked.epoch().number;
        drop(locked);
        attack(&state);
        let locked = state.load();
        let open = unlock(locked).unwrap();
        let fits = matches!(
            (name, open.warning()),
            ("lost", Some(EpochWarning::MarkLost { .. }))
                | ("damaged" | "linked", Some(EpochWarning::MarkDamaged { .. }))
                | ("foreign", Some(EpochWarning::MarkForeign { .. }))
                | ("older", Some(EpochWarning::MarkBehind { .. }))
        );
        assert!(fits, "{name}: {:?}", open.warning());
        assert!(open.epoch().number > saved, "{name}");
        drop(open.lock());
        assert_eq!(state.unlock().warning(), None, "{name}: said once");
    }
}

#[test]
fn a_gateway_that_starts_and_dies_locked_takes_no_evidence_away() {
    let state = State::with_vault();
    let yesterday = fs::read(state.files().vault()).unwrap();
    let mut open = state.unlock();
    open.add_channel(channel("github"), canary()).unwrap();
    drop(open.lock());
    durable::replace(&state.files().vault(), &yesterday, 0o600).unwrap();
    drop(state.load());
    drop(state.load());
    assert!(matches!(state.unlock().warning(), Some(EpochWarning::OlderVault { .. })));

    fs::remove_file(state.files().epoch_mark()).unwrap();
    drop(state.load());
    drop(state.load());
    assert!(matches!(state.unlock().warning(), Some(EpochWarning::MarkLost { .. })));
}

#[test]
fn a_crash_at_any_step_of_a_save_raises_no_alarm() {
    // The files as they stand after each step of a save: mark says "sealing", vault replaced, mark says "sealed".
    let state = State::with_vault();
    let mut open = state.unlock();
    let (mark_before, vault_before) =
        (fs::read(state.files().epoch_mark()).unwrap(), fs::read(state.files().vault()).unwrap());
    open.add_channel(channel("github"), canary()).unwrap();
    let (mark_after, vault_after) =
        (fs::read(state.files().epoch_mark()).unwrap(), fs::read(state.files().vault()).unwrap());
    drop(open);
    // The mark between: make a save fail after it.
    durable::replace(&state.files().epoch_mark(), &mark_before, 0o600).unwrap();
    durable::replace(&state.files().vault(), &vault_before, 0o600).unwrap();
    let _ = fs::remove_file(state.files().previous());
    fs::create_dir(state.files().previous()).unwrap();
    let mut open = state.unlock();
    assert!(open.add_channel(channel("github"), canary()).is_err());
    let between = fs::read_to_string(state.files().epoch_mark()).unwrap();
    assert!(between.contains("sealing"), "{between}");
    drop(open);
    fs::remove_dir(state.files().previous()).unwrap();

    for (step, mark, vault) in [
        ("before", mark_before.as_slice(), &vault_before),
        ("mark written, vault not", between.as_bytes(), &vault_before),
        ("done", &mark_after, &vault_after),
    ] {
        durable::replace(&state.files().epoch_mark(), mark, 0o600).unwrap();
        durable::replace(&state.files().vault(), vault, 0o600).unwrap();
        assert_eq!(state.unlock().warning(), None, "{step}");
    }
}

#[test]
fn a_new_vault_in_the_place_of_an_old_one_goes_on_above_its_epoch() {
    let state = State::with_vault();
    let (locked, _) = state.unlock().lock();
    let old = locked.epoch().number;
    drop(locked);
    fs::remove_file(state.files().vault()).unwrap();
    let _ = fs::remove_file(state.files().previous());
    init(state.dir(), PASSPHRASE, PIN, CHEAP).unwrap();
    let locked = state.load();
    assert!(locked.epoch().number > old);
    assert_eq!(unlock(locked).unwrap().warning(), None);
}
