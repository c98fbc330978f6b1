//! `http_request`: from the call to an announced action, or to a refusal. What follows is in `drive` and `execute`.

use super::announce::{Announced, announce};
use super::call::{CallContext, deadline, lost};
use super::drive;
use crate::action::{ActionState, Finished};
use crate::authority::{Authority, Looked, PastEnd};
use crate::state::Gateway;
use crate::status;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use lychgate_core::channel::{Channel, ChannelError, ChannelName};
use lychgate_core::decide::{Decision, Question, VaultNow};
use lychgate_core::ids::{Digest, Ref};
use lychgate_core::limits;
use lychgate_core::outcome::{NotStarted, Outcome, Reason, Reasons};
use lychgate_core::request::{CanonicalRequest, InvalidRequest, RawRequest};
use lychgate_text::{GatewayText as Text, Refusal as _};
use lychgate_wire::agent::{Answer, HttpCall};

/// One authenticated request.
pub(super) async fn request(context: &CallContext, call: HttpCall) -> Answer {
    let wait = call.wait_seconds;
    match begin(context, call).await {
        Begun::Answer(answer) => *answer,
        Begun::Known(reference) => status::status(context, Some(reference), None, wait).await,
        Begun::New { reference, announced } => {
            // Durable before anything is said or sent (R19, I5).
            let recorded = announced.intent.await.is_ok();
            // The store costs words and results, never safety: its failure does not stop an action.
            let _ = announced.kept.done().await;
            if !recorded {
                let reasons = Reasons::one(Reason::JournalUnavailable);
                let finished = Finished::Refused(reasons.clone());
                let mut authority = context.gateway.lock();
                drop(authority.abort(reference, NotStarted::Unsent, Reason::JournalUnavailable.word(), finished));
                drop(authority);
                return context.gateway.because(Some(context.run), Some(reference), &reasons);
            }
            drive::drive(context, reference, deadline(wait)).await
        }
    }
}

enum Begun {
    Answer(Box<Answer>),
    /// The same attempt came before.
    Known(Ref),
    New {
        reference: Ref,
        announced: Announced,
    },
}

/// The first decision, and the announcement. What does not depend on the body comes first, in a critical section of its
/// own; then the body is taken apart, with nobody waiting; then all of it is decided, in another one.
async fn begin(context: &CallContext, mut call: HttpCall) -> Begun {
    let (name, channel) = match open(context, &call) {
        Ok(open) => open,
        Err(refused) => return refused,
    };
    let body = call.body_base64.take();
    let raw =
        RawRequest { method: call.method.clone(), url: call.url.clone(), headers: call.headers.clone(), body: vec![] };
    let bytes = body.as_ref().map_or(0, String::len);
    // Given back when the action is announced: from then on the number of actions is what bounds bodies.
    let mut large = context.take_large();
    let prepared = tokio::select! {
        prepared = context.gateway.heavy(bytes, move || canonical(&channel, raw, body)) => prepared,
        () = lost(large.as_mut().map(|large| &mut large.place)) => None,
    };
    let mut authority = context.gateway.lock();
    let looked = context.look(&mut authority);
    let begun = match prepared {
        Some(Ok(request)) => try_begin(context, &mut authority, &looked, &name, request, &call),
        Some(Err(invalid)) => Err(invalid.say(context)),
        None => Err(Refusal::Reasons(name.to_string(), Reasons::one(Reason::TooMany))),
    };
    begun.unwrap_or_else(|refusal| {
        drop(authority);
        refusal.begun(context, &looked)
    })
}

/// Refuses what no body can mend. Else the channel as it is now: `decide` finds out if it is another one later.
fn open(context: &CallContext, call: &HttpCall) -> Result<(ChannelName, Channel), Begun> {
    let mut authority = context.gateway.lock();
    let looked = context.look(&mut authority);
    try_open(context, &authority, &looked, call).map_err(|refusal| {
        drop(authority);
        refusal.begun(context, &looked)
    })
}

fn try_open(
    context: &CallContext,
    authority: &Authority,
    looked: &Looked,
    call: &HttpCall,
) -> Result<(ChannelName, Channel), Refusal> {
    let name: ChannelName = call
        .channel
        .parse()
        .map_err(|error: ChannelError| Refusal::Invalid(Reason::UnknownChannel, error.say(context.gateway.text)))?;
    refused_at_once(context, authority, looked, &name)?;
    let Some(channel) = authority.channel(&name) else {
        return Err(Refusal::Invalid(Reason::UnknownChannel, unknown_channel(&context.gateway, authority, &name)));
    };
    if call.action_key.as_ref().is_some_and(|key| key.len() > limits::ACTION_KEY_BYTES) {
        let what = context.gateway.say(&Text::KeyTooLong { limit: limits::ACTION_KEY_BYTES });
        return Err(Refusal::Invalid(Reason::InvalidRequest, what));
    }
    Ok((name, channel))
}

