//! The protocol over clear fields: which row may follow which. Pure.
//!
//! Per ref: one INTENT, then at most one DISPATCH, then at most one end. FINAL and UNOBSERVED need the DISPATCH, ABORT
//! does not. A DISPATCH names a live GRANT of its own boot and epoch, and happens in the boot of its INTENT. A new boot
//! ends all grants. The writer refuses a row that breaks this; a verifier finds one that does.

use crate::finding::findings;
use crate::format::entry::Header;
use lychgate_core::event::RowKind;
use lychgate_core::ids::{BootNo, GrantNo, Ref};
use std::collections::BTreeMap;

/// An action with an INTENT and no end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct OpenAction {
    /// Boot of its INTENT.
    pub boot: BootNo,
    /// Epoch of its last row.
    pub epoch: u64,
    /// Grant of its last row.
    pub grant: GrantNo,
    /// It has a DISPATCH.
    pub dispatched: bool,
}

/// What the protocol must remember: small, and repeated in every OPEN.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Carry {
    /// Highest grant number of this boot so far.
    pub last_grant: u32,
    /// Live grants of this boot, with their epochs.
    pub grants: BTreeMap<GrantNo, u64>,
    /// Actions without an end.
    pub actions: BTreeMap<Ref, OpenAction>,
}

findings! {
    /// Why a row breaks the protocol.
    pub enum Violation in protocol {
        /// A row of an action names none.
        NoRef: Protocol, "row-without-action", no_ref;
        /// A second INTENT.
        IntentAgain: Protocol, "intent-again", intent_again;
        /// DISPATCH or end without an open INTENT.
        NotOpen: Protocol, "action-not-open", not_open;
        /// A second DISPATCH.
        DispatchAgain: Protocol, "dispatch-again", dispatch_again;
        /// A DISPATCH in another boot than its INTENT's.
        OtherBoot: Protocol, "dispatch-other-boot", other_boot;
        /// A DISPATCH whose grant is unknown, ended, or of another boot.
        NoGrant: Protocol, "dispatch-without-grant", no_grant;
        /// A DISPATCH whose grant is of another epoch.
        OtherEpoch: Protocol, "dispatch-other-epoch", other_epoch;
        /// FINAL or UNOBSERVED without a DISPATCH.
        NotDispatched: Protocol, "end-without-dispatch", not_dispatched;
        /// A GRANT or REVOKE with number 0.
        NoGrantNumber: Protocol, "grant-without-number", no_grant_number;
        /// A GRANT whose number does not rise.
        GrantNotRising: Protocol, "grant-not-rising", grant_not_rising;
        /// One of the journal's own rows names epoch, grant or action.
        OwnRow: Protocol, "own-row-names-action", own_row;
    }
}

/// How to take one row back, after a batch that did not become durable.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Undo {
    Nothing,
    Action(Ref, Option<OpenAction>),
    Grant(GrantNo, Option<u64>, u32),
}

impl Carry {
    /// Nothing happened yet.
    #[must_use]
    pub fn empty() -> Self {
        Self { last_grant: 0, grants: BTreeMap::new(), actions: BTreeMap::new() }
    }

    /// The state with which a new boot begins: its actions are still open, its grants are gone.
    #[must_use]
    pub fn into_new_boot(self) -> Self {
        Self { last_grant: 0, grants: BTreeMap::new(), actions: self.actions }
    }

    /// Takes one row in.
    ///
    /// # Errors
    /// [`Violation`]; the state is unchanged then.
    pub(crate) fn apply(&mut self, row: &Header) -> Result<Undo, Violation> {
        match row.kind {
            RowKind::SegmentOpen | RowKind::SegmentClose | RowKind::Recovery | RowKind::Rekey | RowKind::Anchor => {
                let plain = row.epoch == 0 && row.grant == GrantNo::NONE && row.reference == Ref::NONE;
                if plain { Ok(Undo::Nothing) } else { Err(Violation::OwnRow) }
            }
            RowKind::Event => Ok(Undo::Nothing),
            RowKind::Grant => self.grant(row),
            RowKind::Revoke => self.revoke(row),
            RowKind::Intent => self.intent(row),
            RowKind::Dispatch => self.dispatch(row),
            RowKind::Final | RowKind::Unobserved => self.end(row, true),
            RowKind::Abort => self.end(row, false),
        }
    }

