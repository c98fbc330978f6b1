//! Where random bytes come from: an argument of everything that draws them.

use lychgate_text::words;

/// No random bytes could be had. Nothing may be sealed or signed then.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("{}", words().journal().error.no_randomness)]
pub struct NoRandomness;

/// A source of random bytes. Handing in one that repeats itself repeats keys and salts: outside tests that is the end
/// of every secret in the log.
pub trait Random: Send {
    /// Fills `into` completely.
    ///
    /// # Errors
    /// [`NoRandomness`]; `into` must not be used then.
    fn fill(&mut self, into: &mut [u8]) -> Result<(), NoRandomness>;
}

/// The kernel's source (`getrandom(2)`).
#[derive(Debug, Clone, Copy)]
pub struct SystemRandom;

impl Random for SystemRandom {
    fn fill(&mut self, into: &mut [u8]) -> Result<(), NoRandomness> {
        getrandom::fill(into).map_err(|_| NoRandomness)
    }
}
