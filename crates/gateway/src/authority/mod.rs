//! Everything that authority depends on, changed under one lock, with its rows queued in the same order.

mod actions;
mod ends;
mod helpers;
mod past;
mod vault;

pub(crate) use past::{Past, PastEnd};
pub(crate) use vault::VaultHold;

use helpers::end_of;

use crate::action::Actions;
use crate::clock;
use crate::journal;
use crate::keeper::Keeper;
use crate::state::RunHandle;
use lychgate_core::broker::{Broker, Run};
use lychgate_core::card::PreviousRun;
use lychgate_core::channel::{Channel, ChannelName};
use lychgate_core::decide::{self, Decision, LiveEvidence, Question, VaultNow};
use lychgate_core::event::Event;
use lychgate_core::evidence::{Attestation, Difference, LiveChain, ProcessFacts, Seen, Subject, Why, differences};
use lychgate_core::ids::{ActionNo, RunId};
use lychgate_core::outcome::{Reason, Reasons};
use lychgate_core::programs::{ProgramImage, Programs};
use lychgate_core::recall::{Arrival, Recall};
use lychgate_core::record::{AgentIdentity, EndKind, Record, RunRecord};
use lychgate_journal::{Journal, Pending};
use lychgate_peer::unseen_program;
use lychgate_vault::Counters;
use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use tokio::sync::watch;

/// See the module.
pub(crate) struct Authority {
    pub(crate) broker: Broker,
    pub(crate) vault: VaultHold,
    pub(crate) actions: Actions,
    pub(crate) recall: Recall,
    pub(crate) programs: Programs,
    pub(crate) past: Past,
    pub(crate) runs: HashMap<RunId, Arc<RunHandle>>,
    /// The ways up from processes that a delegation names.
    named: Vec<helpers::Named>,
    pub(crate) journal: Arc<Journal>,
    pub(crate) keeper: Keeper,
    counters: Arc<Mutex<Counters>>,
    changed: watch::Sender<u64>,
}

impl Authority {
    pub(crate) fn new(
        broker: Broker,
        vault: VaultHold,
        journal: Arc<Journal>,
        keeper: Keeper,
        counters: Arc<Mutex<Counters>>,
        changed: watch::Sender<u64>,
    ) -> Self {
        Self {
            broker,
            vault,
            actions: Actions::default(),
            recall: Recall::empty(),
            programs: Programs::unread(),
            past: Past::default(),
            runs: HashMap::new(),
            named: Vec::new(),
            journal,
            keeper,
            counters,
            changed,
        }
    }

    /// Wakes everyone who waits for a change.
    pub(crate) fn bump(&self) {
        self.changed.send_modify(|count| *count = count.wrapping_add(1));
    }

    /// Queues a row that nobody waits for.
    pub(crate) fn note(&self, event: Event) {
        // Dropped: an EVENT row gates nothing.
        drop(self.journal.append(journal::note(self.vault.epoch().number, event)));
    }

    /// Queues a row that somebody waits for.
    pub(crate) fn note_durably(&self, event: Event) -> Pending {
        self.journal.append(journal::note(self.vault.epoch().number, event))
    }

    /// A channel as it stands in the vault; `None` while that is locked.
    pub(crate) fn channel(&self, name: &ChannelName) -> Option<Channel> {
        self.vault.channel(name)
    }

    /// Looks at a run's processes again. `sender` wrote the frame that this is about.
    ///
    /// A difference ends the run at once: what can't be proven the same is different.
    pub(crate) fn look(&mut self, id: RunId, sender: Seen<lychgate_core::evidence::ProcessInode>) -> Looked {
        let Some(handle) = self.runs.get(&id).map(Arc::clone) else {
            let chain = LiveChain { sender, processes: Vec::new() };
            return Looked { chain, found: vec![Difference::Ended], way: None };
        };
        let way = self.look_up(id, &handle, sender);
        let chain = handle.pinned.look(sender);
        let found = differences(handle.pinned.subject(), &chain);
        if !found.is_empty() {
            self.end_run(id, end_of(&found), found.clone());
        }
        Looked { chain, found, way }
    }

