//! Each event as a name and its fields. The names are those of the journal's contract; scripts match on them.

use crate::helpers;
use crate::subject::binding;
use lychgate_core::event::{Event, Requester};
use lychgate_core::evidence::{Attestation, Difference, Subject, Unverified};
use lychgate_core::outcome::Reasons;
use serde::Serialize;
use serde_json::Value;

/// A name and fields, in the order in which they are shown.
pub(crate) type Words = (&'static str, Vec<(&'static str, Value)>);

/// What an event is called, and what is said of it.
pub(crate) fn words(event: &Event) -> Words {
    match event {
        Event::GatewayStarted { previous_boot: None, boot, version } => {
            ("gateway_started", vec![("current_boot", shown(boot)), ("version", text(version))])
        }
        Event::GatewayStarted { previous_boot: Some(previous), boot, version } => (
            "gateway_restarted",
            vec![("previous_boot", shown(previous)), ("current_boot", shown(boot)), ("version", text(version))],
        ),
        Event::GatewayStopped { boot } => ("gateway_stopped", vec![("boot", shown(boot))]),
        Event::VaultUnlocked { epoch, warning } => {
            ("vault_unlocked", with(vec![("epoch", plain(epoch))], "warning", warning.as_ref().map(text)))
        }
        Event::VaultUnlockFailed { by } => ("vault_unlock_failed", requester(by)),
        Event::VaultLocked { epoch, cause } => ("vault_locked", vec![("epoch", plain(epoch)), ("cause", text(cause))]),
        Event::RunStarted { run, subject, descent, conversation } => {
            let mut fields = vec![("run", shown(run))];
            fields.extend(agent(subject));
            fields.extend(helpers::started_by(descent.as_ref()));
            fields.extend(binding(subject));
            ("run_started", with(fields, "claimed_conversation", conversation.as_ref().map(text)))
        }
        Event::DescentBroken { run, reason, differences } => helpers::descent_broken(*run, *reason, differences),
        Event::Delegated { run, descent, channels, approvals } => {
            helpers::delegated(*run, descent, channels, approvals)
        }
        Event::DelegationRefused { run, pid, why } => helpers::delegation_refused(*run, *pid, why),
        Event::DelegationEnded { pid, process } => helpers::delegation_ended(*pid, *process),
        Event::RunEnded { run, reason, differences } => {
            let fields = vec![("run", shown(run)), ("reason", text(reason.word()))];
            ("run_ended", with(fields, "differences", differing(differences)))
        }
        Event::RegistrationRefused { by, reasons } => {
            let mut fields = reasons_of(reasons);
            fields.extend(requester(by));
            ("registration_refused", fields)
        }
        Event::CardOpened { card, run, channels, shown: digest } => {
            let channels: Vec<&str> = channels.iter().map(|channel| channel.as_str()).collect();
            let fields = vec![("card", shown(card)), ("run", shown(run)), ("channels", text(channels.join(",")))];
            ("card_opened", with(fields, "shown", Some(shown(digest))))
        }
        Event::CardClosed { card, run, why } => {
            ("card_closed", vec![("card", shown(card)), ("run", shown(run)), ("reason", text(why))])
        }
        Event::SessionApproved {
            run,
            approval,
            channel,
            channel_version,
            subject,
            signer,
            shown: digest,
            covers_programs,
            nonce_digest,
            conversation,
            boot,
            vault,
            ceremony,
        } => {
            let mut fields = vec![("run", shown(run)), ("channel", text(channel.as_str()))];
            fields.extend(agent(subject));
            fields.extend([
                ("signer", text(signer)),
                ("boot", shown(boot)),
                ("epoch", plain(vault)),
                ("ceremony", plain(ceremony)),
                ("channel_version", plain(channel_version)),
                ("approval", shown(approval)),
                ("shown", shown(digest)),
                ("nonce_digest", shown(nonce_digest)),
            ]);
            fields.extend(covers_programs.then(|| ("covers_programs", plain(covers_programs))));
            fields.extend(binding(subject));
            ("session_approved", with(fields, "claimed_conversation", conversation.as_ref().map(text)))
        }
        Event::SessionEnded { run, approval, channel, reason } => (
            "session_ended",
            vec![
                ("run", shown(run)),
                ("channel", text(channel.as_str())),
                ("reason", text(reason.word())),
                ("approval", shown(approval)),
            ],
        ),
        Event::CallApproved { run, action, digest, ceremony } => (
            "call_approved",
            vec![
                ("run", shown(run)),
                ("action", shown(action)),
                ("ceremony", plain(ceremony)),
                ("digest", shown(digest)),
            ],
        ),
        Event::CallApprovedAlone {
            run,
            approval,
            action,
            channel,
            channel_version,
            subject,
            digest,
            shown: card,
            nonce_digest,
            boot,
            vault,
            ceremony,
        } => {
            let mut fields = vec![("run", shown(run)), ("action", shown(action)), ("channel", text(channel.as_str()))];
            fields.extend(agent(subject));
            fields.extend([
                ("boot", shown(boot)),
                ("epoch", plain(vault)),
                ("ceremony", plain(ceremony)),
                ("channel_version", plain(channel_version)),
                ("approval", shown(approval)),
                ("digest", shown(digest)),
                ("shown", shown(card)),
                ("nonce_digest", shown(nonce_digest)),
            ]);
            fields.extend(binding(subject));
            ("call_approved_alone", fields)
        }
        Event::CallApprovalEnded { run, approval, channel, reason } => (
            "call_approval_ended",
            vec![
                ("run", shown(run)),
                ("channel", text(channel.as_str())),
                ("reason", text(reason.word())),
                ("approval", shown(approval)),
            ],
        ),
        Event::CardDenied { card, run } => ("card_denied", vec![("card", shown(card)), ("run", shown(run))]),
        Event::ActionRequested { run, action, channel, method, target, digest, body_bytes, peer } => (
            "action_requested",
            vec![
                ("run", shown(run)),
                ("action", shown(action)),
                ("channel", text(channel.as_str())),
                ("method", text(method)),
                ("target", text(target)),
                ("body_bytes", plain(body_bytes)),
                ("digest", shown(digest)),
                ("peer", plain(peer)),
            ],
        ),
        Event::ActionDenied { run, action, channel, reasons, differences } => {
            let mut fields = with(vec![("run", shown(run))], "action", action.as_ref().map(shown));
            fields.extend(reasons_of(reasons));
            fields.push(("channel", text(channel)));
            ("action_denied", with(fields, "differences", differing(differences)))
        }
        Event::HttpActionStarted { run, action, channel, digest, approval } => (
            "http_action_started",
            vec![
                ("run", shown(run)),
                ("action", shown(action)),
                ("channel", text(channel.as_str())),
                ("digest", shown(digest)),
                ("approval", shown(approval)),
            ],
        ),
        Event::HttpActionResult { run, action, status, body_bytes, body_digest } => (
            "http_action_result",
            vec![
                ("run", shown(run)),
                ("action", shown(action)),
                ("status", plain(status)),
                ("body_bytes", plain(body_bytes)),
                ("body_digest", shown(body_digest)),
            ],
        ),
        Event::ActionNotStarted { run, action, evidence, detail } => (
            "action_not_started",
            vec![
                ("run", shown(run)),
                ("action", shown(action)),
                ("evidence", text(evidence.word())),
                ("detail", text(detail)),
            ],
        ),
        Event::HttpResultNotObserved { run, action, detail } => {
            let fields = with(Vec::new(), "run", run.as_ref().map(shown));
            let fields = with(fields, "action", action.as_ref().map(shown));
            ("http_result_not_observed", with(fields, "detail", Some(text(detail))))
        }
        Event::OperatorRefused { by, command, why } => {
            let mut fields = vec![("command", text(command)), ("reason", text(why))];
            fields.extend(requester(by));
            ("operator_refused", fields)
        }
        Event::OperatorActed { by, command } => {
            let mut fields = vec![("command", text(command))];
            fields.extend(requester(by));
            ("operator_acted", fields)
        }
        Event::ChannelConfigured { channel, version, change } => (
            "channel_configured",
            vec![("channel", text(channel.as_str())), ("version", plain(version)), ("change", text(change))],
        ),
        Event::AgentPinned { name, sha256, change } => (
            "agent_pinned",
            vec![
                ("name", text(name.as_str())),
                ("sha256", sha256.map_or(Value::Null, |sha256| shown(&sha256))),
                ("change", text(change)),
            ],
        ),
        Event::Fault { place, detail } => ("fault", vec![("place", text(place)), ("detail", text(detail))]),
        Event::Journal { note } => ("journal", vec![("note", text(note))]),
    }
}

