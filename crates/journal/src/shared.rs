//! What the writer's thread shows to everybody else: the last durable COMMIT. And the log key, for receipts.

use crate::format::keys::KeyPair;
use crate::format::log::Log;
use crate::format::note::{Point, checkpoint_text, key_id, signature_line};
use crate::write::batch::Durable;
use lychgate_core::ids::Digest;
use lychgate_core::receipt::{Receipt, ReceiptRow};
use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

pub(crate) struct Shared {
    log: Arc<Log>,
    log_key: KeyPair,
    durable: Mutex<Durable>,
    /// The newest note, since many answers share one COMMIT.
    note: Mutex<Option<(Point, String)>>,
}

/// How far the log is durable.
pub(crate) struct DurableEnd {
    pub(crate) point: Point,
    pub(crate) segment: u64,
    pub(crate) path: PathBuf,
    pub(crate) offset: u64,
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    // Both hold plain values that are replaced whole.
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Shared {
    pub(crate) fn new(log: Arc<Log>, log_key: KeyPair, durable: Durable) -> Self {
        Self { log, log_key, durable: Mutex::new(durable), note: Mutex::new(None) }
    }

    pub(crate) fn publish(&self, durable: Durable) {
        *lock(&self.durable) = durable;
    }

    pub(crate) fn end(&self) -> DurableEnd {
        let durable = lock(&self.durable);
        DurableEnd {
            point: durable.point,
            segment: durable.segment,
            path: durable.path.clone(),
            offset: durable.offset,
        }
    }

    /// A receipt for the newest durable size. Costs one signature per COMMIT, not per receipt.
    pub(crate) fn receipt(&self, row: Option<ReceiptRow>) -> Receipt {
        let (point, segment_line) = {
            let durable = lock(&self.durable);
            let name = self.log.origin.segment_name();
            (durable.point, signature_line(&name, durable.key_id, &durable.signature))
        };
        let mut cached = lock(&self.note);
        let note = match cached.as_ref() {
            Some((at, note)) if *at == point => note.clone(),
            _ => {
                let note = self.sign(&point, &segment_line);
                *cached = Some((point, note.clone()));
                note
            }
        };
        Receipt { size: point.size, root: Digest(point.root), row, note }
    }

    fn sign(&self, point: &Point, segment_line: &str) -> String {
        let text = checkpoint_text(&self.log.origin, point);
        let name = self.log.origin.as_str();
        let id = key_id(name, &self.log_key.public());
        let log_line = signature_line(name, id, &self.log_key.sign(text.as_bytes()));
        format!("{text}\n{log_line}{segment_line}")
    }
}
