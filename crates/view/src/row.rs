//! A row as the viewer sees it.

use lychgate_core::event::{Event, RowKind};
use lychgate_core::ids::{BootNo, Digest, GrantNo, Ref, WallTime};
use lychgate_text::words;

/// Why the sealed part of a row could not be read. The row itself is genuine: its segment was verified.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum Unreadable {
    /// The key of its opening could not be had with this audit key.
    #[error("{}", words().view().row_opening)]
    Opening,
    /// The row does not open under the key of its place, or commits to another key.
    #[error("{}", words().view().row_seal)]
    Seal,
    /// It opened, and what is in it is no event that this version knows.
    #[error("{}", words().view().row_payload)]
    Payload,
}

impl Unreadable {
    /// As it stands in a line of the view, the same in every language.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::Opening => "opening_does_not_open",
            Self::Seal => "row_does_not_open",
            Self::Payload => "unknown_event",
        }
    }
}

/// One row: what stands in the clear, and what was sealed.
#[derive(Debug, Clone, PartialEq)]
pub struct ViewedRow {
    /// Sequence number.
    pub seq: u64,
    /// Kind.
    pub kind: RowKind,
    /// Gateway lifetime.
    pub boot: BootNo,
    /// Vault epoch; 0 in the journal's own rows.
    pub epoch: u64,
    /// Grant or none.
    pub grant: GrantNo,
    /// Action or none.
    pub reference: Ref,
    /// Leaf hash.
    pub leaf: Digest,
    /// Wall clock and event, or why they can't be read.
    pub sealed: Result<(WallTime, Event), Unreadable>,
}

impl ViewedRow {
    /// Wall clock, where the row could be read.
    #[must_use]
    pub fn at(&self) -> Option<WallTime> {
        self.sealed.as_ref().ok().map(|(at, _)| *at)
    }

    /// Event, where the row could be read.
    #[must_use]
    pub fn event(&self) -> Option<&Event> {
        self.sealed.as_ref().ok().map(|(_, event)| event)
    }

    /// True for rows that the journal writes about itself.
    #[must_use]
    pub fn is_own(&self) -> bool {
        match self.kind {
            RowKind::SegmentOpen | RowKind::SegmentClose | RowKind::Recovery | RowKind::Rekey | RowKind::Anchor => true,
            RowKind::Grant
            | RowKind::Revoke
            | RowKind::Intent
            | RowKind::Dispatch
            | RowKind::Final
            | RowKind::Abort
            | RowKind::Unobserved
            | RowKind::Event => false,
        }
    }
}
