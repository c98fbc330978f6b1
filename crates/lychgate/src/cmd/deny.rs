//! `lych deny`: narrowing, so it takes nothing and works from anywhere.

use super::Context;
use crate::cli::help;
use crate::operator::{Operator, block_on};
use crate::output;
use crate::trouble::{Exit, Outcome};
use clap::Args;
use lychgate_core::ids::CardNo;
use lychgate_text::Message;
use lychgate_wire::operator::Command;

#[derive(Debug, Args)]
pub(crate) struct DenyArgs {
    #[arg(help = help().answers.card)]
    #[arg(value_parser = lychgate_text::read::<CardNo>)]
    card: CardNo,
}

pub(crate) fn run(context: &Context, args: &DenyArgs) -> Outcome {
    block_on(context.say, async {
        let mut operator = Operator::connect(context.say, &context.paths).await?;
        operator.must(Command::Deny { card: args.card }, None).await?;
        output::prose(&context.say.message(&Message::Denied { card: &args.card.to_string() }));
        Ok(Exit::Done)
    })
}
