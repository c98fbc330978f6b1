//! Registration: pin, acknowledge, and only then listen to what the client says (R3, R8).

use crate::state::{Gateway, Outbox, RunHandle};
use lychgate_core::broker::NewRun;
use lychgate_core::event::{Event, Requester};
use lychgate_core::evidence::{Attestation, Difference, ProcessInode, Seen, differences};
use lychgate_core::ids::{LaunchNonce, RunId};
use lychgate_core::limits;
use lychgate_core::outcome::{EndReason, Reason, Reasons};
use lychgate_peer::{Linux, PinRefused, Pinned, Rules, inode_of};
use lychgate_wire::WIRE;
use lychgate_wire::agent::{FromAgent, Previous, ToAgent};
use lychgate_wire::transport::{FrameSender, Reader};
use std::os::fd::{AsFd, OwnedFd};
use std::sync::Arc;
use std::time::Duration;
use tokio_util::sync::CancellationToken;

/// A client that does not complete the handshake in this time is let go.
const HANDSHAKE: Duration = Duration::from_secs(30);

/// Makes a run of a connection, or refuses it with the reason, on the wire and in the journal. May be given up at any
/// moment: where it has not answered, there is no run.
pub(super) async fn register(
    gateway: &Arc<Gateway>,
    reader: &mut Reader,
    outbox: &Outbox,
    connector: OwnedFd,
) -> Option<(RunId, Arc<RunHandle>)> {
    match tokio::time::timeout(HANDSHAKE, handshake(gateway, reader, outbox, connector)).await {
        Ok(Ok(registered)) => registered,
        Err(_) => {
            // It may have waited for its turn behind others: it is told, and nothing is written for it.
            super::too_many(gateway, outbox).await;
            None
        }
        Ok(Err(refused)) => {
            let reasons = Reasons::one(refused.reason);
            gateway.lock().note(Event::RegistrationRefused { by: refused.requester, reasons: reasons.clone() });
            let answer = gateway.because(None, None, &reasons);
            let _ = outbox.send(&ToAgent::Refused { answer }).await;
            None
        }
    }
}

type Registered = Option<(RunId, Arc<RunHandle>)>;

async fn handshake(
    gateway: &Arc<Gateway>,
    reader: &mut Reader,
    outbox: &Outbox,
    connector: OwnedFd,
) -> Result<Registered, PinRefused> {
    let Ok(hello) = reader.frame().await else { return Ok(None) };
    let requester = Requester { pid: hello.sender.pid, program: "?".to_owned() };
    let refuse = |reason| PinRefused { reason, requester: requester.clone() };
    let Ok(FromAgent::Hello { wire, shim, build: _ }) = serde_json::from_slice(&hello.bytes) else {
        return Err(refuse(Reason::InvalidRequest));
    };
    if wire != WIRE {
        return Err(refuse(Reason::ShimBuild));
    }
    let peer = hello.sender.inode;
    if inode_of(connector.as_fd()).ok() != Some(peer) {
        return Err(refuse(Reason::ProcessChanged));
    }
    let held = pin(gateway, hello.sender, shim).await.unwrap_or_else(|| Err(refuse(Reason::PeerGone)))?;
    if !gateway.descriptors.still_allow(&connector) {
        return Err(refuse(Reason::TooMany));
    }
    if !reader.is_quiet() {
        // Written before the pin, perhaps by another program in this process.
        return Err(refuse(Reason::ProcessChanged));
    }
    let pinned_frame = ToAgent::Pinned { wire: WIRE, version: gateway.version.clone() };
    if outbox.send(&pinned_frame).await.is_err() {
        return Ok(None);
    }

    // Only what comes from here on counts: the process may have written and then executed something else.
    let Ok(frame) = reader.frame().await else { return Ok(None) };
    let chain = held.pinned.look(Seen::Seen(frame.sender.inode));
    if !differences(held.pinned.subject(), &chain).is_empty() {
        return Err(refuse(Reason::ProcessChanged));
    }
    let Ok(FromAgent::Register { conversation, previous }) = serde_json::from_slice(&frame.bytes) else {
        return Err(refuse(Reason::InvalidRequest));
    };
    let counting = Arc::clone(gateway);
    let number = tokio::task::spawn_blocking(move || counting.next_run()).await;
    let Ok(Ok(id)) = number else { return Err(refuse(Reason::JournalUnavailable)) };
    let handle = enter(gateway, id, held, peer, outbox, label(conversation), previous).map_err(refuse)?;
    watch(gateway, id, &handle);
    // The run is there: nothing that can be given up in the middle comes after this.
    Ok(Some((id, handle)))
}

/// Tells the client that it is a run. `false` where it is none any more.
pub(super) async fn tell(gateway: &Arc<Gateway>, id: RunId, handle: &RunHandle) -> bool {
    let told = handle.writer.send(&ToAgent::Registered { run: id, boot: gateway.boot_no }).await.is_ok();
    if !told {
        let mut authority = gateway.lock();
        authority.end_run(id, EndReason::Disconnected, Vec::new());
        authority.broker.forget(id);
    }
    told
}

