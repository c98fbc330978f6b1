//! `authorize`: authority for this run, before anything else (R17, R19).

use super::announce;
use super::call::{CallContext, deadline};
use super::drive::Attending;
use super::http;
use crate::authority::{Authority, Looked};
use crate::status;
use crate::views;
use lychgate_core::broker::{Ask, Resolution};
use lychgate_core::card::CardChannel;
use lychgate_core::channel::{ApprovalMode, Channel, ChannelError, ChannelName};
use lychgate_core::decide::VaultNow;
use lychgate_core::ids::CardNo;
use lychgate_core::outcome::{Outcome, Reason, Reasons};
use lychgate_text::{GatewayText as Text, Refusal as _};
use lychgate_wire::agent::Answer;
use serde_json::json;
use std::time::Duration;

/// Channels that one call may ask for.
const CHANNELS: usize = 20;

/// Asks the person for session approvals and waits.
pub(super) async fn authorize(context: &CallContext, channels: Vec<String>, wait: Option<u64>) -> Answer {
    let (names, card) = match open(context, channels) {
        Ok(opened) => opened,
        Err(answer) => return *answer,
    };
    let Some(card) = card else { return granted(context, &names) };
    let deadline = deadline(wait);
    let mut changed = context.gateway.changed.subscribe();
    let mut attending = Attending { context, card: None };
    attending.change(Some(card));
    loop {
        changed.mark_unchanged();
        let resolution = context.gateway.lock().broker.resolution(card);
        match resolution {
            Some(Resolution::Approved) => return granted(context, &names),
            Some(Resolution::Denied) => {
                return context.gateway.because(Some(context.run), None, &Reasons::one(Reason::DeniedByOperator));
            }
            Some(Resolution::Closed(why)) => return closed(context, why),
            Some(Resolution::Recording) | None => {}
        }
        tokio::select! {
            () = context.withdrawn.cancelled() => {
                return context.gateway.because(Some(context.run), None, &Reasons::one(Reason::CallerLeft));
            }
            () = tokio::time::sleep_until(deadline) => return pending(context, card),
            _ = changed.changed() => {}
            () = tokio::time::sleep(Duration::from_secs(5)) => {
                context.waiting(Some(card)).await;
            }
        }
    }
}

type Opened = (Vec<ChannelName>, Option<CardNo>);

fn open(context: &CallContext, channels: Vec<String>) -> Result<Opened, Box<Answer>> {
    let invalid = |what: String| Box::new(context.gateway.invalid(context.run, Reason::InvalidRequest, what));
    if channels.is_empty() || channels.len() > CHANNELS {
        return Err(invalid(context.gateway.say(&Text::ChannelCount { most: CHANNELS })));
    }
    let mut names = Vec::with_capacity(channels.len());
    for text in channels {
        let name: ChannelName = text.parse().map_err(|error: ChannelError| invalid(error.say(context.gateway.text)))?;
        if !names.contains(&name) {
            names.push(name);
        }
    }
    let mut authority = context.gateway.lock();
    let looked = context.look(&mut authority);
    if let Some(reasons) = standing(context, &authority, &looked, &names) {
        drop(authority);
        let all: Vec<&str> = names.iter().map(ChannelName::as_str).collect();
        return Err(Box::new(context.refuse(&all.join(","), reasons, &looked)));
    }
    authority.look_at_covers(context.run, &names);
    let attestation = authority.broker.run(context.run).map(|run| run.subject().attestation());
    let mut wanted = Vec::new();
    for name in &names {
        let Some(channel) = authority.channel(name) else {
            let what = http::unknown_channel(&context.gateway, &authority, name);
            return Err(Box::new(context.gateway.invalid(context.run, Reason::UnknownChannel, what)));
        };
        let sessions = attestation.map(|attestation| channel.approval.gives_sessions(attestation));
        if let Some(Err(why)) = sessions {
            drop(authority);
            return Err(Box::new(context.refuse(name.as_str(), Reasons::one(why.into()), &looked)));
        }
        let live = authority.broker.session(context.run, name).is_some_and(|session| usable(session, &channel))
            || authority.served_by(context.run, name).is_some();
        if !live && sessions == Some(Ok(true)) {
            wanted.push(channel);
        }
    }
    if wanted.is_empty() {
        return Ok((names, None));
    }
    let ask = ask(context, &authority, &wanted).ok_or_else(|| {
        Box::new(context.gateway.because(Some(context.run), None, &Reasons::one(Reason::ProcessChanged)))
    })?;
    match announce::open(context, &mut authority, ask) {
        Ok(card) => Ok((names, Some(card))),
        Err(reason) => {
            drop(authority);
            let all: Vec<&str> = names.iter().map(ChannelName::as_str).collect();
            Err(Box::new(context.refuse(&all.join(","), Reasons::one(reason), &looked)))
        }
    }
}

/// A session approval that would still be used: not ended, of this version, within its limits.
pub(crate) fn usable(session: &lychgate_core::approval::Approval, channel: &Channel) -> bool {
    let facts = session.facts();
    session.ended().is_none()
        && facts.channel_version == channel.version
        && facts.max_uses.is_none_or(|most| session.uses() < most)
        && facts.ends_at.is_none_or(|end| crate::clock::now() < end)
}

