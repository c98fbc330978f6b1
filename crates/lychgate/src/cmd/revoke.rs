//! `lych revoke`: ends approvals at once. Narrowing, so it takes nothing and works from anywhere.

use super::Context;
use crate::cli::{Format, help};
use crate::operator::{Operator, block_on};
use crate::output;
use crate::trouble::{Exit, Outcome};
use clap::Args;
use lychgate_core::ids::RunId;
use lychgate_text::Message;
use lychgate_wire::operator::{Command, Reply};

#[derive(Debug, Args)]
#[group(id = "whose", required = true, multiple = false)]
pub(crate) struct Whose {
    #[arg(help = help().answers.run)]
    #[arg(value_parser = lychgate_text::read::<RunId>)]
    run: Option<RunId>,
    #[arg(long, help = help().answers.all)]
    all: bool,
}

#[derive(Debug, Args)]
pub(crate) struct RevokeArgs {
    #[command(flatten)]
    whose: Whose,
    #[command(flatten)]
    format: Format,
}

pub(crate) fn run(context: &Context, args: &RevokeArgs) -> Outcome {
    let reply = block_on(context.say, async {
        let mut operator = Operator::connect(context.say, &context.paths).await?;
        operator.must(Command::Revoke { run: args.whose.run }, None).await
    })?;
    if args.format.json {
        output::json(&reply);
    } else if let Reply::Revoked { approvals } = reply {
        output::prose(&context.say.message(&Message::Revoked { approvals }));
    }
    Ok(Exit::Done)
}
