//! What is inside the sealed vault.

use crate::error::VaultError;
use crate::pin::PinVerifier;
use lychgate_core::agent_pin::AgentPin;
use lychgate_core::channel::Channel;
use lychgate_core::secret::SecretBytes;
use lychgate_seal::{cbor, memory};
use lychgate_sys::LockedBytes;
use serde::{Deserialize, Deserializer, Serialize, Serializer, de};
use std::fmt;
use std::path::Path;
use std::sync::Arc;
use zeroize::Zeroizing;

pub(crate) const FORMAT: u16 = 2;

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Payload {
    pub(crate) format: u16,
    pub(crate) stamp: Stamp,
    pub(crate) signing_seed: Secret,
    pub(crate) idempotency_secret: Secret,
    pub(crate) store_key: Secret,
    pub(crate) pin: PinVerifier,
    /// The next channel version. One counter for the whole vault: a name that is used again never meets a version
    /// that an old approval was given for.
    pub(crate) next_channel_version: u32,
    pub(crate) channels: Vec<StoredChannel>,
    /// Programs that the operator vouches for.
    pub(crate) agents: Vec<AgentPin>,
    pub(crate) settings: Settings,
}

/// Which save this is. Also in the epoch mark, outside.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Stamp {
    /// Epoch at the save.
    pub(crate) epoch: u64,
    /// Counts saves, so that two files of one epoch are told apart.
    pub(crate) generation: u64,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct StoredChannel {
    pub(crate) channel: Channel,
    pub(crate) secret: Secret,
}

/// Settings of the whole vault. In the sealed payload, since the agent can write every other file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Settings {
    /// Locks after so many minutes without an act of the person. Agent traffic does not count.
    pub idle_lock_minutes: u32,
    /// Locks after so many minutes whatever happens.
    pub longest_unlocked_minutes: u32,
}

impl Settings {
    /// 30 minutes idle, 12 hours at most.
    pub const INITIAL: Self = Self { idle_lock_minutes: 30, longest_unlocked_minutes: 12 * 60 };
}

impl Payload {
    pub(crate) fn encode(&self, file: &Path) -> Result<Zeroizing<Vec<u8>>, VaultError> {
        cbor::encode(self).map_err(|_| VaultError::Payload(file.to_owned()))
    }

    /// Reads it, and refuses what it could not write back bit for bit: a field of a newer version, read as if it were
    /// not there, may be a restriction.
    pub(crate) fn decode(bytes: &[u8], file: &Path) -> Result<Self, VaultError> {
        #[derive(Deserialize)]
        struct Format {
            format: u16,
        }
        let unknown = || VaultError::Payload(file.to_owned());
        let found = cbor::decode::<Format>(bytes).map_err(|_| unknown())?.format;
        if found != FORMAT {
            return Err(VaultError::PayloadVersion { file: file.to_owned(), found, known: FORMAT });
        }
        let payload: Self = cbor::decode(bytes).map_err(|_| unknown())?;
        if *payload.encode(file)? == bytes { Ok(payload) } else { Err(unknown()) }
    }

    /// Moves every secret to where an open vault keeps it.
    pub(crate) fn keep(&mut self) -> Result<(), VaultError> {
        // Named one by one, so that a new field is not forgotten.
        let Self {
            format: _,
            stamp: _,
            signing_seed,
            idempotency_secret,
            store_key,
            pin,
            next_channel_version: _,
            channels,
            agents: _,
            settings: _,
        } = self;
        let channels = channels.iter_mut().map(|stored| &mut stored.secret);
        for secret in [signing_seed, idempotency_secret, store_key, pin.hash()].into_iter().chain(channels) {
            secret.keep()?;
        }
        Ok(())
    }
}

/// A secret inside the payload: the one place where secret bytes are written, always into what is sealed next.
pub(crate) enum Secret {
    /// As it was read or made, for a moment.
    Fresh(SecretBytes),
    /// As an open vault keeps it. The action store holds its key together with the payload.
    Kept(Arc<LockedBytes>),
}

impl Secret {
    /// 32 random bytes.
    pub(crate) fn random() -> Result<Self, VaultError> {
        let mut bytes = vec![0; 32];
        lychgate_seal::random::fill(&mut bytes)?;
        Ok(Self::Fresh(SecretBytes::new(bytes)))
    }

    pub(crate) fn kept(secret: &SecretBytes) -> Result<Self, VaultError> {
        Ok(Self::Kept(Arc::new(memory::locked(secret.expose())?)))
    }

    pub(crate) fn expose(&self) -> &[u8] {
        match self {
            Self::Fresh(secret) => secret.expose(),
            Self::Kept(bytes) => bytes,
        }
    }

    /// The same bytes, as an open vault keeps them.
    pub(crate) fn keep(&mut self) -> Result<Arc<LockedBytes>, VaultError> {
        let bytes = match self {
            Self::Kept(bytes) => return Ok(Arc::clone(bytes)),
            Self::Fresh(secret) => Arc::new(memory::locked(secret.expose())?),
        };
        *self = Self::Kept(Arc::clone(&bytes));
        Ok(bytes)
    }
}

impl Serialize for Secret {
    fn serialize<S: Serializer>(&self, s: S) -> Result<S::Ok, S::Error> {
        s.serialize_bytes(self.expose())
    }
}

impl<'de> Deserialize<'de> for Secret {
    fn deserialize<D: Deserializer<'de>>(d: D) -> Result<Self, D::Error> {
        struct Bytes;
        impl de::Visitor<'_> for Bytes {
            type Value = Secret;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("bytes")
            }
            fn visit_bytes<E: de::Error>(self, bytes: &[u8]) -> Result<Secret, E> {
                Ok(Secret::Fresh(SecretBytes::new(bytes.to_vec())))
            }
        }
        d.deserialize_bytes(Bytes)
    }
}
