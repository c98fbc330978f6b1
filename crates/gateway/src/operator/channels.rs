//! Channels: added, listed, removed.

use super::say;
use super::{Console, Refused};
use crate::state::Gateway;
use lychgate_core::channel::{Channel, ChannelName};
use lychgate_core::decide::VaultNow;
use lychgate_core::event::Event;
use lychgate_core::secret::SecretBytes;
use lychgate_text::GatewayText as Text;
use lychgate_wire::operator::{Failure, Reply};
use lychgate_wire::sensitive::Sensitive;

pub(super) async fn add(console: &Console, channel: Channel, secret: Sensitive) -> Result<Reply, Refused> {
    let row = {
        let mut authority = console.gateway.lock();
        let name = channel.name.clone();
        let secret = SecretBytes::new(secret.expose().as_bytes().to_vec());
        let version = authority.vault.add_channel(channel, secret)?;
        authority.note_durably(Event::ChannelConfigured { channel: name, version, change: "added".into() })
    };
    console.recorded(row).await
}

pub(super) fn list(gateway: &Gateway) -> Result<Reply, Refused> {
    let authority = gateway.lock();
    if authority.vault.now() == VaultNow::Locked {
        return Err(Refused::new(Failure::Locked, say(&Text::Locked)));
    }
    Ok(Reply::Channels { channels: authority.vault.channels().to_vec() })
}

pub(super) async fn remove(console: &Console, name: &ChannelName) -> Result<Reply, Refused> {
    let row = {
        let mut authority = console.gateway.lock();
        let version = authority.vault.remove_channel(name)?;
        // In memory first: nothing uses it any more, whatever the journal says.
        let ends = authority.broker.channel_changed(name);
        authority.apply(ends);
        authority.note_durably(Event::ChannelConfigured { channel: name.clone(), version, change: "removed".into() })
    };
    console.recorded(row).await
}
