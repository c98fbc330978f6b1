//! Helpers: a program that an agent started asks by itself, and a session approval of the agent's run may serve it (R7).
//!
//! No token passes down the process tree: what counts is that the tree is still the one that was looked at.

use super::{Holder, LiveEvidence, Question, binding_reasons};
use crate::approval::{Approval, Reach};
use crate::evidence::{Attestation, LiveChain, Subject, differences};
use crate::ids::{LaunchNonce, RunId};
use crate::outcome::{EndReason, Reason};

/// A session approval of another run that may serve the one that asks.
#[derive(Debug)]
pub struct Cover<'a> {
    /// The approval.
    pub approval: &'a Approval,
    /// The run that holds it, as it is now.
    pub giver: Giver<'a>,
    /// From the process that asks up to the giver's agent, pinned when it registered.
    pub descent: Descent<'a>,
    /// From the process that the giver named (`delegate`) up to the giver's agent, pinned when it was named.
    pub named: Option<Descent<'a>>,
}

/// The run that holds a covering approval.
#[derive(Debug)]
pub struct Giver<'a> {
    /// Its number.
    pub run: RunId,
    /// Whom it is bound to.
    pub subject: &'a Subject,
    /// Its nonce.
    pub nonce: LaunchNonce,
    /// Its chain, looked at again for this decision.
    pub chain: &'a LiveChain,
    /// It has ended.
    pub ended: Option<EndReason>,
    /// Conversation label that stands at its connection.
    pub conversation: Option<&'a str>,
}

/// A way up from a process to an agent.
#[derive(Debug, Clone, Copy)]
pub struct Descent<'a> {
    /// The lowest process first, the agent last.
    pub pinned: &'a Subject,
    /// All of them, looked at again for this decision.
    pub now: &'a LiveChain,
    /// It was broken before. What was broken once is not mended by looking the same again.
    pub broken: Option<EndReason>,
}

impl Cover<'_> {
    /// Whether the approval means a program like this one at all; if not, it is as though there were none.
    pub(super) fn is_meant(&self, question: &Question) -> bool {
        let facts = self.approval.facts();
        facts.reach == Reach::Run
            && facts.channel == *question.request.channel()
            && (facts.covers_programs || self.named.is_some())
    }

    /// Everything that keeps it from serving. Empty: it serves.
    pub(super) fn reasons(&self, question: &Question, live: &LiveEvidence<'_>) -> Vec<Reason> {
        let mut reasons = Vec::new();
        if let Some(ended) = self.giver.ended {
            reasons.push(ended.reason());
        }
        if !differences(self.giver.subject, self.giver.chain).is_empty() {
            reasons.push(Reason::ProcessChanged);
        }
        let asks = live.subject.peer().map(|peer| peer.inode);
        self.descends(&self.descent, asks, live, &mut reasons);
        if let (Some(named), false) = (&self.named, self.approval.facts().covers_programs) {
            let agent = live.subject.agent().map(|agent| agent.inode);
            self.descends(named, agent, live, &mut reasons);
        }
        let giver = Holder {
            run: self.giver.run,
            nonce: self.giver.nonce,
            subject: self.giver.subject.digest(),
            conversation: self.giver.conversation,
        };
        binding_reasons(question, self.approval, &giver, live, &mut reasons);
        if super::other_conversation(self.approval.facts().conversation.as_deref(), live.conversation) {
            reasons.push(Reason::ConversationChanged);
        }
        reasons
    }

    /// Whether `way` leads from the process `from` up to the giver's agent, unchanged, and whether what asks is really
    /// below that agent: another client of the same agent is none of the programs that it started.
    fn descends(
        &self,
        way: &Descent<'_>,
        from: Option<crate::evidence::ProcessInode>,
        live: &LiveEvidence<'_>,
        reasons: &mut Vec<Reason>,
    ) {
        if let Some(broken) = way.broken {
            reasons.push(broken.reason());
        }
        let (lowest, top) = (way.pinned.peer().map(|peer| peer.inode), way.pinned.agent().map(|agent| agent.inode));
        let giver = self.giver.subject.agent().map(|agent| agent.inode);
        let asks = live.subject.agent().map(|agent| agent.inode);
        let leads = from.is_some() && lowest == from && giver.is_some() && top == giver && asks != giver;
        let whole = way.pinned.attestation() == Attestation::Whole;
        if !leads || !whole || !differences(way.pinned, way.now).is_empty() {
            reasons.push(Reason::ProcessChanged);
        }
    }
}
