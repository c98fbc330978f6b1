//! A yes: looked at again, recorded, and only then live.

use super::say;
use super::{Console, Refused, because};
use crate::agent::authorize::usable;
use crate::authority::Authority;
use crate::clock;
use lychgate_core::approval::{ApprovalFacts, CallApproval, Reach};
use lychgate_core::broker::{AnswerRefused, Approve, EndedApproval, Granting, Resolution};
use lychgate_core::card::CardView;
use lychgate_core::channel::{Ceremony, ChannelName};
use lychgate_core::decide::VaultNow;
use lychgate_core::event::{Event, RowDraft, RowKind};
use lychgate_core::evidence::Seen;
use lychgate_core::ids::{CardNo, Digest, Ref, RunId, VaultEpoch};
use lychgate_core::outcome::{EndReason, Reason};
use lychgate_core::proof::JournalAck;
use lychgate_core::record::Record;
use lychgate_journal::Pending;
use lychgate_text::GatewayText as Text;
use lychgate_wire::operator::{Failure, Reply};
use sha2::{Digest as _, Sha256};

/// Says yes to a card. The PIN was checked for this very command.
pub(super) async fn approve(
    console: &Console,
    card: CardNo,
    channels: Option<Vec<ChannelName>>,
    shown: Option<Digest>,
    programs: bool,
) -> Result<Reply, Refused> {
    let (mut granting, rows, call_row) = take(console, card, channels.as_deref(), shown, programs)?;
    let mut acks = Vec::with_capacity(rows.len());
    for row in rows {
        acks.push(row.await);
    }
    let call_recorded = match call_row {
        Some(row) => row.await.is_ok(),
        None => false,
    };

    let mut authority = console.gateway.lock();
    let epoch = epoch(&authority);
    let mut opened = Vec::new();
    let mut whole = true;
    for (facts, ack) in std::mem::take(&mut granting.approvals).into_iter().zip(acks) {
        let Ok(ack) = ack else {
            whole = false;
            continue;
        };
        let session = (facts.reach == Reach::Run).then(|| facts.channel.clone());
        if activate(&mut authority, facts, ack, &granting, epoch) {
            opened.extend(session);
        } else {
            whole = false;
        }
    }
    if let Some(call) = granting.call.take().filter(|_| call_recorded) {
        whole &= authority.broker.keep_call(call, &granting, epoch);
    }
    let cause = if authority.broker.was_taken_back(&granting) {
        Reason::ApprovalRevoked
    } else if epoch.map(|epoch| epoch.number) != Some(granting.view.epoch) {
        Reason::VaultStateChanged
    } else {
        Reason::JournalUnavailable
    };
    settle(console, &mut authority, &granting.view, &opened, whole, cause)
}

/// An approval whose GRANT is on record becomes live. `false` where the yes came too late; the record is closed.
fn activate(
    authority: &mut Authority,
    facts: ApprovalFacts,
    ack: JournalAck,
    granting: &Granting,
    epoch: Option<VaultEpoch>,
) -> bool {
    let ended = EndedApproval {
        run: facts.run,
        channel: facts.channel.clone(),
        approval: facts.id,
        action: facts.reach.action(),
        grant: facts.grant,
        epoch: facts.epoch.number,
        reason: EndReason::VaultLocked,
    };
    let close = |authority: &Authority, reason| {
        let ended = EndedApproval { reason, ..ended.clone() };
        drop(authority.journal.append(crate::journal::revoke(&ended, authority.vault.epoch().number)));
    };
    if facts.reach == Reach::Run {
        if has_usable(authority, &ended) {
            // Two cards asked for the same: the first approval stays, the second one's record is closed.
            close(authority, EndReason::ApprovalExpired);
            return true;
        }
        let replaced = authority.broker.expire_session(ended.run, &ended.channel);
        authority.apply(replaced);
    }
    if authority.broker.activate(facts, ack, granting, epoch) {
        return true;
    }
    // Its GRANT is on record, so its end must be as well.
    let run_ended = authority.broker.run(ended.run).and_then(lychgate_core::broker::Run::ended);
    let taken_back = authority.broker.was_taken_back(granting).then_some(EndReason::ManualRevoke);
    close(authority, run_ended.or(taken_back).unwrap_or(EndReason::VaultLocked));
    false
}

