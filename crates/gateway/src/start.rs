//! Bringing the gateway up and down.

use crate::authority::{Authority, VaultHold};
use crate::clock;
use crate::error::GatewayError;
use crate::harden::harden;
use crate::journal;
use crate::keeper::Keeper;
use crate::operator::lock_now;
use crate::state::{Gateway, NeverAgents};
use crate::{agent, operator, sockets};
use lychgate_core::broker::Broker;
use lychgate_core::event::{Event, RowKind};
use lychgate_core::ids::BootId;
use lychgate_core::outcome::EndReason;
use lychgate_http::Connector;
use lychgate_journal::{Journal, JournalError, Opened};
use lychgate_text::GatewayStep;
use lychgate_vault::{Counters, Files, Locked, VaultError};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use std::time::Duration;
use tokio::signal::unix::{SignalKind, signal};
use tokio::sync::watch;

/// What a gateway is started with.
pub struct Options {
    /// Vault, journal, stores. 0700, ours.
    pub state_dir: PathBuf,
    /// Sockets. 0700, ours.
    pub run_dir: PathBuf,
    /// For messages.
    pub version: String,
    /// Called once, when both sockets listen.
    pub ready: Box<dyn FnOnce() + Send>,
}

/// How often time-outs are looked at.
const TICK: Duration = Duration::from_secs(1);
/// How often the vault vouches for the journal while it is unlocked.
const ANCHOR_EVERY: Duration = Duration::from_secs(10 * 60);
/// How long actions that were cut may take to record their end at a stop.
const LAST_ROWS: Duration = Duration::from_secs(5);

/// Runs the gateway until it is told to stop: by `lych stop`, SIGTERM or SIGINT.
///
/// # Errors
/// What kept it from starting. Once it is ready, it ends only in order.
pub fn run(options: Options) -> Result<(), GatewayError> {
    lychgate_peer::kernel::check().map_err(|old| GatewayError::Kernel(old.to_string()))?;
    harden()?;
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .enable_all()
        .build()
        .map_err(|error| GatewayError::System { step: GatewayStep::Runtime, error })?;
    let outcome = runtime.block_on(serve(options));
    runtime.shutdown_timeout(Duration::from_secs(1));
    outcome
}

async fn serve(options: Options) -> Result<(), GatewayError> {
    let Options { state_dir, run_dir, version, ready } = options;
    lychgate_seal::durable::private_dir(&run_dir).map_err(|refused| GatewayError::Vault(refused.to_string()))?;
    let files = Files::in_dir(&state_dir);
    let vault = Locked::load(&state_dir).map_err(|error| match error {
        VaultError::Absent(_) => GatewayError::NoVault(state_dir.clone()),
        VaultError::Lock(_) => GatewayError::Running(state_dir.clone()),
        other => GatewayError::Vault(other.to_string()),
    })?;
    let (log, opened) =
        Journal::open(&files.audit(), clock::wall(), None, Box::new(lychgate_journal::random::SystemRandom)).map_err(
            |error| match error {
                JournalError::Held(_) => GatewayError::Running(state_dir.clone()),
                other => GatewayError::Journal(other.to_string()),
            },
        )?;
    let gateway = compose(state_dir, version, vault, Arc::new(log), &opened)?;
    start_rows(&gateway, &opened).await?;

    let agents = sockets::listen(&run_dir.join("agent.sock"))?;
    let operators = sockets::listen(&run_dir.join("operator.sock"))?;
    let tasks = [
        tokio::spawn(sockets::serve(Arc::clone(&gateway), agents, agent::connection)),
        tokio::spawn(sockets::serve(Arc::clone(&gateway), operators, operator::connection)),
        tokio::spawn(tick(Arc::clone(&gateway))),
    ];
    let signals = signals(&gateway)?;
    ready();
    gateway.stop.cancelled().await;
    signals.abort();
    stop(&gateway, &run_dir).await;
    for task in tasks {
        task.abort();
    }
    Ok(())
}

