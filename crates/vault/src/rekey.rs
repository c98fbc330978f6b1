//! A new passphrase, or another set of key slots: a new master key, so that no old factor opens what is saved after.

use crate::VAULT_KIND;
use crate::error::VaultError;
use crate::unlocked::Unlocked;
use lychgate_seal::durable::{self, PRIVATE_FILE, ReadRefused};
use lychgate_seal::{NewSlot, Sealed};

impl Unlocked {
    /// Replaces all key slots by `slots` under a new master key, and re-seals the previous version under it too.
    ///
    /// Copies that were made before still open with the old passphrase: what was in them counts as known to whoever knows
    /// it. A recovery slot that is not in `slots` is gone.
    ///
    /// # Errors
    /// Could not be saved, and the old factors hold; or [`VaultError::PreviousNotSealed`], and the new ones do.
    pub fn replace_slots(&mut self, slots: Vec<NewSlot>) -> Result<(), VaultError> {
        let (path, previous) = (self.files.vault(), self.files.previous());
        let last = self.payload.stamp;
        let stamp = self.epoch.next_stamp(last);
        self.payload.stamp = stamp;
        let made = self
            .payload
            .encode(&path)
            .and_then(|payload| Ok(Sealed::create(VAULT_KIND, &path, self.sealed.id(), slots, &payload)?));
        let written = made.and_then(|(sealed, master)| {
            let older = match durable::read_owned(&previous, VAULT_KIND.max_bytes) {
                Ok(bytes) => Sealed::parse(VAULT_KIND, &previous, bytes.to_vec())
                    .and_then(|older| older.open(&self.master))
                    // A previous version that does not open with our key is no version of ours to keep.
                    .ok(),
                Err(ReadRefused::Absent(_)) => None,
                Err(refused) => return Err(refused.into()),
            };
            self.epoch.saving(stamp)?;
            durable::replace(&path, sealed.bytes(), PRIVATE_FILE).map_err(VaultError::Write)?;
            Ok((sealed, master, older))
        });
        let (sealed, master, older) = written.inspect_err(|_| self.payload.stamp = last)?;
        let _ = self.epoch.saved(stamp);
        let kept = match &older {
            Some(payload) => sealed.reseal(&master, payload)?,
            None => sealed.clone(),
        };
        (self.sealed, self.master) = (sealed, master);
        // Until this is done the old passphrase still opens the version before.
        durable::replace(&previous, kept.bytes(), PRIVATE_FILE).map_err(VaultError::PreviousNotSealed)
    }
}
