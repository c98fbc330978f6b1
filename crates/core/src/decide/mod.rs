//! The rule. One pure function over values: may this request use this channel's credential now?
//!
//! Denial is the default: absent, unknown and unseen refuse. All reasons are collected, so that the person and the
//! agent hear everything at once; their order of precedence is that of [`Reason`].

mod cover;
mod permit;

pub use cover::{Cover, Descent, Giver};
pub use permit::Permit;

use crate::approval::{Approval, CallApproval, Reach};
use crate::channel::{Channel, Takes};
use crate::evidence::{Difference, LiveChain, Subject, Unverified, differences};
use crate::ids::{BootId, Digest, LaunchNonce, Moment, Ref, RunId, VaultEpoch};
use crate::limits;
use crate::outcome::{EndReason, Reason, Reasons};
use crate::request::CanonicalRequest;

/// One attempt to use a channel: the exact request, and the ref of the attempt.
#[derive(Debug, PartialEq, Eq)]
pub struct Question {
    /// The attempt.
    pub reference: Ref,
    /// The exact request.
    pub request: CanonicalRequest,
}

/// The approvals that might allow it.
#[derive(Debug)]
pub struct Authority<'a> {
    /// The newest session approval of this run and channel, ended or not.
    pub session: Option<&'a Approval>,
    /// For a program that an agent started: the newest session approval of that agent's run that may serve it.
    pub cover: Option<Cover<'a>>,
    /// A yes to this action alone, where the run can have no session approval.
    pub alone: Option<&'a Approval>,
    /// A yes to this action on top of the session approval. Taken by value: an allowed use consumes it.
    pub call: Option<CallApproval>,
}

/// The vault as it is now.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum VaultNow {
    /// Locked, absent, or on its way to or from unlocked.
    Locked,
    /// An integrity finding waits for the person.
    Quarantined,
    /// Unlocked, in this epoch.
    Unlocked(VaultEpoch),
}

/// Everything that is true now, as the gateway saw it for this decision and for no other.
#[derive(Debug)]
pub struct LiveEvidence<'a> {
    /// The run that the connection belongs to.
    pub run: RunId,
    /// The subject as pinned at registration.
    pub subject: &'a Subject,
    /// The nonce that the gateway tied to the connection.
    pub nonce: LaunchNonce,
    /// The chain, looked at again for this decision.
    pub chain: &'a LiveChain,
    /// The run has ended.
    pub run_ended: Option<EndReason>,
    /// This gateway lifetime.
    pub boot: BootId,
    /// The vault.
    pub vault: VaultNow,
    /// The channel as it stands in the vault; `None` where there is none of that name.
    pub channel: Option<&'a Channel>,
    /// Conversation label declared on the connection. It can only narrow.
    pub conversation: Option<&'a str>,
    /// Now, on the clock that counts suspend.
    pub now: Moment,
}

/// A refusal, with everything that went into the question handed back.
#[derive(Debug)]
pub struct Denied {
    /// The question.
    pub question: Question,
    /// The yes to this action, unused.
    pub call: Option<CallApproval>,
    /// All reasons.
    pub reasons: Reasons,
    /// What of the process differed.
    pub differences: Vec<Difference>,
}

/// The verdict.
#[derive(Debug)]
#[must_use = "an unread verdict is an unmade decision"]
#[expect(
    clippy::large_enum_variant,
    reason = "a verdict is made once and moved once; a box would only hide the permit"
)]
pub enum Decision {
    /// Allowed: here is the proof, and it owns the request.
    Allow(Permit),
    /// Refused.
    Deny(Box<Denied>),
}

