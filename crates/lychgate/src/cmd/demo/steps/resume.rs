//! Three ways to come back: as another process, to another gateway, to a vault that was locked meanwhile. Each time the
//! context is kept and the authority is not.

use super::set_up::never_had_it;
use crate::cmd::demo::stage::{ITEMS, Stage};
use crate::trouble::Trouble;
use lychgate_core::outcome::{Outcome, Reason};

pub(super) async fn process_changed(stage: &mut Stage<'_>) -> Result<(), Trouble> {
    stage.kill_agent().await;
    stage.start_agent().await?;
    regain(stage, Reason::ProcessChanged).await
}

pub(super) async fn gateway_restarted(stage: &mut Stage<'_>) -> Result<(), Trouble> {
    stage.kill_gateway();
    stage.start_gateway().await?;
    let wish = stage.post("/v1/items");
    stage.refused(&wish, Outcome::VaultLocked, Reason::VaultLocked).await?;
    stage.unlock().await?;
    regain(stage, Reason::GatewayRestarted).await
}

pub(super) async fn vault_state_changed(stage: &mut Stage<'_>) -> Result<(), Trouble> {
    stage.command("lock", &["lock"], "").await?;
    stage.unlock().await?;
    regain(stage, Reason::VaultStateChanged).await
}

/// A call is refused with the reason; the agent asks for authority, the person sees why, says yes; a new call works.
async fn regain(stage: &mut Stage<'_>, why: Reason) -> Result<(), Trouble> {
    let wish = stage.post("/v1/items");
    stage.refused(&wish, Outcome::ReauthRequired, why).await?;
    stage.person.pause().await;
    let before = stage.service.arrived()?.len();
    stage.with_card(&Stage::authorize(ITEMS), Outcome::Completed, None).await?;
    stage.alone(&wish, Outcome::Completed, None).await?;
    stage.arrived_since(before)?;
    never_had_it(stage)
}
