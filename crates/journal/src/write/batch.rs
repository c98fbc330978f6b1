//! Rows that go out together, and what becomes of them.

use super::cause::Cause;
use super::pending::Promise;
use crate::error::JournalError;
use crate::format::clear::FailedCommit;
use crate::format::note::Point;
use crate::format::payload;
use crate::format::tree::{Hash, Tree};
use crate::protocol::{Carry, Undo};
use lychgate_core::event::RowKind;
use lychgate_core::ids::{GrantNo, Ref, WallTime};
use lychgate_core::proof::JournalAck;
use std::path::PathBuf;
use zeroize::Zeroizing;

/// Rows that go out with the next write.
pub(crate) struct Batch {
    pub(super) bytes: Vec<u8>,
    pub(super) tree: Tree,
    pub(super) last_leaf: Hash,
    pub(super) undo: Vec<Undo>,
    pub(super) waiting: Vec<(Promise, Written)>,
    pub(super) gating: bool,
}

/// What an ack will say.
#[derive(Debug, Clone, Copy)]
pub(super) struct Written {
    pub(super) kind: RowKind,
    pub(super) seq: u64,
    pub(super) leaf: Hash,
    pub(super) reference: Ref,
    pub(super) grant: GrantNo,
    pub(super) epoch: u64,
}

/// A row before it is sealed.
pub(crate) struct Unsealed {
    pub(crate) kind: RowKind,
    pub(crate) epoch: u64,
    pub(crate) grant: GrantNo,
    pub(crate) reference: Ref,
    pub(crate) payload: Zeroizing<Vec<u8>>,
}

impl Unsealed {
    /// A row of the journal's own.
    pub(super) fn own(kind: RowKind, at: WallTime, cause: Cause) -> Result<Self, JournalError> {
        let payload = payload::encode(at, &cause.event()).map_err(|_| JournalError::TooLarge)?;
        Ok(Self { kind, epoch: 0, grant: GrantNo::NONE, reference: Ref::NONE, payload })
    }
}

/// The last durable COMMIT, for receipts.
pub(crate) struct Durable {
    pub(crate) point: Point,
    pub(crate) segment: u64,
    pub(crate) path: PathBuf,
    pub(crate) offset: u64,
    pub(crate) key_id: [u8; 4],
    pub(crate) signature: [u8; 64],
}

/// A batch that is durable, and who waits to hear it.
pub(crate) struct Synced {
    pub(crate) durable: Durable,
    pub(crate) acks: Vec<(Promise, JournalAck)>,
}

/// A batch that did not become durable.
pub(crate) struct Failure {
    pub(crate) why: String,
    pub(crate) failed: FailedCommit,
    pub(crate) batch: Batch,
}

impl Batch {
    pub(crate) fn is_empty(&self) -> bool {
        self.undo.is_empty()
    }

    pub(crate) fn rows(&self) -> usize {
        self.undo.len()
    }

    pub(crate) fn bytes(&self) -> usize {
        self.bytes.len()
    }

    /// A row that somebody waits for is in it.
    pub(crate) fn is_gating(&self) -> bool {
        self.gating
    }

    /// Takes the batch back: the state is that of the last durable COMMIT again. Whoever waits must hear an error.
    pub(crate) fn take_back(self, carry: &mut Carry) -> Vec<Promise> {
        for undo in self.undo.into_iter().rev() {
            carry.undo(undo);
        }
        self.waiting.into_iter().map(|(promise, _)| promise).collect()
    }
}
