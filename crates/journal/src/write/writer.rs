//! The one thread that writes. Rows come in the order in which they were handed over; what arrives during one
//! `fdatasync` forms the next batch.

use super::batch::{Batch, Failure, Synced, Unsealed};
use super::cause::Cause;
use super::head::{Head, Start, Tools};
use super::next_key::NextKey;
use super::pending::Promise;
use super::storage::{SegmentFile, Storage};
use crate::error::JournalError;
use crate::format::clear::{FailedCommit, Recovery};
use crate::format::keys::VaultSigner;
use crate::format::log::Log;
use crate::format::payload;
use crate::random::Random;
use crate::shared::Shared;
use lychgate_core::event::RowDraft;
use lychgate_core::ids::WallTime;
use lychgate_seal::durable::Lock;
use sha2::{Digest as _, Sha256};
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError, TryRecvError};
use std::time::{Duration, Instant};

/// How long a batch of EVENT rows alone waits for company.
const RIDE_ALONG: Duration = Duration::from_millis(50);
/// A batch is written when it has so many rows.
const BATCH_ROWS: usize = 1024;
/// Or so many bytes.
const BATCH_BYTES: usize = 1024 * 1024;

/// What the writer is asked to do.
pub(crate) enum Order {
    Row(Box<RowDraft>, Promise),
    Anchor(Box<dyn VaultSigner + Send>, WallTime, Promise),
    Close(WallTime, Promise),
}

/// Everything the writer has for itself.
pub(crate) struct Writer {
    pub(crate) dir: PathBuf,
    pub(crate) log: Arc<Log>,
    pub(crate) storage: Box<dyn Storage>,
    pub(crate) random: Box<dyn Random>,
    pub(crate) keys: NextKey,
    pub(crate) shared: Arc<Shared>,
    pub(crate) state: State,
    /// Held until the thread ends.
    pub(crate) _lock: Lock,
}

/// Whether there is a segment to write to.
pub(crate) enum State {
    Live(Box<Head>),
    Broken(Box<Broken>),
    Closed,
}

/// A segment whose write or sync failed. It is never written again, only cut.
pub(crate) struct Broken {
    file: Box<dyn SegmentFile>,
    offset: u64,
    /// Where the next one begins.
    start: Start,
    failed: Option<FailedCommit>,
    /// It has its CLOSE: the next one begins without a RECOVERY.
    closed: bool,
}

impl Writer {
    /// Runs until the journal is closed or its handle is gone. Without a CLOSE the log looks like after a crash.
    pub(crate) fn run(mut self, orders: &Receiver<Order>) {
        while let Ok(first) = orders.recv() {
            let mut gathered = self.batch();
            self.take(first, &mut gathered);
            self.gather(orders, &mut gathered);
            self.flush(gathered);
            if matches!(self.state, State::Closed) {
                return;
            }
        }
    }

    /// Takes in what is waiting; a batch that nobody waits for stays open a little longer.
    fn gather(&mut self, orders: &Receiver<Order>, gathered: &mut Option<Batch>) {
        let deadline = Instant::now() + RIDE_ALONG;
        loop {
            let Some(batch) = gathered.as_ref() else { return };
            if batch.rows() >= BATCH_ROWS || batch.bytes() >= BATCH_BYTES {
                return;
            }
            let patient = !batch.is_empty() && !batch.is_gating();
            let next = match orders.try_recv() {
                Ok(order) => order,
                Err(TryRecvError::Disconnected) => return,
                Err(TryRecvError::Empty) if !patient => return,
                Err(TryRecvError::Empty) => {
                    match orders.recv_timeout(deadline.saturating_duration_since(Instant::now())) {
                        Ok(order) => order,
                        Err(RecvTimeoutError::Timeout | RecvTimeoutError::Disconnected) => return,
                    }
                }
            };
            self.take(next, gathered);
        }
    }

    fn batch(&self) -> Option<Batch> {
        match &self.state {
            State::Live(head) => Some(head.batch()),
            State::Broken(_) | State::Closed => None,
        }
    }

