//! `lych channel`: one credential each, and what it may be used for.

mod add;
mod list;
mod remove;

use super::Context;
use crate::cli::help;
use crate::trouble::Outcome;
use clap::Subcommand;

#[derive(Debug, Subcommand)]
pub(crate) enum ChannelCommand {
    #[command(about = help().commands.channel_add.short, long_about = help().commands.channel_add.long)]
    Add(Box<add::AddArgs>),
    #[command(about = help().commands.channel_list)]
    List(list::ListArgs),
    #[command(about = help().commands.channel_show)]
    Show(list::ShowArgs),
    #[command(about = help().commands.channel_remove)]
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
