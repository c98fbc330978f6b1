//! What the shim remembers from one registration to the next.
//!
//! The gateway's journal can be cut by whoever may write its files; this process saw what the gateway said before. A
//! *dispatch notice* comes before the first byte of an action leaves. So a shim that read its old connection to the
//! end and holds no notice for a ref vouches that the action never left, as long as the journal still contains the
//! newest receipt that the shim holds.

use lychgate_core::ids::{BootNo, Ref, RunId};
use lychgate_core::outcome::Outcome;
use lychgate_core::receipt::Receipt;
use lychgate_wire::agent::{Answer, Previous};

/// Refs kept of each kind; about 64 KiB. Above it the shim no longer vouches.
const REFS: usize = 4_096;

/// See the module.
#[derive(Debug)]
pub(crate) struct Memory {
    last: Option<(RunId, BootNo)>,
    receipt: Option<Receipt>,
    unanswered: Vec<Ref>,
    waiting: Vec<Ref>,
    noticed: Vec<Ref>,
    complete: bool,
}

impl Memory {
    pub(crate) fn new() -> Self {
        Self {
            last: None,
            receipt: None,
            unanswered: Vec::new(),
            waiting: Vec::new(),
            noticed: Vec::new(),
            complete: true,
        }
    }

    /// For the next registration. `None` where there was none before.
    pub(crate) fn previous(&self) -> Option<Previous> {
        let (run, boot) = self.last?;
        Some(Previous {
            run,
            boot,
            receipt: self.receipt.clone(),
            unanswered: self.unanswered.clone(),
            noticed: self.noticed.clone(),
            read_to_end: self.complete,
        })
    }

    /// A new run began.
    ///
    /// Refs whose fate is still open, and all that was noticed beside them, outlive it: the gateway may end again
    /// before anybody asked for them.
    pub(crate) fn registered(&mut self, run: RunId, boot: BootNo) {
        self.last = Some((run, boot));
        if self.unanswered.is_empty() && self.waiting.is_empty() {
            self.noticed.clear();
            self.complete = true;
        }
    }

    /// The connection of the current run ended. `read_to_end`: the gateway closed it and nothing was left unread.
    pub(crate) fn ended(&mut self, read_to_end: bool) {
        self.complete &= read_to_end;
    }

    /// An action is about to leave.
    pub(crate) fn noticed(&mut self, action_id: Ref, client_ref: Ref, receipt: Receipt) {
        self.complete &= keep(&mut self.noticed, action_id) & keep(&mut self.noticed, client_ref);
        self.receipt(receipt);
    }

    /// A call got its answer; `client_ref` where it was an action of ours.
    pub(crate) fn answered(&mut self, client_ref: Option<Ref>, answer: &Answer) {
        if let Some(receipt) = &answer.receipt {
            self.receipt(receipt.clone());
        }
        // "Unknown" to a question about an earlier action tells nothing of it: authority may not be fresh yet.
        if client_ref.is_none() && answer.outcome == Outcome::Invalid {
            return;
        }
        let refs = [client_ref, answer.action_id];
        let refs = refs.iter().flatten();
        if is_open(answer.outcome) {
            for reference in refs {
                self.complete &= keep(&mut self.waiting, *reference);
            }
        } else {
            for reference in refs {
                self.unanswered.retain(|kept| kept != reference);
                self.waiting.retain(|kept| kept != reference);
            }
        }
    }

    /// The connection ended and this action of ours had no answer.
    pub(crate) fn unanswered(&mut self, client_ref: Ref) {
        self.complete &= keep(&mut self.unanswered, client_ref);
    }

    /// The journal only grows, so the receipt with the largest size is the newest. A smaller one that comes later
    /// tells of a journal that was cut, and the larger one is what shows it.
    fn receipt(&mut self, receipt: Receipt) {
        if self.receipt.as_ref().is_none_or(|newest| receipt.size >= newest.size) {
            self.receipt = Some(receipt);
        }
    }
}

