//! Putting an older vault file back, on purpose.

use crate::VAULT_KIND;
use crate::error::VaultError;
use crate::files::Files;
use crate::locked::Locked;
use lychgate_seal::Sealed;
use lychgate_seal::durable::{self, Lock, PRIVATE_FILE, ReadRefused};
use std::path::Path;

/// Puts the vault file `source` (a backup, or [`Files::previous`]) in the place of the vault of `dir`, and loads it. The
/// file that was there is kept as `vault.replaced`.
///
/// The epoch mark is left as it is: it makes the epoch rise above both files, and the unlock names both epochs. The
/// gateway must not be running.
///
/// # Errors
/// `source` is no whole vault file (whether it opens, only the passphrase shows), another process has the vault, or it
/// could not be written. The vault was not changed then.
pub fn restore(dir: &Path, source: &Path) -> Result<Locked, VaultError> {
    let files = Files::in_dir(dir);
    let bytes = durable::read_owned(source, VAULT_KIND.max_bytes)?;
    let sealed = Sealed::parse(VAULT_KIND, source, bytes.to_vec())?;
    drop(durable::private_dir(dir)?);
    let lock = Lock::take(&files.lock())?;
    let path = files.vault();
    keep_aside(&path, &dir.join("vault.replaced"))?;
    durable::replace(&path, sealed.bytes(), PRIVATE_FILE).map_err(VaultError::Write)?;
    drop(lock);
    Locked::load(dir)
}

/// A copy, so that at every instant a vault stands in its place; what can't be read as ours is moved instead.
fn keep_aside(path: &Path, aside: &Path) -> Result<(), VaultError> {
    match durable::read_owned(path, VAULT_KIND.max_bytes) {
        Ok(bytes) => durable::replace(aside, &bytes, PRIVATE_FILE),
        Err(ReadRefused::Absent(_)) => Ok(()),
        Err(_) => std::fs::rename(path, aside),
    }
    .map_err(VaultError::Write)
}
