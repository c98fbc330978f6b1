//! What all tasks of the gateway share.

use crate::authority::Authority;
use crate::descriptors::ForAgents;
use lychgate_core::evidence::{FileId, Namespaces, ProcessInode};
use lychgate_core::ids::{BootNo, RunId};
use lychgate_core::limits;
use lychgate_core::receipt::Receipt;
use lychgate_http::Connector;
use lychgate_journal::Journal;
use lychgate_peer::Pinned;
use lychgate_text::{Catalogue, GatewayText};
use lychgate_vault::Counters;
use lychgate_wire::crowd::Crowd;
use lychgate_wire::transport::Writer;
use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use tokio::sync::{Semaphore, watch};
use tokio_util::sync::CancellationToken;

/// Shared by all tasks.
pub(crate) struct Gateway {
    pub(crate) state_dir: PathBuf,
    pub(crate) version: String,
    pub(crate) boot_no: BootNo,
    pub(crate) own_file: FileId,
    pub(crate) own_namespaces: Namespaces,
    pub(crate) own_uid: u32,
    pub(crate) journal: Arc<Journal>,
    pub(crate) connector: Connector,
    pub(crate) text: &'static dyn Catalogue,
    /// Counts changes of authority: whoever waits for one looks again.
    pub(crate) changed: watch::Sender<u64>,
    /// Ends the gateway.
    pub(crate) stop: CancellationToken,
    pub(crate) never: NeverAgents,
    /// One permit for each program that is being pinned.
    pub(crate) pins: Arc<Semaphore>,
    /// One permit for each large frame or body that is being taken apart.
    heavy: Arc<Semaphore>,
    /// Agent connections that have not registered.
    pub(crate) unregistered: Arc<Crowd>,
    /// Frames of runs that are large and not complete.
    pub(crate) large_frames: Arc<Crowd>,
    /// Operator connections that have not passed the look at a console.
    pub(crate) doorstep: Arc<Crowd>,
    /// Operator connections that have.
    pub(crate) consoles: Arc<Crowd>,
    pub(crate) descriptors: ForAgents,
    counters: Arc<Mutex<Counters>>,
    authority: Mutex<Authority>,
}

/// What is needed to look at a run again and to talk to it.
pub(crate) struct RunHandle {
    pub(crate) pinned: Pinned,
    /// From the peer up to the agent that started it, where that is a run's.
    pub(crate) descent: Option<Pinned>,
    pub(crate) peer: ProcessInode,
    pub(crate) writer: Outbox,
    /// Fires when the run has ended.
    pub(crate) ended: CancellationToken,
    /// What the client says of its last registration.
    pub(crate) previous: Option<lychgate_wire::agent::Previous>,
}

/// The one owner of a connection's writing half: frames of many tasks leave one after the other.
#[derive(Clone)]
pub(crate) struct Outbox(Arc<tokio::sync::Mutex<Writer>>);

impl Outbox {
    pub(crate) fn new(writer: Writer) -> Self {
        Self(Arc::new(tokio::sync::Mutex::new(writer)))
    }

    /// Sends one frame. A client that does not read for 30 s loses the connection.
    pub(crate) async fn send<T: serde::Serialize + Sync>(&self, message: &T) -> std::io::Result<()> {
        let writer = self.0.lock().await;
        let slow = std::time::Duration::from_millis(lychgate_core::limits::FRAME_COMPLETE_MS);
        match tokio::time::timeout(slow, writer.send(message)).await {
            Ok(sent) => sent,
            Err(_) => {
                writer.shutdown();
                Err(std::io::ErrorKind::TimedOut.into())
            }
        }
    }

    /// Ends the connection.
    pub(crate) async fn shutdown(&self) {
        self.0.lock().await.shutdown();
    }
}

/// Processes that are never "the agent": ancestors of the gateway and of consoles.
pub(crate) struct NeverAgents {
    own: Vec<ProcessInode>,
    consoles: Mutex<HashMap<u64, Vec<ProcessInode>>>,
    next: AtomicU64,
}

