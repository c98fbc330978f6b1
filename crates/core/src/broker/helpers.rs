//! Helpers: runs of programs that another run's agent started (R7). Which approval may serve them, and until when.

use super::{Broker, Run};
use crate::approval::{Approval, Reach};
use crate::channel::ChannelName;
use crate::evidence::{ProcessInode, Subject};
use crate::ids::{ApprovalId, RunId};
use crate::limits;
use crate::outcome::{EndReason, Reason};
use std::collections::HashSet;

/// A run named one live process that its agent started, for the channels of some of its session approvals.
#[derive(Debug)]
pub struct Delegation {
    /// Who named it.
    pub from: RunId,
    /// The approvals that may serve it.
    pub approvals: Vec<ApprovalId>,
    /// From the named process up to the agent.
    pub descent: Subject,
}

impl Delegation {
    /// The process that was named.
    #[must_use]
    pub fn to(&self) -> Option<ProcessInode> {
        self.descent.peer().map(|named| named.inode)
    }
}

impl Broker {
    /// The newest session approval of another run that may serve this one on a channel: of the run whose agent is the
    /// nearest one above it, and that either covers the programs it starts or was delegated to this very one.
    ///
    /// An approval that has ended explains where there is no other: to a run that such a one served before, and after a
    /// revoke to all, since the person who said stop is not asked at once by the next program. To others it is as though
    /// there were none, so that they may ask. `decide` judges whether it serves.
    #[must_use]
    pub fn cover(&self, id: RunId, channel: &ChannelName) -> Option<&Approval> {
        let run = self.runs.get(&id)?;
        let above = run.above()?;
        let served = run.served_on.contains_key(channel);
        let explains = |approval: &Approval| match approval.ended() {
            None | Some(EndReason::ManualRevoke) => true,
            Some(_) => served,
        };
        let given = |approval: &&Approval| {
            let facts = approval.facts();
            let giver = self.runs.get(&facts.run).is_some_and(|giver| giver.agent() == Some(above));
            giver
                && explains(approval)
                && facts.channel == *channel
                && facts.reach == Reach::Run
                && (facts.covers_programs || self.delegation(run, facts.id).is_some())
        };
        let newest = |approval: &&Approval| (approval.ended().is_none(), approval.facts().grant);
        self.sessions.values().filter(given).max_by_key(newest)
    }

    /// What delegates an approval to the agent of `run`.
    #[must_use]
    pub fn delegation(&self, run: &Run, approval: ApprovalId) -> Option<&Delegation> {
        let agent = run.agent()?;
        self.delegations.iter().find(|one| one.to() == Some(agent) && one.approvals.contains(&approval))
    }

    /// Takes a delegation in. Only what a run holds itself can be handed on: a helper has nothing to delegate.
    ///
    /// # Errors
    /// [`Reason::ProcessChanged`] where the run has ended or the way does not lead from a process below the run's agent up
    /// to it; [`Reason::NewRun`] where one of the channels has no session approval of this run; that approval's end where
    /// it has ended; [`Reason::TooMany`] over the limit for one run.
    pub fn delegate(
        &mut self,
        from: RunId,
        channels: &[ChannelName],
        descent: Subject,
    ) -> Result<Vec<ApprovalId>, Reason> {
        let run = self.runs.get(&from).filter(|run| run.ended().is_none()).ok_or(Reason::ProcessChanged)?;
        let (named, top) = (descent.peer().map(|peer| peer.inode), descent.agent().map(|agent| agent.inode));
        if run.agent().is_none() || top != run.agent() || named == top {
            return Err(Reason::ProcessChanged);
        }
        let mut approvals = Vec::with_capacity(channels.len());
        for channel in channels {
            let approval = self.session(from, channel).ok_or(Reason::NewRun)?;
            if let Some(ended) = approval.ended() {
                return Err(ended.reason());
            }
            approvals.push(approval.facts().id);
        }
        // Who names a process again says what holds from now on.
        self.delegations.retain(|one| one.from != from || one.to() != named);
        if self.delegations.iter().filter(|one| one.from == from).count() >= limits::DELEGATIONS_PER_RUN {
            return Err(Reason::TooMany);
        }
        self.delegations.push(Delegation { from, approvals: approvals.clone(), descent });
        Ok(approvals)
    }

    /// A process that was named has ended, or one between it and the agent. Says whether it was delegated to.
    pub fn end_delegations(&mut self, to: ProcessInode) -> bool {
        let before = self.delegations.len();
        self.delegations.retain(|one| one.to() != Some(to));
        self.delegations.len() < before
    }

    /// Whether a delegation of that run names the process.
    #[must_use]
    pub fn is_named(&self, from: RunId, process: ProcessInode) -> bool {
        self.delegations.iter().any(|one| one.from == from && one.to() == Some(process))
    }

    /// Drops delegations of which nothing is left.
    pub(super) fn prune_delegations(&mut self) {
        let live: Vec<ApprovalId> = self
            .sessions
            .values()
            .filter(|approval| approval.ended().is_none())
            .map(|approval| approval.facts().id)
            .collect();
        for one in &mut self.delegations {
            one.approvals.retain(|approval| live.contains(approval));
        }
        self.delegations.retain(|one| !one.approvals.is_empty());
    }

    /// The way from a helper up to its agent is broken: from now on no approval of another run serves it. True where it
    /// was whole before.
    pub fn break_descent(&mut self, id: RunId, reason: EndReason) -> bool {
        match self.runs.get_mut(&id) {
            Some(run) if run.descent().is_some() && run.descent_broken.is_none() => {
                run.descent_broken = Some(reason);
                true
            }
            _ => false,
        }
    }

    /// The agents of all live runs.
    #[must_use]
    pub fn agents(&self) -> HashSet<ProcessInode> {
        self.live_runs().filter_map(Run::agent).collect()
    }

    /// Whether two runs belong to the same tree of processes: quotas are counted by it.
    #[must_use]
    pub fn same_tree(&self, one: RunId, other: RunId) -> bool {
        one == other || self.tree_of(one).is_some_and(|tree| self.tree_of(other) == Some(tree))
    }

    /// The topmost agent that is known above a run, or its own.
    pub(super) fn tree_of(&self, id: RunId) -> Option<ProcessInode> {
        self.runs.get(&id).and_then(Run::tree)
    }

    /// The runs that a revoke of `id` takes from: where it works under others, theirs too, since it has nothing else.
    pub(super) fn with_givers(&self, id: RunId) -> Vec<RunId> {
        let mut all = vec![id];
        if let Some(run) = self.runs.get(&id)
            && let Some(above) = run.above()
        {
            let serves = |approval: &&Approval| {
                let facts = approval.facts();
                facts.covers_programs || self.delegation(run, facts.id).is_some()
            };
            let givers = self.sessions.values().filter(serves).map(|approval| approval.facts().run);
            all.extend(givers.filter(|giver| self.runs.get(giver).is_some_and(|giver| giver.agent() == Some(above))));
        }
        all
    }
}
