//! A vault whose payload is closed. It knows its key slots and its epoch, and has nothing that writes the vault file.

use crate::VAULT_KIND;
use crate::epoch::EpochState;
use crate::error::VaultError;
use crate::files::Files;
use crate::payload::Payload;
use crate::store::StoreKey;
use crate::unlocked::Unlocked;
use lychgate_core::ids::VaultEpoch;
use lychgate_seal::durable::{self, Lock, ReadRefused};
use lychgate_seal::{Sealed, Slot, SlotId, SlotKey};
use std::path::Path;

/// A locked vault, held by this process alone.
pub struct Locked {
    pub(crate) files: Files,
    pub(crate) lock: Lock,
    pub(crate) sealed: Sealed,
    pub(crate) epoch: EpochState,
}

/// An unlock that did not happen. The vault is handed back, locked as before.
#[derive(Debug, thiserror::Error)]
#[error("{error}")]
pub struct UnlockFailed {
    /// The vault.
    pub locked: Locked,
    /// Why.
    pub error: VaultError,
}

impl std::fmt::Debug for Locked {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Locked").field("sealed", &self.sealed).finish_non_exhaustive()
    }
}

/// The key slots of the vault in `dir`, for a program that derives a slot key and hands it to the gateway. Takes no lock.
///
/// # Errors
/// As [`Locked::load`].
pub fn slots(dir: &Path) -> Result<Vec<Slot>, VaultError> {
    Ok(read(&Files::in_dir(dir))?.slots().to_vec())
}

impl Locked {
    /// Loads the vault of the state directory `dir` and takes its lock: what a gateway does when it starts. The epoch
    /// rises.
    ///
    /// # Errors
    /// There is none, it is damaged, another process has it, or the directory or a file is not ours alone. An error is
    /// never an empty vault.
    pub fn load(dir: &Path) -> Result<Self, VaultError> {
        let files = Files::in_dir(dir);
        read(&files)?;
        drop(durable::private_dir(dir)?);
        let lock = Lock::take(&files.lock())?;
        // What a crash left of a save. A file that can't be removed harms nobody.
        for path in [files.vault(), files.previous(), files.epoch_mark()] {
            let _ = durable::remove_leftovers(&path);
        }
        // Read again: it may have been saved before the lock was ours.
        let sealed = read(&files)?;
        let epoch = EpochState::at_start(files.epoch_mark(), sealed.id().0.0)?;
        Ok(Self { files, lock, sealed, epoch })
    }

    /// What each slot's derivation takes.
    #[must_use]
    pub fn slots(&self) -> &[Slot] {
        self.sealed.slots()
    }

    /// The epoch of this locked state. The number is 0 where the mark outside the vault is lost.
    #[must_use]
    pub fn epoch(&self) -> VaultEpoch {
        self.epoch.current()
    }

    /// Opens the payload with the key of one slot. The epoch rises. The file is read again, so that one that was put
    /// back while this was locked is noticed. Resets the PIN's tries.
    ///
    /// # Errors
    /// [`UnlockFailed`] with the vault in it: a wrong passphrase, damage, or a mark that could not be written.
    pub fn unlock(mut self, slot: SlotId, key: &SlotKey) -> Result<Unlocked, Box<UnlockFailed>> {
        match self.try_open(slot, key) {
            Ok(open) => Ok(Unlocked::new(self, open)),
            Err(error) => Err(Box::new(UnlockFailed { locked: self, error })),
        }
    }

    fn try_open(&mut self, slot: SlotId, key: &SlotKey) -> Result<Open, VaultError> {
        let path = self.files.vault();
        let now = read(&self.files)?;
        if now.bytes() != self.sealed.bytes() {
            let same_slots = now.id() == self.sealed.id() && now.slots() == self.sealed.slots();
            if now.id() != self.sealed.id() {
                // Another vault: everything that this state rests on begins anew.
                self.epoch = EpochState::at_start(self.files.epoch_mark(), now.id().0.0)?;
            }
            self.sealed = now;
            if !same_slots {
                return Err(VaultError::Exchanged(path));
            }
        }
        let master = self.sealed.unwrap_master(slot, key)?;
        let mut payload = Payload::decode(&self.sealed.open(&master)?, &path)?;
        payload.keep()?;
        let signer = crate::signer::Signer::from_seed(payload.signing_seed.keep()?)
            .ok_or_else(|| VaultError::Payload(path.clone()))?;
        let store_key = StoreKey::new(payload.store_key.keep()?);
        let warning = self.epoch.at_unlock(payload.stamp)?;
        payload.pin.reset();
        Ok(Open { master, payload, signer, store_key, warning })
    }
}

/// What an unlock brings.
pub(crate) struct Open {
    pub(crate) master: lychgate_seal::MasterKey,
    pub(crate) payload: Payload,
    pub(crate) signer: crate::signer::Signer,
    pub(crate) store_key: StoreKey,
    pub(crate) warning: Option<crate::epoch::EpochWarning>,
}

pub(crate) fn read(files: &Files) -> Result<Sealed, VaultError> {
    let path = files.vault();
    match durable::read_owned(&path, VAULT_KIND.max_bytes) {
        Ok(bytes) => Ok(Sealed::parse(VAULT_KIND, &path, bytes.to_vec())?),
        Err(ReadRefused::Absent(_)) if files.previous().symlink_metadata().is_ok() => {
            Err(VaultError::OnlyPrevious { vault: path, previous: files.previous() })
        }
        Err(ReadRefused::Absent(_)) => Err(VaultError::Absent(path)),
        Err(other) => Err(other.into()),
    }
}