    /// The decision on one question, with everything as it is at this moment.
    pub(crate) fn decide(&mut self, id: RunId, question: Question, looked: &Looked) -> Decision {
        let call = self.broker.take_call(question.reference);
        let covering = self.covering(id, question.request.channel());
        let Some(run) = self.broker.run(id) else {
            return Decision::Deny(Box::new(decide::Denied {
                question,
                call,
                reasons: Reasons::one(Reason::ProcessChanged),
                differences: vec![Difference::Ended],
            }));
        };
        let channel = self.channel(question.request.channel());
        let session = self.broker.session(id, question.request.channel());
        let alone = self.broker.alone(question.reference);
        let cover = self.cover(run, looked.way.as_ref(), covering.as_ref(), question.request.channel());
        let live = live(run, &looked.chain, &self.broker, self.vault.now(), channel.as_ref());
        decide::decide(question, decide::Authority { session, cover, alone, call }, &live)
    }

    /// Reasons that hold for a run whatever it asks: vault, processes.
    pub(crate) fn standing(&self, id: RunId, looked: &Looked) -> Vec<Reason> {
        let Some(run) = self.broker.run(id) else { return vec![Reason::ProcessChanged] };
        let live = live(run, &looked.chain, &self.broker, self.vault.now(), None);
        decide::standing(&live, &looked.found)
    }

    /// What the person and the agent hear instead of "never approved", where an earlier authority is known (R17).
    pub(crate) fn lapse_reasons(&self, id: RunId, channel: &ChannelName) -> Option<Reasons> {
        let run = self.broker.run(id)?;
        if self.broker.session(id, channel).is_some() {
            return None;
        }
        if let Some(reason) = self.cover_lapse(id, channel) {
            return Some(Reasons::one(reason));
        }
        // Until the person has answered, every channel is told the same: the answer must not list what the earlier
        // run had.
        let live = |name: &ChannelName| self.broker.session(id, name).is_some_and(|session| session.ended().is_none());
        let lapse = run.lapse()?;
        if lapse.channels.iter().any(live) && !lapse.channels.contains(channel) {
            return None;
        }
        Some(lapse.reasons.clone())
    }

    /// Words for a locked vault, where the recall can't be read: the client's own claim of an earlier gateway.
    pub(crate) fn claimed_reasons(&self, id: RunId) -> Vec<Reason> {
        let earlier = |run: &Run| run.claimed().is_some_and(|(_, boot)| boot != self.broker.boot_no());
        let restarted = self.broker.run(id).is_some_and(earlier);
        if restarted { vec![Reason::GatewayRestarted] } else { Vec::new() }
    }

    /// Finds out what the recall says of an earlier authority of this run.
    pub(crate) fn remember(&mut self, id: RunId) {
        let lapse = self.with_arrival(id, |recall, arrival| recall.lapse(arrival));
        self.broker.set_lapse(id, lapse);
    }

    /// The newest run before this one of the same program and directory, for a card: named, and nothing follows from
    /// it.
    pub(crate) fn run_before(&self, id: RunId) -> Option<PreviousRun> {
        self.with_arrival(id, |recall, arrival| {
            let (run, agent) = recall.latest_of(arrival)?;
            Some(PreviousRun { run, program: agent.program.clone(), same_program: true, shows_results: false })
        })
    }

