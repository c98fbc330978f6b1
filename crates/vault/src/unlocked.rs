//! An open vault: what it lends, and how it is saved and locked again.

use crate::epoch::{EpochState, EpochWarning};
use crate::error::VaultError;
use crate::files::Files;
use crate::locked::{Locked, Open};
use crate::payload::{Payload, Settings};
use crate::pin::PinVerdict;
use crate::signer::Signer;
use crate::store::StoreKey;
use lychgate_core::channel::{Channel, ChannelName};
use lychgate_core::ids::VaultEpoch;
use lychgate_core::limits::PIN_TRIES;
use lychgate_seal::durable::{self, Lock, PRIVATE_FILE};
use lychgate_seal::{MasterKey, Sealed, Slot};

/// An unlocked vault, held by this process alone. Dropping it wipes its secrets without raising the epoch: use
/// [`Unlocked::lock`].
pub struct Unlocked {
    pub(crate) files: Files,
    lock: Lock,
    pub(crate) sealed: Sealed,
    pub(crate) epoch: EpochState,
    pub(crate) master: MasterKey,
    pub(crate) payload: Payload,
    signer: Signer,
    store_key: StoreKey,
    warning: Option<EpochWarning>,
}

impl std::fmt::Debug for Unlocked {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Unlocked")
            .field("sealed", &self.sealed)
            .field("channels", &self.payload.channels.len())
            .finish_non_exhaustive()
    }
}

/// Whether a save pushes the version before it into `vault.previous`.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Keep {
    /// The person changed something.
    Previous,
    /// Counters alone changed: the previous version stays the last one with other content.
    AsItIs,
}

impl Unlocked {
    pub(crate) fn new(locked: Locked, open: Open) -> Self {
        let Locked { files, lock, sealed, epoch } = locked;
        let Open { master, payload, signer, store_key, warning } = open;
        Self { files, lock, sealed, epoch, master, payload, signer, store_key, warning }
    }

    /// The epoch. Approvals are bound to it; a permit of another one releases nothing.
    #[must_use]
    pub fn epoch(&self) -> VaultEpoch {
        self.epoch.current()
    }

    /// What the unlock found wrong between the vault file and the mark outside it. To be shown and journalled.
    #[must_use]
    pub fn warning(&self) -> Option<&EpochWarning> {
        self.warning.as_ref()
    }

    /// The key slots.
    #[must_use]
    pub fn slots(&self) -> &[Slot] {
        self.sealed.slots()
    }

    /// All channels, without their secrets, in the order in which they were added.
    pub fn channels(&self) -> impl ExactSizeIterator<Item = &Channel> {
        self.payload.channels.iter().map(|stored| &stored.channel)
    }

    /// One channel, without its secret.
    #[must_use]
    pub fn channel(&self, name: &ChannelName) -> Option<&Channel> {
        self.channels().find(|channel| channel.name == *name)
    }

    /// Settings of the whole vault.
    #[must_use]
    pub fn settings(&self) -> Settings {
        self.payload.settings
    }

    /// Changes the settings and saves.
    ///
    /// # Errors
    /// Could not be saved; the old settings hold.
    pub fn change_settings(&mut self, settings: Settings) -> Result<(), VaultError> {
        let old = std::mem::replace(&mut self.payload.settings, settings);
        self.save_change().inspect_err(|_| self.payload.settings = old)
    }

    /// The vault's signing key.
    #[must_use]
    pub fn signer(&self) -> &Signer {
        &self.signer
    }

    /// The key of the action store. It lives as long as anyone holds it: drop it when the vault is locked.
    #[must_use]
    pub fn store_key(&self) -> StoreKey {
        self.store_key.share()
    }

    /// Checks a PIN. Five wrong ones in a row, and only an unlock helps; the right one gives all tries back.
    ///
    /// # Errors
    /// The try could not be judged or recorded. It counts, and is to be treated as a wrong one.
    pub fn check_pin(&mut self, pin: &[u8]) -> Result<PinVerdict, VaultError> {
        let before = self.payload.pin.tries_left();
        let verdict = self.payload.pin.check(pin)?;
        match verdict {
            PinVerdict::Ok if before == PIN_TRIES => {}
            // Not saved: too few tries until the next save, and no reason to refuse the right PIN.
            PinVerdict::Ok => drop(self.write(Keep::AsItIs)),
            PinVerdict::Wrong { .. } => self.write(Keep::AsItIs)?,
            PinVerdict::Blocked => {}
        }
        Ok(verdict)
    }

    /// Saves the vault as it is. Rarely needed: every change saves by itself, and the epoch is in its mark since the
    /// unlock. It makes an accepted [`Unlocked::warning`] the new truth, so journal that first.
    ///
    /// # Errors
    /// Nothing was changed on disk.
    pub fn save(&mut self) -> Result<(), VaultError> {
        self.write(Keep::AsItIs)
    }

    pub(crate) fn save_change(&mut self) -> Result<(), VaultError> {
        self.write(Keep::Previous)
    }

    /// Locks: the epoch rises first, then it is saved, and every secret is wiped.
    ///
    /// It locks whatever happens. The error says that the new epoch could not be put on disk (full, say): the next start
    /// may then warn about the mark, and that is all.
    #[must_use]
    pub fn lock(mut self) -> (Locked, Option<VaultError>) {
        let raised = self.epoch.at_lock();
        let saved = self.write(Keep::AsItIs);
        let Self { files, lock, sealed, epoch, master, payload, signer, store_key, warning: _ } = self;
        drop((master, payload, signer, store_key));
        (Locked { files, lock, sealed, epoch }, raised.err().or(saved.err()))
    }

    pub(crate) fn write(&mut self, keep: Keep) -> Result<(), VaultError> {
        let path = self.files.vault();
        let last = self.payload.stamp;
        let stamp = self.epoch.next_stamp(last);
        self.payload.stamp = stamp;
        let saved = self.write_stamped(stamp, keep, &path);
        // A stamp that reached the disk, or may have, is never given out again: `next_stamp` looks at the mark.
        match saved {
            Ok(sealed) => self.sealed = sealed,
            Err(error) => {
                self.payload.stamp = last;
                return Err(error);
            }
        }
        // The save itself is done. Without this line in the mark it counts as one that may have been done, which is true.
        let _ = self.epoch.saved(stamp);
        Ok(())
    }

    fn write_stamped(
        &mut self,
        stamp: crate::payload::Stamp,
        keep: Keep,
        path: &std::path::Path,
    ) -> Result<Sealed, VaultError> {
        let sealed = self.sealed.reseal(&self.master, &self.payload.encode(path)?)?;
        self.epoch.saving(stamp)?;
        let replaced = match keep {
            Keep::Previous => durable::replace_keeping_previous(
                path,
                sealed.bytes(),
                &self.files.previous(),
                self.sealed.bytes(),
                PRIVATE_FILE,
            ),
            Keep::AsItIs => durable::replace(path, sealed.bytes(), PRIVATE_FILE),
        };
        replaced.map_err(VaultError::Write)?;
        Ok(sealed)
    }
}
