//! `delegate`: a run lets one live program that its agent started work under its own session approvals (R7).
//!
//! It gives nothing that the agent could not do in that program's stead; what it adds is that the program is looked at,
//! named in the record, and cut off with either process.

use super::call::CallContext;
use super::register;
use lychgate_core::channel::{ChannelError, ChannelName};
use lychgate_core::event::Event;
use lychgate_core::evidence::{ProcessInode, Seen, differences};
use lychgate_core::outcome::{Outcome, Reason, Reasons};
use lychgate_peer::{Linux, Pinned, inode_of, pidfd_of};
use lychgate_text::{GatewayText as Text, Refusal as _};
use lychgate_wire::agent::Answer;
use serde_json::json;
use std::os::fd::AsFd;
use std::sync::Arc;
use std::time::Duration;
use tokio_util::sync::CancellationToken;

/// Channels that one call may hand on.
const CHANNELS: usize = 20;

/// How often a program that has just been started is looked at until it stays the same.
const LOOKS: usize = 5;

/// For so long it has to stay the same. A start under load is reported within milliseconds.
const SETTLED: Duration = Duration::from_millis(50);

/// Why nothing was delegated.
enum Refused {
    /// A code for the row, and the answer.
    Invalid(&'static str, String),
    Reasons(Reasons),
}

/// Serves the call.
pub(super) async fn delegate(context: &CallContext, pid: u32, channels: Vec<String>) -> Answer {
    match try_delegate(context, pid, channels).await {
        Ok((names, program)) => context.gateway.answer(
            Outcome::Completed,
            &[],
            Some(context.run),
            None,
            json!({ "pid": pid, "program": program, "channels": names }),
            Some(context.gateway.say(&Text::Delegated { pid })),
        ),
        Err(refused) => {
            let why = match &refused {
                Refused::Invalid(code, _) => (*code).to_owned(),
                Refused::Reasons(reasons) => reasons.first().word().to_owned(),
            };
            context.gateway.lock().note(Event::DelegationRefused { run: context.run, pid, why });
            match refused {
                Refused::Invalid(_, what) => context.gateway.invalid(context.run, Reason::InvalidRequest, what),
                Refused::Reasons(reasons) => context.gateway.because(Some(context.run), None, &reasons),
            }
        }
    }
}

async fn try_delegate(
    context: &CallContext,
    pid: u32,
    channels: Vec<String>,
) -> Result<(Vec<ChannelName>, Option<String>), Refused> {
    let names = names(context, channels)?;
    let agent = standing(context, &names)?;
    let way = pin(context, pid, agent).await.ok_or_else(|| {
        let what = context.gateway.say(&Text::NoDescendant { pid });
        Refused::Invalid("no_descendant", what)
    })?;
    let way = Arc::new(way);
    let over = {
        let mut authority = context.gateway.lock();
        // Everything may have changed while it was pinned.
        let looked = context.look(&mut authority);
        if let Some(reasons) = Reasons::new(authority.standing(context.run, &looked)) {
            return Err(Refused::Reasons(reasons));
        }
        if !is_same(&way) {
            return Err(Refused::Reasons(Reasons::one(Reason::ProcessChanged)));
        }
        authority.delegate(context.run, &names, Arc::clone(&way)).map_err(|why| refused(context, why, &names))?
    };
    // What was looked at: a number may have become another program's since the agent read it.
    let program = way.subject().peer().and_then(|named| named.executable.value());
    let program = program.map(|executable| executable.path.clone());
    watch(context, way, over);
    Ok((names, program))
}

fn names(context: &CallContext, channels: Vec<String>) -> Result<Vec<ChannelName>, Refused> {
    let invalid = |what: String| Refused::Invalid("invalid_request", what);
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
    Ok(names)
}

/// What can be refused before a process is looked at; else the run's agent.
fn standing(context: &CallContext, names: &[ChannelName]) -> Result<ProcessInode, Refused> {
    let mut authority = context.gateway.lock();
    let looked = context.look(&mut authority);
    if let Some(reasons) = Reasons::new(authority.standing(context.run, &looked)) {
        return Err(Refused::Reasons(reasons));
    }
    for name in names {
        let session = authority.broker.session(context.run, name);
        match session.map(lychgate_core::approval::Approval::ended) {
            Some(None) => {}
            Some(Some(ended)) => return Err(Refused::Reasons(Reasons::one(ended.reason()))),
            None => return Err(not_held(context, name)),
        }
    }
    let agent = authority.broker.run(context.run).and_then(|run| run.subject().agent());
    agent.map(|agent| agent.inode).ok_or_else(|| Refused::Reasons(Reasons::one(Reason::ProcessChanged)))
}

fn not_held(context: &CallContext, name: &ChannelName) -> Refused {
    Refused::Invalid("not_held", context.gateway.say(&Text::NothingToDelegate { channel: name.as_str() }))
}

fn refused(context: &CallContext, why: Reason, names: &[ChannelName]) -> Refused {
    match (why, names.first()) {
        (Reason::NewRun, Some(name)) => not_held(context, name),
        _ => Refused::Reasons(Reasons::one(why)),
    }
}

/// Holds the process and its way up to this run's agent, once the program is there.
///
/// An agent names what it has just started, and a parent goes on before the kernel reports the child's `execve`: such a
/// report, during the look or right after it, is the start of the program and not a change of it.
async fn pin(context: &CallContext, pid: u32, agent: ProcessInode) -> Option<Pinned> {
    for _ in 0..LOOKS {
        let way = look_at(context, pid, agent).await;
        tokio::time::sleep(SETTLED).await;
        if let Some(way) = way
            && is_same(&way)
        {
            return Some(way);
        }
    }
    None
}

fn is_same(way: &Pinned) -> bool {
    let lowest = way.subject().peer().map_or(ProcessInode(0), |named| named.inode);
    differences(way.subject(), &way.look(Seen::Seen(lowest))).is_empty()
}

/// One look, for this run's agent and no other run's.
async fn look_at(context: &CallContext, pid: u32, agent: ProcessInode) -> Option<Pinned> {
    let turn = Arc::clone(&context.gateway.pins).acquire_owned().await.ok()?;
    let gateway = Arc::clone(&context.gateway);
    let pinning = tokio::task::spawn_blocking(move || {
        // Given back when the look ends, and not when the caller is gone.
        let _turn = turn;
        let handle = pidfd_of(pid).ok()?;
        let named = inode_of(handle.as_fd()).ok()?;
        let never = gateway.never.all();
        let rules = register::rules(&gateway, &never);
        let agents = gateway.lock().broker.agents();
        let way = Pinned::descent(&Linux, &handle, pid, named, &rules, &|process| agents.contains(&process))?;
        // What works for another agent below this one is not this one's to name.
        let own = way.subject().agent().is_some_and(|nearest| nearest.inode == agent);
        (own && gateway.descriptors.still_allow(&handle)).then_some(way)
    });
    pinning.await.ok().flatten()
}

/// It ends with the process, and with any between it and the agent.
fn watch(context: &CallContext, way: Arc<Pinned>, over: CancellationToken) {
    let (broken, gateway) = (way.ended(), context.gateway.clone());
    tokio::spawn(async move {
        tokio::select! {
            () = over.cancelled() => {}
            () = broken => gateway.lock().end_delegations(&way),
        }
    });
}
