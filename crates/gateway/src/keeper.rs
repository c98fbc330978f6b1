//! The sealed action store, written in order by one thread, away from the authority lock.
//!
//! While the vault is locked there is no key: what only chooses words waits in memory, results are let go. Losing
//! records costs words and results, never safety.

use lychgate_core::record::Record;
use lychgate_vault::Store;
use std::sync::mpsc;
use tokio::sync::oneshot;

/// Records that wait for an unlock at the most.
const WAITING: usize = 4_096;

enum Order {
    Open(Box<Store>),
    Close(mpsc::SyncSender<()>),
    Keep(Box<Record>, Option<oneshot::Sender<bool>>),
}

/// A handle to the thread.
#[derive(Clone)]
pub(crate) struct Keeper {
    orders: mpsc::Sender<Order>,
}

/// Resolves to whether the record is durable.
pub(crate) struct Kept(oneshot::Receiver<bool>);

impl Kept {
    /// Waits. `false` where the record could not be kept: words or a result may be missing later.
    pub(crate) async fn done(self) -> bool {
        self.0.await.unwrap_or(false)
    }
}

impl Keeper {
    /// Starts the thread. It ends when the last handle is dropped.
    pub(crate) fn start() -> std::io::Result<Self> {
        let (orders, inbox) = mpsc::channel();
        std::thread::Builder::new().name("keeper".into()).spawn(move || serve(&inbox))?;
        Ok(Self { orders })
    }

    /// The vault was unlocked and gave the store.
    pub(crate) fn open(&self, store: Store) {
        let _ = self.orders.send(Order::Open(Box::new(store)));
    }

    /// The vault is being locked: the store's key must go now.
    pub(crate) fn close(&self) {
        let (done, closed) = mpsc::sync_channel(1);
        if self.orders.send(Order::Close(done)).is_ok() {
            let _ = closed.recv();
        }
    }

    /// Keeps a record, whenever that may be.
    pub(crate) fn keep(&self, record: Record) {
        let _ = self.orders.send(Order::Keep(Box::new(record), None));
    }

    /// Keeps a record and tells when it is durable.
    pub(crate) fn keep_durably(&self, record: Record) -> Kept {
        let (done, kept) = oneshot::channel();
        let _ = self.orders.send(Order::Keep(Box::new(record), Some(done)));
        Kept(kept)
    }
}

fn serve(inbox: &mpsc::Receiver<Order>) {
    let mut shelf = Shelf { store: None, waiting: Vec::new() };
    while let Ok(order) = inbox.recv() {
        // What piled up during the last sync is one batch with one sync.
        let mut asked = Vec::new();
        for order in std::iter::once(order).chain(std::iter::from_fn(|| inbox.try_recv().ok())) {
            match order {
                Order::Open(opened) => shelf.open(opened),
                Order::Close(done) => {
                    shelf.store = None;
                    let _ = done.send(());
                }
                Order::Keep(record, done) => {
                    let kept = shelf.keep(*record);
                    asked.extend(done.map(|done| (done, kept)));
                }
            }
        }
        let synced = asked.is_empty() || shelf.sync();
        for (done, kept) in asked {
            let _ = done.send(kept && synced);
        }
    }
}

/// The store, or what waits for it.
struct Shelf {
    store: Option<Box<Store>>,
    waiting: Vec<Record>,
}

impl Shelf {
    fn open(&mut self, mut opened: Box<Store>) {
        for record in self.waiting.drain(..) {
            // Words that are lost here are words.
            let _ = opened.append(&record, false);
        }
        self.store = Some(opened);
    }

    fn keep(&mut self, record: Record) -> bool {
        match self.store.as_mut() {
            Some(store) => store.append(&record, false).is_ok(),
            None => {
                // A result is the agent's data: it does not wait in memory behind a locked vault.
                if !matches!(record, Record::Final { .. }) && self.waiting.len() < WAITING {
                    self.waiting.push(record);
                }
                false
            }
        }
    }

    fn sync(&mut self) -> bool {
        self.store.as_mut().is_some_and(|store| store.sync().is_ok())
    }
}
