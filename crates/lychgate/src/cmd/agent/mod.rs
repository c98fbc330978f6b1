//! `lych agent`: programs that you vouch for yourself.

mod list;
mod pin;

use super::Context;
use crate::cli::help;
use crate::trouble::Outcome;
use clap::Subcommand;

#[derive(Debug, Subcommand)]
pub(crate) enum AgentCommand {
    #[command(about = help().commands.agent_pin.short, long_about = help().commands.agent_pin.long)]
    Pin(pin::PinArgs),
    #[command(about = help().commands.agent_list)]
    List(list::ListArgs),
    #[command(about = help().commands.agent_unpin)]
    Unpin(pin::UnpinArgs),
}

pub(super) fn run(context: &Context, command: AgentCommand) -> Outcome {
    match command {
        AgentCommand::Pin(args) => pin::pin(context, &args),
        AgentCommand::List(args) => list::run(context, args),
        AgentCommand::Unpin(args) => pin::unpin(context, &args),
    }
}
