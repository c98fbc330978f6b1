//! `lych status`.

use super::Context;
use crate::cli::Format;
use crate::operator::{Operator, block_on};
use crate::output;
use crate::trouble::{Exit, Outcome};
use clap::Args;
use lychgate_core::card::visible;
use lychgate_text::{StatusLine, status_lines};

#[derive(Debug, Clone, Copy, Args)]
pub(crate) struct StatusArgs {
    #[command(flatten)]
    format: Format,
}

pub(crate) fn run(context: &Context, args: StatusArgs) -> Outcome {
    let status = block_on(context.say, async { Operator::connect(context.say, &context.paths).await?.status().await })?;
    if args.format.json {
        output::json(&status);
        return Ok(Exit::Done);
    }
    let line = StatusLine {
        version: &visible(&status.version),
        vault: &visible(&status.vault),
        epoch: status.epoch,
        boot: &status.boot.to_string(),
        runs: status.runs,
        cards: status.cards,
        channels: status.channels,
        journal_rows: status.journal_rows,
    };
    output::lines(&status_lines(context.say, &line, output::columns()));
    Ok(Exit::Done)
}
