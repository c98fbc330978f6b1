//! One sealed file: key slots in the clear, one payload under a master key that each slot wraps.
//!
//! ```text
//! passphrase --Argon2id--> slot key --HKDF--> commitment (compared) , wrap key --opens--> master key
//! master key + the write's salt --HKDF--> key and nonce of the payload, with the whole header as associated data
//! ```
//! The slow half needs no file key, so the program that asks for the passphrase runs it and hands over the slot key.

mod damage;
mod error;
mod format;
mod slot;

pub use damage::Damage;
pub use error::SealError;
pub use format::FileId;
pub use slot::{NewSlot, Slot, SlotId, SlotKind};

use crate::cbor::Fixed;
use crate::kdf::SlotKey;
use crate::{aead, keys, memory, random};
use error::Names;
use format::Header;
use lychgate_sys::LockedBytes;
use slot::Stuck;
use std::path::{Path, PathBuf};
use subtle::ConstantTimeEq;
use zeroize::Zeroizing;

/// What a kind of sealed file is. Compiled in, one constant per kind.
#[derive(Debug, Clone, Copy)]
pub struct FileKind {
    /// Domain label. Keys and commitments of two purposes never serve each other.
    pub purpose: &'static str,
    /// What a person does about a damaged one, from the catalogue; ends an error message.
    pub remedy: fn() -> &'static str,
    /// No file of this kind is larger, in bytes.
    pub max_bytes: usize,
}

/// What opens and reseals one file's payload. Worth as much as everything in it.
pub struct MasterKey {
    key: LockedBytes,
}

impl std::fmt::Debug for MasterKey {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("MasterKey(..)")
    }
}

/// A sealed file in memory: whole, well-formed, not opened. Holds nothing secret.
#[derive(Clone)]
pub struct Sealed {
    kind: FileKind,
    path: PathBuf,
    header: Header,
    bytes: Vec<u8>,
}

impl std::fmt::Debug for Sealed {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Sealed").field("path", &self.path).field("id", &self.header.file_id).finish_non_exhaustive()
    }
}

impl Sealed {
    /// Seals `payload` under a fresh master key that each of `slots` wraps. `path` is for error messages: nothing is
    /// written here.
    ///
    /// Also what a changed passphrase or a removed slot takes: the same `id`, all slots anew. The old master key then
    /// opens nothing that was sealed after.
    ///
    /// # Errors
    /// No slot or more than eight, a payload over the kind's limit, or no randomness.
    pub fn create(
        kind: FileKind,
        path: &Path,
        id: FileId,
        slots: Vec<NewSlot>,
        payload: &[u8],
    ) -> Result<(Self, MasterKey), SealError> {
        let mut key = Zeroizing::new([0; aead::KEY_BYTES]);
        random::fill(key.as_mut_slice())?;
        let master = MasterKey { key: memory::locked(&*key)? };
        let context = slot::FileContext { purpose: kind.purpose, file_id: &id };
        let mut wrapped = Vec::with_capacity(slots.len());
        for (number, slot) in (1..).zip(slots) {
            wrapped.push(slot::wrap(&context, SlotId(number), slot, &key)?);
        }
        let header = Header {
            purpose: kind.purpose.to_owned(),
            file_id: id,
            write_salt: Fixed([0; format::WRITE_SALT_BYTES]),
            master_check: Fixed(*master_check(&master, &context)),
            slots: wrapped,
        };
        let sealed = Self::seal(kind, path, header, &master, payload)?;
        Ok((sealed, master))
    }

    /// Takes the bytes of a file apart and checks their form. Needs no key.
    ///
    /// # Errors
    /// Names the file, what is wrong and what to do. Accidental damage is found here, before a passphrase is asked.
    pub fn parse(kind: FileKind, path: &Path, bytes: Vec<u8>) -> Result<Self, SealError> {
        let header = format::parse(&kind, path, &bytes)?;
        Ok(Self { kind, path: path.to_owned(), header, bytes })
    }

    /// The bytes, as they stand in the file.
    #[must_use]
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// The file's own id; stays over every save.
    #[must_use]
    pub fn id(&self) -> FileId {
        self.header.file_id
    }