impl NeverAgents {
    pub(crate) fn new(own: Vec<ProcessInode>) -> Self {
        Self { own, consoles: Mutex::new(HashMap::new()), next: AtomicU64::new(0) }
    }

    /// All of them now.
    pub(crate) fn all(&self) -> Vec<ProcessInode> {
        let consoles = self.consoles.lock().unwrap_or_else(PoisonError::into_inner);
        self.own.iter().chain(consoles.values().flatten()).copied().collect()
    }

    /// Adds a console's ancestors for as long as the guard lives.
    pub(crate) fn add(self: &NeverAgents, ancestors: Vec<ProcessInode>) -> u64 {
        let number = self.next.fetch_add(1, Ordering::Relaxed);
        self.consoles.lock().unwrap_or_else(PoisonError::into_inner).insert(number, ancestors);
        number
    }

    pub(crate) fn remove(&self, number: u64) {
        self.consoles.lock().unwrap_or_else(PoisonError::into_inner).remove(&number);
    }
}

impl Gateway {
    #[expect(clippy::too_many_arguments, reason = "composed once, in `start`")]
    pub(crate) fn new(
        state_dir: PathBuf,
        version: String,
        boot_no: BootNo,
        own: (FileId, Namespaces, u32),
        journal: Arc<Journal>,
        connector: Connector,
        changed: watch::Sender<u64>,
        never: NeverAgents,
        counters: Arc<Mutex<Counters>>,
        authority: Authority,
    ) -> Self {
        Self {
            state_dir,
            version,
            boot_no,
            own_file: own.0,
            own_namespaces: own.1,
            own_uid: own.2,
            journal,
            connector,
            text: lychgate_text::english(),
            changed,
            stop: CancellationToken::new(),
            never,
            pins: Arc::new(Semaphore::new(limits::PINS_AT_ONCE)),
            heavy: Arc::new(Semaphore::new(limits::HEAVY_AT_ONCE)),
            unregistered: Crowd::new(limits::UNREGISTERED),
            large_frames: Crowd::new(limits::LARGE_FRAMES),
            doorstep: Crowd::new(limits::DOORSTEP),
            consoles: Crowd::new(limits::CONSOLES),
            descriptors: ForAgents::of_limit(),
            counters,
            authority: Mutex::new(authority),
        }
    }

    /// The lock under which authority is read and changed.
    ///
    /// A poisoned lock means that a task panicked half way through a change. Nothing can be trusted then: the process
    /// ends, and the next gateway starts with no authority at all.
    pub(crate) fn lock(&self) -> MutexGuard<'_, Authority> {
        match self.authority.lock() {
            Ok(guard) => guard,
            Err(_) => std::process::abort(),
        }
    }

    /// Does what takes a core for a while, where `bytes` are many: not on a thread that serves others, and not more than a
    /// few at once. `None` where it could not be done.
    pub(crate) async fn heavy<T: Send + 'static>(
        &self,
        bytes: usize,
        work: impl FnOnce() -> T + Send + 'static,
    ) -> Option<T> {
        if bytes <= limits::LARGE_FRAME_BYTES {
            return Some(work());
        }
        let turn = Arc::clone(&self.heavy).acquire_owned().await.ok()?;
        let done = tokio::task::spawn_blocking(move || {
            // Given back when the work ends, and not when its client is given up.
            let _turn = turn;
            work()
        });
        done.await.ok()
    }

    /// A text of the gateway, for a model or a console.
    pub(crate) fn say(&self, text: &GatewayText<'_>) -> String {
        self.text.gateway(text)
    }

    /// The next run number, durable.
    pub(crate) fn next_run(&self) -> std::io::Result<RunId> {
        self.counters.lock().unwrap_or_else(PoisonError::into_inner).next_run()
    }

    /// The journal as it stands.
    pub(crate) fn receipt(&self) -> Option<Receipt> {
        Some(self.journal.receipt(None))
    }
}
