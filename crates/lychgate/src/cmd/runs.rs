//! `lych runs`: the agents that are connected.

use super::Context;
use crate::cli::Format;
use crate::operator::{Operator, block_on};
use crate::output;
use crate::trouble::{Exit, Outcome};
use clap::Args;
use lychgate_text::{Message, RunLine, run_lines};
use lychgate_wire::operator::{Command, Reply, RunView};

#[derive(Debug, Clone, Copy, Args)]
pub(crate) struct RunsArgs {
    #[command(flatten)]
    format: Format,
}

pub(crate) fn run(context: &Context, args: RunsArgs) -> Outcome {
    let runs = block_on(context.say, async {
        let mut operator = Operator::connect(context.say, &context.paths).await?;
        match operator.must(Command::Runs, None).await? {
            Reply::Runs { runs } => Ok(runs),
            other => Err(operator.unexpected(&other)),
        }
    })?;
    if args.format.json {
        output::json(&runs);
    } else if runs.is_empty() {
        output::prose(&context.say.message(&Message::NoRuns));
    } else {
        for run in &runs {
            show(context, run);
        }
    }
    Ok(Exit::Done)
}

fn show(context: &Context, run: &RunView) {
    let channels: Vec<String> = run.channels.iter().map(ToString::to_string).collect();
    let under = run.works_under.as_ref().map(|under| (under.run.to_string(), under.program.as_str()));
    let line = RunLine {
        run: &run.run.to_string(),
        program: &run.program,
        pid: run.pid,
        signer: run.signer.as_ref(),
        directory: run.directory.as_deref(),
        conversation: run.conversation.as_deref(),
        works_under: under.as_ref().map(|(run, program)| (run.as_str(), *program)),
        channels: &channels,
        actions: run.actions,
    };
    output::lines(&run_lines(context.say, &line, output::columns()));
}
