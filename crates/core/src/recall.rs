//! The recall: what ended before this run, in words. It grants nothing and `decide` never reads it.

use crate::channel::ChannelName;
use crate::evidence::ProcessInode;
use crate::ids::{BootNo, RunId};
use crate::outcome::{EndReason, Reason, Reasons};
use crate::record::{AgentIdentity, Record, RunRecord};
use std::collections::BTreeMap;

/// Runs of the past, by number.
#[derive(Debug)]
pub struct Recall {
    runs: BTreeMap<RunId, PastRun>,
}

#[derive(Debug)]
struct PastRun {
    record: RunRecord,
    ended: Option<EndReason>,
    /// Channels that were ever approved, with the end of the newest approval.
    channels: BTreeMap<ChannelName, Option<EndReason>>,
}

/// A run that has just registered, as the gateway saw it.
#[derive(Debug, Clone)]
pub struct Arrival<'a> {
    /// Its number.
    pub run: RunId,
    /// This gateway lifetime.
    pub boot: BootNo,
    /// The process that holds the connection.
    pub peer: ProcessInode,
    /// The kernel's boot id.
    pub kernel_boot: &'a str,
    /// Conversation label.
    pub conversation: Option<&'a str>,
    /// Its program.
    pub agent: &'a AgentIdentity,
}

/// An earlier authority that a run might believe it still has.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Lapse {
    /// The run that had it.
    pub previous: RunId,
    /// What changed since.
    pub reasons: Reasons,
    /// Channels that it had.
    pub channels: Vec<ChannelName>,
    /// Its program.
    pub program: String,
    /// Path, hash and directory are those of the run that arrives.
    pub same_program: bool,
    /// It is the very process of then (same pidfd inode in the same kernel boot).
    pub same_process: bool,
}

impl Recall {
    /// Knows nothing.
    #[must_use]
    pub fn empty() -> Self {
        Self { runs: BTreeMap::new() }
    }

    /// Builds the recall from a store's records, oldest first.
    #[must_use]
    pub fn replay<'a>(records: impl IntoIterator<Item = &'a Record>) -> Self {
        let mut recall = Self::empty();
        for record in records {
            recall.note(record);
        }
        recall
    }

    /// Takes one more record in. Records of unknown runs and of other kinds change nothing.
    pub fn note(&mut self, record: &Record) {
        match record {
            Record::Run(run) => {
                self.runs.insert(run.run, PastRun { record: run.clone(), ended: None, channels: BTreeMap::new() });
            }
            Record::Approved { run, channel, .. } => {
                if let Some(past) = self.runs.get_mut(run) {
                    past.channels.insert(channel.clone(), None);
                }
            }
            Record::ApprovalEnded { run, channel, reason, .. } => {
                if let Some(end) = self.runs.get_mut(run).and_then(|past| past.channels.get_mut(channel)) {
                    end.get_or_insert(*reason);
                }
            }
            Record::RunEnded { run, reason, .. } => {
                if let Some(past) = self.runs.get_mut(run) {
                    past.ended.get_or_insert(*reason);
                }
            }
            Record::Intent(_)
            | Record::Final { .. }
            | Record::Ended { .. }
            | Record::Inherited { .. }
            | Record::Program { .. }
            | Record::Counter { .. } => {}
        }
    }

    /// True where the run was noted. Runs are noted when they are first approved: what never had authority leaves none.
    #[must_use]
    pub fn knows(&self, run: RunId) -> bool {
        self.runs.contains_key(&run)
    }

    /// Takes in what was noted while the store could not be read. Newer knowledge wins.
    pub fn absorb(&mut self, newer: Self) {
        self.runs.extend(newer.runs);
    }

    /// What the arriving run might believe it still has: its own process's earlier run, else the newest run that is
    /// over and had the same conversation label.
    #[must_use]
    pub fn lapse(&self, arrival: &Arrival<'_>) -> Option<Lapse> {
        let newest_first =
            || self.runs.values().rev().filter(|past| past.record.run != arrival.run && !past.channels.is_empty());
        let own = |past: &&PastRun| past.record.peer == arrival.peer && past.record.kernel_boot == arrival.kernel_boot;
        let over = |past: &&PastRun| past.ended.is_some() || past.record.boot != arrival.boot;
        if let Some(past) = newest_first().filter(over).find(own) {
            let mut reasons = restart_reasons(past, arrival.boot);
            if past.record.boot == arrival.boot {
                reasons.extend(past.ended.map(EndReason::reason));
                reasons.extend(past.channels.values().flatten().map(|end| end.reason()));
            }
            return lapse(past, arrival, reasons, true);
        }
        let label = arrival.conversation?;
        let past = newest_first().filter(over).find(|past| past.record.conversation.as_deref() == Some(label))?;
        let mut reasons = restart_reasons(past, arrival.boot);
        reasons.push(Reason::ProcessChanged);
        lapse(past, arrival, reasons, false)
    }

    /// The newest run that is over and had the same program and directory: named on a card where no label links them.
    #[must_use]
    pub fn latest_of(&self, arrival: &Arrival<'_>) -> Option<(RunId, &AgentIdentity)> {
        self.runs
            .values()
            .rev()
            .filter(|past| past.record.run != arrival.run)
            .filter(|past| past.ended.is_some() || past.record.boot != arrival.boot)
            .find(|past| past.record.agent.is_surely(arrival.agent))
            .map(|past| (past.record.run, &past.record.agent))
    }
}