/// False where there is no room: something is then forgotten, and a shim that forgot can't vouch.
fn keep(refs: &mut Vec<Ref>, reference: Ref) -> bool {
    if refs.contains(&reference) {
        return true;
    }
    if refs.len() == REFS {
        return false;
    }
    refs.push(reference);
    true
}

/// True where the action that an answer names may still be dispatched, or may have been.
fn is_open(outcome: Outcome) -> bool {
    match outcome {
        Outcome::Completed | Outcome::RetrySafe | Outcome::Denied | Outcome::Invalid => false,
        Outcome::ApprovalPending
        | Outcome::ReauthRequired
        | Outcome::StatusUnknown
        | Outcome::VaultLocked
        | Outcome::UnverifiedRequester
        | Outcome::GatewayUnavailable => true,
    }
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "tests")]
    use super::*;
    use lychgate_core::ids::Digest;

    const A: Ref = Ref([1; 16]);
    const B: Ref = Ref([2; 16]);

    fn receipt(size: u64) -> Receipt {
        Receipt { size, root: Digest([0; 32]), row: None, note: String::new() }
    }

    fn answer(outcome: Outcome, action_id: Option<Ref>) -> Answer {
        Answer {
            outcome,
            reason: None,
            reasons: Vec::new(),
            action_id,
            run_id: None,
            changed: None,
            next: None,
            receipt: None,
            result: serde_json::Value::Null,
            text: String::new(),
        }
    }

    #[test]
    fn a_first_registration_claims_no_earlier_one() {
        assert_eq!(Memory::new().previous(), None);
    }

    #[test]
    fn the_largest_receipt_is_kept_also_when_a_smaller_one_comes_later() {
        let mut memory = Memory::new();
        memory.registered(RunId(1), BootNo(1));
        memory.noticed(A, B, receipt(9));
        memory.noticed(A, B, receipt(4));
        assert_eq!(memory.previous().unwrap().receipt.unwrap().size, 9);
    }

    #[test]
    fn an_unanswered_ref_and_its_notice_outlive_a_second_restart_until_its_fate_is_told() {
        let mut memory = Memory::new();
        memory.registered(RunId(1), BootNo(1));
        memory.noticed(A, B, receipt(1));
        memory.unanswered(B);
        memory.ended(true);
        memory.registered(RunId(2), BootNo(2));
        memory.ended(true);
        let previous = memory.previous().unwrap();
        assert_eq!((previous.run, previous.unanswered, previous.noticed), (RunId(2), vec![B], vec![A, B]));

        memory.registered(RunId(3), BootNo(3));
        memory.answered(None, &answer(Outcome::Invalid, Some(B)));
        assert_eq!(memory.previous().unwrap().unanswered, [B], "unknown to a question is no fate");
        memory.answered(None, &answer(Outcome::RetrySafe, Some(B)));
        memory.ended(true);
        memory.registered(RunId(4), BootNo(4));
        assert!(memory.previous().unwrap().unanswered.is_empty());
        assert!(memory.previous().unwrap().noticed.is_empty());
    }

    #[test]
    fn a_connection_not_read_to_its_end_taints_every_ref_that_is_still_open() {
        let mut memory = Memory::new();
        memory.registered(RunId(1), BootNo(1));
        memory.answered(Some(A), &answer(Outcome::ApprovalPending, Some(B)));
        memory.ended(false);
        memory.registered(RunId(2), BootNo(2));
        memory.ended(true);
        assert!(!memory.previous().unwrap().read_to_end);

        memory.answered(Some(A), &answer(Outcome::Denied, Some(B)));
        memory.registered(RunId(3), BootNo(3));
        assert!(memory.previous().unwrap().read_to_end, "nothing is open that the gap could concern");
    }

    #[test]
    fn a_shim_that_ran_out_of_room_does_not_vouch() {
        let mut memory = Memory::new();
        memory.registered(RunId(1), BootNo(1));
        for number in 0..=u32::try_from(REFS).unwrap() {
            let mut bytes = [7; 16];
            bytes.get_mut(..4).unwrap().copy_from_slice(&number.to_le_bytes());
            memory.unanswered(Ref(bytes));
        }
        memory.ended(true);
        assert!(!memory.previous().unwrap().read_to_end);
    }
}
