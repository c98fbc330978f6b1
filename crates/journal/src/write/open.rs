//! Beginning a segment.

use super::batch::{Batch, Durable, Unsealed};
use super::cause::Cause;
use super::head::{Head, RESERVE_BYTES, Start, Tools, boottime_ms};
use super::next_key::NextKey;
use crate::error::{BadNextKey, JournalError};
use crate::format::clear::{Open, Recovery};
use crate::format::keys::KeyPair;
use crate::format::note::key_id;
use crate::format::ratchet::{Opening, open_to};
use crate::format::recipient::ENC_BYTES;
use crate::read::directory::segment_path;
use lychgate_core::event::RowKind;
use lychgate_core::ids::WallTime;
use std::path::Path;

impl Head {
    /// Begins the next segment: keys first, then OPEN (and RECOVERY) with their COMMIT in a file of another name, then
    /// the name. So a segment that has its name has a durable OPEN, and what an interrupted attempt left is none.
    pub(crate) fn open(
        tools: &mut Tools<'_>,
        start: Start,
        recovery: Option<&Recovery>,
        at: WallTime,
        cause: Cause,
    ) -> Result<(Self, Durable), JournalError> {
        let key = prepare_keys(tools, start.segment)?;
        let new_path = segment_path(tools.dir, start.tree.size()).with_extension("lgj.new");
        let (mut head, enc) = Self::begin(tools, start, key, &new_path)?;
        let mut batch = head.batch();
        head.stage_open(tools, &mut batch, enc, at, cause)?;
        if let Some(recovery) = recovery {
            let clear = recovery.encode();
            let row = Unsealed::own(RowKind::Recovery, at, Cause::NotClosed)?;
            head.stage(tools, &mut batch, row, None, clear.len(), |_, _| clear)?;
        }
        if batch.bytes.len() + RESERVE_BYTES > usize::try_from(head.capacity).unwrap_or(usize::MAX) {
            return Err(JournalError::TooLarge);
        }
        let synced = head.commit(tools.log, batch).map_err(|failure| JournalError::NotDurable(failure.why))?;
        tools.storage.publish(&new_path, &head.path).map_err(not_durable)?;
        forget_on_disk(tools.keys)?;
        Ok((head, synced.durable))
    }

    /// The head of a segment without a row, in a new file at `file`; and the encapsulated key for its OPEN.
    fn begin(tools: &mut Tools<'_>, start: Start, key: KeyPair, file: &Path) -> Result<(Self, Vec<u8>), JournalError> {
        let first_seq = start.tree.size();
        let opening = Opening {
            log_id: tools.log.id,
            segment: start.segment,
            opening: 0,
            first_seq,
            prev_root: start.tree.root(),
            segment_key: key.public(),
        };
        let (enc, chain) = open_to(&tools.log.recipient, opening, tools.random).map_err(|_| JournalError::Random)?;
        let head = Self {
            segment: start.segment,
            boot: start.boot,
            path: segment_path(tools.dir, first_seq),
            file: tools.storage.create(file, tools.log.segment_bytes).map_err(not_durable)?,
            offset: 0,
            tree: start.tree,
            last_leaf: start.last_leaf,
            carry: start.carry,
            open_leaf: [0; 32],
            capacity: tools.log.segment_bytes,
            key_id: key_id(&tools.log.origin.segment_name(), &key.public()),
            key,
            chain,
            rows_in_opening: 0,
            opened_ms: boottime_ms(),
        };
        Ok((head, enc))
    }

    fn stage_open(
        &mut self,
        tools: &mut Tools<'_>,
        batch: &mut Batch,
        enc: Vec<u8>,
        at: WallTime,
        cause: Cause,
    ) -> Result<(), JournalError> {
        debug_assert_eq!(enc.len(), ENC_BYTES);
        let mut open = Open {
            log_id: tools.log.id,
            segment: self.segment,
            key: self.key.public(),
            next_key: tools.keys.next.public(),
            recipient: tools.log.recipient.digest(),
            prev_root: self.tree.root(),
            range: self.tree.range().to_vec(),
            carry: self.carry.clone(),
            enc,
            signature: [0; 64],
        };
        let row = Unsealed::own(RowKind::SegmentOpen, at, cause)?;
        self.stage(tools, batch, row, None, open.encode().len(), |header, key| {
            open.signature = key.sign(&open.signed(header));
            open.encode()
        })?;
        self.open_leaf = batch.last_leaf;
        Ok(())
    }
}

/// Makes the key of segment `segment` the current one, with its successor durable before it signs anything.
fn prepare_keys(tools: &mut Tools<'_>, segment: u64) -> Result<KeyPair, JournalError> {
    let keys = &mut *tools.keys;
    if keys.segment == segment {
        keys.advance(tools.random)?;
    } else if keys.segment == segment + 1 && keys.current.is_some() {
        // An earlier attempt to open this segment did not get through. What it wrote on disk is not known.
        keys.store()?;
    }
    match &keys.current {
        Some(current) if keys.segment == segment + 1 => Ok(KeyPair::from_seed(current.seed())),
        _ => Err(BadNextKey::OtherSegment { of: keys.segment, wanted: segment }.into()),
    }
}

/// The OPEN is durable: from here on the segment's key lives in memory alone.
fn forget_on_disk(keys: &mut NextKey) -> Result<(), JournalError> {
    let on_disk = keys.current.take();
    keys.store().inspect_err(|_| keys.current = on_disk)
}

fn not_durable(error: std::io::Error) -> JournalError {
    JournalError::NotDurable(error.to_string())
}
