//! `lych agent list`.

use super::Context;
use crate::cli::Format;
use crate::operator::{Operator, block_on};
use crate::output;
use crate::trouble::{Exit, Outcome};
use clap::Args;
use lychgate_text::{Message, agent_lines};
use lychgate_wire::operator::{Command, Reply};

#[derive(Debug, Clone, Copy, Args)]
pub(crate) struct ListArgs {
    #[command(flatten)]
    format: Format,
}

pub(super) fn run(context: &Context, args: ListArgs) -> Outcome {
    let agents = block_on(context.say, async {
        let mut operator = Operator::connect(context.say, &context.paths).await?;
        match operator.must(Command::AgentList, None).await? {
            Reply::Agents { agents } => Ok(agents),
            other => Err(operator.unexpected(&other)),
        }
    })?;
    if args.format.json {
        output::json(&agents);
    } else if agents.is_empty() {
        output::prose(&context.say.message(&Message::NoAgents));
    } else {
        for agent in &agents {
            output::lines(&agent_lines(context.say, agent, output::columns()));
        }
    }
    Ok(Exit::Done)
}
