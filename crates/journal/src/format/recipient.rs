//! The audit public key: whoever holds the private half can read the journal. The writer never does.

use super::tree::Hash;
use hpke::Deserializable as _;
use hpke::kem::{Kem as _, XWing};
use sha2::{Digest as _, Sha256};

/// Key encapsulation of suite 2: X-Wing, a hybrid of ML-KEM-768 and X25519.
pub type Kem = XWing;
/// Key derivation of suite 2.
pub type Kdf = hpke::kdf::HkdfSha256;
/// AEAD id of suite 2. Only its number enters: rows are sealed under keys of their own.
pub type Aead = hpke::aead::ChaCha20Poly1305;

/// Bytes of an X-Wing public key.
pub const PUBLIC_KEY_BYTES: usize = 1216;
/// Bytes of an X-Wing encapsulated key.
pub const ENC_BYTES: usize = 1120;

/// The audit public key (X-Wing).
#[derive(Clone, PartialEq, Eq)]
pub struct AuditPublicKey {
    key: <Kem as hpke::Kem>::PublicKey,
    bytes: Box<[u8; PUBLIC_KEY_BYTES]>,
}

impl AuditPublicKey {
    /// Reads a key; `None` where the bytes are no X-Wing public key.
    #[must_use]
    pub fn from_bytes(bytes: &[u8]) -> Option<Self> {
        let key = <Kem as hpke::Kem>::PublicKey::from_bytes(bytes).ok()?;
        let bytes = Box::new(bytes.try_into().ok()?);
        Some(Self { key, bytes })
    }

    /// The public half of a private key.
    #[must_use]
    pub fn of(private: &<Kem as hpke::Kem>::PrivateKey) -> Option<Self> {
        use hpke::Serializable as _;
        Self::from_bytes(&Kem::sk_to_pk(private).to_bytes())
    }

    /// Its bytes.
    #[must_use]
    pub fn as_bytes(&self) -> &[u8] {
        self.bytes.as_slice()
    }

    /// SHA-256 of it, which each opening repeats.
    #[must_use]
    pub fn digest(&self) -> Hash {
        Sha256::digest(self.bytes.as_slice()).into()
    }

    pub(crate) fn hpke(&self) -> &<Kem as hpke::Kem>::PublicKey {
        &self.key
    }
}

impl std::fmt::Debug for AuditPublicKey {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "AuditPublicKey({})", hex::encode(self.digest()))
    }
}
