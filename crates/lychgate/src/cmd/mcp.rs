//! `lych mcp`: what an agent starts. Holds no secret, decides nothing.

use super::Context;
use crate::operator::VERSION;
use crate::trouble::{Exit, Outcome, Trouble};
use clap::Args;
use lychgate_core::card::visible;
use lychgate_shim::{ShimError, ShimOptions};
use lychgate_text::Problem;

#[derive(Debug, Args)]
pub(crate) struct McpArgs {
    /// A label for the conversation. It is shown on cards and grants nothing.
    #[arg(long, value_name = "REF")]
    conversation: Option<String>,
}

pub(crate) fn run(context: &Context, args: McpArgs) -> Outcome {
    let options = ShimOptions {
        agent_socket: context.paths.agent_socket.clone(),
        conversation: args.conversation,
        build: VERSION.to_owned(),
        own_uid: rustix::process::getuid().as_raw(),
    };
    lychgate_shim::run(options).map(|()| Exit::Done).map_err(|error| {
        let why = visible(&error.to_string());
        Trouble::of(
            context.say,
            &match error {
                ShimError::Conversation(_) => Problem::Argument { why: &why },
                ShimError::Protocol(_) | ShimError::Runtime(_) | ShimError::Fault(_) => {
                    Problem::System { what: "serving MCP", why: &why }
                }
            },
        )
    })
}
