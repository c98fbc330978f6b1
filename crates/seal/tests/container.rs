//! Sealed files: what opens, what does not, and what is said then.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing, reason = "tests")]

use lychgate_seal::kdf;
use lychgate_seal::{Cost, Damage, FileId, FileKind, MasterKey, NewSlot, SealError, Sealed, SlotId, SlotKey, SlotKind};
use sha2::{Digest as _, Sha256};
use std::path::Path;

const CHEAP: Cost = Cost { memory_kib: 8, passes: 1, lanes: 1 };
const KIND: FileKind = FileKind { purpose: "lychgate/test/1", remedy: || "put the copy back", max_bytes: 1 << 20 };
const OTHER: FileKind = FileKind { purpose: "lychgate/test/2", ..KIND };
const PAYLOAD: &[u8] = b"canary-4711 is what the payload says";
const FILE: &str = "/state/test.lych";

fn made() -> (Sealed, MasterKey) {
    let slots = vec![
        NewSlot::derive(SlotKind::Passphrase, b"correct horse", CHEAP).unwrap(),
        NewSlot::derive(SlotKind::Recovery, b"recovery code", CHEAP).unwrap(),
    ];
    Sealed::create(KIND, Path::new(FILE), FileId::random().unwrap(), slots, PAYLOAD).unwrap()
}

fn parse(bytes: &[u8]) -> Result<Sealed, SealError> {
    Sealed::parse(KIND, Path::new(FILE), bytes.to_vec())
}

fn slot_key(sealed: &Sealed, slot: usize, factor: &[u8]) -> SlotKey {
    let slot = &sealed.slots()[slot];
    kdf::derive(factor, slot.salt(), slot.cost()).unwrap()
}

fn open(bytes: &[u8], slot: usize, factor: &[u8]) -> Result<Vec<u8>, SealError> {
    let sealed = parse(bytes)?;
    let key = slot_key(&sealed, slot, factor);
    let master = sealed.unwrap_master(sealed.slots()[slot].id(), &key)?;
    Ok(sealed.open(&master)?.to_vec())
}

/// As an attacker would: the checksum needs no key, so it is made to hold again.
fn with_checksum(mut bytes: Vec<u8>) -> Vec<u8> {
    let body = bytes.len() - 32;
    let checksum = Sha256::digest(&bytes[..body]);
    bytes[body..].copy_from_slice(&checksum);
    bytes
}

#[test]
fn each_slot_opens_what_was_sealed() {
    let (sealed, _) = made();
    assert_eq!(open(sealed.bytes(), 0, b"correct horse").unwrap(), PAYLOAD);
    assert_eq!(open(sealed.bytes(), 1, b"recovery code").unwrap(), PAYLOAD);
    assert_eq!(sealed.slots()[1].kind(), SlotKind::Recovery);
}

#[test]
fn a_wrong_passphrase_is_told_from_damage_and_names_the_file() {
    let (sealed, _) = made();
    let wrong = open(sealed.bytes(), 0, b"correct hors").unwrap_err();
    assert!(matches!(wrong, SealError::WrongKey { kind: SlotKind::Passphrase, .. }));
    assert_eq!(wrong.to_string(), format!("{FILE}: wrong passphrase; try again"));
    // The other slot's factor is a wrong key here too.
    assert!(matches!(open(sealed.bytes(), 0, b"recovery code"), Err(SealError::WrongKey { .. })));
    let key = slot_key(&sealed, 0, b"correct horse");
    assert!(matches!(sealed.unwrap_master(SlotId(9), &key), Err(SealError::NoSuchSlot { .. })));
}

#[test]
fn every_flipped_bit_is_an_error_that_names_the_file_and_what_to_do() {
    let (sealed, _) = made();
    for at in 0..sealed.bytes().len() {
        for bit in 0..8 {
            let mut bytes = sealed.bytes().to_vec();
            bytes[at] ^= 1 << bit;
            let error = parse(&bytes).expect_err("a flipped bit was accepted").to_string();
            assert!(error.contains(FILE) && error.contains("put the copy back"), "{at}.{bit}: {error}");
        }
    }
}

#[test]
fn every_changed_byte_is_an_error_even_where_the_checksum_was_made_to_hold() {
    let (sealed, _) = made();
    for at in 0..sealed.bytes().len() - 32 {
        for bit in [0, 7] {
            let mut bytes = sealed.bytes().to_vec();
            bytes[at] ^= 1 << bit;
            let error = open(&with_checksum(bytes), 0, b"correct horse").expect_err("a changed byte was accepted");
            assert!(error.to_string().contains(FILE), "{at}.{bit}: {error}");
        }
    }
}

#[test]
fn every_truncation_and_every_addition_is_an_error() {
    let (sealed, _) = made();
    let bytes = sealed.bytes();
    for end in 0..bytes.len() {
        let error = parse(&bytes[..end]).expect_err("a cut file was accepted").to_string();
        assert!(error.contains(FILE), "{end}: {error}");
        if end >= 32 {
            assert!(open(&with_checksum(bytes[..end].to_vec()), 0, b"correct horse").is_err(), "{end}");
        }
    }
    let longer = [bytes, &[0]].concat();
    assert!(parse(&longer).is_err());
    assert!(open(&with_checksum(longer), 0, b"correct horse").is_err());
}

