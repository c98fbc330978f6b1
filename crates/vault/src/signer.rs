//! The vault's Ed25519 key, which vouches for the journal.

use ed25519_dalek::{Signer as _, SigningKey};
use lychgate_core::secret::SecretBytes;
use zeroize::Zeroizing;

/// Signs as the vault (RFC 8032). There is no `Clone`: it ends with the unlocked vault. Wiped when dropped.
pub struct Signer(SigningKey);

impl Signer {
    /// `None` where the seed has another length than 32 bytes.
    pub(crate) fn from_seed(seed: &SecretBytes) -> Option<Self> {
        let mut key = Zeroizing::new([0; 32]);
        (seed.expose().len() == key.len()).then(|| {
            key.copy_from_slice(seed.expose());
            Self(SigningKey::from_bytes(&key))
        })
    }

    /// The public half: printed at `init`, shown by `doctor`, pinned in the journal's LOG.
    #[must_use]
    pub fn public(&self) -> [u8; 32] {
        self.0.verifying_key().to_bytes()
    }

    /// Signs `message`, which must begin with the label of its one use (such as `lychgate/journal/sign/anchor/1` and a
    /// zero byte). Two uses with one beginning are the dangerous mistake: a signature of one would pass for the other.
    #[must_use]
    pub fn sign(&self, message: &[u8]) -> [u8; 64] {
        self.0.sign(message).to_bytes()
    }
}

impl std::fmt::Debug for Signer {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Signer(public {})", hex::encode(self.public()))
    }
}
