//! Making, opening, changing and damaging a vault.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing, reason = "tests")]

mod common;

use common::{CANARY, CHEAP, PASSPHRASE, PIN, State, canary, channel, unlock, unlock_with};
use lychgate_core::channel::Channel;
use lychgate_core::ids::{Digest, Ref};
use lychgate_core::secret::SecretBytes;
use lychgate_seal::{NewSlot, SealError, SlotKind};
use lychgate_vault::{ActionName, BindingList, Locked, RuleBroken, Settings, VaultError, init, restore, slots};
use std::fs;
use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};

fn names(state: &State) -> Vec<String> {
    let mut names: Vec<_> =
        fs::read_dir(state.dir()).unwrap().map(|e| e.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

#[test]
fn a_new_vault_is_one_private_file_that_the_passphrase_opens() {
    let state = State::empty();
    let made = init(state.dir(), PASSPHRASE, PIN, CHEAP).unwrap();
    assert_eq!(names(&state), ["epoch.mark", "vault.lock", "vault.lych"]);
    for (path, _) in state.everything() {
        assert_eq!(fs::metadata(&path).unwrap().mode() & 0o7777, 0o600, "{}", path.display());
    }
    let open = state.unlock();
    assert_eq!(open.signer().public(), made.vault_public);
    assert_eq!(made.signer.public(), made.vault_public);
    assert_eq!((open.channels().len(), open.warning()), (0, None));
    assert_eq!(open.settings(), Settings::INITIAL);
}

#[test]
fn a_vault_is_never_made_over_another_or_over_its_previous_version() {
    let state = State::with_vault();
    let before = fs::read(state.files().vault()).unwrap();
    assert!(matches!(init(state.dir(), PASSPHRASE, PIN, CHEAP), Err(VaultError::Exists(_))));
    assert_eq!(fs::read(state.files().vault()).unwrap(), before);
    // One that can't be read is somebody's vault too.
    fs::write(state.files().vault(), b"rubbish").unwrap();
    assert!(matches!(init(state.dir(), PASSPHRASE, PIN, CHEAP), Err(VaultError::Exists(_))));
    fs::remove_file(state.files().vault()).unwrap();
    symlink("/nowhere", state.files().vault()).unwrap();
    assert!(matches!(init(state.dir(), PASSPHRASE, PIN, CHEAP), Err(VaultError::Exists(_))));
    fs::remove_file(state.files().vault()).unwrap();
    fs::write(state.files().previous(), &before).unwrap();
    let refused = init(state.dir(), PASSPHRASE, PIN, CHEAP).unwrap_err();
    assert!(refused.to_string().contains("lych restore --previous"), "{refused}");
}

#[test]
fn a_passphrase_or_pin_that_will_not_do_makes_no_file() {
    let state = State::empty();
    for (passphrase, pin, rule) in [
        (b"".as_slice(), PIN, RuleBroken::EmptyPassphrase),
        (b"short", PIN, RuleBroken::ShortPassphrase),
        (PASSPHRASE, b"123", RuleBroken::PinLength),
        (PASSPHRASE, PASSPHRASE, RuleBroken::PinIsPassphrase),
    ] {
        let refused = init(state.dir(), passphrase, pin, CHEAP).unwrap_err();
        assert!(matches!(refused, VaultError::Rule(broken) if broken == rule), "{refused}");
    }
    assert!(names(&state).is_empty());
}

#[test]
fn a_wrong_passphrase_leaves_the_vault_locked_and_the_right_one_still_opens_it() {
    let state = State::with_vault();
    let failed = unlock_with(state.load(), b"wrong horse battery").unwrap_err();
    assert!(matches!(failed.error, VaultError::Seal(SealError::WrongKey { .. })));
    assert!(failed.to_string().contains("vault.lych"), "{failed}");
    assert!(unlock(failed.locked).is_ok());
}

#[test]
fn channels_and_settings_are_there_after_lock_and_restart() {
    let state = State::with_vault();
    let mut open = state.unlock();
    let version = open.add_channel(channel("github"), canary()).unwrap().version;
    open.add_channel(channel("stripe"), SecretBytes::new(b"other".to_vec())).unwrap();
    open.change_settings(Settings { idle_lock_minutes: 5, ..Settings::INITIAL }).unwrap();
    let (locked, error) = open.lock();
    assert!(error.is_none());
    drop(locked);
    let open = state.unlock();
    let names: Vec<_> = open.channels().map(|channel| channel.name.to_string()).collect();
    assert_eq!(names, ["github", "stripe"]);
    assert_eq!(open.channel(&"github".parse().unwrap()).unwrap().version, version);
    assert_eq!(open.settings().idle_lock_minutes, 5);
    assert!(open.channel(&"other".parse().unwrap()).is_none());
}

#[test]
fn a_channel_version_is_never_given_twice() {
    let state = State::with_vault();
    let mut open = state.unlock();
    let name = "github".parse().unwrap();
    let first = open.add_channel(Channel { version: 77, ..channel("github") }, canary()).unwrap().version;
    assert_ne!(first, 77);
    open.rotate_secret(&name, SecretBytes::new(b"rotated".to_vec())).unwrap();
    assert_eq!(open.channel(&name).unwrap().version, first);
    let settings = channel("github");
    let second = open.edit_channel(&name, settings.binding, settings.approval).unwrap().version;
    open.remove_channel(&name).unwrap();
    drop(open.lock());
    let mut open = state.unlock();
    let third = open.add_channel(channel("github"), canary()).unwrap().version;
    assert!(first < second && second < third, "{first} {second} {third}");
}

#[test]
fn a_channel_that_could_not_work_is_refused_and_nothing_is_saved() {
    let state = State::with_vault();
    let mut open = state.unlock();
    open.add_channel(channel("github"), canary()).unwrap();
    let before = fs::read(state.files().vault()).unwrap();
    assert!(matches!(open.add_channel(channel("github"), canary()), Err(VaultError::ChannelExists(_))));
    let mut bare = channel("bare");
    bare.binding.methods.clear();
    assert!(matches!(
        open.add_channel(bare, canary()),
        Err(VaultError::EmptyBinding { what: BindingList::Methods, .. })
    ));
    let empty = SecretBytes::new(vec![]);
    assert!(matches!(open.add_channel(channel("empty"), empty), Err(VaultError::SecretLength { .. })));
    let absent = "absent".parse().unwrap();
    assert!(matches!(open.remove_channel(&absent), Err(VaultError::NoChannel(_))));
    assert!(matches!(open.rotate_secret(&absent, canary()), Err(VaultError::NoChannel(_))));
    assert_eq!(fs::read(state.files().vault()).unwrap(), before);
}

#[test]
fn a_save_that_fails_changes_nothing_in_memory_or_on_disk_and_later_saves_work() {
    let state = State::with_vault();
    let mut open = state.unlock();
    open.add_channel(channel("github"), canary()).unwrap();
    let before = fs::read(state.files().vault()).unwrap();
    // A directory where the previous version goes: the save fails before the vault is touched.
    fs::remove_file(state.files().previous()).unwrap();
    fs::create_dir(state.files().previous()).unwrap();
    let refused = open.add_channel(channel("stripe"), canary()).unwrap_err();
    assert!(refused.to_string().contains("vault.previous"), "{refused}");
    assert!(open.remove_channel(&"github".parse().unwrap()).is_err());
    assert!(open.change_settings(Settings { idle_lock_minutes: 1, ..Settings::INITIAL }).is_err());
    assert_eq!((open.channels().len(), open.settings()), (1, Settings::INITIAL));
    assert_eq!(fs::read(state.files().vault()).unwrap(), before);
    fs::remove_dir(state.files().previous()).unwrap();
    open.add_channel(channel("stripe"), canary()).unwrap();
    drop(open.lock());
    let open = state.unlock();
    assert_eq!((open.channels().len(), open.warning()), (2, None));
}

#[test]
fn every_flipped_bit_and_every_truncation_is_an_error_that_names_the_file_and_never_an_empty_vault() {
    let state = State::with_vault();
    let mut open = state.unlock();
    open.add_channel(channel("github"), canary()).unwrap();
    drop(open.lock());
    let path = state.files().vault();
    let good = fs::read(&path).unwrap();
    let refused = |bytes: &[u8], what: &str| {
        fs::write(&path, bytes).unwrap();
        let error = Locked::load(state.dir()).map(|_| ()).expect_err(what).to_string();
        assert!(error.contains("vault.lych"), "{what}: {error}");
        assert!(error.contains("lych restore"), "{what}: {error}");
        assert!(slots(state.dir()).is_err(), "{what}");
    };
    for at in 0..good.len() {
        let mut bytes = good.clone();
        bytes[at] ^= 1 << (at % 8);
        refused(&bytes, &format!("byte {at} flipped"));
    }
    for end in 0..good.len() {
        refused(&good[..end], &format!("cut at {end}"));
    }
    fs::write(&path, &good).unwrap();
    assert_eq!(state.unlock().channels().len(), 1);
}

#[test]
fn a_vault_that_goes_bad_while_locked_is_an_error_and_opens_again_when_it_is_put_back() {
    let state = State::with_vault();
    let locked = state.load();
    let path = state.files().vault();
    let good = fs::read(&path).unwrap();
    fs::write(&path, &good[..good.len() - 1]).unwrap();
    let failed = unlock(locked).unwrap_err();
    assert!(matches!(failed.error, VaultError::Seal(SealError::Damaged { .. })));
    fs::remove_file(&path).unwrap();
    let failed = unlock(failed.locked).unwrap_err();
    assert!(matches!(failed.error, VaultError::Absent(_)));
    lychgate_seal::durable::replace(&path, &good, 0o600).unwrap();
    assert!(unlock(failed.locked).is_ok());
}

#[test]
fn a_vault_file_that_is_not_ours_alone_is_refused() {
    let state = State::with_vault();
    let path = state.files().vault();
    fs::set_permissions(&path, fs::Permissions::from_mode(0o644)).unwrap();
    assert!(matches!(Locked::load(state.dir()), Err(VaultError::Read(_))));
    fs::set_permissions(&path, fs::Permissions::from_mode(0o600)).unwrap();
    let elsewhere = state.dir().join("elsewhere");
    fs::rename(&path, &elsewhere).unwrap();
    symlink(&elsewhere, &path).unwrap();
    assert!(matches!(Locked::load(state.dir()), Err(VaultError::Read(_))));
    fs::remove_file(&path).unwrap();
    fs::rename(&elsewhere, &path).unwrap();
    fs::set_permissions(state.dir(), fs::Permissions::from_mode(0o750)).unwrap();
    assert!(matches!(Locked::load(state.dir()), Err(VaultError::Dir(_))));
    fs::set_permissions(state.dir(), fs::Permissions::from_mode(0o700)).unwrap();
    assert!(Locked::load(state.dir()).is_ok());
}

#[test]
fn no_vault_says_how_to_make_one_and_makes_nothing() {
    let state = State::empty();
    let missing = state.dir().join("deeper");
    let error = Locked::load(&missing).unwrap_err();
    assert!(matches!(error, VaultError::Absent(_)));
    assert!(error.to_string().contains("lych init"));
    assert!(!missing.exists());
}

#[test]
fn a_second_process_is_refused_until_the_first_has_gone() {
    let state = State::with_vault();
    let first = state.load();
    assert!(matches!(Locked::load(state.dir()), Err(VaultError::Lock(_))));
    let open = unlock(first).unwrap();
    assert!(matches!(Locked::load(state.dir()), Err(VaultError::Lock(_))));
    assert!(matches!(restore(state.dir(), &state.files().vault()), Err(VaultError::Lock(_))));
    let (locked, _) = open.lock();
    assert!(matches!(Locked::load(state.dir()), Err(VaultError::Lock(_))));
    drop(locked);
    assert!(Locked::load(state.dir()).is_ok());
}

#[test]
fn the_previous_version_is_the_one_before_the_last_change_whatever_pins_and_locks_came_between() {
    let state = State::with_vault();
    let mut open = state.unlock();
    open.add_channel(channel("one"), canary()).unwrap();
    open.add_channel(channel("two"), canary()).unwrap();
    assert!(open.check_pin(b"0000").is_ok());
    open.save().unwrap();
    drop(open.lock());
    drop(state.unlock().lock());
    let restored = restore(state.dir(), &state.files().previous()).unwrap();
    let open = unlock(restored).unwrap();
    assert_eq!(open.channels().map(|channel| channel.name.to_string()).collect::<Vec<_>>(), ["one"]);
    assert!(state.dir().join("vault.replaced").exists());
}

#[test]
fn a_new_passphrase_shuts_the_old_one_out_of_the_vault_and_of_its_previous_version() {
    let state = State::with_vault();
    let mut open = state.unlock();
    open.add_channel(channel("github"), canary()).unwrap();
    let slot = NewSlot::derive(SlotKind::Passphrase, b"another passphrase", CHEAP).unwrap();
    open.replace_slots(vec![slot]).unwrap();
    open.add_channel(channel("stripe"), canary()).unwrap();
    drop(open.lock());
    let failed = unlock(state.load()).unwrap_err();
    assert!(matches!(failed.error, VaultError::Seal(SealError::WrongKey { .. })));
    let open = unlock_with(failed.locked, b"another passphrase").unwrap();
    assert_eq!((open.channels().len(), open.warning()), (2, None));
    drop(open);
    let restored = restore(state.dir(), &state.files().previous()).unwrap();
    let failed = unlock(restored).unwrap_err();
    assert!(unlock_with(failed.locked, b"another passphrase").is_ok());
}

#[test]
fn the_previous_version_is_resealed_in_the_same_stroke_as_the_passphrase_changes() {
    let state = State::with_vault();
    let mut open = state.unlock();
    open.add_channel(channel("github"), canary()).unwrap();
    let slot = NewSlot::derive(SlotKind::Passphrase, b"another passphrase", CHEAP).unwrap();
    open.replace_slots(vec![slot]).unwrap();
    drop(open);
    let failed = unlock(restore(state.dir(), &state.files().previous()).unwrap()).unwrap_err();
    assert!(matches!(failed.error, VaultError::Seal(SealError::WrongKey { .. })));
    let open = unlock_with(failed.locked, b"another passphrase").unwrap();
    assert_eq!(open.channels().len(), 0, "the version before the channel was added");
}

#[test]
fn restoring_what_is_no_vault_changes_nothing() {
    let state = State::with_vault();
    let before = fs::read(state.files().vault()).unwrap();
    let rubbish = state.dir().join("rubbish");
    lychgate_seal::durable::replace(&rubbish, b"rubbish", 0o600).unwrap();
    assert!(restore(state.dir(), &rubbish).is_err());
    assert!(restore(state.dir(), &state.dir().join("absent")).is_err());
    assert_eq!(fs::read(state.files().vault()).unwrap(), before);
    // A damaged vault is what restoring is for.
    let backup = state.dir().join("backup");
    lychgate_seal::durable::replace(&backup, &before, 0o600).unwrap();
    fs::write(state.files().vault(), b"").unwrap();
    assert!(unlock(restore(state.dir(), &backup).unwrap()).is_ok());
}

#[test]
fn no_secret_is_in_any_file_or_in_anything_that_prints() {
    let state = State::with_vault();
    let mut open = state.unlock();
    open.add_channel(channel("github"), canary()).unwrap();
    open.add_channel(channel("stripe"), canary()).unwrap();
    let exists = open.add_channel(channel("stripe"), canary()).unwrap_err();
    let mut printed = format!("{open:?} {:?} {:?} {exists:?} {exists}", open.signer(), open.store_key());
    let (locked, _) = open.lock();
    let failed = unlock_with(locked, b"canary passphrase").unwrap_err();
    printed += &format!("{failed:?} {failed} {:?}", failed.locked);
    assert!(!printed.contains("canary"), "{printed}");
    let canary = CANARY.get(..6).unwrap();
    for (path, bytes) in state.everything() {
        for secret in [canary, PASSPHRASE] {
            assert!(!bytes.windows(secret.len()).any(|window| window == secret), "{}", path.display());
        }
    }
}

#[test]
fn an_idempotency_key_is_the_same_for_ever_and_another_for_anything_else() {
    let state = State::with_vault();
    let (github, stripe) = ("github".parse().unwrap(), "stripe".parse().unwrap());
    let (digest, other) = (Digest([1; 32]), Digest([2; 32]));
    let open = state.unlock();
    let key = open.idempotency_key(&github, ActionName::Key("pay"), &digest);
    let bytes = key.as_bytes();
    assert_eq!((key.len(), bytes[8], bytes[13], bytes[18], bytes[23]), (36, b'-', b'-', b'-', b'-'));
    assert_eq!(bytes[14], b'8', "RFC 9562 version 8");
    assert!(b"89ab".contains(&bytes[19]), "RFC 9562 variant");
    let same_bytes = Ref(*b"0123456789abcdef");
    let others = [
        open.idempotency_key(&stripe, ActionName::Key("pay"), &digest),
        open.idempotency_key(&github, ActionName::Key("pax"), &digest),
        open.idempotency_key(&github, ActionName::Key("pay"), &other),
        open.idempotency_key(&github, ActionName::FirstAttempt(same_bytes), &digest),
        open.idempotency_key(&github, ActionName::Key("0123456789abcdef"), &digest),
    ];
    let all: std::collections::HashSet<_> = others.iter().chain([&key]).collect();
    assert_eq!(all.len(), 6);
    drop(open.lock());
    assert_eq!(state.unlock().idempotency_key(&github, ActionName::Key("pay"), &digest), key);
    assert_ne!(State::with_vault().unlock().idempotency_key(&github, ActionName::Key("pay"), &digest), key);
}
