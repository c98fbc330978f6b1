//! The bytes of the action store.
//!
//! ```text
//! head   8 magic "LYCHACTS", 2 format version (1, little endian), 32 salt of this file's keys
//! frame  4 length of what is sealed (little endian), 8 check of that length under a key, 24 nonce, sealed record
//! ```
//! The associated data of each frame is a hash over the head and all frames before it, so none can be moved, repeated or
//! left out. The checked length tells a tail that was cut from one that was edited.

use super::{StoreDamage, StoreError};
use lychgate_core::record::Record;
use lychgate_seal::memory::{self, NoLockedMemory};
use lychgate_seal::{aead, cbor, keys, random};
use lychgate_sys::LockedBytes;
use sha2::{Digest as _, Sha256};
use std::path::Path;
use subtle::ConstantTimeEq;

const MAGIC: &[u8; 8] = b"LYCHACTS";
const VERSION: u16 = 1;
const SALT_BYTES: usize = 32;
pub(super) const HEAD_BYTES: usize = MAGIC.len() + 2 + SALT_BYTES;
const LENGTH_BYTES: usize = 4;
const CHECK_BYTES: usize = 8;
/// What stands before the sealed part of a frame.
pub(super) const PREFIX_BYTES: usize = LENGTH_BYTES + CHECK_BYTES + aead::NONCE_BYTES;
/// A kept result of 8 MiB and its envelope fit.
const MOST_SEALED_BYTES: usize = 12 * 1024 * 1024;

/// The beginning of a store file.
pub(super) struct Head([u8; HEAD_BYTES]);

impl Head {
    pub(super) fn new() -> Result<Self, random::NoRandomness> {
        let salt: [u8; SALT_BYTES] = random::bytes()?;
        let mut bytes = [0; HEAD_BYTES];
        let parts = MAGIC.iter().copied().chain(VERSION.to_le_bytes()).chain(salt);
        bytes.iter_mut().zip(parts).for_each(|(place, byte)| *place = byte);
        Ok(Self(bytes))
    }

    /// Why the bytes are no head of this version.
    pub(super) fn parse(bytes: [u8; HEAD_BYTES]) -> Result<Self, StoreDamage> {
        let known = MAGIC.iter().chain(&VERSION.to_le_bytes()).eq(bytes.iter().take(MAGIC.len() + 2));
        if known { Ok(Self(bytes)) } else { Err(StoreDamage::OtherHead) }
    }

    pub(super) fn bytes(&self) -> &[u8] {
        &self.0
    }
}

/// Keys of one store file.
pub(super) struct Keys {
    /// One for records, of [`aead::KEY_BYTES`], and one for lengths.
    frames: LockedBytes,
    lengths: LockedBytes,
}

impl Keys {
    pub(super) fn derive(key: &[u8], head: &Head) -> Result<Self, NoLockedMemory> {
        let frames = keys::derive::<{ aead::KEY_BYTES }>(key, head.bytes(), "lychgate/store/1/frames", &[]);
        let lengths = keys::derive::<32>(key, head.bytes(), "lychgate/store/1/lengths", &[]);
        Ok(Self { frames: memory::locked(&*frames)?, lengths: memory::locked(&*lengths)? })
    }

    #[expect(clippy::expect_used, reason = "`derive` made it of this length")]
    fn frames(&self) -> &[u8; aead::KEY_BYTES] {
        self.frames.first_chunk().expect("a whole key")
    }

    fn length_check(&self, chain: &Chain, length: [u8; LENGTH_BYTES]) -> [u8; CHECK_BYTES] {
        *keys::derive(&self.lengths, &chain.0, "lychgate/store/1/length", &length)
    }
}

/// Hash over everything before the next frame.
#[derive(Clone, PartialEq, Eq)]
pub(super) struct Chain([u8; 32]);

impl Chain {
    pub(super) fn begin(head: &Head) -> Self {
        Self(Sha256::digest(head.bytes()).into())
    }

    fn after(&self, prefix: &[u8], sealed: &[u8]) -> Self {
        Self(Sha256::new().chain_update(self.0).chain_update(prefix).chain_update(sealed).finalize().into())
    }
}

pub(super) struct SealedFrame {
    pub(super) bytes: Vec<u8>,
    pub(super) next: Chain,
}

/// Why a record has no frame.
pub(super) enum NotSealed {
    TooLong,
    Random(random::NoRandomness),
}

impl NotSealed {
    pub(super) fn named(self, path: &Path) -> StoreError {
        match self {
            Self::TooLong => StoreError::Record(path.to_owned()),
            Self::Random(error) => StoreError::Random(error),
        }
    }
}

pub(super) fn seal(keys: &Keys, chain: &Chain, record: &Record) -> Result<SealedFrame, NotSealed> {
    let plain = cbor::encode(record).map_err(|_| NotSealed::TooLong)?;
    let nonce = random::bytes().map_err(NotSealed::Random)?;
    let sealed = aead::seal(keys.frames(), &nonce, &chain.0, &plain).map_err(|_| NotSealed::TooLong)?;
    if sealed.len() > MOST_SEALED_BYTES {
        return Err(NotSealed::TooLong);
    }
    let length = u32::try_from(sealed.len()).map_err(|_| NotSealed::TooLong)?.to_le_bytes();
    let prefix = [length.as_slice(), &keys.length_check(chain, length), &nonce].concat();
    let next = chain.after(&prefix, &sealed);
    Ok(SealedFrame { bytes: [prefix, sealed].concat(), next })
}

/// The authentic length of what follows `prefix`. `None` where that is not what was written here.
pub(super) fn sealed_len(keys: &Keys, chain: &Chain, prefix: &[u8; PREFIX_BYTES]) -> Option<usize> {
    let (length, rest) = prefix.split_first_chunk::<LENGTH_BYTES>()?;
    let (check, _) = rest.split_first_chunk::<CHECK_BYTES>()?;
    let same = bool::from(keys.length_check(chain, *length).ct_eq(check));
    let length = usize::try_from(u32::from_le_bytes(*length)).ok()?;
    (same && length <= MOST_SEALED_BYTES).then_some(length)
}

/// Why a whole frame gives no record.
pub(super) enum NotOpened {
    /// Changed, moved, or of another file.
    Changed,
    /// Authentic, and of a kind that this program does not know.
    Unknown,
}

pub(super) fn open(
    keys: &Keys,
    chain: &Chain,
    prefix: &[u8; PREFIX_BYTES],
    sealed: &[u8],
) -> Result<(Record, Chain), NotOpened> {
    let nonce = prefix.last_chunk::<{ aead::NONCE_BYTES }>().ok_or(NotOpened::Changed)?;
    let plain = aead::open(keys.frames(), nonce, &chain.0, sealed).ok_or(NotOpened::Changed)?;
    let record = cbor::decode(&plain).map_err(|_| NotOpened::Unknown)?;
    Ok((record, chain.after(prefix, sealed)))
}