/// The run has an approval for that channel already, and it would still be used.
fn has_usable(authority: &Authority, new: &EndedApproval) -> bool {
    let session = authority.broker.session(new.run, &new.channel);
    session.zip(authority.channel(&new.channel)).is_some_and(|(session, channel)| usable(session, &channel))
}

fn settle(
    console: &Console,
    authority: &mut Authority,
    view: &CardView,
    opened: &[ChannelName],
    whole: bool,
    cause: Reason,
) -> Result<Reply, Refused> {
    let (card, run) = (view.card, view.run);
    if !whole && opened.is_empty() {
        authority.broker.settle(card, Resolution::Closed(cause));
        authority.sweep();
        authority.bump();
        return Err(match cause {
            Reason::ApprovalRevoked => Refused::new(Failure::Refused, say(&Text::TakenBackMeanwhile)),
            Reason::VaultStateChanged => Refused::new(Failure::Refused, because(&console.gateway, cause)),
            _ => Refused::new(Failure::Fault, say(&Text::NotGranted)),
        });
    }
    if !opened.is_empty() {
        authority.record_run(run);
    }
    for channel in opened {
        let epoch = authority.vault.epoch().number;
        authority.record(Record::Approved { run, channel: channel.clone(), epoch, at: clock::wall() });
    }
    authority.program_approved(run);
    inherit(authority, run, view, opened);
    authority.broker.settle(card, Resolution::Approved);
    authority.approved(card);
    authority.bump();
    Ok(Reply::Approved { run, channels: opened.to_vec() })
}

/// The card said that the results of the earlier run's actions on these channels are shown to this one.
fn inherit(authority: &mut Authority, run: RunId, view: &CardView, opened: &[ChannelName]) {
    let Some(previous) = view.previous.as_ref().filter(|previous| previous.shows_results) else { return };
    if opened.is_empty() {
        return;
    }
    let mut from = vec![(previous.run, opened.to_vec())];
    // What the earlier run had inherited on these channels comes along.
    if let Some(further) = authority.past.inherited.get(&previous.run) {
        let kept = further.iter().map(|(run, channels)| {
            (*run, channels.iter().filter(|channel| opened.contains(channel)).cloned().collect())
        });
        from.extend(kept);
    }
    authority.past.inherited.entry(run).or_default().extend(from);
    authority.record(Record::Inherited { from: previous.run, to: run, channels: opened.to_vec(), at: clock::wall() });
}

type Taken = (Granting, Vec<Pending>, Option<Pending>);

fn take(
    console: &Console,
    card: CardNo,
    channels: Option<&[ChannelName]>,
    shown: Option<Digest>,
    programs: bool,
) -> Result<Taken, Refused> {
    let mut authority = console.gateway.lock();
    let Some(epoch) = epoch(&authority) else { return Err(Refused::new(Failure::Locked, say(&Text::Locked))) };
    let run = authority
        .broker
        .card(card)
        .map(|view| view.run)
        .ok_or_else(|| Refused::new(Failure::NotFound, say(&Text::NoCard)))?;
    // What was shown is what is bound: the processes are looked at again before the yes counts.
    let peer = authority.runs.get(&run).map(|handle| handle.peer);
    let sender = peer.map_or(Seen::Unseen(lychgate_core::evidence::Why::Gone), Seen::Seen);
    if !authority.look(run, sender).found.is_empty() {
        return Err(Refused::new(Failure::Refused, because(&console.gateway, Reason::ProcessChanged)));
    }
    let mut randomness = Randomness::new().ok_or_else(|| Refused::new(Failure::Fault, say(&Text::NotGranted)))?;
    let live = authority.vault.channels().to_vec();
    let granting = authority
        .broker
        .approve(Approve {
            card,
            shown,
            channels,
            programs,
            live: &|name| live.iter().find(|channel| channel.name == *name).cloned(),
            ceremony: Ceremony::Presence,
            epoch,
            now: clock::now(),
            fresh: &mut || randomness.next(),
        })
        .map_err(|refused| words(console, &refused))?;
    let (rows, call_row) = record(console, &authority, &granting);
    authority.note(Event::OperatorActed { by: console.requester.clone(), command: format!("approve {card}") });
    authority.bump();
    Ok((granting, rows, call_row))
}

