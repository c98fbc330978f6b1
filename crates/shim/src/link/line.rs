//! One registered connection: its open calls, and the two directions.

use super::open::{Gateway, Opened};
use super::{Open, action_of, client_ref};
use crate::answers;
use crate::memory::Memory;
use lychgate_core::ids::Ref;
use lychgate_text::ShimTexts;
use lychgate_wire::agent::{Answer, FromAgent, ToAgent};
use lychgate_wire::transport::{FrameError, Reader, Writer};
use std::collections::BTreeMap;
use std::io;
use std::time::Duration;
use tokio::sync::{mpsc, oneshot, watch};
use tokio::task::JoinHandle;
use tokio::time::Instant;

/// How long the gateway's side may stay open after it stopped reading ours.
const GRACE: Duration = Duration::from_secs(2);

/// What a line reports.
pub(super) enum Event {
    /// The gateway said something.
    Message(Box<ToAgent>),
    /// The line is at its end. `read_to_end`: the gateway closed it and nothing was left unread.
    Ended {
        /// No notice can have been missed.
        read_to_end: bool,
    },
}

/// A call that was sent.
struct Sent {
    action: Option<Ref>,
    client_ref: Option<Ref>,
    /// `None` after the client withdrew it; the entry stays until the gateway's word on it.
    caller: Option<(oneshot::Sender<Answer>, watch::Sender<String>)>,
}

/// See the module. Ends the connection when dropped.
pub(super) struct Line {
    gateway: Gateway,
    reader: Reader,
    writer: Writer,
    outbox: mpsc::UnboundedSender<FromAgent>,
    sender: JoinHandle<()>,
    sender_failed: Option<oneshot::Receiver<()>>,
    give_up: Option<Instant>,
    sent: BTreeMap<u64, Sent>,
    run_ended: Option<Answer>,
}

impl Line {
    pub(super) fn new(opened: Opened) -> Self {
        let Opened { reader, writer, gateway, .. } = opened;
        let (outbox, mut waiting) = mpsc::unbounded_channel();
        let (failed, sender_failed) = oneshot::channel();
        let out = writer.clone();
        // A task of its own: while a large frame waits to be taken, answers must still be read, or both sides stop.
        let sender = tokio::spawn(async move {
            while let Some(message) = waiting.recv().await {
                if out.send(&message).await.is_err() {
                    let _ = failed.send(());
                    return;
                }
            }
        });
        Self {
            gateway,
            reader,
            writer,
            outbox,
            sender,
            sender_failed: Some(sender_failed),
            give_up: None,
            sent: BTreeMap::new(),
            run_ended: None,
        }
    }

    /// Sends a call. From here on it counts as begun.
    pub(super) fn send(&mut self, open: Box<Open>) {
        let Open { id, conversation, call, reply, progress } = *open;
        let sent = Sent { action: action_of(&call), client_ref: client_ref(&call), caller: Some((reply, progress)) };
        self.sent.insert(id, sent);
        // A sender that failed is noticed in `event`, and the call is answered at the end of the line.
        let _ = self.outbox.send(FromAgent::Call { id, conversation, call });
    }

    /// Withdraws a call.
    pub(super) fn cancel(&mut self, id: u64) {
        if let Some(sent) = self.sent.get_mut(&id)
            && sent.caller.take().is_some()
        {
            let _ = self.outbox.send(FromAgent::Cancel { id });
        }
    }

    /// The next event. Cancellation loses nothing.
    pub(super) async fn event(&mut self) -> Event {
        loop {
            let frame = tokio::select! {
                frame = self.reader.frame() => frame,
                () = failed(&mut self.sender_failed) => {
                    // The gateway closed, or it reads no more. What it said before may still be on the way.
                    self.give_up = Some(Instant::now() + GRACE);
                    continue;
                }
                () = at(self.give_up) => return Event::Ended { read_to_end: false },
            };
            return match frame {
                Ok(frame) => match self.gateway.message(&frame) {
                    Ok(message) => Event::Message(Box::new(message)),
                    Err(_) => Event::Ended { read_to_end: false },
                },
                Err(FrameError::Closed) => Event::Ended { read_to_end: true },
                // Told after all that the gateway sent was read, when it ended with something of ours unread.
                Err(FrameError::Io(error)) if error.kind() == io::ErrorKind::ConnectionReset => {
                    let last = self.reader.frame().await;
                    Event::Ended { read_to_end: matches!(last, Err(FrameError::Closed)) }
                }
                Err(_) => Event::Ended { read_to_end: false },
            };
        }
    }

    /// Acts on a message. False where it may not come now; the line is then at its end.
    pub(super) fn take(&mut self, message: ToAgent, memory: &mut Memory) -> bool {
        match message {
            ToAgent::Answer { id, answer } => {
                let sent = self.sent.remove(&id);
                memory.answered(sent.as_ref().and_then(|sent| sent.client_ref), &answer);
                if let Some((reply, _)) = sent.and_then(|sent| sent.caller) {
                    let _ = reply.send(answer); // A caller that has gone hears nothing.
                }
                true
            }
            ToAgent::Progress { id, text } => {
                if let Some((_, progress)) = self.sent.get(&id).and_then(|sent| sent.caller.as_ref()) {
                    progress.send_replace(text);
                }
                true
            }
            ToAgent::Notice { action_id, client_ref, receipt } => {
                memory.noticed(action_id, client_ref, receipt);
                true
            }
            ToAgent::RunEnded { answer } => {
                self.run_ended = Some(answer);
                true
            }
            ToAgent::Pinned { .. } | ToAgent::Registered { .. } | ToAgent::Refused { .. } => false,
        }
    }

    /// Answers all open calls, and remembers which actions had no answer.
    pub(super) fn end(mut self, read_to_end: bool, memory: &mut Memory, texts: &ShimTexts) {
        memory.ended(read_to_end);
        for sent in std::mem::take(&mut self.sent).into_values() {
            if let Some(client_ref) = sent.client_ref {
                memory.unanswered(client_ref);
            }
            if let Some((reply, _)) = sent.caller {
                let _ = reply.send(answers::lost(sent.action, self.run_ended.as_ref(), texts));
            }
        }
    }
}

impl Drop for Line {
    fn drop(&mut self) {
        self.sender.abort();
        self.writer.shutdown();
    }
}

/// Completes once, when the sender failed.
async fn failed(sender_failed: &mut Option<oneshot::Receiver<()>>) {
    let ended = match sender_failed {
        Some(receiver) => receiver.await,
        None => return std::future::pending().await,
    };
    *sender_failed = None;
    if ended.is_err() {
        std::future::pending().await
    }
}

async fn at(moment: Option<Instant>) {
    match moment {
        Some(moment) => tokio::time::sleep_until(moment).await,
        None => std::future::pending().await,
    }
}
