//! Processes of the demo: those that stay until they are ended, and commands that end by themselves.

use super::failure;
use crate::cmd::gateway::OWN_PROGRAM;
use crate::trouble::Trouble;
use lychgate_text::{Attempt, Catalogue, DemoFailure};
use rustix::process::{Pid, Signal, kill_process, kill_process_group};
use std::ffi::OsStr;
use std::fs::OpenOptions;
use std::io;
use std::os::unix::fs::OpenOptionsExt;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::Duration;
use tokio::io::AsyncWriteExt;

/// No command of the demo needs longer.
const COMMAND_TAKES: Duration = Duration::from_secs(30);

/// A process in a group of its own, so that a key in the terminal does not reach it. Dropped: it and all that it
/// started in its group are killed, and it has ended.
pub(super) struct Program {
    child: Child,
}

impl Program {
    pub(super) fn start(command: &mut Command) -> io::Result<Self> {
        Ok(Self { child: command.process_group(0).spawn()? })
    }

    pub(super) fn pid(&self) -> u32 {
        self.child.id()
    }

    pub(super) fn child(&mut self) -> &mut Child {
        &mut self.child
    }

    /// Kills the process alone. What it started notices by itself, and is killed at the latest with the drop.
    pub(super) fn kill_alone(&self) {
        let pid = i32::try_from(self.child.id()).ok().and_then(Pid::from_raw);
        if let Some(pid) = pid {
            // Gone already is as good.
            let _ = kill_process(pid, Signal::KILL);
        }
    }
}

impl Drop for Program {
    fn drop(&mut self) {
        // Not waited for before: the number is still this child's.
        let group = i32::try_from(self.child.id()).ok().and_then(Pid::from_raw);
        if let Some(group) = group {
            // Gone already is as good.
            let _ = kill_process_group(group, Signal::KILL);
        }
        let _ = self.child.wait();
    }
}

/// A file for what a program says beside its work.
pub(super) fn log(path: &Path) -> io::Result<Stdio> {
    OpenOptions::new().append(true).create(true).mode(0o600).open(path).map(Stdio::from)
}

/// `program` with an empty environment: nothing in ours loads or redirects anything in it.
pub(super) fn clean(program: impl AsRef<OsStr>) -> Command {
    let mut command = Command::new(program);
    command.env_clear().current_dir("/");
    command
}

/// The person's side: commands of this program on the demo's state.
pub(super) struct Lych {
    say: &'static dyn Catalogue,
    state: PathBuf,
}

/// What a command gave.
pub(super) struct Ran {
    command: String,
    /// Exit status; `None` where a signal ended it.
    pub(super) status: Option<i32>,
    pub(super) out: String,
    pub(super) err: String,
}

impl Lych {
    pub(super) fn new(say: &'static dyn Catalogue, state: PathBuf) -> Self {
        Self { say, state }
    }

    pub(super) fn command<T: AsRef<OsStr>>(&self, args: &[T]) -> Command {
        let mut command = clean(OWN_PROGRAM);
        command.arg0("lych").arg("--state-dir").arg(&self.state).args(args);
        command
    }

    /// Runs a command to its end with `input` on its standard input.
    pub(super) async fn run(&self, args: &[&str], input: &str) -> Result<Ran, Trouble> {
        let name = format!("lych {}", args.join(" "));
        let mut command = self.command(args);
        command.process_group(0).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let started = tokio::process::Command::from(command).kill_on_drop(true).spawn();
        let mut child = started.map_err(|error| Trouble::system(self.say, Attempt::Command(&name), &error))?;
        if let Some(mut stdin) = child.stdin.take() {
            // A command that refuses at once may not read its input; its status tells.
            let _ = stdin.write_all(input.as_bytes()).await;
        }
        let done = tokio::time::timeout(COMMAND_TAKES, child.wait_with_output())
            .await
            .map_err(|_| failure(self.say, &DemoFailure::TooLong { what: Attempt::Command(&name) }))?
            .map_err(|error| Trouble::system(self.say, Attempt::Command(&name), &error))?;
        Ok(Ran {
            command: name,
            status: done.status.code(),
            out: String::from_utf8_lossy(&done.stdout).into_owned(),
            err: String::from_utf8_lossy(&done.stderr).into_owned(),
        })
    }

    /// The same, where anything but success ends the demo.
    pub(super) async fn must(&self, args: &[&str], input: &str) -> Result<Ran, Trouble> {
        let ran = self.run(args, input).await?;
        if ran.status == Some(0) { Ok(ran) } else { Err(ran.unexpected(self.say)) }
    }
}

impl Ran {
    /// It ended otherwise than it must.
    pub(super) fn unexpected(&self, say: &dyn Catalogue) -> Trouble {
        let said = super::visible_lines(&format!("{}{}", self.err, self.out)).join("\n  ");
        failure(say, &DemoFailure::Command { command: &self.command, status: self.status, said: &said })
    }
}
