//! Actions under the lock: announced, swept when their question is over, finished.

use super::Authority;
use crate::action::{Action, ActionState, Finished};
use crate::clock;
use crate::journal;
use lychgate_core::broker::Resolution;
use lychgate_core::decide::VaultNow;
use lychgate_core::event::{Event, RowKind};
use lychgate_core::ids::{CardNo, GrantNo, Ref};
use lychgate_core::limits;
use lychgate_core::outcome::{NotStarted, Reason, Reasons};
use lychgate_core::record::{EndKind, Record, StoredResult};
use lychgate_journal::Pending;
use std::sync::Arc;

impl Authority {
    /// Ends every waiting action whose question is over: card denied or closed, run ended, vault locked, caller away
    /// too long after a yes. Nothing waits behind a locked vault (R10).
    pub(crate) fn sweep(&mut self) {
        let now = clock::now();
        let locked = self.vault.now() == VaultNow::Locked;
        let over: Vec<(Ref, Reasons)> = self
            .actions
            .iter()
            .filter_map(|action| self.over(action, locked, now).map(|reasons| (action.reference, reasons)))
            .collect();
        for (reference, reasons) in over {
            drop(self.refuse_action(reference, reasons));
        }
    }

    fn over(&self, action: &Action, locked: bool, now: lychgate_core::ids::Moment) -> Option<Reasons> {
        let ActionState::Waiting { card, .. } = &action.state else { return None };
        let run = self.broker.run(action.run);
        if let Some(ended) = run.map_or(Some(Reason::ProcessChanged), |run| run.ended().map(|end| end.reason())) {
            return Some(Reasons::one(ended));
        }
        if locked {
            return Reasons::new(vec![Reason::VaultLocked, Reason::VaultStateChanged]);
        }
        let answered = card.and_then(|card| self.broker.resolution(card));
        let session = self.broker.session(action.run, &action.channel);
        if let (Some(Resolution::Approved), Some(end)) = (answered, session.and_then(|session| session.ended())) {
            // Its yes rested on an approval that was taken back: a later one must not send it (R19).
            return Some(Reasons::one(end.reason()));
        }
        match answered {
            Some(Resolution::Denied) => Some(Reasons::one(Reason::DeniedByOperator)),
            Some(Resolution::Closed(why)) => Some(Reasons::one(why)),
            Some(Resolution::Approved) if now.since(action.since) > limits::APPROVED_WAIT_MS => {
                Some(Reasons::one(Reason::CallerLeft))
            }
            Some(Resolution::Approved | Resolution::Recording) | None => None,
        }
    }

    /// An action ends without having started, because it may not. The row is its ABORT.
    pub(crate) fn refuse_action(&mut self, reference: Ref, reasons: Reasons) -> Option<Pending> {
        let words: Vec<&str> = reasons.all().iter().map(|reason| reason.word()).collect();
        let detail = words.join(" ");
        let (run, number, channel) =
            self.actions.get(reference).map(|action| (action.run, action.number, action.channel.clone()))?;
        self.note(Event::ActionDenied {
            run,
            action: Some(number),
            channel: channel.to_string(),
            reasons: reasons.clone(),
            differences: Vec::new(),
        });
        self.abort(reference, NotStarted::Unsent, &detail, Finished::Refused(reasons))
    }

    /// An action ends without having started.
    pub(crate) fn abort(
        &mut self,
        reference: Ref,
        evidence: NotStarted,
        detail: &str,
        finished: Finished,
    ) -> Option<Pending> {
        let epoch = self.vault.epoch().number;
        let action = self.actions.get_mut(reference)?;
        if matches!(action.state, ActionState::Done(_)) {
            return None;
        }
        action.state = ActionState::Done(finished);
        let event =
            Event::ActionNotStarted { run: action.run, action: action.number, evidence, detail: detail.to_owned() };
        let row = self.journal.append(journal::action(RowKind::Abort, epoch, GrantNo::NONE, reference, event));
        self.record(Record::Ended { reference, kind: EndKind::NotStarted, at: clock::wall() });
        let _ = self.broker.withdraw(reference);
        let ends = self.broker.expire_alone(reference);
        self.apply(ends);
        self.bump();
        Some(row)
    }

    /// A card was answered with yes: the actions that wait for it have from now on ten minutes to be driven.
    pub(crate) fn approved(&mut self, card: CardNo) {
        let now = clock::now();
        for action in self.actions.iter_mut() {
            if matches!(action.state, ActionState::Waiting { card: Some(waits_for), .. } if waits_for == card) {
                action.since = now;
            }
        }
    }

    /// Keeps a result for runs that inherit it.
    pub(crate) fn keep_result(&mut self, reference: Ref, result: Arc<StoredResult>) {
        for gone in self.past.keep_result(reference, result) {
            self.actions.let_go(gone);
        }
    }

    /// An action is over. Where it was the last use of its approval, that ends with it.
    pub(crate) fn finish(&mut self, reference: Ref, finished: Finished) {
        let Some(action) = self.actions.get_mut(reference) else { return };
        action.state = ActionState::Done(finished);
        let rested_on = action.rests_on;
        let ends = self.broker.expire_alone(reference);
        self.apply(ends);
        // It may be another run's, that covers this one: uses are counted on the approval.
        let used_up = rested_on.and_then(|id| self.broker.approval(id)).filter(|approval| {
            approval.ended().is_none() && approval.facts().max_uses.is_some_and(|most| approval.uses() >= most)
        });
        let of = used_up.map(|approval| (approval.facts().run, approval.facts().channel.clone()));
        let busy = self.actions.all_unfinished().any(|other| other.rests_on == rested_on && other.is_running());
        if let Some((run, channel)) = of.filter(|_| !busy) {
            let ends = self.broker.expire_session(run, &channel);
            self.apply(ends);
        }
        self.bump();
    }
}
