//! The segment that is being written: staging rows, and making a batch durable.

use super::batch::{Batch, Durable, Failure, Synced, Unsealed, Written};
use super::next_key::NextKey;
use super::pending::Promise;
use super::rows;
use super::storage::{SegmentFile, Storage};
use crate::error::JournalError;
use crate::format::clear::FailedCommit;
use crate::format::entry::{Commit, Header};
use crate::format::frame::{framed_len, write_frame};
use crate::format::keys::KeyPair;
use crate::format::log::Log;
use crate::format::note::{Point, checkpoint_text};
use crate::format::ratchet::Chain;
use crate::format::tree::{Hash, Tree, leaf_hash};
use crate::protocol::Carry;
use crate::random::Random;
use lychgate_core::ids::{BootNo, Digest};
use lychgate_core::proof::JournalAck;
use std::path::{Path, PathBuf};

/// Kept free in every segment: a REKEY, a CLOSE and their COMMITs always fit.
pub(super) const RESERVE_BYTES: usize = 8 * 1024;
/// Bytes of the largest clear data that a row has which is not in the reserve: an ANCHOR's.
const ANCHOR_CLEAR_BYTES: usize = 160;

/// What every step needs from around it.
pub(crate) struct Tools<'a> {
    pub(crate) dir: &'a Path,
    pub(crate) log: &'a Log,
    pub(crate) storage: &'a dyn Storage,
    pub(crate) random: &'a mut dyn Random,
    pub(crate) keys: &'a mut NextKey,
}

/// Where a new segment begins.
#[derive(Debug, Clone)]
pub(crate) struct Start {
    pub(crate) segment: u64,
    pub(crate) boot: BootNo,
    pub(crate) tree: Tree,
    pub(crate) last_leaf: Hash,
    pub(crate) carry: Carry,
}

/// The segment that is being written. Tree, leaf and offset are those of the last durable COMMIT; they never run ahead
/// of the file.
pub(crate) struct Head {
    pub(crate) segment: u64,
    pub(crate) boot: BootNo,
    pub(crate) path: PathBuf,
    pub(crate) file: Box<dyn SegmentFile>,
    pub(crate) offset: u64,
    pub(crate) tree: Tree,
    pub(crate) last_leaf: Hash,
    /// Includes the rows of the batch that is being gathered.
    pub(crate) carry: Carry,
    pub(super) open_leaf: Hash,
    pub(super) capacity: u64,
    pub(super) key: KeyPair,
    pub(super) key_id: [u8; 4],
    pub(super) chain: Chain,
    pub(super) rows_in_opening: u32,
    pub(super) opened_ms: u64,
}

impl Head {
    /// An empty batch that continues the last durable COMMIT.
    pub(crate) fn batch(&self) -> Batch {
        Batch {
            bytes: Vec::with_capacity(4096),
            tree: self.tree.clone(),
            last_leaf: self.last_leaf,
            undo: Vec::new(),
            waiting: Vec::new(),
            gating: false,
        }
    }

    /// True where a row of this payload length still fits behind `batch`.
    pub(crate) fn has_room(&self, batch: &Batch, payload_len: usize) -> bool {
        let row = framed_len(rows::entry_len(ANCHOR_CLEAR_BYTES, payload_len));
        self.offset + (batch.bytes.len() + row + RESERVE_BYTES) as u64 <= self.capacity
    }

    /// Adds a row of the gateway's.
    pub(crate) fn stage_row(
        &mut self,
        tools: &mut Tools<'_>,
        batch: &mut Batch,
        row: Unsealed,
        promise: &mut Option<Promise>,
    ) -> Result<(), JournalError> {
        self.stage(tools, batch, row, Some(promise), 0, |_, _| Vec::new())
    }

    /// Seals one row behind `batch`. `promise` is taken only where the row went in.
    pub(super) fn stage(
        &mut self,
        tools: &mut Tools<'_>,
        batch: &mut Batch,
        row: Unsealed,
        promise: Option<&mut Option<Promise>>,
        clear_len: usize,
        clear: impl FnOnce(&Header, &KeyPair) -> Vec<u8>,
    ) -> Result<(), JournalError> {
        let mut salt = [0; 16];
        tools.random.fill(&mut salt).map_err(|_| JournalError::Random)?;
        let header = Header {
            kind: row.kind,
            seq: batch.tree.size(),
            prev_leaf: batch.last_leaf,
            boot: self.boot,
            epoch: row.epoch,
            grant: row.grant,
            reference: row.reference,
            salt,
            kcommit: [0; 32],
            clear_len: u32::try_from(clear_len).map_err(|_| JournalError::TooLarge)?,
        };
        let seq = header.seq;
        let undo = self.carry.apply(&header)?;
        let key = &self.key;
        let Some(entry) = rows::seal(&mut self.chain, header, &row.payload, |header| clear(header, key)) else {
            self.carry.undo(undo);
            return Err(JournalError::TooLarge);
        };
        let leaf = leaf_hash(&entry);
        if let Some(promise) = promise.and_then(Option::take) {
            let Unsealed { kind, epoch, grant, reference, .. } = row;
            batch.waiting.push((promise, Written { kind, seq, leaf, reference, grant, epoch }));
        }
        write_frame(&mut batch.bytes, &entry);
        batch.tree.push(leaf);
        batch.last_leaf = leaf;
        batch.undo.push(undo);
        batch.gating |= row.kind.is_gating();
        self.rows_in_opening += 1;
        Ok(())
    }

    /// Writes the batch with its COMMIT and makes it durable. This is the place where acks are made.
    ///
    /// On an error nothing is known about the bytes: the batch comes back, and this segment must not be written again.
    pub(crate) fn commit(&mut self, log: &Log, mut batch: Batch) -> Result<Synced, Box<Failure>> {
        let point = Point { size: batch.tree.size(), root: batch.tree.root() };
        let signature = self.key.sign(checkpoint_text(&log.origin, &point).as_bytes());
        let commit =
            Commit { first: self.tree.size(), size: point.size, root: point.root, key_id: self.key_id, signature };
        write_frame(&mut batch.bytes, &commit.encode());
        let written = self.file.write_at(&batch.bytes, self.offset).and_then(|()| self.file.sync());
        if let Err(error) = written {
            let failed = FailedCommit { size: point.size, root: point.root };
            return Err(Box::new(Failure { why: error.to_string(), failed, batch }));
        }
        self.offset += batch.bytes.len() as u64;
        self.tree = batch.tree;
        self.last_leaf = batch.last_leaf;
        let durable = Durable {
            point,
            segment: self.segment,
            path: self.path.clone(),
            offset: self.offset,
            key_id: self.key_id,
            signature,
        };
        let acks = batch.waiting.into_iter().map(|(promise, row)| {
            // INVARIANT: the one place where an ack is made; `sync` of the bytes that hold the row returned success.
            let leaf = Digest(row.leaf);
            (promise, JournalAck::synced(row.kind, row.seq, leaf, row.reference, row.grant, row.epoch))
        });
        Ok(Synced { durable, acks: acks.collect() })
    }
}

pub(super) fn boottime_ms() -> u64 {
    let now = rustix::time::clock_gettime(rustix::time::ClockId::Boottime);
    let seconds = u64::try_from(now.tv_sec).unwrap_or_default();
    seconds * 1000 + u64::try_from(now.tv_nsec).unwrap_or_default() / 1_000_000
}
