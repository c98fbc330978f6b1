//! `lych demo`: the whole story on throw-away state, each part its own process, as in real life.
//!
//! ```text
//! lych demo ── starts ──> lych demo-service      somebody's API, which records what it gets
//!           ── starts ──> lych gateway
//!           ── starts ──> demo-agent (a copy of lych: another file) ── starts ──> lych mcp
//!           ── runs ────> lych unlock, approvals, approve, …          what a person would type
//! ```
//! The story is [`steps`], who and what takes part is [`stage`]. Factors and the credential are random, live in memory,
//! and leave by standard input alone.

pub(crate) mod agent;
mod caller;
mod parent;
mod person;
mod place;
mod process;
mod secrets;
pub(crate) mod service;
mod stage;
mod steps;
mod upstream;

use super::Context;
use crate::cli::help;
use crate::output;
use crate::trouble::{Exit, Outcome, Trouble};
use clap::Args;
use lychgate_core::card::visible;
use lychgate_text::{Attempt, Catalogue, Demo, DemoFailure};
use person::Person;
use place::Place;
use tokio::signal::unix::{SignalKind, signal};

#[derive(Debug, Clone, Copy, Args)]
pub(crate) struct DemoArgs {
    #[arg(long, help = help().others.demo_yes)]
    yes: bool,
    #[arg(long, help = help().others.demo_keep)]
    keep: bool,
}

pub(crate) fn run(context: &Context, args: DemoArgs) -> Outcome {
    let say = context.say;
    if context.paths.chosen {
        return Err(usage(say, &DemoFailure::OwnState));
    }
    let person = if args.yes { Person::says_yes() } else { Person::at_terminal(say)? };
    let place = Place::make(say, args.keep)?;
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .map_err(|error| Trouble::system(say, Attempt::Starting, &error))?;
    let outcome = runtime.block_on(async {
        let stopped = stopped(say)?;
        // Whichever ends first: the story owns every process, and ends them with itself.
        tokio::select! {
            told = steps::tell(say, &place, person) => told,
            () = stopped => {
                output::line("");
                Err(failure(say, &DemoFailure::Interrupted { kept: args.keep }))
            }
        }
    });
    // A question to the person may still wait for its line; nobody waits for that.
    runtime.shutdown_background();
    if args.keep {
        output::prose(&say.demo(&Demo::Kept { dir: &visible(&place.dir().display().to_string()) }));
    }
    drop(place);
    outcome.map(|()| Exit::Done)
}

/// Completes when the person or the system wants the demo to stop.
fn stopped(say: &dyn Catalogue) -> Result<impl Future<Output = ()> + use<>, Trouble> {
    let listen = |kind| signal(kind).map_err(|error| Trouble::system(say, Attempt::ListeningForSignals, &error));
    let (mut int, mut term, mut hangup) =
        (listen(SignalKind::interrupt())?, listen(SignalKind::terminate())?, listen(SignalKind::hangup())?);
    Ok(async move {
        tokio::select! {
            _ = int.recv() => {}
            _ = term.recv() => {}
            _ = hangup.recv() => {}
        }
    })
}

fn failure(say: &dyn Catalogue, why: &DemoFailure<'_>) -> Trouble {
    Trouble { exit: Exit::Failed, text: say.demo_failure(why) }
}

fn usage(say: &dyn Catalogue, why: &DemoFailure<'_>) -> Trouble {
    Trouble { exit: Exit::Usage, text: say.demo_failure(why) }
}

/// Foreign text of several lines, safe to print.
fn visible_lines(text: &str) -> Vec<String> {
    text.trim_end().lines().map(visible).collect()
}
