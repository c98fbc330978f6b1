//! The handle that the gateway holds.

use crate::error::JournalError;
use crate::finding::BadLog;
use crate::format::keys::{KeyPair, VaultSigner};
use crate::format::log::Log;
use crate::random::Random;
use crate::read::directory::{self, LOG, NEXT_KEY};
use crate::shared::Shared;
use crate::state::{RefState, Verified};
use crate::write::cause::Cause;
use crate::write::create::{self, CreateParams, Created};
use crate::write::head::{Head, Tools};
use crate::write::next_key::NextKey;
use crate::write::pending::{self, Pending};
use crate::write::recover::{self, Recovered};
use crate::write::storage::{Disk, Storage};
use crate::write::writer::{Order, State, Writer};
use lychgate_core::event::RowDraft;
use lychgate_core::ids::{BootNo, GrantNo, Ref, WallTime};
use lychgate_core::proof::JournalAck;
use lychgate_core::receipt::{Receipt, ReceiptRow};
use lychgate_seal::durable::{self, Lock, LockRefused};
use std::path::{Path, PathBuf};
use std::sync::mpsc::{self, Sender};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;

/// A LOG file is never larger than this.
const LOG_BYTES: usize = 4096;

/// The log, open for writing. One per directory; dropping it without [`Journal::close`] leaves it as after a crash.
pub struct Journal {
    dir: PathBuf,
    log: Arc<Log>,
    shared: Arc<Shared>,
    verified: Mutex<Verified>,
    orders: Option<Sender<Order>>,
    thread: Mutex<Option<JoinHandle<()>>>,
}

/// What opening found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Opened {
    /// This gateway lifetime.
    pub boot: BootNo,
    /// The one before.
    pub previous_boot: Option<BootNo>,
    /// Set where the log had not been closed in order.
    pub recovered: Option<Recovered>,
    /// Actions with an INTENT and no end, of whatever boot. Each needs its end row: UNOBSERVED where it was dispatched.
    pub unfinished: Vec<Unfinished>,
}

/// An action that an earlier lifetime did not finish.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Unfinished {
    /// The action.
    pub reference: Ref,
    /// Grant of its last row.
    pub grant: GrantNo,
    /// Epoch of its last row.
    pub epoch: u64,
    /// Boot of its INTENT.
    pub boot: BootNo,
    /// It may have taken effect.
    pub dispatched: bool,
}

impl Journal {
    /// Makes a new log in `dir`.
    ///
    /// # Errors
    /// [`JournalError`]; an existing log is never overwritten.
    pub fn create(dir: &Path, params: CreateParams<'_>, random: &mut dyn Random) -> Result<Created, JournalError> {
        create::create(dir, params, random)
    }

    /// Opens the log for writing: takes the lock, recovers the last segment, begins a new one.
    ///
    /// `pinned` is the vault's public key from outside the log. Without it a wholly replaced directory is accepted.
    ///
    /// # Errors
    /// [`JournalError`]. With [`JournalError::Quarantine`] nothing was changed, and nothing may run.
    pub fn open(
        dir: &Path,
        now: WallTime,
        pinned: Option<[u8; 32]>,
        random: Box<dyn Random>,
    ) -> Result<(Self, Opened), JournalError> {
        Self::open_on(dir, now, pinned, random, Box::new(Disk))
    }

    /// [`Self::open`] on another kind of storage.
    ///
    /// # Errors
    /// As [`Self::open`].
    pub fn open_on(
        dir: &Path,
        now: WallTime,
        pinned: Option<[u8; 32]>,
        mut random: Box<dyn Random>,
        storage: Box<dyn Storage>,
    ) -> Result<(Self, Opened), JournalError> {
        durable::private_dir(dir).map_err(|refused| JournalError::Files(refused.to_string()))?;
        let log = read_log(dir, pinned)?;
        let lock = Lock::take(&dir.join(LOG)).map_err(|refused| match refused {
            LockRefused::Held(_) => JournalError::Held(dir.display().to_string()),
            refused => JournalError::Files(refused.to_string()),
        })?;
        remove_leftovers(dir)?;
        let mut keys = NextKey::load(&dir.join(NEXT_KEY), log.id, &log.log_key)?;
        let names = directory::segments(dir).map_err(files)?;
        let found = recover::recover(dir, &log, &names, storage.as_ref())?;
        let opened = Opened {
            boot: found.start.boot,
            previous_boot: found.previous_boot,
            recovered: found.recovered,
            unfinished: found.start.carry.actions.iter().map(unfinished).collect(),
        };
        let mut tools = Tools { dir, log: &log, storage: storage.as_ref(), random: random.as_mut(), keys: &mut keys };
        let (head, durable) = Head::open(&mut tools, found.start, found.recovery.as_ref(), now, Cause::GatewayStarted)?;
        let log = Arc::new(log);
        let log_key = KeyPair::from_seed(keys.log_key.seed());
        let shared = Arc::new(Shared::new(Arc::clone(&log), log_key, durable));
        let writer = Writer {
            dir: dir.to_owned(),
            log: Arc::clone(&log),
            storage,
            random,
            keys,
            shared: Arc::clone(&shared),
            state: State::Live(Box::new(head)),
            _lock: lock,
        };
        let (orders, received) = mpsc::channel();
        let thread = std::thread::Builder::new()
            .name("journal".to_owned())
            .spawn(move || writer.run(&received))
            .map_err(files)?;
        let journal = Self {
            dir: dir.to_owned(),
            log,
            shared,
            verified: Mutex::new(Verified::default()),
            orders: Some(orders),
            thread: Mutex::new(Some(thread)),
        };
        Ok((journal, opened))
    }

