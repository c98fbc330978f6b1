//! `lych stop`: ends the gateway in order. Narrowing, so it takes nothing.

use super::Context;
use crate::operator::{Operator, block_on};
use crate::output;
use crate::trouble::{Exit, Outcome, Trouble};
use lychgate_text::Message;

pub(crate) fn run(context: &Context) -> Outcome {
    block_on(context.say, async {
        let mut operator = Operator::connect(context.say, &context.paths).await?;
        operator.stop().await?.map_err(|refusal| Trouble::refused(context.say, "stop", refusal.kind, &refusal.text))?;
        output::prose(&context.say.message(&Message::Stopped));
        Ok(Exit::Done)
    })
}
