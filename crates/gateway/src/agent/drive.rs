//! Waiting for an action: for the person, for whoever drives it, for its end.

use super::announce;
use super::call::CallContext;
use crate::action::{ActionState, Finished};
use crate::clock;
use crate::execute;
use lychgate_core::broker::Resolution;
use lychgate_core::ids::{CardNo, Ref};
use lychgate_core::outcome::{NotStarted, Outcome, Reason, Reasons};
use lychgate_core::request::CanonicalRequest;
use lychgate_text::GatewayText as Text;
use lychgate_wire::agent::Answer;
use std::time::Duration;
use tokio::time::Instant;

/// How often a waiting client is told that it still waits.
const PROGRESS: Duration = Duration::from_secs(5);

/// What to do about an action now.
enum Step {
    /// It is over.
    Over(Box<Answer>),
    /// This caller sends it.
    Send(Box<CanonicalRequest>),
    /// The person has not answered.
    Person(Option<CardNo>),
    /// Somebody sends it.
    Busy,
}

/// Waits until the action is over, or until `deadline` while a person is asked.
///
/// The caller's presence is what lets an approved action run: it runs here, in a call of its run, or not at all.
pub(crate) async fn drive(context: &CallContext, reference: Ref, deadline: Instant) -> Answer {
    let mut changed = context.gateway.changed.subscribe();
    let mut attending = Attending { context, card: None };
    loop {
        changed.mark_unchanged();
        match step(context, reference) {
            Step::Over(answer) => return *answer,
            Step::Send(request) => {
                attending.change(None);
                execute::start(context, reference, *request);
            }
            Step::Person(card) => {
                attending.change(card);
                tokio::select! {
                    () = context.withdrawn.cancelled() => return withdraw(context, reference),
                    () = tokio::time::sleep_until(deadline) => return pending(context, reference, card),
                    _ = changed.changed() => {}
                    () = tokio::time::sleep(PROGRESS) => {
                        context.waiting(card).await;
                    }
                }
            }
            Step::Busy => {
                attending.change(None);
                tokio::select! {
                    // The action goes on: it can't be taken back, and its end is recorded.
                    () = context.withdrawn.cancelled() => return unknown(context, reference),
                    _ = changed.changed() => {}
                    () = tokio::time::sleep(PROGRESS) => {
                        context.progress(context.gateway.say(&Text::UnderWay)).await;
                    }
                }
            }
        }
    }
}

fn step(context: &CallContext, reference: Ref) -> Step {
    let mut authority = context.gateway.lock();
    // The evidence is taken again before an approved action may go on.
    let looked = context.look(&mut authority);
    authority.sweep();
    let Some(action) = authority.actions.of_run(context.run, reference) else {
        return over(context.gateway.because(Some(context.run), None, &Reasons::one(Reason::UnknownAction)));
    };
    let reference = action.reference;
    let card = match &action.state {
        ActionState::Done(finished) => {
            return over(context.gateway.finished(context.run, reference, finished));
        }
        ActionState::Running => return Step::Busy,
        ActionState::Waiting { card, .. } => *card,
    };
    if !looked.found.is_empty() {
        let reasons = Reasons::one(Reason::ProcessChanged);
        return over(context.gateway.because(Some(context.run), Some(reference), &reasons));
    }
    match card.map(|card| authority.broker.resolution(card)) {
        // Open, or its record is being written.
        Some(None | Some(Resolution::Recording)) => Step::Person(card),
        None | Some(Some(Resolution::Approved)) => take(&mut authority, reference),
        // The sweep above has ended such an action; this is reached only where it could not.
        Some(Some(Resolution::Denied)) => {
            over(context.gateway.because(Some(context.run), Some(reference), &Reasons::one(Reason::DeniedByOperator)))
        }
        Some(Some(Resolution::Closed(why))) => {
            over(context.gateway.because(Some(context.run), Some(reference), &Reasons::one(why)))
        }
    }
}

fn over(answer: Answer) -> Step {
    Step::Over(Box::new(answer))
}

fn take(authority: &mut crate::authority::Authority, reference: Ref) -> Step {
    let Some(action) = authority.actions.get_mut(reference) else { return Step::Busy };
    match std::mem::replace(&mut action.state, ActionState::Running) {
        ActionState::Waiting { request, .. } => Step::Send(request),
        other => {
            action.state = other;
            Step::Busy
        }
    }
}

/// The session was approved on a card that others shared; this use still needs its own yes.
pub(crate) fn ask_for_this_use(
    context: &CallContext,
    authority: &mut crate::authority::Authority,
    reference: Ref,
    request: CanonicalRequest,
) -> Result<(), Reason> {
    let number = authority.actions.get(reference).map(|action| action.number).ok_or(Reason::UnknownAction)?;
    let channel = authority.channel(request.channel()).ok_or(Reason::UnknownChannel)?;
    let ask = announce::question(context, authority, &channel, &request, reference, number, &[Reason::PerCall])
        .ok_or(Reason::ProcessChanged)?;
    let card = announce::open(context, authority, ask)?;
    let action = authority.actions.get_mut(reference).ok_or(Reason::UnknownAction)?;
    action.state = ActionState::Waiting { request: Box::new(request), card: Some(card) };
    action.since = clock::now();
    authority.bump();
    Ok(())
}

fn pending(context: &CallContext, reference: Ref, card: Option<CardNo>) -> Answer {
    let per_call = card
        .and_then(|card| {
            context.gateway.lock().broker.card(card).map(|view| view.asks_action && view.channels.is_empty())
        })
        .unwrap_or(false);
    let reason = if per_call { Reason::PerCall } else { Reason::NewRun };
    context.gateway.answer(
        Outcome::ApprovalPending,
        &[reason],
        Some(context.run),
        Some(reference),
        serde_json::json!({ "card": card }),
        None,
    )
}

fn withdraw(context: &CallContext, reference: Ref) -> Answer {
    let reasons = Reasons::one(Reason::CallerLeft);
    let mut authority = context.gateway.lock();
    let waiting =
        authority.actions.get(reference).is_some_and(|action| matches!(action.state, ActionState::Waiting { .. }));
    if waiting {
        let finished = Finished::Refused(reasons.clone());
        drop(authority.abort(reference, NotStarted::Unsent, Reason::CallerLeft.word(), finished));
    }
    drop(authority);
    context.gateway.because(Some(context.run), Some(reference), &reasons)
}

fn unknown(context: &CallContext, reference: Ref) -> Answer {
    context.gateway.because(Some(context.run), Some(reference), &Reasons::one(Reason::InspectActivityJournal))
}

/// Presence at a card, for as long as this lives.
pub(super) struct Attending<'a> {
    pub(super) context: &'a CallContext,
    pub(super) card: Option<CardNo>,
}

impl Attending<'_> {
    pub(super) fn change(&mut self, card: Option<CardNo>) {
        if self.card == card {
            return;
        }
        let mut authority = self.context.gateway.lock();
        let now = clock::now();
        if let Some(left) = self.card.take() {
            authority.broker.leave(left, now);
        }
        if let Some(card) = card {
            authority.broker.attend(card, now);
        }
        drop(authority);
        self.card = card;
    }
}

impl Drop for Attending<'_> {
    fn drop(&mut self) {
        self.change(None);
    }
}
