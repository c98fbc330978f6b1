//! Ends: what a lock, a revoke, an exit or a change takes away, with its rows.

use super::Authority;
use crate::action::ActionState;
use crate::clock;
use crate::journal;
use lychgate_core::broker::Ends;
use lychgate_core::event::Event;
use lychgate_core::evidence::Difference;
use lychgate_core::ids::RunId;
use lychgate_core::outcome::EndReason;
use lychgate_core::record::Record;
use lychgate_journal::Pending;

impl Authority {
    /// Records what the broker ended, and cuts what was under way on it. Already true in memory.
    pub(crate) fn apply(&mut self, ends: Ends) {
        drop(self.apply_durably(ends));
    }

    /// The same, with the rows to wait for.
    pub(crate) fn apply_durably(&mut self, ends: Ends) -> Vec<Pending> {
        if ends.is_empty() {
            return Vec::new();
        }
        let epoch = self.vault.epoch().number;
        let mut rows = Vec::new();
        for end in &ends.approvals {
            rows.push(self.journal.append(journal::revoke(end, epoch)));
            for action in self.actions.iter() {
                let rests_on_it = match end.action {
                    Some(reference) => action.reference == reference,
                    None => {
                        action.rests_on == Some(end.approval)
                            || (action.run == end.run && action.channel == end.channel)
                    }
                };
                if rests_on_it && action.is_running() {
                    action.cancel.cancel();
                }
            }
            // One action's approval is nothing that a later run could believe it still has.
            if end.action.is_none() {
                self.record(Record::ApprovalEnded {
                    run: end.run,
                    channel: end.channel.clone(),
                    reason: end.reason,
                    at: clock::wall(),
                });
            }
        }
        self.drop_unnamed();
        for (card, run, why) in &ends.cards {
            self.note(Event::CardClosed { card: *card, run: *run, why: why.word().to_owned() });
        }
        self.sweep();
        self.bump();
        rows
    }

    /// Cuts everything that is under way: the vault is locked, or the gateway stops.
    pub(crate) fn cut_all(&self) {
        for action in self.actions.iter() {
            if matches!(action.state, ActionState::Running) {
                action.cancel.cancel();
            }
        }
    }

    /// A run is over.
    pub(crate) fn end_run(&mut self, id: RunId, reason: EndReason, found: Vec<Difference>) {
        if self.broker.run(id).is_none_or(|run| run.ended().is_some()) {
            return;
        }
        let ends = self.broker.end_run(id, reason);
        self.apply(ends);
        for action in self.actions.unfinished(id) {
            action.cancel.cancel();
        }
        self.note(Event::RunEnded { run: id, reason, differences: found });
        if self.recall.knows(id) {
            self.record(Record::RunEnded { run: id, reason, at: clock::wall() });
        }
        if let Some(handle) = self.runs.remove(&id) {
            handle.ended.cancel();
        }
        self.sweep();
        self.bump();
    }
}