/// Each gateway start raises the vault's epoch as well, so both changed.
fn restart_reasons(past: &PastRun, boot: BootNo) -> Vec<Reason> {
    if past.record.boot == boot { Vec::new() } else { vec![Reason::GatewayRestarted, Reason::VaultStateChanged] }
}

fn lapse(past: &PastRun, arrival: &Arrival<'_>, reasons: Vec<Reason>, same_process: bool) -> Option<Lapse> {
    Some(Lapse {
        previous: past.record.run,
        reasons: Reasons::new(reasons)?,
        channels: past.channels.keys().cloned().collect(),
        program: past.record.agent.program.clone(),
        same_program: past.record.agent.is_surely(arrival.agent),
        same_process,
    })
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "tests")]
    use super::*;
    use crate::ids::{Digest, WallTime};

    fn identity(hash: u8) -> AgentIdentity {
        AgentIdentity {
            program: "/usr/bin/agent".into(),
            sha256: Some(Digest([hash; 32])),
            directory: Some("/w".into()),
        }
    }

    fn run(number: u64, boot: u32, peer: u64, label: Option<&str>) -> Record {
        Record::Run(RunRecord {
            run: RunId(number),
            boot: BootNo(boot),
            conversation: label.map(str::to_owned),
            agent: identity(1),
            peer: ProcessInode(peer),
            kernel_boot: "k".into(),
            at: WallTime(0),
        })
    }

    fn approved(number: u64) -> Record {
        Record::Approved { run: RunId(number), channel: "github".parse().unwrap(), epoch: 1, at: WallTime(0) }
    }

    fn ended(number: u64, reason: EndReason) -> Record {
        Record::RunEnded { run: RunId(number), reason, at: WallTime(0) }
    }

    fn arrival<'a>(agent: &'a AgentIdentity, boot: u32, peer: u64, label: Option<&'a str>) -> Arrival<'a> {
        Arrival {
            run: RunId(9),
            boot: BootNo(boot),
            peer: ProcessInode(peer),
            kernel_boot: "k",
            conversation: label,
            agent,
        }
    }

    #[test]
    fn a_replacement_with_the_same_label_hears_process_changed() {
        let recall = Recall::replay(&[run(1, 1, 100, Some("c")), approved(1), ended(1, EndReason::ProcessExited)]);
        let agent = identity(1);
        let lapse = recall.lapse(&arrival(&agent, 1, 200, Some("c"))).unwrap();
        assert_eq!(lapse.reasons.all(), [Reason::ProcessChanged]);
        assert!(lapse.same_program && !lapse.same_process);
        assert_eq!(recall.lapse(&arrival(&agent, 1, 200, None)), None);
        assert_eq!(recall.latest_of(&arrival(&agent, 1, 200, None)).map(|(run, _)| run), Some(RunId(1)));
    }

    #[test]
    fn the_surviving_process_hears_gateway_restarted_and_not_process_changed() {
        let recall = Recall::replay(&[run(1, 1, 100, Some("c")), approved(1)]);
        let agent = identity(1);
        let lapse = recall.lapse(&arrival(&agent, 2, 100, Some("c"))).unwrap();
        assert_eq!(lapse.reasons.first(), Reason::GatewayRestarted);
        assert!(lapse.same_process);
    }

    #[test]
    fn the_label_of_a_living_run_links_nothing() {
        let recall = Recall::replay(&[run(1, 1, 100, Some("c")), approved(1)]);
        assert_eq!(recall.lapse(&arrival(&identity(1), 1, 200, Some("c"))), None);
    }

    #[test]
    fn a_run_that_never_had_authority_leaves_no_lapse() {
        let recall = Recall::replay(&[run(1, 1, 100, Some("c")), ended(1, EndReason::ProcessExited)]);
        assert_eq!(recall.lapse(&arrival(&identity(1), 1, 200, Some("c"))), None);
    }

    #[test]
    fn an_inode_of_another_kernel_boot_is_another_process() {
        let recall = Recall::replay(&[run(1, 1, 100, None), approved(1)]);
        let agent = identity(1);
        let mut later = arrival(&agent, 2, 100, None);
        later.kernel_boot = "other";
        assert_eq!(recall.lapse(&later), None);
    }
}
