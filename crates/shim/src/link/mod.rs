//! The connection to the gateway: one task keeps it, and calls reach that task through [`Link`].

mod line;
mod open;
mod pace;
mod task;

pub(crate) use open::NotOpen;

use crate::{ShimOptions, answers};
use lychgate_core::ids::Ref;
use lychgate_text::ShimTexts;
use lychgate_wire::agent::{Answer, Call};
use std::sync::atomic::{AtomicU64, Ordering};
use tokio::sync::{mpsc, oneshot, watch};
use tokio_util::sync::CancellationToken;

/// What the task is asked for.
enum Ask {
    Call(Box<Open>),
    /// Withdraws the call of that number.
    Cancel(u64),
}

/// A call that has no answer yet.
struct Open {
    id: u64,
    conversation: Option<String>,
    call: Call,
    reply: oneshot::Sender<Answer>,
    progress: watch::Sender<String>,
}

/// A handle to the task.
pub(crate) struct Link {
    asks: mpsc::UnboundedSender<Ask>,
    last_id: AtomicU64,
    closing: CancellationToken,
    texts: &'static ShimTexts,
}

impl Link {
    /// Starts the task, which tries to connect at once. It ends when `closing` is cancelled.
    pub(crate) fn start(options: &ShimOptions, texts: &'static ShimTexts, closing: CancellationToken) -> Self {
        let (asks, inbox) = mpsc::unbounded_channel();
        tokio::spawn(task::Task::new(options, texts, inbox, closing.clone()).run());
        Self { asks, last_id: AtomicU64::new(0), closing, texts }
    }

    /// Passes a call on and waits for its answer. There always is one.
    pub(crate) async fn call(
        &self,
        call: Call,
        conversation: Option<String>,
        progress: watch::Sender<String>,
        cancelled: &CancellationToken,
    ) -> Answer {
        let id = self.last_id.fetch_add(1, Ordering::Relaxed).wrapping_add(1);
        let action = action_of(&call);
        let (reply, answer) = oneshot::channel();
        let asked = self.asks.send(Ask::Call(Box::new(Open { id, conversation, call, reply, progress })));
        tokio::select! {
            biased;
            answer = answer => answer.unwrap_or_else(|_| {
                // The task is gone: in order with the client, or by a fault after it may have sent the call.
                let in_order = asked.is_err() || self.closing.is_cancelled();
                if in_order { answers::client_left(self.texts) } else { answers::lost(action, None, self.texts) }
            }),
            () = self.closing.cancelled() => answers::client_left(self.texts),
            () = cancelled.cancelled() => {
                let _ = self.asks.send(Ask::Cancel(id)); // A task that is gone holds no call.
                answers::client_left(self.texts)
            }
        }
    }
}

/// What the caller can ask about when the answer of a call is lost.
fn action_of(call: &Call) -> Option<Ref> {
    match call {
        Call::HttpRequest(http) => Some(http.client_ref),
        Call::ActionStatus { action_id, .. } => *action_id,
        Call::ReadResult { action_id, .. } => Some(*action_id),
        Call::Authorize { .. } | Call::Delegate { .. } | Call::ListChannels | Call::RunStatus => None,
    }
}

/// The name of the attempt where the call is one.
fn client_ref(call: &Call) -> Option<Ref> {
    match call {
        Call::HttpRequest(http) => Some(http.client_ref),
        Call::Authorize { .. }
        | Call::Delegate { .. }
        | Call::ActionStatus { .. }
        | Call::ReadResult { .. }
        | Call::ListChannels
        | Call::RunStatus => None,
    }
}