/// Decides. Pure: the same arguments give the same verdict.
pub fn decide(question: Question, authority: Authority<'_>, live: &LiveEvidence<'_>) -> Decision {
    let found = differences(live.subject, live.chain);
    let mut reasons = standing(live, &found);
    channel_reasons(&question, live, &mut reasons);
    let rests_on = match takes(&question, live) {
        Err(why) => {
            reasons.push(why.into());
            None
        }
        Ok(Takes::CallAlone) => {
            alone_reasons(&question, authority.alone, live, &mut reasons);
            authority.alone
        }
        Ok(takes) => {
            let rests_on = session_or_cover(&question, &authority, live, &mut reasons);
            call_reasons(&question, takes, authority.call.as_ref(), live, &mut reasons);
            rests_on
        }
    };

    match (Reasons::new(reasons), rests_on, live.vault) {
        (None, Some(approval), VaultNow::Unlocked(epoch)) => {
            Decision::Allow(permit::permit(question, approval.facts(), live, epoch))
        }
        (reasons, _, _) => Decision::Deny(Box::new(Denied {
            question,
            call: authority.call,
            // No reason and yet no session or no open vault: the cases above say so, this is the belt to the braces.
            reasons: reasons.unwrap_or_else(|| Reasons::one(Reason::NewRun)),
            differences: found,
        })),
    }
}

/// Reasons that hold whatever is asked: the vault, the run, the processes behind it.
///
/// Also what a registration, `authorize` and a card's opening and answer are checked with.
#[must_use]
pub fn standing(live: &LiveEvidence<'_>, found: &[Difference]) -> Vec<Reason> {
    let mut reasons = Vec::new();
    match live.vault {
        VaultNow::Locked => reasons.push(Reason::VaultLocked),
        VaultNow::Quarantined => reasons.push(Reason::Quarantined),
        VaultNow::Unlocked(_) => {}
    }
    if let Some(ended) = live.run_ended {
        reasons.push(ended.reason());
    }
    if !found.is_empty() {
        reasons.push(Reason::ProcessChanged);
    }
    reasons
}

fn channel_reasons(question: &Question, live: &LiveEvidence<'_>, reasons: &mut Vec<Reason>) {
    match live.channel {
        // A locked vault can't say whether the channel exists.
        None if live.vault == VaultNow::Locked => {}
        None => reasons.push(Reason::UnknownChannel),
        Some(channel) => {
            if channel.name != *question.request.channel() {
                reasons.push(Reason::UnknownChannel);
            }
            if channel.version != question.request.channel_version() {
                reasons.push(Reason::ChannelChanged);
            }
        }
    }
}

/// Without the channel nobody can say what it takes: that is a reason already, and the usual is compared for the words.
fn takes(question: &Question, live: &LiveEvidence<'_>) -> Result<Takes, Unverified> {
    let settings = live.channel.map(|channel| &channel.approval);
    settings
        .map_or(Ok(Takes::Session), |settings| settings.takes(live.subject.attestation(), question.request.method()))
}

/// A yes to this very action, for a run that can have nothing else (R5).
fn alone_reasons(question: &Question, alone: Option<&Approval>, live: &LiveEvidence<'_>, reasons: &mut Vec<Reason>) {
    let same = |approval: &&Approval| {
        let this = Reach::Action { reference: question.reference, digest: question.request.digest() };
        approval.facts().reach == this && approval.facts().channel == *question.request.channel()
    };
    match alone.filter(same) {
        None => reasons.push(Reason::PerCall),
        Some(approval) => binding_reasons(question, approval, &Holder::of(live), live, reasons),
    }
}

/// The run's own session approval, or one that covers it. Where neither serves, the run's own is the nearer cause.
fn session_or_cover<'a>(
    question: &Question,
    authority: &Authority<'a>,
    live: &LiveEvidence<'_>,
    reasons: &mut Vec<Reason>,
) -> Option<&'a Approval> {
    let mut own = Vec::new();
    session_reasons(question, authority.session, live, &mut own);
    let cover = authority.cover.as_ref().filter(|cover| cover.is_meant(question));
    let (Some(cover), false) = (cover, own.is_empty()) else {
        reasons.extend(own);
        return authority.session;
    };
    let covered = cover.reasons(question, live);
    if covered.is_empty() {
        return Some(cover.approval);
    }
    reasons.extend(if authority.session.is_some() { own } else { covered });
    None
}