    /// Takes a row back. Rows must be taken back in reverse order.
    pub(crate) fn undo(&mut self, undo: Undo) {
        match undo {
            Undo::Nothing => {}
            Undo::Action(reference, Some(before)) => {
                self.actions.insert(reference, before);
            }
            Undo::Action(reference, None) => {
                self.actions.remove(&reference);
            }
            Undo::Grant(grant, before, last_grant) => {
                self.last_grant = last_grant;
                match before {
                    Some(epoch) => self.grants.insert(grant, epoch),
                    None => self.grants.remove(&grant),
                };
            }
        }
    }

    fn grant(&mut self, row: &Header) -> Result<Undo, Violation> {
        if row.grant == GrantNo::NONE {
            return Err(Violation::NoGrantNumber);
        }
        // Rising, not by one: numbers of a batch that failed are never used again.
        if row.grant.0 <= self.last_grant {
            return Err(Violation::GrantNotRising);
        }
        let undo = Undo::Grant(row.grant, None, self.last_grant);
        self.last_grant = row.grant.0;
        self.grants.insert(row.grant, row.epoch);
        Ok(undo)
    }

    /// Ending what has ended already is allowed: narrowing must never fail.
    fn revoke(&mut self, row: &Header) -> Result<Undo, Violation> {
        if row.grant == GrantNo::NONE {
            return Err(Violation::NoGrantNumber);
        }
        let before = self.grants.remove(&row.grant);
        Ok(Undo::Grant(row.grant, before, self.last_grant))
    }

    fn intent(&mut self, row: &Header) -> Result<Undo, Violation> {
        if row.reference == Ref::NONE {
            return Err(Violation::NoRef);
        }
        if self.actions.contains_key(&row.reference) {
            return Err(Violation::IntentAgain);
        }
        let action = OpenAction { boot: row.boot, epoch: row.epoch, grant: row.grant, dispatched: false };
        self.actions.insert(row.reference, action);
        Ok(Undo::Action(row.reference, None))
    }

    fn dispatch(&mut self, row: &Header) -> Result<Undo, Violation> {
        let before = self.open(row)?;
        if before.dispatched {
            return Err(Violation::DispatchAgain);
        }
        if before.boot != row.boot {
            return Err(Violation::OtherBoot);
        }
        let granted_in = *self.grants.get(&row.grant).ok_or(Violation::NoGrant)?;
        if granted_in != row.epoch {
            return Err(Violation::OtherEpoch);
        }
        let action = OpenAction { epoch: row.epoch, grant: row.grant, dispatched: true, ..before };
        self.actions.insert(row.reference, action);
        Ok(Undo::Action(row.reference, Some(before)))
    }

    fn end(&mut self, row: &Header, needs_dispatch: bool) -> Result<Undo, Violation> {
        let before = self.open(row)?;
        if needs_dispatch && !before.dispatched {
            return Err(Violation::NotDispatched);
        }
        self.actions.remove(&row.reference);
        Ok(Undo::Action(row.reference, Some(before)))
    }

    fn open(&self, row: &Header) -> Result<OpenAction, Violation> {
        if row.reference == Ref::NONE {
            return Err(Violation::NoRef);
        }
        self.actions.get(&row.reference).copied().ok_or(Violation::NotOpen)
    }
}

#[cfg(test)]
#[expect(clippy::unwrap_used, reason = "tests")]
mod tests {
    use super::*;
    use RowKind::{Abort, Dispatch, Final, Grant, Intent, Revoke, Unobserved};
    use proptest::prelude::*;

    fn row(kind: RowKind, boot: u32, epoch: u64, grant: u32, reference: u8) -> Header {
        Header {
            kind,
            seq: 0,
            prev_leaf: [0; 32],
            boot: BootNo(boot),
            epoch,
            grant: GrantNo(grant),
            reference: Ref([reference; 16]),
            salt: [0; 16],
            kcommit: [0; 32],
            clear_len: 0,
        }
    }

    fn after(rows: &[Header]) -> Result<Carry, Violation> {
        let mut carry = Carry::empty();
        for row in rows {
            carry.apply(row)?;
        }
        Ok(carry)
    }

