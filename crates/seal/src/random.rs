//! The kernel's random numbers (getrandom(2)).

use lychgate_text::words;

/// The kernel gave no random bytes. Nothing may be sealed then.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("{}", words().seal().no_randomness)]
pub struct NoRandomness;

/// `N` random bytes for salts, nonces and ids.
///
/// # Errors
/// [`NoRandomness`] where getrandom(2) fails.
pub fn bytes<const N: usize>() -> Result<[u8; N], NoRandomness> {
    let mut out = [0; N];
    fill(&mut out)?;
    Ok(out)
}

/// Fills `place` with random bytes, for keys: the caller owns the place and wipes it.
///
/// # Errors
/// [`NoRandomness`] where getrandom(2) fails; `place` holds no key then.
pub fn fill(place: &mut [u8]) -> Result<(), NoRandomness> {
    getrandom::fill(place).map_err(|_| NoRandomness)
}