/// A requester, and the way up to the agent that started it where there is one.
struct Held {
    pinned: Pinned,
    descent: Option<Pinned>,
}

async fn pin(gateway: &Arc<Gateway>, sender: FrameSender, shim: bool) -> Option<Result<Held, PinRefused>> {
    let turn = Arc::clone(&gateway.pins).acquire_owned().await.ok()?;
    let gateway = Arc::clone(gateway);
    // Hashing an image takes time: not on a thread that serves others.
    let pinning = tokio::task::spawn_blocking(move || {
        // Given back when the look ends, and not when its client is given up: it takes a thread until then.
        let _turn = turn;
        let never = gateway.never.all();
        let rules = Rules { claims_shim: shim, ..rules(&gateway, &never) };
        let again = sender.pidfd.try_clone();
        let pinned = Pinned::pin(&Linux, sender.pidfd, sender.pid, &rules)?;
        let descent = again.ok().and_then(|handle| descent(&gateway, &handle, sender.pid, &pinned, &rules));
        Ok(Held { pinned, descent })
    });
    pinning.await.ok()
}

/// What every process is measured against.
pub(super) fn rules<'a>(gateway: &Gateway, never: &'a [ProcessInode]) -> Rules<'a> {
    let allow_unverified = gateway.lock().vault.channels().iter().any(|channel| channel.approval.allow_unverified);
    Rules {
        gateway_file: gateway.own_file,
        own_namespaces: gateway.own_namespaces,
        own_uid: gateway.own_uid,
        never,
        claims_shim: false,
        allow_unverified,
    }
}

/// The way up from a requester to the agent of a live run that started it. One that was not verified has none.
fn descent(gateway: &Gateway, handle: &OwnedFd, pid: u32, pinned: &Pinned, rules: &Rules<'_>) -> Option<Pinned> {
    let asks = pinned.subject().agent().filter(|_| pinned.subject().attestation() == Attestation::Whole)?.inode;
    let agents = gateway.lock().broker.agents();
    Pinned::descent(&Linux, handle, pid, asks, rules, &|process| agents.contains(&process))
}

/// A label as it is kept: short, and nothing where it is empty.
pub(super) fn label(text: Option<String>) -> Option<String> {
    let mut text = text.filter(|text| !text.is_empty())?;
    let mut end = text.len().min(limits::CONVERSATION_BYTES);
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    text.truncate(end);
    Some(text)
}

fn enter(
    gateway: &Arc<Gateway>,
    id: RunId,
    held: Held,
    peer: ProcessInode,
    outbox: &Outbox,
    conversation: Option<String>,
    previous: Option<Previous>,
) -> Result<Arc<RunHandle>, Reason> {
    let mut nonce = [0u8; 16];
    getrandom::fill(&mut nonce).map_err(|_| Reason::PeerGone)?;
    let Held { pinned, descent } = held;
    let subject = pinned.subject().clone();
    let way = descent.as_ref().map(|way| way.subject().clone());
    let claimed = previous.as_ref().map(|previous| (previous.run, previous.boot));
    let handle = Arc::new(RunHandle {
        pinned,
        descent,
        peer,
        writer: outbox.clone(),
        ended: CancellationToken::new(),
        previous,
    });
    let mut authority = gateway.lock();
    let new = NewRun {
        id,
        subject: subject.clone(),
        descent: way.clone(),
        nonce: LaunchNonce(nonce),
        conversation: conversation.clone(),
        claimed,
        lapse: None,
    };
    authority.broker.register(new)?;
    authority.runs.insert(id, Arc::clone(&handle));
    authority.remember(id);
    authority.note(Event::RunStarted { run: id, subject, descent: way, conversation });
    authority.bump();
    Ok(handle)
}

/// The end of any process of the chain ends the run at once, and that of any process up to the agent that started it what
/// it was given by that agent.
fn watch(gateway: &Arc<Gateway>, id: RunId, handle: &Arc<RunHandle>) {
    if let Some(way) = &handle.descent {
        let (broken, over, gateway) = (way.ended(), handle.ended.clone(), Arc::clone(gateway));
        tokio::spawn(async move {
            tokio::select! {
                () = over.cancelled() => {}
                () = broken => gateway.lock().break_descent(id, EndReason::ProcessExited, vec![Difference::Ended]),
            }
        });
    }
    let exited = handle.pinned.ended();
    let over = handle.ended.clone();
    let gateway = Arc::clone(gateway);
    tokio::spawn(async move {
        tokio::select! {
            () = over.cancelled() => {}
            () = exited => {
                gateway.lock().end_run(id, EndReason::ProcessExited, vec![Difference::Ended]);
            }
        }
    });
}
