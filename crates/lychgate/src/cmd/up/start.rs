//! Starts the gateway as a process of its own, which outlives this console.

use super::Context;
use crate::cmd::gateway::{OWN_PROGRAM, READY};
use crate::trouble::Trouble;
use lychgate_core::card::visible;
use lychgate_text::Problem;
use std::io::{self, BufRead, BufReader, Read};
use std::os::unix::process::CommandExt;
use std::process::{Child, Command, Stdio};

/// What a gateway that fails to start may say, in bytes.
const COMPLAINT_BYTES: u64 = 16 * 1024;

/// Returns when its sockets listen.
pub(super) fn gateway(context: &Context) -> Result<(), Trouble> {
    let mut child = spawn(context).map_err(|error| not_started(context, &error.to_string()))?;
    let mut line = String::new();
    let heard = match child.stdout.take() {
        // Ends with the line, or with the gateway.
        Some(stdout) => BufReader::new(stdout).read_line(&mut line),
        None => Ok(0),
    };
    match heard {
        Ok(_) if line.trim_end() == READY => Ok(()),
        Ok(_) => Err(not_started(context, &complaint(&mut child))),
        Err(error) => Err(not_started(context, &error.to_string())),
    }
}

fn spawn(context: &Context) -> io::Result<Child> {
    let mut gateway = Command::new(OWN_PROGRAM);
    gateway.arg0("lych").env_clear();
    if context.paths.chosen {
        gateway.arg("--state-dir").arg(&context.paths.state);
    }
    gateway.args(["gateway", "--own-session"]);
    gateway.current_dir("/").stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    gateway.spawn()
}

/// What it said before it ended, without its own name in front.
fn complaint(child: &mut Child) -> String {
    let mut text = Vec::new();
    if let Some(stderr) = child.stderr.take() {
        // What can't be read is not told; that it did not start is told anyway.
        let _ = stderr.take(COMPLAINT_BYTES).read_to_end(&mut text);
    }
    let text = String::from_utf8_lossy(&text);
    let text = text.trim();
    text.strip_prefix("lych: ").unwrap_or(text).to_owned()
}

fn not_started(context: &Context, why: &str) -> Trouble {
    let why = why.lines().map(visible).collect::<Vec<_>>().join("\n  ");
    Trouble::of(context.say, &Problem::GatewayNotStarted { why: &why })
}
