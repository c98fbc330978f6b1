//! The PIN, and the one way to a credential.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "tests")]

mod common;

use common::{CANARY, PIN, State, armed, canary, channel, unlock};
use lychgate_core::ids::VaultEpoch;
use lychgate_core::secret::SecretBytes;
use lychgate_vault::{PinVerdict, ReleaseRefused};

#[test]
fn after_five_wrong_pins_not_even_the_right_one_helps_until_the_passphrase_does() {
    let state = State::with_vault();
    let mut open = state.unlock();
    for left in [4, 3, 2, 1, 0] {
        assert_eq!(open.check_pin(b"0000").unwrap(), PinVerdict::Wrong { left });
    }
    assert_eq!(open.check_pin(PIN).unwrap(), PinVerdict::Blocked);
    assert_eq!(open.check_pin(b"0000").unwrap(), PinVerdict::Blocked);
    let (locked, _) = open.lock();
    let mut open = unlock(locked).unwrap();
    assert_eq!(open.check_pin(PIN).unwrap(), PinVerdict::Ok);
}

#[test]
fn the_right_pin_gives_all_tries_back() {
    let state = State::with_vault();
    let mut open = state.unlock();
    for _ in 0..3 {
        for left in [4, 3, 2, 1] {
            assert_eq!(open.check_pin(b"0000").unwrap(), PinVerdict::Wrong { left });
        }
        assert_eq!(open.check_pin(PIN).unwrap(), PinVerdict::Ok);
    }
}

#[test]
fn the_right_pin_writes_nothing_and_a_wrong_one_is_on_disk_before_the_answer() {
    let state = State::with_vault();
    let mut open = state.unlock();
    let before = std::fs::read(state.files().vault()).unwrap();
    assert_eq!(open.check_pin(PIN).unwrap(), PinVerdict::Ok);
    assert_eq!(std::fs::read(state.files().vault()).unwrap(), before);
    assert_eq!(open.check_pin(b"0000").unwrap(), PinVerdict::Wrong { left: 4 });
    assert_ne!(std::fs::read(state.files().vault()).unwrap(), before);
}

#[test]
fn a_wrong_pin_counts_even_where_it_can_not_be_recorded() {
    let state = State::with_vault();
    let mut open = state.unlock();
    std::fs::remove_file(state.files().vault()).unwrap();
    std::fs::create_dir(state.files().vault()).unwrap();
    for _ in 0..5 {
        assert!(open.check_pin(b"0000").is_err());
    }
    assert_eq!(open.check_pin(PIN).unwrap(), PinVerdict::Blocked);
}

#[test]
fn nearly_the_pin_is_wrong() {
    let state = State::with_vault();
    let mut open = state.unlock();
    for (near, left) in [(b"258".as_slice(), 4), (b"25800", 3), (b"2580\n", 2), (b"", 1)] {
        assert_eq!(open.check_pin(near).unwrap(), PinVerdict::Wrong { left });
    }
}

#[test]
fn a_credential_is_released_for_the_very_channel_version_and_epoch_of_the_decision() {
    let state = State::with_vault();
    let mut open = state.unlock();
    let added = open.add_channel(channel("github"), canary()).unwrap().clone();
    open.add_channel(channel("stripe"), SecretBytes::new(b"not this one".to_vec())).unwrap();
    let armed = armed(&added, open.epoch());
    let released = open.release(&armed).unwrap();
    assert_eq!(released.secret().expose(), CANARY);
    assert!(!format!("{released:?}").contains("canary"));
    let (request, spent) = armed.spend(&released).unwrap();
    assert_eq!((request.channel(), spent.reference()), (&added.name, lychgate_core::ids::Ref([7; 16])));
}

#[test]
fn nothing_is_released_for_another_epoch_even_where_its_number_is_the_same() {
    let state = State::with_vault();
    let mut open = state.unlock();
    let added = open.add_channel(channel("github"), canary()).unwrap().clone();
    let now = open.epoch();
    for other in [
        VaultEpoch { number: now.number - 1, ..now },
        VaultEpoch { number: now.number + 1, ..now },
        VaultEpoch { nonce: [9; 16], ..now },
    ] {
        let refused = open.release(&armed(&added, other)).unwrap_err();
        assert!(matches!(refused, ReleaseRefused::OtherEpoch { .. }), "{other:?}");
    }
    // And what was decided before a lock does not outlive it.
    let before = armed(&added, now);
    let (locked, _) = open.lock();
    let open = unlock(locked).unwrap();
    assert!(matches!(open.release(&before), Err(ReleaseRefused::OtherEpoch { .. })));
}

#[test]
fn nothing_is_released_for_a_changed_removed_or_remade_channel() {
    let state = State::with_vault();
    let mut open = state.unlock();
    let name = "github".parse().unwrap();
    let added = open.add_channel(channel("github"), canary()).unwrap().clone();
    let now = open.epoch();
    let settings = channel("github");
    open.edit_channel(&name, settings.binding, settings.approval).unwrap();
    assert!(matches!(open.release(&armed(&added, now)), Err(ReleaseRefused::OtherVersion { .. })));
    open.remove_channel(&name).unwrap();
    assert!(matches!(open.release(&armed(&added, now)), Err(ReleaseRefused::NoChannel(_))));
    open.add_channel(channel("github"), SecretBytes::new(b"another".to_vec())).unwrap();
    assert!(matches!(open.release(&armed(&added, now)), Err(ReleaseRefused::OtherVersion { .. })));
}

#[test]
fn a_rotated_secret_is_released_under_the_approval_of_before() {
    let state = State::with_vault();
    let mut open = state.unlock();
    let added = open.add_channel(channel("github"), canary()).unwrap().clone();
    open.rotate_secret(&added.name, SecretBytes::new(b"rotated".to_vec())).unwrap();
    let released = open.release(&armed(&added, open.epoch())).unwrap();
    assert_eq!(released.secret().expose(), b"rotated");
}
