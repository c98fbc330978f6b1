//! One call: looked at, answered.

use crate::agent::{authorize, delegate, http, lists};
use crate::authority::Looked;
use crate::state::{Gateway, RunHandle};
use crate::status;
use lychgate_core::event::Event;
use lychgate_core::evidence::{ProcessInode, Seen};
use lychgate_core::ids::RunId;
use lychgate_core::limits;
use lychgate_core::outcome::{Reason, Reasons};
use lychgate_wire::agent::{Answer, Call, ToAgent};
use lychgate_wire::crowd::Place;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use tokio::sync::oneshot;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

/// What a call needs: whose it is, who wrote it, and whether it still waits.
pub(crate) struct CallContext {
    pub(crate) gateway: Arc<Gateway>,
    pub(crate) run: RunId,
    pub(crate) handle: Arc<RunHandle>,
    /// The process that wrote the frame.
    pub(crate) sender: ProcessInode,
    pub(crate) id: u64,
    /// The client took the call back, or the connection ends.
    pub(crate) withdrawn: CancellationToken,
    /// Of a large frame. Its connection reads no further one until this is gone.
    pub(crate) large: Mutex<Option<Large>>,
}

/// The memory that a large frame takes, until its action has been announced or refused.
pub(crate) struct Large {
    pub(crate) place: Place,
    /// Dropped: the connection may go on.
    pub(crate) _gone: oneshot::Sender<()>,
}

/// Waits until a place is lost; for ever where there is none.
pub(crate) async fn lost(place: Option<&mut Place>) {
    match place {
        Some(place) => place.lost().await,
        None => std::future::pending().await,
    }
}

impl CallContext {
    /// Looks at the run's processes again, under the lock that `authority` stands for.
    pub(crate) fn look(&self, authority: &mut crate::authority::Authority) -> Looked {
        authority.look(self.run, Seen::Seen(self.sender))
    }

    /// The memory that the call's frame took, from now on the caller's to give back.
    pub(crate) fn take_large(&self) -> Option<Large> {
        self.large.lock().unwrap_or_else(PoisonError::into_inner).take()
    }

    /// Tells the client that the call still waits.
    pub(crate) async fn progress(&self, text: String) {
        let _ = self.handle.writer.send(&ToAgent::Progress { id: self.id, text }).await;
    }

    /// Tells the client that the person has not answered yet.
    pub(crate) async fn waiting(&self, card: Option<lychgate_core::ids::CardNo>) {
        let card = card.map(|card| card.to_string());
        let text = lychgate_text::GatewayText::WaitingForPerson { card: card.as_deref() };
        self.progress(self.gateway.say(&text)).await;
    }

    /// Refuses with all reasons, and records it: a denied action is different from a missing one (R25).
    pub(crate) fn refuse(&self, channel: &str, reasons: Reasons, looked: &Looked) -> Answer {
        let answer = self.gateway.because(Some(self.run), None, &reasons);
        self.gateway.lock().note(Event::ActionDenied {
            run: self.run,
            action: None,
            channel: channel.chars().take(80).collect(),
            reasons,
            differences: looked.found.clone(),
        });
        answer
    }
}

/// Until when a call waits for a person.
pub(crate) fn deadline(wait_seconds: Option<u64>) -> Instant {
    let seconds = wait_seconds.unwrap_or(limits::WAIT_DEFAULT_SECONDS).min(limits::WAIT_MAX_SECONDS);
    Instant::now() + Duration::from_secs(seconds)
}

/// Serves one call.
pub(super) async fn serve(context: &CallContext, conversation: Option<&str>, call: Call) -> Answer {
    if let Some(answer) = enter(context, conversation) {
        return answer;
    }
    match call {
        Call::HttpRequest(call) => http::request(context, call).await,
        Call::Authorize { channels, wait_seconds } => authorize::authorize(context, channels, wait_seconds).await,
        Call::ActionStatus { action_id, action_key, wait_seconds } => {
            status::status(context, action_id, action_key, wait_seconds).await
        }
        Call::ReadResult { action_id, offset } => status::read_result(context, action_id, offset),
        Call::Delegate { pid, channels } => delegate::delegate(context, pid, channels).await,
        Call::ListChannels => lists::channels(context),
        Call::RunStatus => lists::run(context),
    }
}

/// What is checked for every call: the processes are the same, and a conversation label may narrow.
fn enter(context: &CallContext, conversation: Option<&str>) -> Option<Answer> {
    let mut authority = context.gateway.lock();
    let looked = context.look(&mut authority);
    if !looked.found.is_empty() {
        let mut reasons = authority.standing(context.run, &looked);
        reasons.push(Reason::ProcessChanged);
        drop(authority);
        let reasons = Reasons::new(reasons).unwrap_or(Reasons::one(Reason::ProcessChanged));
        return Some(context.refuse("", reasons, &looked));
    }
    let label = super::register::label(conversation.map(str::to_owned));
    let before = authority.broker.run(context.run).and_then(|run| run.conversation()).map(str::to_owned);
    let ends = authority.broker.declare_conversation(context.run, label.as_deref());
    authority.apply(ends);
    if label.is_some() && label != before {
        // Some clients name their conversation with the first call: only now can it be linked to an earlier run.
        authority.remember(context.run);
    }
    None
}