#[test]
fn a_file_of_another_purpose_is_refused_and_so_is_its_key() {
    let (sealed, master) = made();
    let error = Sealed::parse(OTHER, Path::new(FILE), sealed.bytes().to_vec()).unwrap_err();
    assert!(matches!(&error, SealError::Purpose { found, .. } if found == "lychgate/test/1"));
    // Same id, same factors, another purpose: no key of one opens the other.
    let slots = vec![NewSlot::derive(SlotKind::Passphrase, b"correct horse", CHEAP).unwrap()];
    let (other, _) = Sealed::create(OTHER, Path::new(FILE), sealed.id(), slots, b"other").unwrap();
    assert!(other.open(&master).is_err());
    assert!(other.reseal(&master, b"x").is_err());
}

#[test]
fn the_purpose_of_a_foreign_file_is_shown_escaped() {
    const EVIL: FileKind = FileKind { purpose: "a\u{1b}[2J\n", ..KIND };
    let slots = vec![NewSlot::derive(SlotKind::Passphrase, b"x", CHEAP).unwrap()];
    let (evil, _) = Sealed::create(EVIL, Path::new(FILE), FileId::random().unwrap(), slots, b"").unwrap();
    let error = parse(evil.bytes()).unwrap_err().to_string();
    assert!(!error.contains('\u{1b}') && !error.contains('\n'), "{error:?}");
}

#[test]
fn no_two_writes_share_a_byte_of_ciphertext_position_for_position() {
    let (sealed, master) = made();
    let again = sealed.reseal(&master, PAYLOAD).unwrap();
    assert_eq!(sealed.bytes().len(), again.bytes().len());
    let payload = sealed.bytes().len() - 32 - 16 - PAYLOAD.len();
    let range = payload..payload + PAYLOAD.len();
    let equal = sealed.bytes()[range.clone()].iter().zip(&again.bytes()[range]).filter(|(a, b)| a == b).count();
    // Of 36 random bytes, ten equal ones happen once in 10^16 runs.
    assert!(equal < 10, "{equal}");
    assert_eq!(open(again.bytes(), 1, b"recovery code").unwrap(), PAYLOAD);
    assert_eq!((again.id(), again.slots()), (sealed.id(), sealed.slots()));
}

#[test]
fn parts_of_two_writes_of_one_file_can_not_be_mixed() {
    let (sealed, master) = made();
    let again = sealed.reseal(&master, PAYLOAD).unwrap();
    let header = sealed.bytes().len() - 32 - 16 - PAYLOAD.len();
    let mixed = [&sealed.bytes()[..header], &again.bytes()[header..]].concat();
    let damaged = open(&with_checksum(mixed), 0, b"correct horse");
    assert!(matches!(damaged, Err(SealError::Damaged { what: Damage::Payload, .. })));
}

#[test]
fn after_a_rotation_the_old_master_key_and_the_old_passphrase_open_nothing_new() {
    let (sealed, master) = made();
    let slots = vec![NewSlot::derive(SlotKind::Passphrase, b"another one", CHEAP).unwrap()];
    let (rotated, _) = Sealed::create(KIND, Path::new(FILE), sealed.id(), slots, b"new").unwrap();
    assert!(matches!(rotated.open(&master), Err(SealError::Damaged { what: Damage::Mixed, .. })));
    assert!(matches!(rotated.reseal(&master, b"x"), Err(SealError::Damaged { what: Damage::Mixed, .. })));
    assert!(matches!(open(rotated.bytes(), 0, b"correct horse"), Err(SealError::WrongKey { .. })));
    assert_eq!(open(rotated.bytes(), 0, b"another one").unwrap(), b"new");
}

#[test]
fn nothing_of_the_payload_or_the_keys_is_in_the_file_or_in_what_prints() {
    let (sealed, master) = made();
    let visible = |bytes: &[u8], what: &[u8]| bytes.windows(what.len()).any(|window| window == what);
    for secret in [PAYLOAD, b"canary".as_slice(), b"correct horse", b"recovery code"] {
        assert!(!visible(sealed.bytes(), secret));
    }
    let key = slot_key(&sealed, 0, b"correct horse");
    assert!(!visible(sealed.bytes(), key.expose()) && !visible(sealed.bytes(), &key.expose()[..16]));
    assert_eq!(format!("{master:?} {key:?}"), "MasterKey(..) SlotKey(..)");
    let new = NewSlot::derive(SlotKind::Passphrase, b"canary", CHEAP).unwrap();
    assert!(!format!("{new:?}").contains("canary"));
}

#[test]
fn limits_are_checked_before_anything_is_made() {
    let slot = || NewSlot::derive(SlotKind::Passphrase, b"x", CHEAP).unwrap();
    let create = |slots, payload: &[u8]| {
        Sealed::create(KIND, Path::new(FILE), FileId::random().unwrap(), slots, payload).map(|_| ())
    };
    assert!(matches!(create(vec![], b""), Err(SealError::Slots { found: 0, .. })));
    assert!(matches!(create((0..9).map(|_| slot()).collect(), b""), Err(SealError::Slots { found: 9, .. })));
    assert_eq!(create((0..8).map(|_| slot()).collect(), b""), Ok(()));
    assert!(matches!(create(vec![slot()], &vec![0; 1 << 20]), Err(SealError::TooLarge { .. })));
    let huge = Cost { memory_kib: u32::MAX, ..CHEAP };
    assert!(matches!(NewSlot::derive(SlotKind::Passphrase, b"x", huge), Err(SealError::Cost(_))));
    assert!(matches!(parse(&vec![0; (1 << 20) + 1]), Err(SealError::TooLarge { .. })));
    assert!(matches!(parse(b""), Err(SealError::Damaged { what: Damage::Empty, .. })));
    assert!(matches!(parse(b"LYCHSEAL"), Err(SealError::Damaged { what: Damage::Checksum, .. })));
    assert!(matches!(parse(b"-----BEGIN"), Err(SealError::NotSealed { .. })));
}