fn session_reasons(
    question: &Question,
    session: Option<&Approval>,
    live: &LiveEvidence<'_>,
    reasons: &mut Vec<Reason>,
) {
    let same = |session: &&Approval| {
        session.facts().reach == Reach::Run && session.facts().channel == *question.request.channel()
    };
    match session.filter(same) {
        None => reasons.push(Reason::NewRun),
        Some(session) => binding_reasons(question, session, &Holder::of(live), live, reasons),
    }
}

/// The run that holds an approval: the one that asks, or the one that covers it.
struct Holder<'a> {
    run: RunId,
    nonce: LaunchNonce,
    subject: Digest,
    conversation: Option<&'a str>,
}

impl<'a> Holder<'a> {
    fn of(live: &LiveEvidence<'a>) -> Self {
        Self { run: live.run, nonce: live.nonce, subject: live.subject.digest(), conversation: live.conversation }
    }
}

/// Whether everything that an approval is bound to is still true.
fn binding_reasons(
    question: &Question,
    approval: &Approval,
    holder: &Holder<'_>,
    live: &LiveEvidence<'_>,
    reasons: &mut Vec<Reason>,
) {
    let facts = approval.facts();
    if let Some(ended) = approval.ended() {
        reasons.push(ended.reason());
    }
    if facts.run != holder.run || facts.nonce != holder.nonce || facts.subject != holder.subject {
        reasons.push(Reason::ProcessChanged);
    }
    if facts.boot != live.boot {
        reasons.push(Reason::GatewayRestarted);
    }
    if live.vault != VaultNow::Unlocked(facts.epoch) {
        reasons.push(Reason::VaultStateChanged);
    }
    if facts.channel_version != question.request.channel_version() {
        reasons.push(Reason::ChannelChanged);
    }
    if live.channel.is_some_and(|channel| channel.approval.ceremony > facts.ceremony) {
        reasons.push(Reason::ChannelChanged);
    }
    if other_conversation(facts.conversation.as_deref(), holder.conversation) {
        reasons.push(Reason::ConversationChanged);
    }
    if facts.max_uses.is_some_and(|most| approval.uses() >= most) || facts.ends_at.is_some_and(|end| live.now >= end) {
        reasons.push(Reason::ApprovalExpired);
    }
}

fn call_reasons(
    question: &Question,
    takes: Takes,
    call: Option<&CallApproval>,
    live: &LiveEvidence<'_>,
    reasons: &mut Vec<Reason>,
) {
    match call {
        None if takes == Takes::SessionAndCall => reasons.push(Reason::PerCall),
        None => {}
        Some(call) => {
            if call.run != live.run || call.nonce != live.nonce {
                reasons.push(Reason::ProcessChanged);
            }
            if call.boot != live.boot {
                reasons.push(Reason::GatewayRestarted);
            }
            if live.vault != VaultNow::Unlocked(call.epoch) {
                reasons.push(Reason::VaultStateChanged);
            }
            if call.reference != question.reference
                || call.digest != question.request.digest()
                || live.channel.is_some_and(|channel| channel.approval.ceremony > call.ceremony)
            {
                reasons.push(Reason::PerCall);
            }
            if live.now.since(call.approved_at) > limits::APPROVED_WAIT_MS {
                reasons.push(Reason::ApprovalExpired);
            }
        }
    }
}

/// True where both labels are known and differ. A missing label changes nothing: it never grants and never ends.
#[must_use]
pub fn other_conversation(then: Option<&str>, now: Option<&str>) -> bool {
    matches!((then, now), (Some(then), Some(now)) if then != now)
}

#[cfg(test)]
mod cover_tests;
#[cfg(test)]
mod tests;
