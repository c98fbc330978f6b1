//! What a run may know without any approval: names and bindings of channels, and its own state.

use super::call::CallContext;
use lychgate_core::channel::Channel;
use lychgate_core::decide::VaultNow;
use lychgate_core::outcome::{Outcome, Reason, Reasons};
use lychgate_wire::agent::Answer;
use serde_json::{Value, json};

/// Names and bindings: the same for every verified run, and nothing of others' approvals. A run whose requester is not
/// verified hears of the channels alone on which it may ask.
pub(super) fn channels(context: &CallContext) -> Answer {
    let list: Option<Vec<Value>> = {
        let authority = context.gateway.lock();
        let attestation = authority.broker.run(context.run).map(|run| run.subject().attestation());
        let may_ask =
            |channel: &&Channel| attestation.is_some_and(|seen| channel.approval.gives_sessions(seen).is_ok());
        // A locked vault says locked, never "no channels".
        (authority.vault.now() != VaultNow::Locked).then(|| {
            authority
                .vault
                .channels()
                .iter()
                .filter(may_ask)
                .map(|channel| {
                    json!({
                        "name": channel.name,
                        "origins": channel.binding.origins,
                        "paths": channel.binding.paths,
                        "methods": channel.binding.methods,
                        "approval": channel.approval.mode,
                        "asks_each_time": channel.approval.per_call_methods,
                    })
                })
                .collect()
        })
    };
    match list {
        None => context.gateway.because(Some(context.run), None, &Reasons::one(Reason::VaultLocked)),
        Some(list) => {
            context.gateway.answer(Outcome::Completed, &[], Some(context.run), None, json!({ "channels": list }), None)
        }
    }
}

/// This run.
pub(super) fn run(context: &CallContext) -> Answer {
    let result = {
        let authority = context.gateway.lock();
        let channels = authority.open_channels(context.run);
        let actions: Vec<_> = authority.actions.unfinished(context.run).map(|action| action.reference).collect();
        let run = authority.broker.run(context.run);
        json!({
            "run": context.run,
            "boot": context.gateway.boot_no,
            "vault": match authority.vault.now() {
                VaultNow::Locked => "locked",
                VaultNow::Quarantined => "quarantined",
                VaultNow::Unlocked(_) => "unlocked",
            },
            "approved_channels": channels,
            "unfinished_actions": actions,
            "works_under_agent": authority.works_under(context.run, None).map(|under| under.program),
            "conversation": run.and_then(|run| run.conversation()),
            "earlier_authority_ended": run.and_then(|run| run.lapse()).map(|lapse| lapse.reasons.clone()),
        })
    };
    context.gateway.answer(Outcome::Completed, &[], Some(context.run), None, result, None)
}
