//! What became of an action: of this run, or of an earlier one whose results the person's yes opened (R17 to R23).
//!
//! A ref that is not in the caller's scope finds nothing, fences nothing and writes no row.

use crate::action::{ActionState, Finished};
use crate::agent::call::{CallContext, deadline};
use crate::agent::drive;
use crate::authority::{Authority, Looked, PastEnd};
use crate::clock;
use crate::journal;
use lychgate_core::channel::ChannelName;
use lychgate_core::event::{Event, RowKind};
use lychgate_core::ids::{GrantNo, Ref, RunId};
use lychgate_core::outcome::{NotStarted, Outcome, Reason, Reasons};
use lychgate_core::record::{EndKind, IntentRecord, Record, StoredResult};
use lychgate_journal::verify::VerifyOptions;
use lychgate_wire::agent::Answer;
use serde_json::{Value, json};
use std::sync::Arc;

/// The status of one action; waits for it where it is this run's and not over.
pub(crate) async fn status(
    context: &CallContext,
    reference: Option<Ref>,
    key: Option<String>,
    wait: Option<u64>,
) -> Answer {
    let found = find(context, reference, key);
    match found {
        Found::Own(reference) => drive::drive(context, reference, deadline(wait)).await,
        Found::Past(intent) => past(context, &intent).await,
        Found::Lost(reference) => {
            context.gateway.because(Some(context.run), Some(reference), &Reasons::one(Reason::InspectActivityJournal))
        }
        Found::Refused(reasons, looked) => context.refuse("", reasons, &looked),
        Found::Nothing => context.gateway.because(Some(context.run), None, &Reasons::one(Reason::UnknownAction)),
    }
}

enum Found {
    /// This run's.
    Own(Ref),
    /// An earlier run's, within scope.
    Past(Box<IntentRecord>),
    /// The surviving shim's own, of which no INTENT arrived.
    Lost(Ref),
    /// Authority first.
    Refused(Reasons, Looked),
    Nothing,
}

fn find(context: &CallContext, reference: Option<Ref>, key: Option<String>) -> Found {
    let mut authority = context.gateway.lock();
    let looked = context.look(&mut authority);
    let mut standing = authority.standing(context.run, &looked);
    if !standing.is_empty() {
        standing.extend(authority.claimed_reasons(context.run));
        standing.extend(
            authority
                .broker
                .run(context.run)
                .and_then(|run| run.lapse())
                .iter()
                .flat_map(|lapse| lapse.reasons.all().to_vec()),
        );
        let reasons = Reasons::new(standing).unwrap_or(Reasons::one(Reason::ProcessChanged));
        return Found::Refused(reasons, looked);
    }
    let own = match (reference, &key) {
        (Some(reference), _) => authority.actions.of_run(context.run, reference),
        (None, Some(key)) => authority.actions.newest_of_key(context.run, key),
        (None, None) => None,
    };
    if let Some(action) = own {
        // What began under an authority that has ended is told once there is a fresh one (R19).
        let lapsed =
            authority.lapsed(action).filter(|_| !matches!(action.state, ActionState::Done(Finished::Refused(_))));
        return match lapsed {
            Some(end) => Found::Refused(Reasons::one(end.reason()), looked),
            None => Found::Own(action.reference),
        };
    }
    if let Some(reference) = reference {
        if let Some(intent) = inherited(&authority, context.run, reference) {
            return Found::Past(Box::new(intent.clone()));
        }
    } else if let Some(key) = &key
        && let Some(intent) = inherited_by_key(&authority, context.run, key, None)
    {
        return Found::Past(Box::new(intent.clone()));
    }
    if let Some(reasons) = unresolved(&authority, context.run) {
        return Found::Refused(reasons, looked);
    }
    match reference.filter(|reference| is_own_lost(context, *reference)) {
        Some(reference) => Found::Lost(reference),
        None => Found::Nothing,
    }
}

/// The reasons of a lapse for as long as the person has answered none of it: whatever ref is quoted, the answer is the
/// same, so it tells nothing of what exists.
fn unresolved(authority: &Authority, run: RunId) -> Option<Reasons> {
    let lapse = authority.broker.run(run)?.lapse()?;
    let fresh = lapse
        .channels
        .iter()
        .any(|channel| authority.broker.session(run, channel).is_some_and(|session| session.ended().is_none()));
    (!fresh).then(|| lapse.reasons.clone())
}

/// An earlier run's action that this run may see: inherited by a yes, on a channel whose authority is fresh.
pub(crate) fn inherited(authority: &Authority, run: RunId, reference: Ref) -> Option<&IntentRecord> {
    let by_ref = authority.past.intents.get(&reference);
    let intent = by_ref.or_else(|| authority.past.intents.values().find(|intent| intent.client_ref == reference))?;
    in_scope(authority, run, intent).then_some(intent)
}

