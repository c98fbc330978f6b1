//! `lych channel remove`.

use super::Context;
use crate::cli::{FactorFrom, help};
use crate::factor::{self, Source};
use crate::operator::{Operator, block_on};
use crate::output;
use crate::trouble::{Exit, Outcome};
use clap::Args;
use lychgate_core::channel::ChannelName;
use lychgate_text::Message;
use lychgate_wire::operator::Command;

#[derive(Debug, Args)]
pub(crate) struct RemoveArgs {
    #[arg(help = help().channel.name)]
    #[arg(value_parser = lychgate_text::read::<ChannelName>)]
    name: ChannelName,
    #[command(flatten)]
    factor: FactorFrom,
}

pub(super) fn run(context: &Context, args: &RemoveArgs) -> Outcome {
    block_on(context.say, async {
        let mut operator = Operator::connect(context.say, &context.paths).await?;
        operator.must_be_unlocked("channel remove").await?;
        let pin = factor::pin(context.say, Source::of(args.factor.factor_stdin))?;
        operator.must(Command::ChannelRemove { name: args.name.clone() }, Some(pin)).await?;
        output::prose(&context.say.message(&Message::ChannelRemoved { name: args.name.as_str() }));
        Ok(Exit::Done)
    })
}