    /// The slots: what each needs to make its key. Anybody who has the file sees them.
    #[must_use]
    pub fn slots(&self) -> &[Slot] {
        &self.header.slots
    }

    /// Opens one slot.
    ///
    /// # Errors
    /// [`SealError::WrongKey`] where `key` is not this slot's: the passphrase was wrong. Everything else is damage.
    pub fn unwrap_master(&self, slot: SlotId, key: &SlotKey) -> Result<MasterKey, SealError> {
        let found =
            self.header.slots.iter().find(|found| found.id() == slot).ok_or_else(|| self.names().no_slot(slot))?;
        let context = self.context();
        let key = slot::unwrap(&context, found, key).map_err(|stuck| match stuck {
            Stuck::WrongKey => self.names().wrong_key(found.kind()),
            Stuck::Damaged => self.names().damaged(Damage::Wrap),
        })?;
        let master = MasterKey { key: memory::locked(&*key)? };
        self.own(&master)?;
        Ok(master)
    }

    /// Opens the payload.
    ///
    /// # Errors
    /// Damage, or a master key of another file.
    pub fn open(&self, master: &MasterKey) -> Result<Zeroizing<Vec<u8>>, SealError> {
        self.own(master)?;
        let (aad, sealed) = format::parts(&self.bytes).ok_or_else(|| self.names().damaged(Damage::CutShort))?;
        let (key, nonce) = write_key(master, &self.header.write_salt.0, &self.context());
        aead::open(&key, &nonce, aad, sealed).ok_or_else(|| self.names().damaged(Damage::Payload))
    }

    /// Seals `payload` anew with the same slots, under a key that this write alone uses.
    ///
    /// # Errors
    /// A master key of another file, a payload over the kind's limit, or no randomness.
    pub fn reseal(&self, master: &MasterKey, payload: &[u8]) -> Result<Self, SealError> {
        self.own(master)?;
        Self::seal(self.kind, &self.path, self.header.clone(), master, payload)
    }

    fn seal(
        kind: FileKind,
        path: &Path,
        mut header: Header,
        master: &MasterKey,
        payload: &[u8],
    ) -> Result<Self, SealError> {
        header.write_salt = Fixed(random::bytes()?);
        let mut bytes = format::begin(&header).ok_or_else(|| Names::of(&kind, path).slots(header.slots.len()))?;
        let context = slot::FileContext { purpose: kind.purpose, file_id: &header.file_id };
        let (key, nonce) = write_key(master, &header.write_salt.0, &context);
        let sealed =
            aead::seal(&key, &nonce, &bytes, payload).map_err(|_| Names::of(&kind, path).too_large(kind.max_bytes))?;
        bytes.extend_from_slice(&sealed);
        format::end(&mut bytes);
        // What was written is read by the same rules as what is found, so nothing is saved that could not be loaded.
        Self::parse(kind, path, bytes)
    }

    fn own(&self, master: &MasterKey) -> Result<(), SealError> {
        let same = master_check(master, &self.context()).ct_eq(&self.header.master_check.0);
        if bool::from(same) { Ok(()) } else { Err(self.names().damaged(Damage::Mixed)) }
    }

    fn context(&self) -> slot::FileContext<'_> {
        slot::FileContext { purpose: self.kind.purpose, file_id: &self.header.file_id }
    }

    fn names(&self) -> Names<'_> {
        Names::of(&self.kind, &self.path)
    }
}

/// Commits to the master key: a payload that opens under two keys can't be made to pass as one file.
fn master_check(master: &MasterKey, context: &slot::FileContext<'_>) -> Zeroizing<[u8; 32]> {
    keys::derive(&master.key, &[], "lychgate/seal/1/master-check", &context.bytes())
}

fn write_key(
    master: &MasterKey,
    salt: &[u8],
    context: &slot::FileContext<'_>,
) -> (Zeroizing<[u8; aead::KEY_BYTES]>, [u8; aead::NONCE_BYTES]) {
    let key = keys::derive(&master.key, salt, "lychgate/seal/1/payload-key", &context.bytes());
    let nonce = keys::derive(&master.key, salt, "lychgate/seal/1/payload-nonce", &context.bytes());
    (key, *nonce)
}