    fn with_arrival<T>(&self, id: RunId, find: impl FnOnce(&Recall, &Arrival<'_>) -> Option<T>) -> Option<T> {
        let run = self.broker.run(id)?;
        let agent = identity(run)?;
        let arrival = Arrival {
            run: id,
            boot: self.broker.boot_no(),
            peer: run.subject().peer()?.inode,
            kernel_boot: run.subject().kernel_boot(),
            conversation: run.conversation(),
            agent: &agent,
        };
        find(&self.recall, &arrival)
    }

    /// Notes a run in the recall, once: when it is first approved. Runs that never had authority leave no trace
    /// there, so that nobody can fill it by connecting.
    pub(crate) fn record_run(&mut self, id: RunId) {
        if self.recall.knows(id) {
            return;
        }
        let Some(run) = self.broker.run(id) else { return };
        let (Some(agent), Some(peer)) = (identity(run), run.subject().peer()) else { return };
        let record = RunRecord {
            run: id,
            boot: self.broker.boot_no(),
            conversation: run.conversation().map(str::to_owned),
            agent,
            peer: peer.inode,
            kernel_boot: run.subject().kernel_boot().to_owned(),
            at: clock::wall(),
        };
        self.record(Record::Run(record));
    }

    /// A card was opened for a run: from now on its program is one that has asked.
    pub(crate) fn program_asked(&mut self, id: RunId) {
        if let Some(image) = self.program(id).filter(|image| !self.programs.knows(image)) {
            self.record(Record::Program { image, yes: false, at: clock::wall() });
        }
    }

    /// The person said yes to a run.
    pub(crate) fn program_approved(&mut self, id: RunId) {
        if let Some(image) = self.program(id) {
            self.record(Record::Program { image, yes: true, at: clock::wall() });
        }
    }

    fn program(&self, id: RunId) -> Option<ProgramImage> {
        ProgramImage::of(seen_agent(self.broker.run(id)?.subject())?)
    }

    /// Takes a record into the recall and hands it to the store.
    pub(crate) fn record(&mut self, record: Record) {
        self.recall.note(&record);
        self.programs.note(&record);
        if let Record::Ended { reference, kind, .. } = &record {
            let end = match kind {
                EndKind::NotStarted => PastEnd::NotStarted,
                EndKind::NotObserved => PastEnd::NotObserved,
            };
            self.past.ends.insert(*reference, end);
        }
        self.keeper.keep(record);
    }

    /// The next action number. `None` where it could not be made durable: nothing is announced then.
    pub(crate) fn take_action_number(&mut self) -> Option<ActionNo> {
        self.counters.lock().unwrap_or_else(PoisonError::into_inner).next_action().ok()
    }

    /// Action numbers go on where the store that was just opened ends.
    pub(crate) fn follow(&mut self, store: &lychgate_vault::Opened) {
        self.counters.lock().unwrap_or_else(PoisonError::into_inner).follow(store);
    }

    /// What time ends.
    pub(crate) fn tick(&mut self) {
        let ends = self.broker.tick(clock::now());
        self.apply(ends);
        self.sweep();
        self.actions.prune(clock::now());
    }
}

/// A look at a run's processes.
pub(crate) struct Looked {
    pub(crate) chain: LiveChain,
    pub(crate) found: Vec<Difference>,
    /// The way up to the agent that started it, where there is one.
    pub(crate) way: Option<LiveChain>,
}

fn live<'a>(
    run: &'a Run,
    chain: &'a LiveChain,
    broker: &Broker,
    vault: VaultNow,
    channel: Option<&'a Channel>,
) -> LiveEvidence<'a> {
    LiveEvidence {
        run: run.id(),
        subject: run.subject(),
        nonce: run.nonce(),
        chain,
        run_ended: run.ended(),
        boot: broker.boot(),
        vault,
        channel,
        conversation: run.conversation(),
        now: clock::now(),
    }
}

/// The agent of a subject, where it was verified and its program seen.
pub(crate) fn seen_agent(subject: &Subject) -> Option<&ProcessFacts> {
    subject.agent().filter(|_| subject.attestation() == Attestation::Whole)
}

/// A run's agent, as far as it was seen. `None` where no requester was verified: such a run has nothing that a later one
/// could believe it still has.
pub(crate) fn identity(run: &Run) -> Option<AgentIdentity> {
    let subject = run.subject();
    let agent = subject.agent()?;
    let program = seen_agent(subject).and_then(|agent| agent.executable.value());
    match (subject.attestation(), program) {
        (Attestation::Whole, Some(executable)) => Some(AgentIdentity {
            program: executable.path.clone(),
            sha256: Some(executable.sha256),
            directory: agent.directory.clone(),
        }),
        (Attestation::ProgramUnreadable, _) => Some(AgentIdentity {
            program: unseen_program(Why::NotReadable).to_owned(),
            sha256: None,
            directory: agent.directory.clone(),
        }),
        (Attestation::Whole, None) | (Attestation::Unverified(_), _) => None,
    }
}