/// The newest attempt of a logical action of an earlier run, within this run's scope.
pub(crate) fn inherited_by_key<'a>(
    authority: &'a Authority,
    run: RunId,
    key: &str,
    channel: Option<&ChannelName>,
) -> Option<&'a IntentRecord> {
    authority
        .past
        .intents
        .values()
        .filter(|intent| intent.action_key.as_deref() == Some(key) && in_scope(authority, run, intent))
        .filter(|intent| channel.is_none_or(|channel| intent.channel == *channel))
        .max_by_key(|intent| intent.action)
}

fn in_scope(authority: &Authority, run: RunId, intent: &IntentRecord) -> bool {
    let opened = authority.past.inherited.get(&run).is_some_and(|from| {
        from.iter().any(|(earlier, channels)| *earlier == intent.run && channels.contains(&intent.channel))
    });
    let fresh = authority.broker.session(run, &intent.channel).is_some_and(|session| session.ended().is_none());
    opened && fresh && intent.run != run
}

/// Answers about an action of an earlier run.
async fn past(context: &CallContext, intent: &IntentRecord) -> Answer {
    let end = context.gateway.lock().past.ends.get(&intent.reference).cloned();
    let told = match end {
        Some(PastEnd::Observed(result)) => Told::Result(result),
        Some(PastEnd::Recorded) => Told::Finished,
        Some(PastEnd::NotStarted) => Told::NotStarted,
        Some(PastEnd::NotObserved) => Told::Unknown,
        None => by_journal(context, intent).await,
    };
    match told {
        Told::Result(result) => context.gateway.finished(context.run, intent.reference, &Finished::Observed(result)),
        Told::Finished => context.gateway.finished(context.run, intent.reference, &Finished::Recorded),
        Told::NotStarted => context.gateway.because(
            Some(context.run),
            Some(intent.reference),
            &Reasons::one(Reason::PreviousActionNotStarted),
        ),
        Told::Unknown => context.gateway.because(
            Some(context.run),
            Some(intent.reference),
            &Reasons::one(Reason::InspectActivityJournal),
        ),
    }
}

enum Told {
    Result(Arc<StoredResult>),
    /// A result was recorded, and is not kept.
    Finished,
    NotStarted,
    Unknown,
}

/// What the journal proves of an action that the store has no end of.
async fn by_journal(context: &CallContext, intent: &IntentRecord) -> Told {
    let journal = Arc::clone(&context.gateway.journal);
    let reference = intent.reference;
    let state = tokio::task::spawn_blocking(move || journal.state_of(reference)).await;
    // Damage, or a journal that can't be read: nothing is proven.
    let Ok(Ok(state)) = state else { return Told::Unknown };
    match (state.end.map(|end| end.kind), state.dispatch) {
        (Some(RowKind::Abort), _) => {
            context.gateway.lock().past.ends.insert(reference, PastEnd::NotStarted);
            Told::NotStarted
        }
        (Some(RowKind::Final), _) => Told::Finished,
        (Some(_), _) | (None, true) => Told::Unknown,
        (None, false) => {
            let vouched = {
                let authority = context.gateway.lock();
                vouches(context, &authority, intent)
            };
            let whole = vouched && receipt_in_log(context).await;
            if whole && fence(context, reference, intent.action.0).await { Told::NotStarted } else { Told::Unknown }
        }
    }
}

/// Absence of a DISPATCH counts only where something outside the log vouches for the log's end: here the surviving
/// shim, the very process of the INTENT, that read its old connection to the end and got no notice for the ref.
///
/// Only our own program file is believed in this: what any other client says of its notices is no evidence.
fn vouches(context: &CallContext, authority: &Authority, intent: &IntentRecord) -> bool {
    let Some(previous) = &context.handle.previous else { return false };
    let Some(run) = authority.broker.run(context.run) else { return false };
    let own_shim = run
        .subject()
        .peer()
        .and_then(|peer| peer.executable.value())
        .is_some_and(|executable| executable.file == context.gateway.own_file);
    let same_process = intent.peer == context.handle.peer
        && intent.kernel_boot == run.subject().kernel_boot()
        && intent.run == previous.run
        && intent.boot == previous.boot;
    let earlier_gateway = intent.boot != context.gateway.boot_no;
    let unanswered = previous.unanswered.contains(&intent.client_ref);
    let noticed = previous.noticed.contains(&intent.client_ref) || previous.noticed.contains(&intent.reference);
    own_shim
        && same_process
        && earlier_gateway
        && previous.read_to_end
        && unanswered
        && !noticed
        && previous.receipt.is_some()
}

