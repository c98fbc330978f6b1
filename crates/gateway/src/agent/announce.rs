//! The announcement of an action, and the card that it may need.

use super::call::CallContext;
use crate::action::{Action, ActionState};
use crate::authority::Authority;
use crate::clock;
use crate::journal;
use crate::keeper::Kept;
use crate::views;
use lychgate_core::broker::Ask;
use lychgate_core::channel::{Channel, ChannelName};
use lychgate_core::decide::VaultNow;
use lychgate_core::event::{Event, RowKind};
use lychgate_core::ids::{ActionNo, CardNo, GrantNo, Ref};
use lychgate_core::outcome::Reason;
use lychgate_core::record::{IntentRecord, Record};
use lychgate_core::request::CanonicalRequest;
use lychgate_journal::Pending;
use lychgate_wire::agent::HttpCall;
use tokio_util::sync::CancellationToken;

/// An announced action: it goes on once its INTENT is durable.
pub(super) struct Announced {
    pub(super) intent: Pending,
    pub(super) kept: Kept,
}

/// Queues the INTENT, keeps what the journal can't give back, and opens the card where one is needed.
pub(super) fn announce(
    context: &CallContext,
    authority: &mut Authority,
    channel: &Channel,
    request: CanonicalRequest,
    reference: Ref,
    reasons: &[Reason],
    call: &HttpCall,
) -> Result<Announced, Reason> {
    let number = authority.take_action_number().ok_or(Reason::JournalUnavailable)?;
    let card = if reasons.is_empty() {
        None
    } else {
        let ask = question(context, authority, channel, &request, reference, number, reasons)
            .ok_or(Reason::ProcessChanged)?;
        Some(open(context, authority, ask)?)
    };
    let record =
        record(context, authority, channel, &request, reference, number, call).ok_or(Reason::ProcessChanged)?;
    let epoch = authority.vault.epoch().number;
    let event = requested(&record, &request);
    let intent = authority.journal.append(journal::action(RowKind::Intent, epoch, GrantNo::NONE, reference, event));
    authority.past.intents.insert(reference, record.clone());
    let kept = authority.keeper.keep_durably(Record::Intent(record));
    authority.actions.insert(Action {
        reference,
        client_ref: call.client_ref,
        number,
        run: context.run,
        channel: channel.name.clone(),
        digest: request.digest(),
        key: call.action_key.clone(),
        state: ActionState::Waiting { request: Box::new(request), card },
        rests_on: None,
        cancel: CancellationToken::new(),
        since: clock::now(),
    });
    authority.bump();
    Ok(Announced { intent, kept })
}

/// What the journal tells of an action: its target without the query, which can hold anything.
fn requested(record: &IntentRecord, request: &CanonicalRequest) -> Event {
    Event::ActionRequested {
        run: record.run,
        action: record.action,
        channel: record.channel.clone(),
        method: record.method.clone(),
        target: format!("{}{}", request.origin(), request.path()),
        digest: record.digest,
        body_bytes: request.body().len() as u64,
        peer: record.peer,
    }
}

/// What the store keeps of it. `None` where the run's process is not known any more.
fn record(
    context: &CallContext,
    authority: &Authority,
    channel: &Channel,
    request: &CanonicalRequest,
    reference: Ref,
    number: ActionNo,
    call: &HttpCall,
) -> Option<IntentRecord> {
    let run = authority.broker.run(context.run)?;
    Some(IntentRecord {
        reference,
        client_ref: call.client_ref,
        action: number,
        run: context.run,
        boot: context.gateway.boot_no,
        peer: run.subject().peer()?.inode,
        kernel_boot: run.subject().kernel_boot().to_owned(),
        channel: channel.name.clone(),
        channel_version: channel.version,
        method: request.method().to_string(),
        target: request.url().to_owned(),
        conversation: run.conversation().map(str::to_owned),
        digest: request.digest(),
        action_key: call.action_key.clone(),
        retry_of: call.retry_of,
        idempotency_key: None,
        at: clock::wall(),
    })
}

/// The card for an action: about the session, about this use, or about both.
pub(crate) fn question(
    context: &CallContext,
    authority: &Authority,
    channel: &Channel,
    request: &CanonicalRequest,
    reference: Ref,
    number: ActionNo,
    reasons: &[Reason],
) -> Option<Ask> {
    let run = authority.broker.run(context.run)?;
    let VaultNow::Unlocked(epoch) = authority.vault.now() else { return None };
    let session = reasons.contains(&Reason::NewRun);
    Some(Ask {
        run: context.run,
        changed: Vec::new(),
        previous: if session { authority.run_before(context.run) } else { None },
        agent: views::agent(run, &authority.vault.agents(), &authority.programs)?,
        channels: if session { vec![views::channel(channel, true)] } else { Vec::new() },
        action: Some(views::action(request, number)),
        asks_action: reasons.contains(&Reason::PerCall).then_some(reference),
        stands_alone: channel.approval.gives_sessions(run.subject().attestation()) == Ok(false),
        works_under: authority.works_under(context.run, Some(&channel.name)),
        ceremony: channel.approval.ceremony,
        epoch,
    })
}

/// Puts the card before the person and records a new one.
pub(crate) fn open(context: &CallContext, authority: &mut Authority, ask: Ask) -> Result<CardNo, Reason> {
    let (card, new) = authority.broker.ask(ask, clock::now())?;
    if new && let Some(view) = authority.broker.card(card) {
        let mut channels: Vec<ChannelName> = view.channels.iter().map(|on| on.name.clone()).collect();
        if let Some(action) = view.action.as_ref().filter(|action| !channels.contains(&action.channel)) {
            channels.push(action.channel.clone());
        }
        let event = Event::CardOpened { card, run: context.run, channels, shown: view.digest() };
        authority.note(event);
        authority.program_asked(context.run);
        authority.bump();
    }
    Ok(card)
}
