//! Where keys stay while a file is open: memory that never reaches the swap space.

use lychgate_sys::LockedBytes;
use lychgate_text::words;

/// The system gives no locked memory. Nothing is kept open then.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{}", (words().seal().no_locked_memory)(.0))]
pub struct NoLockedMemory(String);

/// A copy of `secret` in locked memory. The original is the caller's to wipe.
///
/// # Errors
/// [`NoLockedMemory`], with the system's reason.
pub fn locked(secret: &[u8]) -> Result<LockedBytes, NoLockedMemory> {
    LockedBytes::copy_of(secret).map_err(|error| NoLockedMemory(error.to_string()))
}