/// Why a request has no canonical form.
enum Invalid {
    NotBase64,
    Request(InvalidRequest),
}

impl Invalid {
    fn say(self, context: &CallContext) -> Refusal {
        let what = match self {
            Self::NotBase64 => context.gateway.say(&Text::NotBase64),
            Self::Request(error) => context.gateway.say(&Text::NothingSent { why: &error.say(context.gateway.text) }),
        };
        Refusal::Invalid(Reason::InvalidRequest, what)
    }
}

fn canonical(channel: &Channel, raw: RawRequest, body_base64: Option<String>) -> Result<CanonicalRequest, Invalid> {
    let body = match body_base64 {
        None => Vec::new(),
        Some(text) => STANDARD.decode(text).map_err(|_| Invalid::NotBase64)?,
    };
    CanonicalRequest::new(channel, RawRequest { body, ..raw }).map_err(Invalid::Request)
}

/// Why no action was announced.
enum Refusal {
    /// Refused with reasons; journalled.
    Reasons(String, Reasons),
    /// The call is wrong in itself.
    Invalid(Reason, String),
}

impl Refusal {
    /// Records it: not under the lock of authority.
    fn begun(self, context: &CallContext, looked: &Looked) -> Begun {
        let answer = match self {
            Self::Reasons(channel, reasons) => context.refuse(&channel, reasons, looked),
            Self::Invalid(reason, what) => context.gateway.invalid(context.run, reason, what),
        };
        Begun::Answer(Box::new(answer))
    }
}

fn with_reasons(name: &ChannelName, reasons: Vec<Reason>) -> Refusal {
    let reasons = Reasons::new(reasons).unwrap_or(Reasons::one(Reason::NewRun));
    Refusal::Reasons(name.to_string(), reasons)
}

fn try_begin(
    context: &CallContext,
    authority: &mut Authority,
    looked: &Looked,
    name: &ChannelName,
    request: CanonicalRequest,
    call: &HttpCall,
) -> Result<Begun, Refusal> {
    let with_reasons = |reasons| with_reasons(name, reasons);
    refused_at_once(context, authority, looked, name)?;
    let Some(channel) = authority.channel(name) else {
        return Err(Refusal::Invalid(Reason::UnknownChannel, unknown_channel(&context.gateway, authority, name)));
    };
    if request.channel_version() != channel.version {
        // Its form was checked against another binding.
        return Err(with_reasons(vec![Reason::ChannelChanged]));
    }
    if let Some(known) = known(context, authority, call, &request)? {
        return Ok(Begun::Known(known));
    }
    if authority.broker.is_denied(context.run, request.digest()) {
        return Err(with_reasons(vec![Reason::DeniedByOperator]));
    }
    let of_tree = |run| authority.broker.same_tree(context.run, run);
    let pending = authority.actions.all_unfinished().filter(|action| of_tree(action.run)).count();
    if pending >= limits::PENDING_INTENTS_PER_AGENT {
        return Err(with_reasons(vec![Reason::TooMany]));
    }
    let reference = fresh_ref().ok_or_else(|| with_reasons(vec![Reason::JournalUnavailable]))?;
    let question = Question { reference, request };
    let (request, reasons) = match authority.decide(context.run, question, looked) {
        // This permit is dropped: the one that counts is made when the connection is ready.
        Decision::Allow(permit) => (permit.give_up(), Vec::new()),
        Decision::Deny(denied) => {
            let reasons = in_words(context, authority, name, denied.reasons.all());
            let askable = |reason: &Reason| matches!(reason, Reason::NewRun | Reason::PerCall);
            if !reasons.iter().all(askable) {
                return Err(with_reasons(reasons));
            }
            (denied.question.request, reasons)
        }
    };
    let announced = announce(context, authority, &channel, request, reference, &reasons, call)
        .map_err(|reason| with_reasons(vec![reason]))?;
    Ok(Begun::New { reference, announced })
}

