//! Ed25519 as this format uses it: strict verification, secrets that are wiped.

use ed25519_dalek::{Signature, Signer as _, SigningKey, VerifyingKey};

/// True where `signature` over `message` is `key`'s. Weak keys and malleable signatures are refused.
#[must_use]
pub fn verifies(key: &[u8; 32], message: &[u8], signature: &[u8; 64]) -> bool {
    VerifyingKey::from_bytes(key).is_ok_and(|key| key.verify_strict(message, &Signature::from_bytes(signature)).is_ok())
}

/// Whoever holds the vault's signing key. The journal asks for a signature and never sees the key.
pub trait VaultSigner {
    /// Ed25519 signature over `message` (RFC 8032, no prehash). A signer that can't sign any more answers with anything
    /// that does not verify; nothing of it is written.
    fn sign(&self, message: &[u8]) -> [u8; 64];
    /// The public half.
    fn public(&self) -> [u8; 32];
}

/// An Ed25519 key pair of the journal's own. Wiped when dropped.
pub(crate) struct KeyPair(SigningKey);

impl KeyPair {
    pub(crate) fn from_seed(seed: &[u8; 32]) -> Self {
        Self(SigningKey::from_bytes(seed))
    }

    pub(crate) fn seed(&self) -> &[u8; 32] {
        self.0.as_bytes()
    }

    pub(crate) fn public(&self) -> [u8; 32] {
        self.0.verifying_key().to_bytes()
    }

    pub(crate) fn sign(&self, message: &[u8]) -> [u8; 64] {
        self.0.sign(message).to_bytes()
    }
}

impl std::fmt::Debug for KeyPair {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "KeyPair(public {})", hex::encode(self.public()))
    }
}
