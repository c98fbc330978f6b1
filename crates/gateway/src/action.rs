//! Actions of this gateway lifetime, from their INTENT to their end.

use lychgate_core::channel::ChannelName;
use lychgate_core::ids::{ActionNo, ApprovalId, CardNo, Digest, Moment, Ref, RunId};
use lychgate_core::limits;
use lychgate_core::outcome::{NotStarted, Reasons};
use lychgate_core::record::StoredResult;
use lychgate_core::request::CanonicalRequest;
use std::collections::BTreeMap;
use std::sync::Arc;
use tokio_util::sync::CancellationToken;

/// One action.
#[derive(Debug)]
pub(crate) struct Action {
    pub(crate) reference: Ref,
    pub(crate) client_ref: Ref,
    pub(crate) number: ActionNo,
    pub(crate) run: RunId,
    pub(crate) channel: ChannelName,
    pub(crate) digest: Digest,
    pub(crate) key: Option<String>,
    pub(crate) state: ActionState,
    /// The approval that it was dispatched on.
    pub(crate) rests_on: Option<ApprovalId>,
    /// Cuts the connection of an action that is under way.
    pub(crate) cancel: CancellationToken,
    /// When it was announced, or when its card was answered with yes.
    pub(crate) since: Moment,
}

impl Action {
    /// A caller drives it; it may be on the wire.
    pub(crate) fn is_running(&self) -> bool {
        matches!(self.state, ActionState::Running)
    }
}

/// Where an action stands.
#[derive(Debug)]
pub(crate) enum ActionState {
    /// Announced; the person has been asked, or is about to be.
    Waiting {
        /// What would be sent.
        request: Box<CanonicalRequest>,
        /// The card, once it is open.
        card: Option<CardNo>,
    },
    /// One caller drives it.
    Running,
    /// It is over.
    Done(Finished),
}

/// How an action ended.
#[derive(Debug, Clone)]
pub(crate) enum Finished {
    /// A result was seen.
    Observed(Arc<StoredResult>),
    /// A result was seen and recorded, and its content is not kept in memory any more.
    Recorded,
    /// It started; nobody saw the result.
    NotObserved(String),
    /// It did not start: no connection.
    NotStarted(NotStarted, String),
    /// It did not start: refused.
    Refused(Reasons),
}

/// All actions of this lifetime that are not forgotten.
#[derive(Debug, Default)]
pub(crate) struct Actions {
    by_ref: BTreeMap<Ref, Action>,
}

impl Actions {
    pub(crate) fn insert(&mut self, action: Action) {
        self.by_ref.insert(action.reference, action);
    }

    /// An action of one run, by its id or by the shim's own ref of it.
    pub(crate) fn of_run(&self, run: RunId, reference: Ref) -> Option<&Action> {
        self.by_ref
            .get(&reference)
            .filter(|action| action.run == run)
            .or_else(|| self.by_ref.values().find(|action| action.run == run && action.client_ref == reference))
    }

    /// The newest attempt of a logical action within a run and channel.
    pub(crate) fn of_key(&self, run: RunId, key: &str, channel: &ChannelName) -> Option<&Action> {
        self.with_key(run, key).filter(|action| action.channel == *channel).max_by_key(|action| action.number)
    }

    /// The newest attempt with this key on whatever channel: for a question that names none.
    pub(crate) fn newest_of_key(&self, run: RunId, key: &str) -> Option<&Action> {
        self.with_key(run, key).max_by_key(|action| action.number)
    }

    fn with_key(&self, run: RunId, key: &str) -> impl Iterator<Item = &Action> {
        self.by_ref.values().filter(move |action| action.run == run && action.key.as_deref() == Some(key))
    }

    pub(crate) fn get(&self, reference: Ref) -> Option<&Action> {
        self.by_ref.get(&reference)
    }

    pub(crate) fn get_mut(&mut self, reference: Ref) -> Option<&mut Action> {
        self.by_ref.get_mut(&reference)
    }

    pub(crate) fn iter_mut(&mut self) -> impl Iterator<Item = &mut Action> {
        self.by_ref.values_mut()
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = &Action> {
        self.by_ref.values()
    }

    /// Actions of a run that have not ended.
    pub(crate) fn unfinished(&self, run: RunId) -> impl Iterator<Item = &Action> {
        self.all_unfinished().filter(move |action| action.run == run)
    }

    /// All actions that have not ended.
    pub(crate) fn all_unfinished(&self) -> impl Iterator<Item = &Action> {
        self.by_ref.values().filter(|action| !matches!(action.state, ActionState::Done(_)))
    }

    /// Lets the content of a result go.
    pub(crate) fn let_go(&mut self, reference: Ref) {
        if let Some(action) = self.by_ref.get_mut(&reference)
            && matches!(action.state, ActionState::Done(Finished::Observed(_)))
        {
            action.state = ActionState::Done(Finished::Recorded);
        }
    }

    /// Forgets what ended a day ago.
    pub(crate) fn prune(&mut self, now: Moment) {
        self.by_ref.retain(|_, action| {
            !matches!(action.state, ActionState::Done(_)) || now.since(action.since) <= limits::RESULTS_KEPT_MS
        });
    }

    /// Forgets ended actions of `run`: the store has them.
    pub(crate) fn forget(&mut self, run: RunId) {
        self.by_ref.retain(|_, action| action.run != run || !matches!(action.state, ActionState::Done(_)));
    }
}
