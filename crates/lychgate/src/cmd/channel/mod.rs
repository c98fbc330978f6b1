//! `lych channel`: one credential each, and what it may be used for.

mod add;
mod list;
mod remove;

use super::Context;
use crate::trouble::Outcome;
use clap::Subcommand;

#[derive(Debug, Subcommand)]
pub(crate) enum ChannelCommand {
    /// Add a channel. Takes the PIN, then the credential.
    ///
    /// Example: lych channel add github --origin https://api.github.com --path /repos/ --method GET --method POST
    /// --per-call-methods POST --kind bearer
    Add(Box<add::AddArgs>),
    /// List the channels. Credentials are never shown.
    List(list::ListArgs),
    /// Show one channel. Its credential is never shown.
    Show(list::ShowArgs),
    /// Remove a channel and its credential. Takes the PIN. Approvals for it end.
    Remove(remove::RemoveArgs),
}

pub(super) fn run(context: &Context, command: ChannelCommand) -> Outcome {
    match command {
        ChannelCommand::Add(args) => add::run(context, *args),
        ChannelCommand::List(args) => list::list(context, args),
        ChannelCommand::Show(args) => list::show(context, &args),
        ChannelCommand::Remove(args) => remove::run(context, &args),
    }
}