    /// Hands a row over. Its place among the rows is fixed by this call, which does no I/O and never waits; the row is
    /// durable when the answer says so. Rows that break the protocol are refused in the answer.
    pub fn append(&self, draft: RowDraft) -> Pending {
        let (promise, pending) = pending::pair();
        self.order(Order::Row(Box::new(draft), promise));
        pending
    }

    /// Hands over a row that nobody waits for. It is written within about 50 ms, or lost with a crash.
    pub fn append_event(&self, draft: RowDraft) {
        drop(self.append(draft));
    }

    /// Lets the vault vouch for the log so far: at unlock, before lock, and every 10 minutes while unlocked.
    /// The answer is [`JournalError::OtherVault`] where `signer` is not the vault that LOG names, and
    /// [`JournalError::NotSigned`] where it no longer signs.
    pub fn anchor(&self, signer: Box<dyn VaultSigner + Send>, at: WallTime) -> Pending {
        let (promise, pending) = pending::pair();
        self.order(Order::Anchor(signer, at, promise));
        pending
    }

    /// A receipt for everything that is durable now; `row` is repeated in it.
    #[must_use]
    pub fn receipt(&self, row: Option<ReceiptRow>) -> Receipt {
        self.shared.receipt(row)
    }

    /// A receipt that covers the row of `ack`, and names it.
    #[must_use]
    pub fn receipt_for(&self, ack: &JournalAck) -> Receipt {
        self.receipt(Some(ReceiptRow { seq: ack.seq(), leaf: ack.leaf() }))
    }

    /// What the log says of an action. Reads and verifies the log from its files, so it takes a while and blocks.
    ///
    /// # Errors
    /// [`JournalError`]; the answer about the action is then UNKNOWN.
    pub fn state_of(&self, reference: Ref) -> Result<RefState, JournalError> {
        let mut verified = self.verified.lock().unwrap_or_else(PoisonError::into_inner);
        verified.state_of(&self.dir, &self.log, &self.shared.end(), reference)
    }

    /// What LOG says.
    #[must_use]
    pub fn log(&self) -> &Log {
        &self.log
    }

    /// Ends the log in order: CLOSE, and the file cut to its last frame. Rows handed over before are written first, rows
    /// handed over later hear [`JournalError::Closed`]. When it returns, another writer may open the log. Blocks.
    ///
    /// # Errors
    /// [`JournalError`]; the log is then as after a crash.
    pub fn close(&self, at: WallTime) -> Result<(), JournalError> {
        let (promise, pending) = pending::pair();
        self.order(Order::Close(at, promise));
        let answer = pending.wait();
        self.join();
        answer.map(|_| ())
    }

    fn order(&self, order: Order) {
        if let Some(orders) = &self.orders {
            // Where the writer has ended, the promise inside answers `Closed` as it is dropped.
            let _ = orders.send(order);
        }
    }

    /// Waits until the writer has ended, and its lock with it.
    fn join(&self) {
        let thread = self.thread.lock().unwrap_or_else(PoisonError::into_inner).take();
        if let Some(thread) = thread {
            let _ = thread.join();
        }
    }
}

impl Drop for Journal {
    fn drop(&mut self) {
        // Without the sender the writer finishes what it has.
        self.orders = None;
        self.join();
    }
}

impl std::fmt::Debug for Journal {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Journal").field("dir", &self.dir).finish_non_exhaustive()
    }
}

fn unfinished((reference, action): (&Ref, &crate::protocol::OpenAction)) -> Unfinished {
    Unfinished {
        reference: *reference,
        grant: action.grant,
        epoch: action.epoch,
        boot: action.boot,
        dispatched: action.dispatched,
    }
}

fn read_log(dir: &Path, pinned: Option<[u8; 32]>) -> Result<Log, JournalError> {
    let bytes =
        durable::read_owned(&dir.join(LOG), LOG_BYTES).map_err(|refused| JournalError::Files(refused.to_string()))?;
    let log = Log::parse(&bytes)?;
    match pinned {
        Some(pinned) if pinned != log.vault_key => Err(JournalError::Log(BadLog::OtherVaultKey)),
        _ => Ok(log),
    }
}

/// What interrupted starts left. Called under the lock.
fn remove_leftovers(dir: &Path) -> Result<(), JournalError> {
    durable::remove_leftovers(&dir.join(NEXT_KEY)).map_err(files)?;
    for entry in std::fs::read_dir(dir).map_err(files)? {
        let path = entry.map_err(files)?.path();
        let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
        if name.starts_with("seg-") && name.ends_with(".lgj.new") {
            std::fs::remove_file(&path).map_err(files)?;
        }
    }
    Ok(())
}

fn files(error: std::io::Error) -> JournalError {
    JournalError::Files(error.to_string())
}
