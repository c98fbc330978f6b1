//! A result that nobody saw, and an action that never began: two answers that must not be mixed up.

use crate::cmd::demo::stage::{CLOSED, Stage};
use crate::trouble::Trouble;
use lychgate_core::outcome::{Outcome, Reason};
use lychgate_text::DemoCheck;

pub(super) async fn result_lost(stage: &mut Stage<'_>) -> Result<(), Trouble> {
    let before = stage.service.arrived()?.len();
    let wish = stage.post("/v1/drop");
    stage.alone(&wish, Outcome::StatusUnknown, Some(Reason::InspectActivityJournal)).await?;
    let arrived = stage.arrived_since(before)?;
    let this = arrived.path == "/v1/drop";
    stage.check(this, DemoCheck::RequestDidArrive)
}

pub(super) async fn never_started(stage: &mut Stage<'_>) -> Result<(), Trouble> {
    let url = format!("{}/v1/items", stage.nobody);
    let before = stage.service.arrived()?.len();
    let wish = Stage::request(CLOSED, &url);
    stage.with_card(&wish, Outcome::RetrySafe, Some(Reason::PreviousActionNotStarted)).await?;
    let same = stage.service.arrived()?.len() == before;
    stage.check(same, DemoCheck::NothingSent)
}
