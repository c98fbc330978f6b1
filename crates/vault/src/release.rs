//! The one way by which a credential leaves the vault.

use crate::unlocked::Unlocked;
use lychgate_core::channel::ChannelName;
use lychgate_core::ids::VaultEpoch;
use lychgate_core::proof::{Armed, Released};
use lychgate_core::secret::SecretBytes;
use lychgate_text::words;

/// Why a credential was not released. The action did not start: write its ABORT row.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ReleaseRefused {
    /// The permit is of another epoch.
    #[error("{}", (words().vault().release.other_epoch)(*.permit, *.now))]
    OtherEpoch {
        /// The permit's number. Equal numbers with other nonces are another epoch too.
        permit: u64,
        /// The vault's number.
        now: u64,
    },
    /// The channel is gone.
    #[error("{}", (words().vault().release.no_channel)(.0))]
    NoChannel(ChannelName),
    /// The channel was changed.
    #[error("{}", (words().vault().release.other_version)(.name, *.permit, *.now))]
    OtherVersion {
        /// Channel.
        name: ChannelName,
        /// The permit's version.
        permit: u32,
        /// The vault's version.
        now: u32,
    },
}

impl Unlocked {
    /// Releases the channel's credential for exactly the action of `armed`, which stands for a decision and a durable
    /// DISPATCH row. Nothing else in this crate gives a credential out.
    ///
    /// # Errors
    /// [`ReleaseRefused`] where the vault is not what the decision was made about.
    pub fn release(&self, armed: &Armed) -> Result<Released, ReleaseRefused> {
        let permit = armed.permit();
        let now: VaultEpoch = self.epoch();
        // Number and nonce: a number alone repeats where files were put back.
        if permit.epoch() != now {
            return Err(ReleaseRefused::OtherEpoch { permit: permit.epoch().number, now: now.number });
        }
        let (name, version) = (permit.request().channel(), permit.request().channel_version());
        let stored = self
            .payload
            .channels
            .iter()
            .find(|stored| stored.channel.name == *name)
            .ok_or_else(|| ReleaseRefused::NoChannel(name.clone()))?;
        if stored.channel.version != version {
            let (name, now) = (name.clone(), stored.channel.version);
            return Err(ReleaseRefused::OtherVersion { name, permit: version, now });
        }
        Ok(Released::against(armed, SecretBytes::new(stored.secret.expose().to_vec())))
    }
}
