//! `lych mcp`: what an agent starts. Holds no secret, decides nothing.

use super::Context;
use crate::cli::help;
use crate::operator::VERSION;
use crate::trouble::{Exit, Outcome, Trouble};
use clap::Args;
use lychgate_core::card::visible;
use lychgate_shim::{ShimError, ShimOptions};
use lychgate_text::{Attempt, Cause, Problem};

#[derive(Debug, Args)]
pub(crate) struct McpArgs {
    #[arg(long, value_name = "REF", help = help().others.mcp_conversation)]
    conversation: Option<String>,
}

pub(crate) fn run(context: &Context, args: McpArgs) -> Outcome {
    let options = ShimOptions {
        agent_socket: context.paths.agent_socket.clone(),
        conversation: args.conversation,
        build: VERSION.to_owned(),
        own_uid: rustix::process::getuid().as_raw(),
        speaks_for_agent: true,
    };
    lychgate_shim::run(options).map(|()| Exit::Done).map_err(|error| {
        let why = visible(&error.to_string());
        Trouble::of(
            context.say,
            &match error {
                ShimError::Conversation(_) => Problem::Argument { why: Cause::Said(&why) },
                ShimError::Protocol(_) | ShimError::Runtime(_) | ShimError::Fault(_) => {
                    Problem::System { what: Attempt::ServingMcp, why: Cause::Said(&why) }
                }
            },
        )
    })
}
