//! `lych gateway`: the gateway in the foreground.
//!
//! It starts itself anew with an empty environment, so that no library, proxy or certificate path that a program of the
//! same user put there reaches the process that holds credentials.

use super::Context;
use crate::operator::VERSION;
use crate::trouble::{Outcome, Trouble};
use crate::{output, ports};
use clap::Args;
use lychgate_text::{Attempt, Cause, Problem};
use std::os::unix::process::CommandExt;
use std::process::Command;

/// The one line on standard output, for whoever waits. The same in every language.
pub(crate) const READY: &str = "ready";
/// This program's own file, whatever has been put at its path since.
pub(crate) const OWN_PROGRAM: &str = "/proc/self/exe";

#[derive(Debug, Args)]
pub(crate) struct GatewayArgs {
    // The environment has been emptied already.
    #[arg(long, hide = true)]
    clean_env: bool,
    // Leave the terminal's session, so that its end is not ours.
    #[arg(long, hide = true)]
    own_session: bool,
}

pub(crate) fn run(context: &Context, args: &GatewayArgs) -> Outcome {
    if !args.clean_env {
        return Err(restart(context, args));
    }
    if std::env::vars_os().next().is_some() {
        return Err(Trouble::of(context.say, &Problem::Argument { why: Cause::EnvironmentNotEmpty }));
    }
    if args.own_session {
        rustix::process::setsid().map_err(|error| Trouble::system(context.say, Attempt::LeavingSession, &error))?;
    }
    ports::serve_gateway(context, VERSION, Box::new(|| output::line(READY)))
}

/// Becomes this command again, without environment. Returns only where that failed.
fn restart(context: &Context, args: &GatewayArgs) -> Trouble {
    let mut again = Command::new(OWN_PROGRAM);
    again.arg0("lych").env_clear();
    if context.paths.chosen {
        again.arg("--state-dir").arg(&context.paths.state);
    }
    again.args(["gateway", "--clean-env"]);
    if args.own_session {
        again.arg("--own-session");
    }
    let error = again.exec();
    Trouble::system(context.say, Attempt::StartingAnew, &error)
}
