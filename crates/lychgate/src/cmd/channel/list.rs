//! `lych channel list` and `show`.

use super::Context;
use crate::cli::{Format, help};
use crate::operator::{Operator, block_on};
use crate::output;
use crate::trouble::{Exit, Outcome, Trouble};
use clap::Args;
use lychgate_core::channel::{ApprovalMode, Channel, ChannelName};
use lychgate_text::{Cause, ChannelLine, Message, channel_lines};
use lychgate_wire::operator::{Command, Failure, Reply};

#[derive(Debug, Clone, Copy, Args)]
pub(crate) struct ListArgs {
    #[command(flatten)]
    format: Format,
}

#[derive(Debug, Args)]
pub(crate) struct ShowArgs {
    #[arg(help = help().channel.name)]
    #[arg(value_parser = lychgate_text::read::<ChannelName>)]
    name: ChannelName,
    #[command(flatten)]
    format: Format,
}

pub(super) fn list(context: &Context, args: ListArgs) -> Outcome {
    let channels = channels(context)?;
    if args.format.json {
        output::json(&channels);
    } else if channels.is_empty() {
        output::prose(&context.say.message(&Message::NoChannels));
    } else {
        for channel in &channels {
            print(context, channel);
        }
    }
    Ok(Exit::Done)
}

pub(super) fn show(context: &Context, args: &ShowArgs) -> Outcome {
    let channels = channels(context)?;
    let channel = channels
        .iter()
        .find(|channel| channel.name == args.name)
        .ok_or_else(|| Trouble::not_done(context.say, "channel show", Failure::NotFound, Cause::NoSuchChannel))?;
    if args.format.json {
        output::json(channel);
    } else {
        print(context, channel);
    }
    Ok(Exit::Done)
}

fn channels(context: &Context) -> Result<Vec<Channel>, Trouble> {
    block_on(context.say, async {
        let mut operator = Operator::connect(context.say, &context.paths).await?;
        match operator.must(Command::ChannelList, None).await? {
            Reply::Channels { channels } => Ok(channels),
            other => Err(operator.unexpected(&other)),
        }
    })
}

fn print(context: &Context, channel: &Channel) {
    fn texts<T: ToString>(all: &[T]) -> Vec<String> {
        all.iter().map(ToString::to_string).collect()
    }
    let asks = match channel.approval.mode {
        ApprovalMode::PerCall => &channel.binding.methods,
        ApprovalMode::Session => &channel.approval.per_call_methods,
    };
    let line = ChannelLine {
        name: channel.name.as_str(),
        origins: texts(&channel.binding.origins),
        paths: texts(&channel.binding.paths),
        methods: texts(&channel.binding.methods),
        asks_each_time: texts(asks),
        max_uses: channel.approval.max_uses,
        max_minutes: channel.approval.max_minutes,
        private: channel.binding.allow_private,
        own_ca: channel.binding.ca_pem.is_some(),
        unverified: channel.approval.allow_unverified,
        unreadable: channel.approval.allow_unreadable,
        per_call: channel.approval.mode == ApprovalMode::PerCall,
        ceremony: channel.approval.ceremony,
    };
    output::lines(&channel_lines(context.say, &line, output::columns()));
}