/// The surviving shim's own ref, of which this gateway knows no INTENT. The store may have lost it, so nothing is
/// proven.
fn is_own_lost(context: &CallContext, reference: Ref) -> bool {
    let earlier = |boot| boot != context.gateway.boot_no;
    let previous = context.handle.previous.as_ref();
    previous.is_some_and(|previous| earlier(previous.boot) && previous.unanswered.contains(&reference))
}

/// The shim's newest receipt is a prefix of the log as it stands: nothing below it was cut or rewritten.
async fn receipt_in_log(context: &CallContext) -> bool {
    let Some(receipt) = context.handle.previous.as_ref().and_then(|previous| previous.receipt.clone()) else {
        return false;
    };
    let audit = lychgate_vault::Files::in_dir(&context.gateway.state_dir).audit();
    // Held against the vault's own key: a directory that was replaced proves nothing.
    let Some(vault_key) = context.gateway.lock().vault.public() else { return false };
    let options = VerifyOptions {
        vault_key: Some(vault_key),
        log_key: None,
        checkpoints: Vec::new(),
        receipts: vec![receipt],
        all_commits: false,
        at_rest: false,
    };
    let verified = tokio::task::spawn_blocking(move || lychgate_journal::verify::verify(&audit, &options)).await;
    verified.is_ok_and(|report| report.verdict.accepts())
}

/// Writes the ABORT that keeps the ref from ever starting.
async fn fence(context: &CallContext, reference: Ref, number: u64) -> bool {
    let row = {
        let authority = context.gateway.lock();
        let epoch = authority.vault.epoch().number;
        let event = Event::ActionNotStarted {
            run: context.run,
            action: lychgate_core::ids::ActionNo(number),
            evidence: NotStarted::Fence,
            detail: "log_end_vouched_for".into(),
        };
        authority.journal.append(journal::action(RowKind::Abort, epoch, GrantNo::NONE, reference, event))
    };
    if row.await.is_err() {
        return false;
    }
    let mut authority = context.gateway.lock();
    authority.past.ends.insert(reference, PastEnd::NotStarted);
    authority.record(Record::Ended { reference, kind: EndKind::NotStarted, at: clock::wall() });
    true
}

/// More of a result that was truncated.
pub(crate) fn read_result(context: &CallContext, reference: Ref, offset: u64) -> Answer {
    let result = match find(context, Some(reference), None) {
        Found::Refused(reasons, looked) => return context.refuse("", reasons, &looked),
        Found::Own(reference) => {
            let authority = context.gateway.lock();
            authority.actions.get(reference).and_then(|action| match &action.state {
                ActionState::Done(Finished::Observed(result)) => Some(Arc::clone(result)),
                ActionState::Done(_) | ActionState::Running | ActionState::Waiting { .. } => None,
            })
        }
        Found::Past(intent) => match context.gateway.lock().past.ends.get(&intent.reference) {
            Some(PastEnd::Observed(result)) => Some(Arc::clone(result)),
            Some(PastEnd::Recorded | PastEnd::NotStarted | PastEnd::NotObserved) | None => None,
        },
        Found::Lost(_) | Found::Nothing => None,
    };
    let Some(result) = result else {
        return context.gateway.because(Some(context.run), None, &Reasons::one(Reason::UnknownAction));
    };
    let offset = usize::try_from(offset).unwrap_or(usize::MAX);
    let (value, line) = context.gateway.shown(&result, offset);
    context.gateway.answer(Outcome::Completed, &[], Some(context.run), Some(reference), value, Some(line))
}

/// Actions that had no answer yet, for `authorize`: of this run and of the runs that it inherits from.
pub(crate) fn unfinished(context: &CallContext) -> Vec<Value> {
    let authority = context.gateway.lock();
    let own = authority
        .actions
        .iter()
        .filter(|action| action.run == context.run)
        .filter(|action| !matches!(action.state, ActionState::Done(Finished::Refused(_))))
        .map(|action| {
            let status = match &action.state {
                ActionState::Waiting { .. } | ActionState::Running => "unfinished",
                ActionState::Done(Finished::Observed(_) | Finished::Recorded) => "finished",
                ActionState::Done(Finished::NotObserved(_)) => "unknown",
                ActionState::Done(Finished::NotStarted(..) | Finished::Refused(_)) => "not_started",
            };
            json!({ "action_id": action.reference, "channel": action.channel, "status": status })
        });
    let past =
        authority.past.intents.values().filter(|intent| in_scope(&authority, context.run, intent)).map(|intent| {
            let status = match authority.past.ends.get(&intent.reference) {
                Some(PastEnd::Observed(_) | PastEnd::Recorded) => "finished",
                Some(PastEnd::NotStarted) => "not_started",
                Some(PastEnd::NotObserved) => "unknown",
                None => "ask_action_status",
            };
            json!({
                "action_id": intent.reference,
                "channel": intent.channel,
                "method": intent.method,
                "url": intent.target,
                "status": status,
            })
        });
    own.chain(past).collect()
}