    fn take(&mut self, order: Order, gathered: &mut Option<Batch>) {
        let (result, promise) = match order {
            Order::Row(draft, promise) => {
                let mut promise = Some(promise);
                (self.take_row(*draft, gathered, &mut promise), promise)
            }
            Order::Anchor(signer, at, promise) => {
                let mut promise = Some(promise);
                (self.take_anchor(signer.as_ref(), at, gathered, &mut promise), promise)
            }
            Order::Close(at, promise) => {
                let mut promise = Some(promise);
                (self.close(at, gathered, &mut promise), promise)
            }
        };
        if let (Err(error), Some(promise)) = (result, promise) {
            promise.resolve(Err(error));
        }
    }

    fn take_row(
        &mut self,
        draft: RowDraft,
        gathered: &mut Option<Batch>,
        promise: &mut Option<Promise>,
    ) -> Result<(), JournalError> {
        use lychgate_core::event::RowKind as K;
        let of_journal = matches!(draft.kind, K::SegmentOpen | K::SegmentClose | K::Recovery | K::Rekey | K::Anchor);
        if of_journal {
            return Err(JournalError::Protocol(crate::protocol::Violation::OwnRow));
        }
        let payload = payload::encode(draft.at, &draft.event).map_err(|_| JournalError::TooLarge)?;
        self.make_room(payload.len(), draft.at, gathered)?;
        let row =
            Unsealed { kind: draft.kind, epoch: draft.epoch, grant: draft.grant, reference: draft.reference, payload };
        let (head, mut tools, batch) = self.parts(gathered)?;
        head.rekey_if_due(&mut tools, batch, draft.at)?;
        head.stage_row(&mut tools, batch, row, promise)
    }

    fn take_anchor(
        &mut self,
        signer: &dyn VaultSigner,
        at: WallTime,
        gathered: &mut Option<Batch>,
        promise: &mut Option<Promise>,
    ) -> Result<(), JournalError> {
        if signer.public() != self.log.vault_key {
            return Err(JournalError::OtherVault);
        }
        self.make_room(payload_of_own_rows(), at, gathered)?;
        let (head, mut tools, batch) = self.parts(gathered)?;
        head.stage_anchor(&mut tools, batch, signer, at, promise)
    }

    /// Closes the segment and cuts its file: the log is whole and ended.
    fn close(
        &mut self,
        at: WallTime,
        gathered: &mut Option<Batch>,
        promise: &mut Option<Promise>,
    ) -> Result<(), JournalError> {
        let staged = {
            let (head, mut tools, batch) = self.parts(gathered)?;
            head.stage_close(&mut tools, batch, at, Cause::GatewayStopped, Some(promise))
        };
        if staged.is_ok() {
            self.flush(gathered.take());
            if let State::Live(head) = &self.state {
                // Where this fails the zeroed rest stays, which is as good; the next start cuts it.
                let _ = head.file.cut(head.offset);
            }
        }
        *gathered = None;
        self.state = State::Closed;
        staged
    }

    /// A live segment with room for one more row of this length.
    fn make_room(
        &mut self,
        payload_len: usize,
        at: WallTime,
        gathered: &mut Option<Batch>,
    ) -> Result<(), JournalError> {
        if payload_len as u64 > self.log.segment_bytes / 4 {
            return Err(JournalError::TooLarge);
        }
        if matches!(self.state, State::Broken(_)) {
            self.heal(at)?;
        }
        if gathered.is_none() {
            *gathered = self.batch();
        }
        let full = match (&self.state, gathered.as_ref()) {
            (State::Live(head), Some(batch)) => !head.has_room(batch, payload_len),
            _ => false,
        };
        if full {
            self.rotate(at, gathered)?;
        }
        match (&self.state, gathered.as_ref()) {
            (State::Live(head), Some(batch)) if head.has_room(batch, payload_len) => Ok(()),
            (State::Live(_), _) => Err(JournalError::TooLarge),
            (State::Broken(_), _) => Err(JournalError::segment_failed()),
            (State::Closed, _) => Err(JournalError::Closed),
        }
    }

