//! The vault's Ed25519 key, which vouches for the journal.

use ed25519_dalek::{Signer as _, SigningKey};
use lychgate_sys::LockedBytes;
use std::sync::Arc;

/// Signs as the vault (RFC 8032). There is no `Clone`: it ends with the unlocked vault.
pub struct Signer {
    seed: Arc<LockedBytes>,
    public: [u8; 32],
}

impl Signer {
    /// `None` where the seed has another length than 32 bytes.
    pub(crate) fn from_seed(seed: Arc<LockedBytes>) -> Option<Self> {
        let public = key(&seed)?.verifying_key().to_bytes();
        Some(Self { seed, public })
    }

    /// The public half: printed at `init`, shown by `doctor`, pinned in the journal's LOG.
    #[must_use]
    pub fn public(&self) -> [u8; 32] {
        self.public
    }

    /// Signs `message`, which must begin with the label of its one use (such as `lychgate/journal/sign/anchor/1` and a
    /// zero byte). Two uses with one beginning are the dangerous mistake: a signature of one would pass for the other.
    #[must_use]
    pub fn sign(&self, message: &[u8]) -> [u8; 64] {
        // The length was looked at; a signature of zeros would verify nowhere.
        key(&self.seed).map_or([0; 64], |key| key.sign(message).to_bytes())
    }
}

/// For the moment of one signature: the key itself lies in ordinary memory, and is wiped when dropped.
fn key(seed: &[u8]) -> Option<SigningKey> {
    seed.try_into().ok().map(SigningKey::from_bytes)
}

impl std::fmt::Debug for Signer {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Signer(public {})", hex::encode(self.public()))
    }
}
