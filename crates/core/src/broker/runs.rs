//! Runs: registered connections with their evidence.

use super::{Broker, Ends};
use crate::channel::ChannelName;
use crate::evidence::{ProcessInode, Subject};
use crate::ids::{ApprovalId, BootNo, Digest, LaunchNonce, RunId};
use crate::limits;
use crate::outcome::{EndReason, Reason};
use crate::recall::Lapse;
use std::collections::BTreeMap;

/// What a registration brings.
#[derive(Debug)]
pub struct NewRun {
    /// Its number.
    pub id: RunId,
    /// Whom it is bound to.
    pub subject: Subject,
    /// Where its agent is a program that the agent of a live run started: from the process that holds the connection up to
    /// the nearest such agent, pinned at the registration.
    pub descent: Option<Subject>,
    /// Made by the gateway after it has inspected the process.
    pub nonce: LaunchNonce,
    /// Conversation label.
    pub conversation: Option<String>,
    /// What the client says of an earlier registration. Chooses words only.
    pub claimed: Option<(RunId, BootNo)>,
    /// What the recall knows of an earlier authority. Chooses words only.
    pub lapse: Option<Lapse>,
}

/// A run.
#[derive(Debug)]
pub struct Run {
    new: NewRun,
    subject_digest: Digest,
    ended: Option<EndReason>,
    /// The topmost agent that was known above it when it registered, or its own.
    tree: Option<ProcessInode>,
    /// The approvals of other runs that served it last, by channel, and how they ended.
    pub(super) served_on: BTreeMap<ChannelName, (ApprovalId, Option<EndReason>)>,
    /// Why the way up to the agent that it works for is none any more.
    pub(super) descent_broken: Option<EndReason>,
    /// Counts what was taken back from this run: a yes that was given before and is still being recorded grants nothing.
    pub(super) taken_back: u64,
}

impl Run {
    /// Its number.
    #[must_use]
    pub fn id(&self) -> RunId {
        self.new.id
    }
    /// Whom it is bound to.
    #[must_use]
    pub fn subject(&self) -> &Subject {
        &self.new.subject
    }
    /// Digest of that.
    #[must_use]
    pub fn subject_digest(&self) -> Digest {
        self.subject_digest
    }
    /// Its nonce.
    #[must_use]
    pub fn nonce(&self) -> LaunchNonce {
        self.new.nonce
    }
    /// Conversation label that stands at the connection.
    #[must_use]
    pub fn conversation(&self) -> Option<&str> {
        self.new.conversation.as_deref()
    }
    /// The client's claim about an earlier registration.
    #[must_use]
    pub fn claimed(&self) -> Option<(RunId, BootNo)> {
        self.new.claimed
    }
    /// An earlier authority, in words.
    #[must_use]
    pub fn lapse(&self) -> Option<&Lapse> {
        self.new.lapse.as_ref()
    }
    /// Why it ended, if it did.
    #[must_use]
    pub fn ended(&self) -> Option<EndReason> {
        self.ended
    }

    /// The way from the process that holds the connection up to the agent that started it, where that is a run's (R7).
    #[must_use]
    pub fn descent(&self) -> Option<&Subject> {
        self.new.descent.as_ref()
    }
    /// Why that way is broken, if it is.
    #[must_use]
    pub fn descent_broken(&self) -> Option<EndReason> {
        self.descent_broken
    }
    /// Whether another run's approval has served it on a channel, and how that ended if it did. Chooses words only.
    #[must_use]
    pub fn served_on(&self, channel: &ChannelName) -> Option<Option<EndReason>> {
        self.served_on.get(channel).map(|(_, ended)| *ended)
    }
    /// The agent above it that it works for.
    #[must_use]
    pub fn above(&self) -> Option<ProcessInode> {
        self.new.descent.as_ref().and_then(Subject::agent).map(|agent| agent.inode)
    }

    pub(super) fn end(&mut self, reason: EndReason) {
        self.ended.get_or_insert(reason);
    }

    pub(super) fn agent(&self) -> Option<ProcessInode> {
        self.new.subject.agent().map(|agent| agent.inode)
    }

    pub(super) fn tree(&self) -> Option<ProcessInode> {
        self.tree
    }
}

impl Broker {
    /// Takes a run in.
    ///
    /// # Errors
    /// [`Reason::TooMany`] over the limits for all runs and for one agent tree's.
    pub fn register(&mut self, new: NewRun) -> Result<(), Reason> {
        let own = new.subject.agent().map(|agent| agent.inode);
        let above = new.descent.as_ref().and_then(Subject::agent).map(|agent| agent.inode);
        let live = || self.runs.values().filter(|run| run.ended.is_none());
        let of_above = above.and_then(|above| live().find(|run| run.agent() == Some(above)).and_then(Run::tree));
        let tree = of_above.or(above).or(own);
        if live().count() >= limits::RUNS || live().filter(|run| run.tree == tree).count() >= limits::RUNS_PER_AGENT {
            return Err(Reason::TooMany);
        }
        let subject_digest = new.subject.digest();
        let run = Run {
            new,
            subject_digest,
            ended: None,
            tree,
            descent_broken: None,
            served_on: BTreeMap::new(),
            taken_back: 0,
        };
        self.runs.insert(run.id(), run);
        Ok(())
    }

    /// A run, ended or not.
    #[must_use]
    pub fn run(&self, id: RunId) -> Option<&Run> {
        self.runs.get(&id)
    }

    /// Runs that have not ended.
    pub fn live_runs(&self) -> impl Iterator<Item = &Run> {
        self.runs.values().filter(|run| run.ended.is_none())
    }

    /// Replaces what the recall says of an earlier authority: after an unlock more is known.
    pub fn set_lapse(&mut self, id: RunId, lapse: Option<Lapse>) {
        if let Some(run) = self.runs.get_mut(&id) {
            run.new.lapse = lapse;
        }
    }

    /// Notes the conversation that a call declares. Another one than before ends the run's approvals: a label can only
    /// narrow (R16). A missing label changes nothing.
    pub fn declare_conversation(&mut self, id: RunId, label: Option<&str>) -> Ends {
        let Some(label) = label else { return Ends::none() };
        let Some(run) = self.runs.get_mut(&id) else { return Ends::none() };
        let before = run.new.conversation.replace(label.to_owned());
        match before {
            Some(before) if before != label => {
                self.take_back(|run| run == id);
                let ends = self.end_approvals(EndReason::ConversationChanged, |of, _| of == id);
                // A card shows the conversation that asked; a yes to it must not serve another one.
                ends.and(self.close_cards(Reason::ConversationChanged, |of, _| of == id))
            }
            _ => Ends::none(),
        }
    }

    /// Forgets a run that has ended, when its connection is gone and nobody will ask again.
    pub fn forget(&mut self, id: RunId) {
        if self.runs.get(&id).is_none_or(|run| run.ended.is_none()) {
            return;
        }
        self.runs.remove(&id);
        self.sessions.retain(|(of, _), _| *of != id);
        self.alone.retain(|_, approval| approval.facts().run != id);
        self.denied_requests.retain(|(of, _)| *of != id);
        self.quiet.retain(|(of, _), _| *of != id);
        self.prune_delegations();
    }
}