/// `NewRun` is what `decide` says where there is no approval. Where an earlier authority is known, that is the word.
fn in_words(context: &CallContext, authority: &Authority, name: &ChannelName, reasons: &[Reason]) -> Vec<Reason> {
    let lapse = authority.lapse_reasons(context.run, name);
    match lapse {
        Some(lapse) if reasons.contains(&Reason::NewRun) => {
            let rest = reasons.iter().filter(|reason| !matches!(reason, Reason::NewRun | Reason::PerCall));
            rest.chain(lapse.all()).copied().collect()
        }
        _ if reasons.iter().any(|reason| reason.outcome() == Outcome::ReauthRequired) => {
            reasons.iter().filter(|reason| **reason != Reason::PerCall).copied().collect()
        }
        _ => reasons.to_vec(),
    }
}

/// What holds whatever the request is. A locked vault refuses in any case.
fn refused_at_once(
    context: &CallContext,
    authority: &Authority,
    looked: &Looked,
    name: &ChannelName,
) -> Result<(), Refusal> {
    if authority.vault.now() == VaultNow::Locked {
        return Err(with_reasons(name, locked_reasons(context, authority, looked, name)));
    }
    let standing = authority.standing(context.run, looked);
    if standing.is_empty() { Ok(()) } else { Err(with_reasons(name, standing)) }
}

/// Everything that holds beside the lock, for the words.
pub(super) fn locked_reasons(
    context: &CallContext,
    authority: &Authority,
    looked: &Looked,
    name: &ChannelName,
) -> Vec<Reason> {
    let mut reasons = authority.standing(context.run, looked);
    if authority.broker.session(context.run, name).is_some() {
        reasons.push(Reason::VaultStateChanged);
    }
    reasons.extend(authority.lapse_reasons(context.run, name).iter().flat_map(|lapse| lapse.all().to_vec()));
    reasons.extend(authority.claimed_reasons(context.run));
    reasons
}

pub(super) fn unknown_channel(gateway: &Gateway, authority: &Authority, name: &ChannelName) -> String {
    let names: Vec<String> = authority.vault.channels().iter().map(|channel| channel.name.to_string()).collect();
    gateway.say(&Text::NoChannel { name: name.as_str(), known: &names.join(", ") })
}

/// The same attempt, or another attempt of the same logical action, or a repeated one that must be equal.
fn known(
    context: &CallContext,
    authority: &Authority,
    call: &HttpCall,
    request: &CanonicalRequest,
) -> Result<Option<Ref>, Refusal> {
    let reused = |what: &str| Refusal::Invalid(Reason::KeyReused, context.gateway.say(&Text::KeyReused { what }));
    if let Some(action) = authority.actions.of_run(context.run, call.client_ref) {
        let same = action.digest == request.digest();
        return if same { Ok(Some(action.reference)) } else { Err(reused("client_ref")) };
    }
    if let Some(key) = &call.action_key
        && let Some(earlier) = keyed(context, authority, key, request.channel())
    {
        if earlier.digest != request.digest() {
            return Err(reused("action_key"));
        }
        // Not started: a new attempt of the same logical action. Otherwise: that action.
        return Ok((!earlier.not_started).then_some(earlier.reference));
    }
    if let Some(earlier) = call.retry_of {
        let digest = authority
            .actions
            .of_run(context.run, earlier)
            .map(|action| action.digest)
            .or_else(|| status::inherited(authority, context.run, earlier).map(|intent| intent.digest));
        match digest {
            None => return Err(Refusal::Invalid(Reason::UnknownAction, context.gateway.say(&Text::NoEarlierAction))),
            Some(digest) if digest != request.digest() => return Err(reused("retry_of")),
            Some(_) => {}
        }
    }
    Ok(None)
}

/// The newest attempt of a logical action: of this run, or of an earlier one that the person's yes opened (R20).
struct Keyed {
    reference: Ref,
    digest: Digest,
    not_started: bool,
}

fn keyed(context: &CallContext, authority: &Authority, key: &str, channel: &ChannelName) -> Option<Keyed> {
    if let Some(action) = authority.actions.of_key(context.run, key, channel) {
        let not_started = matches!(action.state, ActionState::Done(Finished::NotStarted(..) | Finished::Refused(_)));
        return Some(Keyed { reference: action.reference, digest: action.digest, not_started });
    }
    let intent = status::inherited_by_key(authority, context.run, key, Some(channel))?;
    // An end that only the journal knows is found by the status that this leads to.
    let not_started = matches!(authority.past.ends.get(&intent.reference), Some(PastEnd::NotStarted));
    Some(Keyed { reference: intent.reference, digest: intent.digest, not_started })
}

fn fresh_ref() -> Option<Ref> {
    let mut bytes = [0u8; 16];
    getrandom::fill(&mut bytes).ok()?;
    Some(Ref(bytes))
}
