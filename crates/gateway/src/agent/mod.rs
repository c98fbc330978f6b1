//! The agent socket: connections become runs, calls become answers.

mod announce;
pub(crate) mod authorize;
pub(crate) mod call;
mod delegate;
pub(crate) mod drive;
mod http;
mod lists;
mod register;

use crate::agent::call::{CallContext, Large};
use crate::descriptors::SpokenFor;
use crate::sockets::Taken;
use crate::state::{Gateway, Outbox, RunHandle};
use lychgate_core::evidence::Difference;
use lychgate_core::ids::RunId;
use lychgate_core::limits;
use lychgate_core::outcome::{EndReason, Reason, Reasons};
use lychgate_wire::agent::{FromAgent, ToAgent};
use lychgate_wire::transport::{self, Frame, FrameError, Reader};
use std::collections::HashMap;
use std::os::fd::{AsFd, OwnedFd};
use std::sync::{Arc, Mutex};
use std::time::Duration;
use tokio::sync::oneshot;
use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;

/// Calls of one connection at a time.
const CALLS: usize = 128;
/// How long after a close the end of a process may still be seen as the cause. A process closes its descriptors before it
/// has ended, and on a busy machine much may come in between. Nothing can be asked on that connection meanwhile.
const EXIT_SEEN: Duration = Duration::from_secs(1);
/// How long calls that see their run ended may take to say so.
const FAREWELL: Duration = Duration::from_secs(5);

/// Takes one connection.
pub(crate) fn connection(gateway: Arc<Gateway>, socket: OwnedFd) -> Taken {
    let peer = lychgate_sys::peer_pidfd(socket.as_fd()).ok();
    let room = peer.and_then(|connector| Some((gateway.descriptors.begin(&connector)?, connector)));
    match room {
        Some((spoken_for, connector)) => Taken::Served(Box::pin(serve(gateway, socket, connector, spoken_for))),
        None => Taken::TurnedAway(Box::pin(turn_away(gateway, socket))),
    }
}

async fn serve(gateway: Arc<Gateway>, socket: OwnedFd, connector: OwnedFd, spoken_for: SpokenFor) {
    let Ok(who) = lychgate_peer::inode_of(connector.as_fd()) else { return };
    let Ok((mut reader, writer)) = transport::halves(socket) else { return };
    let outbox = Outbox::new(writer);
    let mut place = gateway.unregistered.enter(who);
    reader.limit(limits::HANDSHAKE_FRAME_BYTES);
    let registered = tokio::select! {
        registered = register::register(&gateway, &mut reader, &outbox, connector) => registered,
        () = place.lost() => {
            too_many(&gateway, &outbox).await;
            None
        }
    };
    drop((place, spoken_for));
    if let Some((run, handle)) = registered
        && register::tell(&gateway, run, &handle).await
    {
        reader.limit(limits::FRAME_BYTES);
        reader.share(Arc::clone(&gateway.large_frames));
        converse(&gateway, run, &handle, &mut reader).await;
    }
    outbox.shutdown().await;
}

async fn turn_away(gateway: Arc<Gateway>, socket: OwnedFd) {
    let Ok((_, writer)) = transport::halves(socket) else { return };
    let outbox = Outbox::new(writer);
    too_many(&gateway, &outbox).await;
    outbox.shutdown().await;
}

/// Whoever floods the socket waits for nothing and writes no row: he is told.
async fn too_many(gateway: &Gateway, outbox: &Outbox) {
    let answer = gateway.because(None, None, &Reasons::one(Reason::TooMany));
    let _ = outbox.send(&ToAgent::Refused { answer }).await;
}

