//! The broker: runs, approvals and cards of one gateway lifetime. Pure: time, randomness, evidence and journal acks are
//! arguments, and what must be recorded is returned.
//!
//! Nothing here survives the process: after a restart there is an empty broker with another boot id (R14).

mod cards;
mod ends;
mod helpers;
mod runs;

pub use cards::{AnswerRefused, Approve, Ask, Granting, Resolution};
pub use ends::{EndedApproval, Ends};
pub use helpers::Delegation;
pub use runs::{NewRun, Run};

use crate::approval::{Approval, ApprovalFacts, CallApproval, Reach};
use crate::channel::ChannelName;
use crate::decide::Permit;
use crate::ids::{ApprovalId, BootId, BootNo, CardNo, Digest, GrantNo, LaunchNonce, Moment, Ref, RunId, VaultEpoch};
use crate::proof::JournalAck;
use cards::Card;
use std::collections::{BTreeMap, HashMap, HashSet};

/// All authority of one gateway lifetime.
#[derive(Debug)]
pub struct Broker {
    boot: BootId,
    boot_no: BootNo,
    runs: BTreeMap<RunId, Run>,
    /// The newest session approval per run and channel, ended ones included: they explain.
    sessions: HashMap<(RunId, ChannelName), Approval>,
    /// Approvals of one action each, of runs that can have no session approval.
    alone: HashMap<Ref, Approval>,
    calls: HashMap<Ref, CallApproval>,
    /// What runs handed on to programs that their agent started.
    delegations: Vec<Delegation>,
    cards: BTreeMap<CardNo, Card>,
    resolved: BTreeMap<CardNo, Resolution>,
    denied_requests: HashSet<(RunId, Digest)>,
    quiet: HashMap<(RunId, ChannelName), Moment>,
    last_card: u32,
    last_grant: u32,
}

impl Broker {
    /// A lifetime without any authority.
    #[must_use]
    pub fn new(boot: BootId, boot_no: BootNo) -> Self {
        Self {
            boot,
            boot_no,
            runs: BTreeMap::new(),
            sessions: HashMap::new(),
            alone: HashMap::new(),
            calls: HashMap::new(),
            delegations: Vec::new(),
            cards: BTreeMap::new(),
            resolved: BTreeMap::new(),
            denied_requests: HashSet::new(),
            quiet: HashMap::new(),
            last_card: 0,
            last_grant: 0,
        }
    }

    /// This gateway lifetime's secret id.
    #[must_use]
    pub fn boot(&self) -> BootId {
        self.boot
    }
    /// Its label.
    #[must_use]
    pub fn boot_no(&self) -> BootNo {
        self.boot_no
    }

    /// The newest session approval of a run for a channel, ended or not.
    #[must_use]
    pub fn session(&self, run: RunId, channel: &ChannelName) -> Option<&Approval> {
        self.sessions.get(&(run, channel.clone()))
    }

    /// The approval of one action that stands alone, ended or not.
    #[must_use]
    pub fn alone(&self, reference: Ref) -> Option<&Approval> {
        self.alone.get(&reference)
    }

    /// The approval that a permit rests on, while that has not ended. It may be another run's, that covers this one.
    #[must_use]
    pub fn rests_on(&self, permit: &Permit) -> Option<&Approval> {
        self.approval(permit.approval()).filter(|approval| approval.ended().is_none())
    }

    /// An approval by its id, ended or not, while it is known.
    #[must_use]
    pub fn approval(&self, id: ApprovalId) -> Option<&Approval> {
        self.alone.values().chain(self.sessions.values()).find(|approval| approval.facts().id == id)
    }

    /// Channels on which a run has a session approval that has not ended.
    pub fn live_channels(&self, run: RunId) -> impl Iterator<Item = &ChannelName> {
        self.sessions
            .iter()
            .filter(move |((of, _), approval)| *of == run && approval.ended().is_none())
            .map(|((_, channel), _)| channel)
    }

    /// Takes the yes to one action out, for `decide`. Give it back with [`Broker::give_back`] where the decision was a
    /// refusal.
    #[must_use]
    pub fn take_call(&mut self, reference: Ref) -> Option<CallApproval> {
        self.calls.remove(&reference)
    }

    /// Puts an unused yes back.
    pub fn give_back(&mut self, call: CallApproval) {
        self.calls.insert(call.reference, call);
    }

    /// Counts a use of the approval that a permit rests on.
    pub fn count_use(&mut self, permit: &Permit) {
        let mut all = self.alone.values_mut().chain(self.sessions.values_mut());
        if let Some(approval) = all.find(|approval| approval.facts().id == permit.approval()) {
            approval.count_use();
            if approval.facts().run != permit.run()
                && let Some(helper) = self.runs.get_mut(&permit.run())
            {
                helper.served_on.insert(permit.request().channel().clone(), (permit.approval(), None));
            }
        }
    }

    /// Makes an approval live, once its GRANT row is durable.
    ///
    /// Everything may have changed since the yes: a run that has ended, another epoch, or an ack of another row leave no
    /// approval alive, and the answer is `false`.
    #[must_use]
    pub fn activate(
        &mut self,
        facts: ApprovalFacts,
        granted: JournalAck,
        granting: &Granting,
        epoch: Option<VaultEpoch>,
    ) -> bool {
        let stands = self.still_stands(granting, facts.run, facts.nonce);
        if !stands || facts.boot != self.boot || epoch != Some(facts.epoch) {
            return false;
        }
        let Some(approval) = Approval::activate(facts, granted) else { return false };
        let facts = approval.facts();
        match facts.reach {
            Reach::Run => drop(self.sessions.insert((facts.run, facts.channel.clone()), approval)),
            Reach::Action { reference, .. } => drop(self.alone.insert(reference, approval)),
        }
        true
    }

    /// Keeps a yes to one action, once it is recorded. The same conditions as [`Broker::activate`].
    #[must_use]
    pub fn keep_call(&mut self, call: CallApproval, granting: &Granting, epoch: Option<VaultEpoch>) -> bool {
        let stands = self.still_stands(granting, call.run, call.nonce);
        if !stands || call.boot != self.boot || epoch != Some(call.epoch) {
            return false;
        }
        self.calls.insert(call.reference, call);
        true
    }

    /// True where something was taken back from the run since the yes: a revoke, or a change of channel or conversation.
    #[must_use]
    pub fn was_taken_back(&self, granting: &Granting) -> bool {
        self.runs.get(&granting.view.run).is_none_or(|run| run.taken_back != granting.taken_back)
    }

    fn still_stands(&self, granting: &Granting, run: RunId, nonce: LaunchNonce) -> bool {
        let lives = self.runs.get(&run).is_some_and(|run| run.ended().is_none() && run.nonce() == nonce);
        lives && run == granting.view.run && !self.was_taken_back(granting)
    }

    fn next_grant(&mut self) -> GrantNo {
        self.last_grant = self.last_grant.saturating_add(1);
        GrantNo(self.last_grant)
    }
}

#[cfg(test)]
mod helper_tests;
#[cfg(test)]
mod tests;