    #[test]
    fn every_allowed_life_of_an_action_is_accepted() {
        let grant = row(Grant, 1, 5, 1, 0);
        let (intent, dispatch) = (row(Intent, 1, 5, 0, 7), row(Dispatch, 1, 5, 1, 7));
        for end in [Final, Abort, Unobserved] {
            let end = row(end, 1, 5, 1, 7);
            assert!(after(&[grant.clone(), intent.clone(), dispatch.clone(), end]).unwrap().actions.is_empty());
        }
        assert!(after(&[intent, row(Abort, 1, 5, 0, 7)]).unwrap().actions.is_empty());
    }

    #[test]
    fn every_forbidden_order_has_its_own_refusal() {
        let grant = row(Grant, 1, 5, 1, 0);
        let intent = row(Intent, 1, 5, 0, 7);
        let dispatch = row(Dispatch, 1, 5, 1, 7);
        let begun = [grant.clone(), intent.clone()];
        let sent = [grant.clone(), intent.clone(), dispatch.clone()];
        let with = |rows: &[Header], last: Header| after(&[rows, &[last]].concat()).unwrap_err();
        assert_eq!(with(&[], row(Intent, 1, 5, 0, 0)), Violation::NoRef);
        assert_eq!(with(&begun, intent.clone()), Violation::IntentAgain);
        assert_eq!(with(std::slice::from_ref(&grant), dispatch.clone()), Violation::NotOpen);
        assert_eq!(with(&sent, dispatch.clone()), Violation::DispatchAgain);
        assert_eq!(with(&begun, row(Final, 1, 5, 1, 7)), Violation::NotDispatched);
        assert_eq!(with(&begun, row(Unobserved, 1, 5, 1, 7)), Violation::NotDispatched);
        assert_eq!(with(&begun, row(Dispatch, 1, 5, 2, 7)), Violation::NoGrant);
        assert_eq!(with(&begun, row(Dispatch, 1, 6, 1, 7)), Violation::OtherEpoch);
        assert_eq!(with(&begun, row(Dispatch, 2, 5, 1, 7)), Violation::OtherBoot);
        assert_eq!(with(std::slice::from_ref(&grant), row(Grant, 1, 5, 1, 0)), Violation::GrantNotRising);
        assert_eq!(with(&[], row(Grant, 1, 5, 0, 0)), Violation::NoGrantNumber);
        assert_eq!(with(&[], row(RowKind::Anchor, 1, 5, 0, 0)), Violation::OwnRow);
        let revoked = [&begun[..], &[row(Revoke, 1, 5, 1, 0)]].concat();
        assert_eq!(with(&revoked, dispatch.clone()), Violation::NoGrant);
        let ended = [&sent[..], &[row(Final, 1, 5, 1, 7)]].concat();
        for kind in [Dispatch, Final, Abort, Unobserved] {
            assert_eq!(with(&ended, row(kind, 1, 5, 1, 7)), Violation::NotOpen);
        }
    }

    #[test]
    fn a_new_boot_ends_all_grants_and_keeps_unfinished_actions() {
        let before = after(&[row(Grant, 1, 5, 1, 0), row(Intent, 1, 5, 0, 7), row(Dispatch, 1, 5, 1, 7)]).unwrap();
        let mut carry = before.into_new_boot();
        assert_eq!(carry.apply(&row(Unobserved, 2, 6, 1, 7)).map(|_| ()), Ok(()));
        carry.apply(&row(Intent, 2, 6, 0, 8)).unwrap();
        assert_eq!(carry.apply(&row(Dispatch, 2, 5, 1, 8)).map(|_| ()), Err(Violation::NoGrant));
    }

    fn any_row() -> impl Strategy<Value = Header> {
        let kind = prop::sample::select(vec![Grant, Revoke, Intent, Dispatch, Final, Abort, Unobserved]);
        (kind, 1u64..3, 0u32..4, 0u8..4)
            .prop_map(|(kind, epoch, grant, reference)| row(kind, 1, epoch, grant, reference))
    }

    proptest! {
        #[test]
        fn taking_rows_back_gives_the_state_before_them(
            first in prop::collection::vec(any_row(), 0..20),
            second in prop::collection::vec(any_row(), 0..20),
        ) {
            let mut carry = Carry::empty();
            for row in &first {
                let _ = carry.apply(row);
            }
            let before = carry.clone();
            let undos: Vec<Undo> = second.iter().filter_map(|row| carry.apply(row).ok()).collect();
            for undo in undos.into_iter().rev() {
                carry.undo(undo);
            }
            prop_assert_eq!(carry, before);
        }
    }
}
