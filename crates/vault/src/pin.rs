//! The PIN: what a person types for a decision. It opens no file; five wrong ones and only the passphrase helps.

use crate::error::VaultError;
use crate::payload::Secret;
use lychgate_core::limits::PIN_TRIES;
use lychgate_core::secret::SecretBytes;
use lychgate_seal::cbor::Fixed;
use lychgate_seal::{Cost, kdf, random};
use serde::{Deserialize, Serialize};
use subtle::ConstantTimeEq;

/// Modest: the verifier is inside the sealed payload, so nobody can try offline who has not opened the vault.
const COST: Cost = Cost { memory_kib: 16 * 1024, passes: 2, lanes: 1 };

/// What came of a PIN.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[must_use = "a PIN that was not looked at is a wrong one"]
pub enum PinVerdict {
    /// It is the PIN.
    Ok,
    /// It is not. The last wrong one leaves 0.
    Wrong {
        /// Tries that are left.
        left: u32,
    },
    /// No tries are left, and this one was not looked at: lock, and unlock with the passphrase.
    Blocked,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct PinVerifier {
    salt: Fixed<{ kdf::SALT_BYTES }>,
    cost: Cost,
    hash: Secret,
    tries_left: u32,
}

impl PinVerifier {
    pub(crate) fn new(pin: &[u8]) -> Result<Self, VaultError> {
        let salt = random::bytes()?;
        let hash = hash(pin, &salt, COST)?;
        Ok(Self { salt: Fixed(salt), cost: COST, hash: Secret::Fresh(hash), tries_left: PIN_TRIES })
    }

    /// Counts before it compares. An error counts too and is no verdict.
    pub(crate) fn check(&mut self, pin: &[u8]) -> Result<PinVerdict, VaultError> {
        let Some(left) = self.tries_left.checked_sub(1) else { return Ok(PinVerdict::Blocked) };
        self.tries_left = left.min(PIN_TRIES);
        let given = hash(pin, &self.salt.0, self.cost)?;
        if bool::from(given.expose().ct_eq(self.hash.expose())) {
            self.reset();
            return Ok(PinVerdict::Ok);
        }
        Ok(PinVerdict::Wrong { left: self.tries_left })
    }

    /// All tries again: after the right PIN, and after an unlock.
    pub(crate) fn reset(&mut self) {
        self.tries_left = PIN_TRIES;
    }

    pub(crate) fn hash(&mut self) -> &mut Secret {
        &mut self.hash
    }

    pub(crate) fn tries_left(&self) -> u32 {
        self.tries_left
    }
}

fn hash(pin: &[u8], salt: &[u8; kdf::SALT_BYTES], cost: Cost) -> Result<SecretBytes, VaultError> {
    let key = kdf::derive(pin, salt, cost).map_err(lychgate_seal::SealError::from)?;
    Ok(SecretBytes::new(key.expose().to_vec()))
}
