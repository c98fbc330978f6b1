//! The bytes of a sealed file.
//!
//! ```text
//! 8  magic "LYCHSEAL"
//! 2  format version, little endian: 1
//! 4  length of the header, little endian
//! .. header, CBOR
//! .. payload: ciphertext and its 16-byte tag; everything before it is its associated data
//! 32 SHA-256 of everything before: finds accidents without a key; the tag is what finds intent
//! ```

use super::FileKind;
use super::damage::Damage;
use super::error::{Names, SealError};
use super::slot::{MOST_SLOTS, Slot};
use crate::cbor::{self, Fixed};
use crate::{aead, random};
use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};
use std::path::Path;

const MAGIC: &[u8; 8] = b"LYCHSEAL";
const VERSION: u16 = 1;
const PREFIX_BYTES: usize = MAGIC.len() + 2 + 4;
const MOST_HEADER_BYTES: usize = 16 * 1024;
const CHECKSUM_BYTES: usize = 32;
pub(super) const WRITE_SALT_BYTES: usize = 32;

/// A sealed file's own random id. Not secret.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct FileId(pub Fixed<16>);

impl FileId {
    /// A new one.
    ///
    /// # Errors
    /// No randomness.
    pub fn random() -> Result<Self, SealError> {
        Ok(Self(Fixed(random::bytes()?)))
    }
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Header {
    pub(super) purpose: String,
    pub(super) file_id: FileId,
    pub(super) write_salt: Fixed<WRITE_SALT_BYTES>,
    pub(super) master_check: Fixed<32>,
    pub(super) slots: Vec<Slot>,
}

/// Everything before the payload. `None` where the slots do not fit.
pub(super) fn begin(header: &Header) -> Option<Vec<u8>> {
    let encoded = cbor::encode(header).ok()?;
    let length = u32::try_from(encoded.len()).ok()?;
    let fits = (1..=MOST_SLOTS).contains(&header.slots.len()) && encoded.len() <= MOST_HEADER_BYTES;
    fits.then(|| [MAGIC.as_slice(), &VERSION.to_le_bytes(), &length.to_le_bytes(), &encoded].concat())
}

/// Adds what stands after the payload.
pub(super) fn end(bytes: &mut Vec<u8>) {
    let checksum = Sha256::digest(&*bytes);
    bytes.extend_from_slice(&checksum);
}

/// What is before the payload, and the payload.
pub(super) fn parts(bytes: &[u8]) -> Option<(&[u8], &[u8])> {
    let header = header_len(bytes)?;
    let (before, rest) = bytes.split_at_checked(PREFIX_BYTES.checked_add(header)?)?;
    let payload = rest.get(..rest.len().checked_sub(CHECKSUM_BYTES)?)?;
    (payload.len() >= aead::TAG_BYTES).then_some((before, payload))
}

pub(super) fn parse(kind: &FileKind, path: &Path, bytes: &[u8]) -> Result<Header, SealError> {
    let names = Names::of(kind, path);
    if bytes.len() > kind.max_bytes {
        return Err(names.too_large(kind.max_bytes));
    }
    if bytes.is_empty() {
        return Err(names.damaged(Damage::Empty));
    }
    if bytes.get(..MAGIC.len()) != Some(MAGIC.as_slice()) {
        return Err(names.not_sealed());
    }
    let version = bytes.get(MAGIC.len()..MAGIC.len() + 2).and_then(|v| v.try_into().ok()).map(u16::from_le_bytes);
    let intact = checksum_holds(bytes);
    match version {
        Some(VERSION) if intact => {}
        // Another version's checksum may stand elsewhere, so it is believed where the checksum holds, and else both are said.
        Some(found) if found != VERSION => return Err(names.version(found, VERSION)),
        _ => return Err(names.damaged(Damage::Checksum)),
    }
    let (before, _) = parts(bytes).ok_or_else(|| names.damaged(Damage::Lengths))?;
    let header: Header = before
        .get(PREFIX_BYTES..)
        .and_then(|header| cbor::decode(header).ok())
        .ok_or_else(|| names.damaged(Damage::Header))?;
    if header.purpose != kind.purpose {
        return Err(names.purpose(&header.purpose, kind.purpose));
    }
    check_slots(&header.slots).map_err(|what| names.damaged(what))?;
    Ok(header)
}

fn checksum_holds(bytes: &[u8]) -> bool {
    bytes
        .len()
        .checked_sub(CHECKSUM_BYTES)
        .and_then(|at| bytes.split_at_checked(at))
        .is_some_and(|(body, checksum)| Sha256::digest(body).as_slice() == checksum)
}

fn header_len(bytes: &[u8]) -> Option<usize> {
    let length: [u8; 4] = bytes.get(PREFIX_BYTES - 4..PREFIX_BYTES)?.try_into().ok()?;
    let length = usize::try_from(u32::from_le_bytes(length)).ok()?;
    (length <= MOST_HEADER_BYTES).then_some(length)
}

fn check_slots(slots: &[Slot]) -> Result<(), Damage> {
    if !(1..=MOST_SLOTS).contains(&slots.len()) {
        return Err(Damage::SlotCount);
    }
    if slots.iter().any(|slot| slot.cost().check().is_err()) {
        return Err(Damage::SlotCost);
    }
    let mut ids: Vec<_> = slots.iter().map(Slot::id).collect();
    ids.sort_unstable();
    ids.dedup();
    if ids.len() == slots.len() { Ok(()) } else { Err(Damage::SlotTwice) }
}
