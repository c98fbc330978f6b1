//! `lych lock`: narrowing, so it takes nothing and works from anywhere.

use super::Context;
use crate::operator::{Operator, block_on};
use crate::output;
use crate::trouble::{Exit, Outcome};
use lychgate_text::Message;
use lychgate_wire::operator::Command;

pub(crate) fn run(context: &Context) -> Outcome {
    block_on(context.say, async {
        let mut operator = Operator::connect(context.say, &context.paths).await?;
        operator.must(Command::Lock, None).await?;
        output::prose(&context.say.message(&Message::Locked));
        Ok(Exit::Done)
    })
}