async fn converse(gateway: &Arc<Gateway>, run: RunId, handle: &Arc<RunHandle>, reader: &mut Reader) {
    let mut calls: JoinSet<u64> = JoinSet::new();
    let mut open: HashMap<u64, CancellationToken> = HashMap::new();
    // One large frame at a time: the next one waits in the socket until this one's action is announced.
    let mut large: Option<oneshot::Receiver<()>> = None;
    loop {
        let frame = tokio::select! {
            () = gateway.stop.cancelled() => break,
            () = handle.ended.cancelled() => break,
            Some(done) = calls.join_next() => {
                if let Ok(id) = done {
                    open.remove(&id);
                }
                continue;
            }
            _ = async { large.as_mut()?.await.ok() }, if large.is_some() => {
                large = None;
                continue;
            }
            frame = reader.frame(), if large.is_none() => frame,
        };
        match frame {
            Ok(frame) => {
                let (go_on, begun) = take(gateway, run, handle, frame, &mut calls, &mut open).await;
                large = begun;
                if !go_on {
                    break;
                }
            }
            Err(FrameError::Closed | FrameError::CutOff | FrameError::Io(_)) => {
                // A shim closes its connection because its agent ended: the kernel says so a moment later (R25). No
                // call can come on this connection any more.
                let exited = tokio::time::timeout(EXIT_SEEN, handle.ended.cancelled()).await.is_ok();
                if !exited {
                    gateway.lock().end_run(run, EndReason::Disconnected, Vec::new());
                }
                break;
            }
            Err(FrameError::NoSender | FrameError::MixedSenders | FrameError::Descriptor) => {
                gateway.lock().end_run(run, EndReason::ProcessIdentityMismatch, vec![Difference::Sender]);
                break;
            }
            Err(FrameError::TooLarge(_) | FrameError::TooSlow | FrameError::Crowded) => {
                gateway.lock().end_run(run, EndReason::Disconnected, Vec::new());
                break;
            }
        }
    }
    for token in open.values() {
        token.cancel();
    }
    let _ = tokio::time::timeout(FAREWELL, async { while calls.join_next().await.is_some() {} }).await;
    let ended = {
        let mut authority = gateway.lock();
        authority.end_run(run, EndReason::Disconnected, Vec::new());
        let reason = authority.broker.run(run).and_then(lychgate_core::broker::Run::ended);
        authority.actions.forget(run);
        authority.broker.forget(run);
        reason
    };
    let reason = ended.map_or(Reason::ProcessChanged, EndReason::reason);
    let answer = gateway.because(Some(run), None, &Reasons::one(reason));
    let _ = handle.writer.send(&ToAgent::RunEnded { answer }).await;
}

/// Takes one frame in. `false` ends the connection. After a large frame comes a message when its memory is free.
async fn take(
    gateway: &Arc<Gateway>,
    run: RunId,
    handle: &Arc<RunHandle>,
    frame: Frame,
    calls: &mut JoinSet<u64>,
    open: &mut HashMap<u64, CancellationToken>,
) -> (bool, Option<oneshot::Receiver<()>>) {
    let Frame { bytes, sender, mut place } = frame;
    let parsed = gateway.heavy(bytes.len(), move || serde_json::from_slice(&bytes).ok());
    let message = tokio::select! {
        parsed = parsed => parsed.flatten(),
        () = call::lost(place.as_mut()) => None,
    };
    if sender.inode != handle.peer {
        // An inherited or passed descriptor, or a fork. The connection is not the peer's alone any more.
        gateway.lock().end_run(run, EndReason::ProcessIdentityMismatch, vec![Difference::Sender]);
        if let Some(FromAgent::Call { id, .. }) = message {
            let answer = gateway.because(Some(run), None, &Reasons::one(Reason::ProcessChanged));
            let _ = handle.writer.send(&ToAgent::Answer { id, answer }).await;
        }
        return (false, None);
    }
    match message {
        Some(FromAgent::Call { id, conversation, call }) => {
            if open.contains_key(&id) || open.len() >= CALLS {
                let answer = gateway.because(Some(run), None, &Reasons::one(Reason::TooMany));
                return (handle.writer.send(&ToAgent::Answer { id, answer }).await.is_ok(), None);
            }
            let withdrawn = CancellationToken::new();
            open.insert(id, withdrawn.clone());
            let (large, begun) = place
                .map(|place| {
                    let (gone, begun) = oneshot::channel();
                    (Large { place, _gone: gone }, begun)
                })
                .unzip();
            let context = CallContext {
                gateway: Arc::clone(gateway),
                run,
                handle: Arc::clone(handle),
                sender: sender.inode,
                id,
                withdrawn,
                large: Mutex::new(large),
            };
            calls.spawn(async move {
                let answer = call::serve(&context, conversation.as_deref(), call).await;
                let _ = context.handle.writer.send(&ToAgent::Answer { id, answer }).await;
                id
            });
            (true, begun)
        }
        Some(FromAgent::Cancel { id }) => {
            if let Some(token) = open.get(&id) {
                token.cancel();
            }
            (true, None)
        }
        // A second Hello or Register, or something else: not our protocol.
        Some(FromAgent::Hello { .. } | FromAgent::Register { .. }) | None => {
            gateway.lock().end_run(run, EndReason::Disconnected, Vec::new());
            (false, None)
        }
    }
}
