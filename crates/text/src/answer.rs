//! The two texts of an answer: what changed, and what to do next.

use crate::catalogue::Catalogue;
use lychgate_core::outcome::{Outcome, Reason};

/// What changed, in words: one sentence or two for each reason, in the order given. `None` where there is no reason.
#[must_use]
pub fn changed(catalogue: &dyn Catalogue, reasons: &[Reason]) -> Option<String> {
    let all: Vec<&str> = reasons.iter().map(|reason| catalogue.reason(*reason)).collect();
    (!all.is_empty()).then(|| all.join(" "))
}

/// What the agent can do next.
///
/// After a lapse it names `authorize` and never the request that was refused (R19): what became of that is told once
/// authority is fresh.
#[must_use]
pub fn next(catalogue: &dyn Catalogue, outcome: Outcome, reason: Option<Reason>) -> &'static str {
    match reason {
        Some(reason) if reason.outcome() == outcome => catalogue.after_reason(reason),
        _ => catalogue.after_outcome(outcome),
    }
}