/// Fields that belong to the JSON form alone: in a line they would hide the rest.
pub(crate) fn is_detail(field: &str) -> bool {
    matches!(
        field,
        "digest"
            | "shown"
            | "nonce_digest"
            | "body_digest"
            | "approval"
            | "approvals"
            | "descent"
            | "to_inode"
            | "peer"
            | "channel_version"
            | "version"
            | "chain"
            | "kernel_boot"
    )
}

fn requester(by: &Requester) -> Vec<(&'static str, Value)> {
    vec![("program", text(&by.program)), ("pid", plain(&by.pid))]
}

/// The agent as the kernel shows it, or what kept it from being seen.
fn agent(subject: &Subject) -> Vec<(&'static str, Value)> {
    let Some(agent) = subject.agent() else { return Vec::new() };
    let (program, lacking) = match subject.attestation() {
        Attestation::Whole => (agent.executable.value().map(|executable| text(&executable.path)), None),
        Attestation::ProgramUnreadable => (None, Some("program_unreadable")),
        Attestation::Unverified(Unverified::ForeignNamespace) => (None, Some("foreign_namespace")),
        Attestation::Unverified(Unverified::NoAgent) => (None, Some("no_agent")),
    };
    let fields = with(Vec::new(), "unverified", lacking.map(text));
    with(with(fields, "program", program), "pid", Some(plain(&agent.pid)))
}

fn reasons_of(reasons: &Reasons) -> Vec<(&'static str, Value)> {
    let all: Vec<&str> = reasons.all().iter().map(|reason| reason.word()).collect();
    let several = (all.len() > 1).then(|| text(all.join(",")));
    with(vec![("reason", text(reasons.first().word()))], "reasons", several)
}

pub(crate) fn differing(differences: &[Difference]) -> Option<Value> {
    let words: Vec<String> = differences.iter().map(|difference| as_word(plain(difference))).collect();
    (!words.is_empty()).then(|| text(words.join(",")))
}

fn as_word(value: Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

pub(crate) fn with(
    mut fields: Vec<(&'static str, Value)>,
    name: &'static str,
    value: Option<Value>,
) -> Vec<(&'static str, Value)> {
    fields.extend(value.map(|value| (name, value)));
    fields
}

pub(crate) fn shown(value: &impl ToString) -> Value {
    Value::String(value.to_string())
}

pub(crate) fn text(value: impl Into<String>) -> Value {
    Value::String(value.into())
}

pub(crate) fn plain(value: &impl Serialize) -> Value {
    serde_json::to_value(value).unwrap_or(Value::Null)
}