fn record(console: &Console, authority: &Authority, granting: &Granting) -> (Vec<Pending>, Option<Pending>) {
    let Some(run) = authority.broker.run(granting.view.run) else { return (Vec::new(), None) };
    let signer = granting.view.agent.signer().code();
    let number = granting.view.action.as_ref().map(|action| action.action);
    let rows = granting
        .approvals
        .iter()
        .filter_map(|facts| {
            let nonce_digest = Digest(Sha256::digest(facts.nonce.0).into());
            let subject = run.subject().clone();
            let event = match facts.reach {
                Reach::Run => Event::SessionApproved {
                    run: facts.run,
                    approval: facts.id,
                    channel: facts.channel.clone(),
                    channel_version: facts.channel_version,
                    subject,
                    signer: signer.clone(),
                    shown: facts.shown,
                    covers_programs: facts.covers_programs,
                    nonce_digest,
                    conversation: facts.conversation.clone(),
                    boot: console.gateway.boot_no,
                    vault: facts.epoch.number,
                    ceremony: facts.ceremony,
                },
                Reach::Action { digest, .. } => Event::CallApprovedAlone {
                    run: facts.run,
                    approval: facts.id,
                    action: number?,
                    channel: facts.channel.clone(),
                    channel_version: facts.channel_version,
                    subject,
                    digest,
                    shown: facts.shown,
                    nonce_digest,
                    boot: console.gateway.boot_no,
                    vault: facts.epoch.number,
                    ceremony: facts.ceremony,
                },
            };
            Some(authority.journal.append(RowDraft {
                kind: RowKind::Grant,
                epoch: facts.epoch.number,
                grant: facts.grant,
                reference: Ref::NONE,
                at: clock::wall(),
                event,
            }))
        })
        .collect();
    let call_row = granting.call.as_ref().and_then(|call| Some(authority.note_durably(call_event(call, number?))));
    (rows, call_row)
}

fn call_event(call: &CallApproval, action: lychgate_core::ids::ActionNo) -> Event {
    Event::CallApproved { run: call.run, action, digest: call.digest, ceremony: call.ceremony }
}

fn epoch(authority: &Authority) -> Option<VaultEpoch> {
    match authority.vault.now() {
        VaultNow::Unlocked(epoch) => Some(epoch),
        VaultNow::Locked | VaultNow::Quarantined => None,
    }
}

fn words(console: &Console, refused: &AnswerRefused) -> Refused {
    match refused {
        AnswerRefused::NoSuchCard => Refused::new(Failure::NotFound, say(&Text::NoCard)),
        AnswerRefused::OtherCard => Refused::new(Failure::Refused, say(&Text::OtherCard)),
        AnswerRefused::Stale(reason) => Refused::new(Failure::Refused, because(&console.gateway, *reason)),
        AnswerRefused::Ceremony => Refused::new(Failure::WrongFactor, say(&Text::CardTakesPin)),
        AnswerRefused::Channels(names) => {
            let names: Vec<&str> = names.iter().map(ChannelName::as_str).collect();
            let text = say(&Text::NothingTicked { channel: names.first().copied().unwrap_or_default() });
            Refused::new(Failure::Refused, text)
        }
    }
}

/// Random values drawn before the lock's work begins: drawing can fail, granting half must not.
struct Randomness {
    pool: Vec<[u8; 16]>,
}

impl Randomness {
    /// One value for each channel that a card can hold, and one for an action.
    const VALUES: usize = 64;

    fn new() -> Option<Self> {
        let mut pool = vec![[0u8; 16]; Self::VALUES];
        pool.iter_mut().try_for_each(|value| getrandom::fill(value)).ok()?;
        Some(Self { pool })
    }

    fn next(&mut self) -> [u8; 16] {
        // INVARIANT: a card holds fewer channels than there are values. An empty pool would repeat an id, which names
        // an approval in the journal and compares nothing.
        self.pool.pop().unwrap_or_default()
    }
}
