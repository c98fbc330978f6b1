//! Keys under which a destination knows two attempts as one action. Derived, so they survive every restart.

use crate::unlocked::Unlocked;
use lychgate_core::channel::ChannelName;
use lychgate_core::ids::{Digest, Ref};
use lychgate_seal::keys;

/// What names the logical action.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ActionName<'a> {
    /// The caller's own `action_key`.
    Key(&'a str),
    /// There is none: the ref of the first attempt.
    FirstAttempt(Ref),
}

impl Unlocked {
    /// The idempotency key of an action: a UUID (RFC 9562, version 8) from a sealed secret, the channel, the action's name
    /// and the digest of the request before the key is added to it.
    ///
    /// Equal arguments give equal keys for ever; no destination can guess a key or link two of them.
    #[must_use]
    pub fn idempotency_key(&self, channel: &ChannelName, name: ActionName<'_>, digest: &Digest) -> String {
        let (kind, named) = match name {
            ActionName::Key(key) => (1u8, key.as_bytes().to_vec()),
            ActionName::FirstAttempt(reference) => (2, reference.0.to_vec()),
        };
        let mut context = digest.0.to_vec();
        context.push(kind);
        for part in [channel.as_str().as_bytes(), &named] {
            context.extend_from_slice(&(part.len() as u64).to_le_bytes());
            context.extend_from_slice(part);
        }
        let secret = self.payload.idempotency_secret.expose();
        let derived = keys::derive::<16>(secret, &[], "lychgate/vault/1/idempotency", &context);
        let mut value = u128::from_be_bytes(*derived);
        value = (value & !(0xf << 76)) | (0x8 << 76);
        value = (value & !(0b11 << 62)) | (0b10 << 62);
        let hex = format!("{value:032x}");
        let (a, rest) = hex.split_at(8);
        let (b, rest) = rest.split_at(4);
        let (c, rest) = rest.split_at(4);
        let (d, e) = rest.split_at(4);
        [a, b, c, d, e].join("-")
    }
}
