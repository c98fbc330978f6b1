//! `lych`: the one program of Lychgate.
//!
//! Each command is one file below `cmd`. What they share: where things are ([`paths`]), how a passphrase or PIN is asked
//! ([`factor`]), how the gateway is spoken to ([`operator`]), how text leaves ([`output`]) and how a command ends
//! ([`trouble`]).
#![forbid(unsafe_code)]
#![allow(
    rustdoc::bare_urls,
    rustdoc::broken_intra_doc_links,
    reason = "clap shows these comments as help, as they stand"
)]

mod cli;
mod cmd;
mod factor;
mod hidden;
mod lines;
mod loader;
mod operator;
mod output;
mod paths;
mod ports;
mod trouble;

use clap::Parser;
use std::process::ExitCode;

fn main() -> ExitCode {
    loader::start_over_without_loader_variables();
    // clap itself ends the process with status 2 where the arguments are wrong.
    let cli = cli::Cli::parse();
    match cmd::run(cli) {
        Ok(exit) => exit.into(),
        Err(trouble) => {
            output::error(&trouble.text);
            trouble.exit.into()
        }
    }
}
