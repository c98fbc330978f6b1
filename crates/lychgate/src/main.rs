//! `lych`: the one program of Lychgate.
//!
//! Each command is one file below `cmd`. What they share: where things are ([`paths`]), how a passphrase or PIN is
//! asked ([`factor`]), how the gateway is spoken to ([`operator`]), how text leaves ([`output`]) and how a command
//! ends ([`trouble`]).
#![forbid(unsafe_code)]

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
use lychgate_sys::Wiping;
use std::process::ExitCode;

/// Every role holds something that must not stay behind in freed memory: a credential, a key, a passphrase.
#[global_allocator]
static ALLOCATOR: Wiping = Wiping;

fn main() -> ExitCode {
    loader::start_over_without_loader_variables();
    // Before clap: the help is told in this language.
    let say = lychgate_text::speak(&cmd::locale());
    // clap itself ends the process with status 2 where the arguments are wrong.
    let cli = cli::Cli::parse();
    match cmd::run(cli, say) {
        Ok(exit) => exit.into(),
        Err(trouble) => {
            output::error(&trouble.text);
            trouble.exit.into()
        }
    }
}
