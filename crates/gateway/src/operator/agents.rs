//! Programs that the operator vouches for: pinned, listed, unpinned. They choose words on cards and give no authority.

use super::{Console, Refused, say};
use crate::state::Gateway;
use lychgate_core::agent_pin::{AgentName, AgentPin};
use lychgate_core::decide::VaultNow;
use lychgate_core::event::Event;
use lychgate_peer::tables::unsigned_whatever_the_file;
use lychgate_text::GatewayText as Text;
use lychgate_wire::operator::{Failure, Reply};

pub(super) async fn pin(console: &Console, pin: AgentPin) -> Result<Reply, Refused> {
    let file_name = pin.path.rsplit('/').next().unwrap_or_default();
    if let Some(why) = unsigned_whatever_the_file(file_name) {
        let why = lychgate_text::english().signer(&lychgate_core::provenance::Signer::Unsigned(why));
        return Err(Refused::new(Failure::Refused, say(&Text::PinSaysNothing { why: &why })));
    }
    let row = {
        let mut authority = console.gateway.lock();
        let (name, sha256) = (pin.name.clone(), pin.sha256);
        authority.vault.pin_agent(pin)?;
        authority.note_durably(Event::AgentPinned { name, sha256: Some(sha256), change: "pinned".into() })
    };
    console.recorded(row).await
}

pub(super) fn list(gateway: &Gateway) -> Result<Reply, Refused> {
    let authority = gateway.lock();
    if authority.vault.now() == VaultNow::Locked {
        return Err(Refused::new(Failure::Locked, say(&Text::Locked)));
    }
    Ok(Reply::Agents { agents: authority.vault.agents() })
}

pub(super) async fn unpin(console: &Console, name: &AgentName) -> Result<Reply, Refused> {
    let row = {
        let mut authority = console.gateway.lock();
        authority.vault.unpin_agent(name)?;
        authority.note_durably(Event::AgentPinned { name: name.clone(), sha256: None, change: "unpinned".into() })
    };
    console.recorded(row).await
}
