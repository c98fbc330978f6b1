//! Actions of earlier runs, as the action store told them at the unlock and as they came since.

use lychgate_core::channel::ChannelName;
use lychgate_core::ids::{Ref, RunId};
use lychgate_core::record::{IntentRecord, StoredResult};
use std::collections::{BTreeMap, HashMap, VecDeque};
use std::sync::Arc;

/// Content of results that is kept in memory, in bytes. The oldest goes first; the journal and the store have the rest.
const RESULTS_BYTES: usize = 64 * 1024 * 1024;

/// See the module. Emptied when the vault is locked.
#[derive(Default)]
pub(crate) struct Past {
    pub(crate) intents: BTreeMap<Ref, IntentRecord>,
    pub(crate) ends: BTreeMap<Ref, PastEnd>,
    /// Which earlier runs' actions a run may see, by the person's yes.
    pub(crate) inherited: HashMap<RunId, Vec<(RunId, Vec<ChannelName>)>>,
    results: VecDeque<(Ref, usize)>,
    results_bytes: usize,
}

/// How an action of an earlier run ended, as the store knows it.
#[derive(Clone)]
pub(crate) enum PastEnd {
    Observed(Arc<StoredResult>),
    /// A result was recorded; its content is not in memory.
    Recorded,
    NotStarted,
    NotObserved,
}

impl Past {
    /// Keeps a result, and names those whose content had to go for it.
    pub(crate) fn keep_result(&mut self, reference: Ref, result: Arc<StoredResult>) -> Vec<Ref> {
        let bytes = result.body.len();
        self.results.push_back((reference, bytes));
        self.results_bytes = self.results_bytes.saturating_add(bytes);
        self.ends.insert(reference, PastEnd::Observed(result));
        let mut gone = Vec::new();
        while self.results_bytes > RESULTS_BYTES {
            let Some((oldest, bytes)) = self.results.pop_front() else { break };
            self.results_bytes = self.results_bytes.saturating_sub(bytes);
            self.ends.insert(oldest, PastEnd::Recorded);
            gone.push(oldest);
        }
        gone
    }

    /// Takes in what the store knows. What came since is newer and stays.
    pub(crate) fn merge(&mut self, stored: Self) {
        self.intents.extend(stored.intents);
        for (reference, end) in stored.ends {
            if self.ends.contains_key(&reference) {
                continue;
            }
            match end {
                PastEnd::Observed(result) => drop(self.keep_result(reference, result)),
                other => drop(self.ends.insert(reference, other)),
            }
        }
        for (run, from) in stored.inherited {
            self.inherited.entry(run).or_default().extend(from);
        }
    }
}
