//! `audit.key`: the private half of the journal's recipient, sealed under the passphrase with a derivation of its own.
//!
//! The gateway never opens it, unlocked vault or not: only a viewer process does, for as long as it reads.

use hpke::Deserializable as _;
use hpke::kem::XWing;
use lychgate_journal::AuditPublicKey;
use lychgate_seal::durable::{self, PRIVATE_FILE, ReadRefused};
use lychgate_seal::random::{self, NoRandomness};
use lychgate_seal::{Cost, FileId, FileKind, NewSlot, SealError, Sealed, SlotKind, kdf};
use lychgate_text::words;
use std::io;
use std::path::{Path, PathBuf};
use zeroize::Zeroizing;

/// What `audit.key` is among sealed files. Its purpose separates its derivation from the vault's.
pub const AUDIT_KEY_KIND: FileKind =
    FileKind { purpose: "lychgate/audit-key/1", remedy: || words().view().remedy, max_bytes: 64 * 1024 };

/// The seed of an X-Wing key pair (draft-connolly-cfrg-xwing-kem, section 5.2).
const SEED_BYTES: usize = 32;

/// Why `audit.key` was not made or opened.
#[derive(Debug, thiserror::Error)]
pub enum AuditKeyError {
    /// There is one already.
    #[error("{}", (words().view().key_exists)(&.0.display()))]
    Exists(PathBuf),
    /// The sealed file.
    #[error(transparent)]
    Seal(#[from] SealError),
    /// It can't be read as a file of ours alone.
    #[error(transparent)]
    Read(#[from] ReadRefused),
    /// It can't be written.
    #[error("{}", (words().view().key_not_written)(.0))]
    Write(#[from] io::Error),
    /// It opened and holds no key.
    #[error("{}", (words().view().not_a_key)(&.0.display()))]
    NotAKey(PathBuf),
    /// No randomness.
    #[error(transparent)]
    Random(#[from] NoRandomness),
}

/// The private half. Reads the whole journal: keep it in a process that does nothing else, and not for long.
pub struct AuditPrivateKey {
    key: <XWing as hpke::Kem>::PrivateKey,
    public: AuditPublicKey,
}

impl AuditPrivateKey {
    /// The public half, as LOG names it.
    #[must_use]
    pub fn public(&self) -> &AuditPublicKey {
        &self.public
    }

    pub(crate) fn hpke(&self) -> &<XWing as hpke::Kem>::PrivateKey {
        &self.key
    }
}

impl std::fmt::Debug for AuditPrivateKey {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("AuditPrivateKey(..)")
    }
}

/// Makes a key pair and writes its private half to `path`, sealed under `passphrase`.
///
/// # Errors
/// [`AuditKeyError`]; an existing file is never overwritten.
pub fn create(path: &Path, passphrase: &[u8], cost: Cost) -> Result<AuditPublicKey, AuditKeyError> {
    if path.symlink_metadata().is_ok() {
        return Err(AuditKeyError::Exists(path.to_owned()));
    }
    let seed: Zeroizing<[u8; SEED_BYTES]> = Zeroizing::new(random::bytes()?);
    let id = random::bytes()?;
    let key = private(seed.as_slice(), path)?;
    let slot = NewSlot::derive(SlotKind::Passphrase, passphrase, cost)?;
    let (sealed, _) =
        Sealed::create(AUDIT_KEY_KIND, path, FileId(lychgate_seal::cbor::Fixed(id)), vec![slot], seed.as_slice())?;
    durable::replace(path, sealed.bytes(), PRIVATE_FILE)?;
    Ok(key.public)
}

/// Opens it. Slow: the passphrase is derived here.
///
/// # Errors
/// [`AuditKeyError`]; a wrong passphrase and damage are told apart.
pub fn open(path: &Path, passphrase: &[u8]) -> Result<AuditPrivateKey, AuditKeyError> {
    let bytes = durable::read_owned(path, AUDIT_KEY_KIND.max_bytes)?;
    let sealed = Sealed::parse(AUDIT_KEY_KIND, path, bytes.to_vec())?;
    let slot = sealed
        .slots()
        .iter()
        .find(|slot| slot.kind() == SlotKind::Passphrase)
        .ok_or_else(|| AuditKeyError::NotAKey(path.to_owned()))?;
    let key = kdf::derive(passphrase, slot.salt(), slot.cost()).map_err(SealError::from)?;
    let master = sealed.unwrap_master(slot.id(), &key)?;
    private(&sealed.open(&master)?, path)
}

fn private(seed: &[u8], path: &Path) -> Result<AuditPrivateKey, AuditKeyError> {
    let not_a_key = || AuditKeyError::NotAKey(path.to_owned());
    let key = <XWing as hpke::Kem>::PrivateKey::from_bytes(seed).map_err(|_| not_a_key())?;
    let public = AuditPublicKey::of(&key).ok_or_else(not_a_key)?;
    Ok(AuditPrivateKey { key, public })
}
