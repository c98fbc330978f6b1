//! Runs `lych` in a sealed environment, alone or against a scripted gateway.
#![allow(
    dead_code,
    unreachable_pub,
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "tests; each test file uses a part"
)]

pub mod fake;

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// A state directory of its own.
pub struct Place {
    dir: tempfile::TempDir,
}

/// What a command gave.
#[derive(Debug)]
pub struct Ran {
    pub status: i32,
    pub out: String,
    pub err: String,
}

impl Place {
    pub fn new() -> Self {
        Self { dir: tempfile::tempdir().unwrap() }
    }

    pub fn state(&self) -> PathBuf {
        self.dir.path().join("state")
    }

    /// `lych --state-dir STATE ARGS`, with nothing on standard input.
    pub fn lych(&self, args: &[&str]) -> Ran {
        self.fed(args, "")
    }

    /// The same with `input` on standard input.
    pub fn fed(&self, args: &[&str], input: &str) -> Ran {
        let mut all = vec!["--state-dir".to_owned(), self.state().display().to_string()];
        all.extend(args.iter().map(|arg| (*arg).to_owned()));
        run(&all, input, self.dir.path())
    }
}

/// `lych` with an empty environment and no terminal.
pub fn run<T: AsRef<std::ffi::OsStr>>(args: &[T], input: &str, dir: &Path) -> Ran {
    let mut command = Command::new("setsid");
    // A session of its own has no terminal, whatever the tests run in.
    command.arg("--wait").arg(env!("CARGO_BIN_EXE_lych")).args(args);
    command.env_clear().env("PATH", "/usr/bin:/bin").current_dir(dir);
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    // A command that refuses at once may not read its input.
    let _ = child.stdin.take().unwrap().write_all(input.as_bytes());
    let done = child.wait_with_output().unwrap();
    Ran {
        status: done.status.code().unwrap(),
        out: String::from_utf8(done.stdout).unwrap(),
        err: String::from_utf8(done.stderr).unwrap(),
    }
}

impl Ran {
    #[track_caller]
    pub fn exits(self, status: i32) -> Self {
        assert_eq!(self.status, status, "{self:#?}");
        self
    }

    #[track_caller]
    pub fn says(self, text: &str) -> Self {
        assert!(self.out.contains(text), "no {text:?} in {self:#?}");
        self
    }

    #[track_caller]
    pub fn complains(self, text: &str) -> Self {
        assert!(self.err.contains(text), "no {text:?} in {self:#?}");
        self
    }

    #[track_caller]
    pub fn never_says(self, text: &str) -> Self {
        assert!(!self.out.contains(text) && !self.err.contains(text), "{text:?} in {self:#?}");
        self
    }

    pub fn json(&self) -> serde_json::Value {
        serde_json::from_str(&self.out).unwrap()
    }
}