fn standing(context: &CallContext, authority: &Authority, looked: &Looked, names: &[ChannelName]) -> Option<Reasons> {
    let mut reasons = authority.standing(context.run, looked);
    if authority.vault.now() == VaultNow::Locked {
        for name in names {
            reasons.extend(http::locked_reasons(context, authority, looked, name));
        }
    }
    Reasons::new(reasons)
}

/// One card for all of them. After a lapse it shows what changed and no action (R19), and lists what the earlier run
/// had.
fn ask(context: &CallContext, authority: &Authority, wanted: &[Channel]) -> Option<Ask> {
    let run = authority.broker.run(context.run)?;
    let VaultNow::Unlocked(epoch) = authority.vault.now() else { return None };
    let ended = |channel: &Channel| {
        authority.broker.session(context.run, &channel.name).and_then(|session| session.ended()).map(|end| end.reason())
    };
    let mut changed: Vec<Reason> = wanted.iter().filter_map(ended).collect();
    // What ended in this very run is the cause; an earlier run's end is, where this run had no approval yet.
    let lapse = run.lapse().filter(|lapse| {
        let first = |name| authority.broker.session(context.run, name).is_none();
        wanted.iter().any(|channel| lapse.channels.contains(&channel.name) && first(&channel.name))
    });
    changed.extend(wanted.iter().filter_map(|channel| authority.cover_lapse(context.run, &channel.name)));
    changed.extend(lapse.iter().flat_map(|lapse| lapse.reasons.all().to_vec()));
    let changed = Reasons::new(changed);
    let same_program = lapse.is_none_or(|lapse| lapse.same_program);
    let tick =
        |channel: &Channel| changed.is_none() || (same_program && channel.approval.mode == ApprovalMode::Session);
    let mut channels: Vec<CardChannel> = wanted.iter().map(|channel| views::channel(channel, tick(channel))).collect();
    // The rest of what the earlier run had is offered, never ticked.
    for name in lapse.iter().flat_map(|lapse| lapse.channels.iter()) {
        let asked = wanted.iter().any(|channel| channel.name == *name);
        let live = authority.broker.session(context.run, name).is_some_and(|session| session.ended().is_none());
        if let Some(channel) = authority.channel(name).filter(|_| !asked && !live) {
            channels.push(views::channel(&channel, false));
        }
    }
    let changed_is_empty = changed.is_none();
    Some(Ask {
        run: context.run,
        changed: changed.map(|changed| changed.all().to_vec()).unwrap_or_default(),
        previous: match lapse {
            Some(_) => views::previous(run),
            None if changed_is_empty => authority.run_before(context.run),
            None => None,
        },
        agent: views::agent(run, &authority.vault.agents(), &authority.programs)?,
        channels,
        action: None,
        asks_action: None,
        stands_alone: false,
        works_under: authority.works_under(context.run, None),
        ceremony: wanted.iter().map(|channel| channel.approval.ceremony).max()?,
        epoch,
    })
}

fn granted(context: &CallContext, names: &[ChannelName]) -> Answer {
    let (granted, missing, each_time, actions) = {
        let authority = context.gateway.lock();
        let live = authority.open_channels(context.run);
        let (granted, rest): (Vec<_>, Vec<_>) = names.iter().cloned().partition(|name| live.contains(name));
        let attestation = authority.broker.run(context.run).map(|run| run.subject().attestation());
        let (each_time, missing): (Vec<_>, Vec<_>) = rest.into_iter().partition(|name| {
            let both = attestation.zip(authority.channel(name));
            both.is_some_and(|(attestation, channel)| channel.approval.gives_sessions(attestation) == Ok(false))
        });
        drop(authority);
        (granted, missing, each_time, status::unfinished(context))
    };
    if granted.is_empty() && each_time.is_empty() {
        return context.gateway.because(Some(context.run), None, &Reasons::one(Reason::DeniedByOperator));
    }
    context.gateway.answer(
        Outcome::Completed,
        &[],
        Some(context.run),
        None,
        json!({
            "granted": granted, "not_granted": missing, "asks_each_time": each_time, "earlier_actions": actions,
        }),
        (!each_time.is_empty()).then(|| {
            let channels: Vec<&str> = each_time.iter().map(ChannelName::as_str).collect();
            context.gateway.say(&Text::AskedEachTime { channels: &channels.join(", ") })
        }),
    )
}

fn pending(context: &CallContext, card: CardNo) -> Answer {
    let changed = context.gateway.lock().broker.card(card).map(|view| view.changed.clone()).unwrap_or_default();
    let mut reasons = changed;
    if reasons.is_empty() {
        reasons.push(Reason::NewRun);
    }
    let result = json!({ "card": card });
    context.gateway.answer(Outcome::ApprovalPending, &reasons, Some(context.run), None, result, None)
}

fn closed(context: &CallContext, why: Reason) -> Answer {
    let locked = context.gateway.lock().vault.now() == VaultNow::Locked;
    let mut reasons = vec![why];
    if locked {
        reasons.push(Reason::VaultLocked);
    }
    let reasons = Reasons::new(reasons).unwrap_or(Reasons::one(why));
    context.gateway.because(Some(context.run), None, &reasons)
}
