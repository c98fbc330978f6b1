//! `lych restore`: puts a vault file back on purpose.

use super::Context;
use crate::cli::{FactorFrom, help};
use crate::factor::{self, Source};
use crate::operator::harden;
use crate::trouble::{Exit, Outcome};
use crate::{output, ports};
use clap::Args;
use lychgate_core::card::visible;
use lychgate_harden::Role;
use lychgate_text::Message;
use lychgate_vault::Files;
use std::path::PathBuf;

#[derive(Debug, Args)]
pub(crate) struct RestoreArgs {
    #[arg(long, conflicts_with = "file", required_unless_present = "file")]
    #[arg(help = help().others.restore_previous)]
    previous: bool,
    #[arg(value_name = "FILE", help = help().others.restore_file)]
    file: Option<PathBuf>,
    #[command(flatten)]
    factor: FactorFrom,
}

pub(crate) fn run(context: &Context, args: RestoreArgs) -> Outcome {
    harden(context.say, Role::Offline)?;
    let source = args.file.unwrap_or_else(|| Files::in_dir(&context.paths.state).previous());
    let passphrase = factor::passphrase(context.say, Source::of(args.factor.factor_stdin))?;
    ports::restore(context, &source, &passphrase)?;
    let from = visible(&source.display().to_string());
    output::line(&context.say.message(&Message::Restored { from: &from }));
    Ok(Exit::Done)
}