    /// CLOSE, cut, next OPEN.
    fn rotate(&mut self, at: WallTime, gathered: &mut Option<Batch>) -> Result<(), JournalError> {
        {
            let (head, mut tools, batch) = self.parts(gathered)?;
            head.stage_close(&mut tools, batch, at, Cause::SegmentFull, None)?;
        }
        self.flush(gathered.take());
        // Where the CLOSE could not be written, the segment is broken already and the next one begins with a RECOVERY.
        self.retire(None, true);
        self.heal(at)?;
        *gathered = self.batch();
        Ok(())
    }

    /// Opens the segment after the one that ended. Tried again with each row until it succeeds.
    fn heal(&mut self, at: WallTime) -> Result<(), JournalError> {
        let State::Broken(broken) = &self.state else { return Ok(()) };
        broken.file.cut(broken.offset).map_err(|error| JournalError::NotDurable(error.to_string()))?;
        let recovery = (!broken.closed).then(|| Recovery {
            segment: broken.start.segment - 1,
            size: broken.start.tree.size(),
            root: broken.start.tree.root(),
            offset: broken.offset,
            tail_len: 0,
            tail_hash: Sha256::digest([]).into(),
            failed: broken.failed,
        });
        let start = broken.start.clone();
        let cause = if broken.closed { Cause::SegmentFull } else { Cause::SegmentFailed };
        let (head, durable) = Head::open(&mut self.tools(), start, recovery.as_ref(), at, cause)?;
        self.state = State::Live(Box::new(head));
        self.shared.publish(durable);
        Ok(())
    }

    /// Makes the batch durable and answers everybody in it.
    fn flush(&mut self, gathered: Option<Batch>) {
        let Some(batch) = gathered.filter(|batch| !batch.is_empty()) else { return };
        let State::Live(head) = &mut self.state else { return };
        match head.commit(&self.log, batch) {
            Ok(Synced { durable, acks }) => {
                // Published first: whoever hears of a row can have a receipt that covers it.
                self.shared.publish(durable);
                for (promise, ack) in acks {
                    promise.resolve(Ok(ack));
                }
            }
            Err(failure) => {
                let Failure { why, failed, batch } = *failure;
                let waiting = batch.take_back(&mut head.carry);
                self.retire(Some(failed), false);
                for promise in waiting {
                    promise.resolve(Err(JournalError::NotDurable(why.clone())));
                }
            }
        }
    }

    /// The live segment, if any, is written no more. What may have reached the disk behind its end is cut at once, lest a
    /// verification sees rows that nobody was told of; where that fails, it is tried again before the next segment.
    fn retire(&mut self, failed: Option<FailedCommit>, closed: bool) {
        self.state = match std::mem::replace(&mut self.state, State::Closed) {
            State::Live(head) => {
                let _ = head.file.cut(head.offset);
                State::Broken(Box::new(Broken::of(*head, failed, closed)))
            }
            other => other,
        };
    }

    fn parts<'a>(
        &'a mut self,
        gathered: &'a mut Option<Batch>,
    ) -> Result<(&'a mut Head, Tools<'a>, &'a mut Batch), JournalError> {
        let Self { dir, log, storage, random, keys, state, .. } = self;
        match (state, gathered) {
            (State::Live(head), Some(batch)) => {
                let tools = Tools { dir, log, storage: &**storage, random: &mut **random, keys };
                Ok((head, tools, batch))
            }
            (State::Closed, _) => Err(JournalError::Closed),
            (State::Live(_) | State::Broken(_), _) => Err(JournalError::segment_failed()),
        }
    }

    fn tools(&mut self) -> Tools<'_> {
        Tools {
            dir: &self.dir,
            log: &self.log,
            storage: self.storage.as_ref(),
            random: self.random.as_mut(),
            keys: &mut self.keys,
        }
    }
}

impl Broken {
    /// The head as of its last durable COMMIT. Its keys are dropped.
    fn of(head: Head, failed: Option<FailedCommit>, closed: bool) -> Self {
        let start = Start {
            segment: head.segment + 1,
            boot: head.boot,
            tree: head.tree,
            last_leaf: head.last_leaf,
            carry: head.carry,
        };
        Self { file: head.file, offset: head.offset, start, failed, closed }
    }
}

/// The causes of the journal's own rows fit this bucket.
fn payload_of_own_rows() -> usize {
    256
}
