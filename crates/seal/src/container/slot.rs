//! Key slots: each wraps the master key under one factor, and commits to that factor's key.

use super::SealError;
use super::format::FileId;
use crate::cbor::Fixed;
use crate::kdf::{self, Cost, SlotKey};
use crate::{aead, keys, random};
use serde::{Deserialize, Serialize};
use std::fmt;
use subtle::ConstantTimeEq;
use zeroize::Zeroizing;

/// More slots than this no file has.
pub(super) const MOST_SLOTS: usize = 8;

/// Number of a slot within its file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(transparent)]
pub struct SlotId(pub u32);

impl fmt::Display for SlotId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.0)
    }
}

/// What a slot is opened with.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum SlotKind {
    /// What a person remembers.
    Passphrase,
    /// A code of at least 128 random bits that was shown once.
    Recovery,
}

/// A slot as it stands in a file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Slot {
    id: SlotId,
    kind: SlotKind,
    salt: Fixed<{ kdf::SALT_BYTES }>,
    cost: Cost,
    nonce: Fixed<{ aead::NONCE_BYTES }>,
    wrapped: Fixed<{ aead::KEY_BYTES + aead::TAG_BYTES }>,
    commitment: Fixed<32>,
}

impl Slot {
    /// Its number.
    #[must_use]
    pub fn id(&self) -> SlotId {
        self.id
    }
    /// What it is opened with.
    #[must_use]
    pub fn kind(&self) -> SlotKind {
        self.kind
    }
    /// Salt of the derivation.
    #[must_use]
    pub fn salt(&self) -> &[u8; kdf::SALT_BYTES] {
        &self.salt.0
    }
    /// Cost of the derivation. Within bounds: they are checked when the file is parsed.
    #[must_use]
    pub fn cost(&self) -> Cost {
        self.cost
    }
}

/// A slot to be made. Made from its factor, or from a key that was derived elsewhere with a salt of its own.
#[derive(Debug)]
pub struct NewSlot {
    kind: SlotKind,
    salt: [u8; kdf::SALT_BYTES],
    cost: Cost,
    key: SlotKey,
}

impl NewSlot {
    /// Derives the slot's key from `factor` (slow) under a fresh salt.
    ///
    /// # Errors
    /// A cost out of bounds, not enough memory, or no randomness.
    pub fn derive(kind: SlotKind, factor: &[u8], cost: Cost) -> Result<Self, SealError> {
        let salt = random::bytes()?;
        let key = kdf::derive(factor, &salt, cost)?;
        Ok(Self { kind, salt, cost, key })
    }

    /// A slot whose key was derived by another process with this `salt` and `cost`. The salt must be fresh and random.
    ///
    /// # Errors
    /// A cost out of bounds.
    pub fn derived(kind: SlotKind, salt: [u8; kdf::SALT_BYTES], cost: Cost, key: SlotKey) -> Result<Self, SealError> {
        cost.check()?;
        Ok(Self { kind, salt, cost, key })
    }
}

/// The file that a slot belongs to; part of every derivation.
pub(super) struct FileContext<'a> {
    pub(super) purpose: &'a str,
    pub(super) file_id: &'a FileId,
}

impl FileContext<'_> {
    pub(super) fn bytes(&self) -> Vec<u8> {
        // The id has one length, so no two contexts share these bytes.
        [self.file_id.0.0.as_slice(), self.purpose.as_bytes()].concat()
    }
}

pub(super) fn wrap(
    file: &FileContext<'_>,
    id: SlotId,
    new: NewSlot,
    master: &[u8; aead::KEY_BYTES],
) -> Result<Slot, SealError> {
    let NewSlot { kind, salt, cost, key } = new;
    let context = context(file, id, kind, &salt, cost);
    let nonce = random::bytes()?;
    #[expect(clippy::expect_used, reason = "a master key has 32 bytes, and the cipher adds 16")]
    let wrapped = aead::seal(&wrap_key(&key, &context), &nonce, &context, master)
        .ok()
        .and_then(|wrapped| wrapped.try_into().ok())
        .expect("48 bytes");
    let commitment = Fixed(*commitment(&key, &context));
    Ok(Slot { id, kind, salt: Fixed(salt), cost, nonce: Fixed(nonce), wrapped: Fixed(wrapped), commitment })
}

/// Why a slot does not open.
pub(super) enum Stuck {
    /// The key is not this slot's.
    WrongKey,
    /// The key is this slot's, and yet the wrap does not open: the file was changed.
    Damaged,
}

pub(super) fn unwrap(
    file: &FileContext<'_>,
    slot: &Slot,
    key: &SlotKey,
) -> Result<Zeroizing<[u8; aead::KEY_BYTES]>, Stuck> {
    let context = context(file, slot.id, slot.kind, slot.salt(), slot.cost);
    if !bool::from(commitment(key, &context).ct_eq(&slot.commitment.0)) {
        return Err(Stuck::WrongKey);
    }
    let opened = aead::open(&wrap_key(key, &context), &slot.nonce.0, &context, &slot.wrapped.0);
    let mut master = Zeroizing::new([0; aead::KEY_BYTES]);
    match opened {
        Some(bytes) if bytes.len() == aead::KEY_BYTES => master.copy_from_slice(&bytes),
        _ => return Err(Stuck::Damaged),
    }
    Ok(master)
}

fn wrap_key(key: &SlotKey, context: &[u8]) -> Zeroizing<[u8; aead::KEY_BYTES]> {
    keys::derive(key.expose(), &[], "lychgate/seal/1/wrap", context)
}

fn commitment(key: &SlotKey, context: &[u8]) -> Zeroizing<[u8; 32]> {
    keys::derive(key.expose(), &[], "lychgate/seal/1/commitment", context)
}

/// Every field of the slot that is not made from its key: none can be exchanged without the commitment failing.
fn context(file: &FileContext<'_>, id: SlotId, kind: SlotKind, salt: &[u8; kdf::SALT_BYTES], cost: Cost) -> Vec<u8> {
    let kind = match kind {
        SlotKind::Passphrase => 1u8,
        SlotKind::Recovery => 2,
    };
    let mut bytes = Vec::new();
    bytes.extend_from_slice(salt);
    bytes.push(kind);
    for number in [id.0, cost.memory_kib, cost.passes, cost.lanes] {
        bytes.extend_from_slice(&number.to_le_bytes());
    }
    // Last, since it alone varies in length.
    bytes.extend_from_slice(&file.bytes());
    bytes
}
