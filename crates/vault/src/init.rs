//! Making a vault.

use crate::epoch::EpochState;
use crate::error::VaultError;
use crate::files::Files;
use crate::payload::{FORMAT, Payload, Secret, Settings};
use crate::pin::PinVerifier;
use crate::rules;
use crate::signer::Signer;
use crate::{VAULT_KIND, payload};
use lychgate_seal::durable::{self, Lock, PRIVATE_FILE};
use lychgate_seal::{Cost, FileId, NewSlot, Sealed, SlotKind};
use std::path::Path;

/// A vault that was just made. It is locked: unlock it like any other.
#[derive(Debug)]
pub struct Initialised {
    /// The public half of its signing key, to be printed: whoever keeps it can verify the journal without the vault.
    pub vault_public: [u8; 32],
    /// The signing key, for the journal's LOG. Drop it after that.
    pub signer: Signer,
}

/// Makes a vault in the state directory `dir` (0700, made if missing). Slow: derives a key at `cost`.
///
/// `cost` is what each try of the passphrase will cost, for the owner and for a thief; a product passes
/// [`Cost::measured`]. It is stored in the file, so a throw-away vault may have a small one.
///
/// # Errors
/// Refuses where a vault, or the previous version of one, is there already; where the directory is not ours alone; where
/// passphrase or PIN will not do. No vault is left behind then.
pub fn init(dir: &Path, passphrase: &[u8], pin: &[u8], cost: Cost) -> Result<Initialised, VaultError> {
    rules::check_passphrase(passphrase)?;
    rules::check_pin_rules(pin, passphrase)?;
    let files = Files::in_dir(dir);
    drop(durable::private_dir(dir)?);
    let _lock = Lock::take(&files.lock())?;
    refuse_existing(&files)?;

    let id = FileId::random()?;
    let mut epoch = EpochState::first(files.epoch_mark(), id.0.0)?;
    let stamp = epoch.next_stamp(payload::Stamp { epoch: 0, generation: 0 });
    let mut payload = Payload {
        format: FORMAT,
        stamp,
        signing_seed: Secret::random()?,
        idempotency_secret: Secret::random()?,
        store_key: Secret::random()?,
        pin: PinVerifier::new(pin)?,
        next_channel_version: 1,
        channels: Vec::new(),
        agents: Vec::new(),
        settings: Settings::INITIAL,
    };
    let path = files.vault();
    let signer = Signer::from_seed(payload.signing_seed.keep()?).ok_or_else(|| VaultError::Payload(path.clone()))?;
    let slots = vec![NewSlot::derive(SlotKind::Passphrase, passphrase, cost)?];
    let (sealed, _) = Sealed::create(VAULT_KIND, &path, id, slots, &payload.encode(&path)?)?;
    epoch.saving(stamp)?;
    durable::replace(&path, sealed.bytes(), PRIVATE_FILE).map_err(VaultError::Write)?;
    epoch.saved(stamp)?;
    Ok(Initialised { vault_public: signer.public(), signer })
}

/// Whatever stands there, even what can't be read, is somebody's vault.
fn refuse_existing(files: &Files) -> Result<(), VaultError> {
    let (vault, previous) = (files.vault(), files.previous());
    if vault.symlink_metadata().is_ok() {
        return Err(VaultError::Exists(vault));
    }
    if previous.symlink_metadata().is_ok() {
        return Err(VaultError::OnlyPrevious { vault, previous });
    }
    Ok(())
}