fn compose(
    state_dir: PathBuf,
    version: String,
    vault: Locked,
    log: Arc<Journal>,
    opened: &Opened,
) -> Result<Arc<Gateway>, GatewayError> {
    let system = |step| move |error| GatewayError::System { step, error };
    let own_file = lychgate_peer::own_file().map_err(system(GatewayStep::OwnProgram))?;
    let own_namespaces = lychgate_peer::own_namespaces().map_err(system(GatewayStep::OwnNamespaces))?;
    let above = lychgate_peer::own_ancestry().map_err(system(GatewayStep::OwnAncestors))?;
    let mut boot = [0u8; 16];
    getrandom::fill(&mut boot).map_err(std::io::Error::other).map_err(system(GatewayStep::BootId))?;
    let keeper = Keeper::start().map_err(system(GatewayStep::Keeper))?;
    let connector = Connector::new().map_err(|error| GatewayError::Vault(error.to_string()))?;
    let counters = Arc::new(Mutex::new(Counters::open(&Files::in_dir(&state_dir).counters())));
    let (changed, _) = watch::channel(0);
    let broker = Broker::new(BootId(boot), opened.boot);
    let authority = Authority::new(
        broker,
        VaultHold::Locked(vault),
        Arc::clone(&log),
        keeper,
        Arc::clone(&counters),
        changed.clone(),
    );
    let never = NeverAgents::new(above.iter().map(|above| above.inode).collect());
    let uid = rustix::process::getuid().as_raw();
    Ok(Arc::new(Gateway::new(
        state_dir,
        version,
        opened.boot,
        (own_file, own_namespaces, uid),
        log,
        connector,
        changed,
        never,
        counters,
        authority,
    )))
}

/// The start itself, and the end rows of actions that an earlier gateway left under way: nobody saw their results
/// (R22).
async fn start_rows(gateway: &Arc<Gateway>, opened: &Opened) -> Result<(), GatewayError> {
    let mut rows = Vec::new();
    {
        let authority = gateway.lock();
        let epoch = authority.vault.epoch().number;
        rows.push(authority.note_durably(Event::GatewayStarted {
            previous_boot: opened.previous_boot,
            boot: opened.boot,
            version: gateway.version.clone(),
        }));
        for action in opened.unfinished.iter().filter(|action| action.dispatched) {
            let event = Event::HttpResultNotObserved {
                run: None,
                action: None,
                detail: EndReason::GatewayRestarted.word().into(),
            };
            let draft = journal::action(RowKind::Unobserved, epoch, action.grant, action.reference, event);
            rows.push(gateway.journal.append(draft));
        }
    }
    for row in rows {
        row.await.map_err(|error| GatewayError::Journal(error.to_string()))?;
    }
    Ok(())
}

async fn tick(gateway: Arc<Gateway>) {
    let mut ticks = tokio::time::interval(TICK);
    ticks.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
    let mut anchored = tokio::time::Instant::now();
    loop {
        ticks.tick().await;
        gateway.lock().tick();
        if anchored.elapsed() >= ANCHOR_EVERY {
            operator::anchor(&gateway).await;
            anchored = tokio::time::Instant::now();
        }
    }
}

/// SIGTERM and SIGINT stop, SIGUSR1 locks.
fn signals(gateway: &Arc<Gateway>) -> Result<tokio::task::JoinHandle<()>, GatewayError> {
    let listen = |kind| signal(kind).map_err(|error| GatewayError::System { step: GatewayStep::Signals, error });
    let (mut term, mut int, mut lock) =
        (listen(SignalKind::terminate())?, listen(SignalKind::interrupt())?, listen(SignalKind::user_defined1())?);
    let mut hangup = listen(SignalKind::hangup())?;
    let gateway = Arc::clone(gateway);
    Ok(tokio::spawn(async move {
        loop {
            tokio::select! {
                _ = term.recv() => gateway.stop.cancel(),
                _ = int.recv() => gateway.stop.cancel(),
                _ = hangup.recv() => {}
                _ = lock.recv() => drop(lock_now(&gateway, "signal").await),
            }
        }
    }))
}

/// Ends in order: locked, what was under way cut and recorded, the log closed.
async fn stop(gateway: &Arc<Gateway>, run_dir: &Path) {
    for name in ["agent.sock", "operator.sock"] {
        // A socket that can't be removed is removed by the next start.
        let _ = std::fs::remove_file(run_dir.join(name));
    }
    drop(lock_now(gateway, "stop").await);
    let mut changed = gateway.changed.subscribe();
    let settled = async {
        loop {
            changed.mark_unchanged();
            if gateway.lock().actions.iter().all(|action| !action.is_running()) {
                return;
            }
            if changed.changed().await.is_err() {
                return;
            }
        }
    };
    let _ = tokio::time::timeout(LAST_ROWS, settled).await;
    let last = {
        let authority = gateway.lock();
        authority.note_durably(Event::GatewayStopped { boot: gateway.boot_no })
    };
    let _ = last.await;
    let log = Arc::clone(&gateway.journal);
    let _ = tokio::task::spawn_blocking(move || log.close(clock::wall())).await;
}
