//! The kernel's random numbers (getrandom(2)).

use zeroize::Zeroizing;

/// The kernel gave no random bytes. Nothing may be sealed then.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("the kernel gave no random bytes (getrandom); nothing was written")]
pub struct NoRandomness;

/// `N` random bytes for salts, nonces and ids.
///
/// # Errors
/// [`NoRandomness`] where getrandom(2) fails.
pub fn bytes<const N: usize>() -> Result<[u8; N], NoRandomness> {
    let mut out = [0; N];
    getrandom::fill(&mut out).map_err(|_| NoRandomness)?;
    Ok(out)
}

/// `len` random bytes for keys, wiped when dropped.
///
/// # Errors
/// [`NoRandomness`] where getrandom(2) fails.
pub fn secret(len: usize) -> Result<Zeroizing<Vec<u8>>, NoRandomness> {
    let mut out = Zeroizing::new(vec![0; len]);
    getrandom::fill(&mut out).map_err(|_| NoRandomness)?;
    Ok(out)
}
