//! What the person does: commands of `lych`, each in a process of its own, with factors on standard input.

use super::children::Running;
use super::fixture::{PASSPHRASE, PIN};
use super::{PATIENCE, World, place, until};
use serde_json::Value;
use std::io::{Read, Write};
use std::process::{Command, Stdio};
use std::thread::JoinHandle;
use std::time::Instant;

/// What a command gave.
#[derive(Debug)]
pub struct Ran {
    pub status: i32,
    pub out: String,
    pub err: String,
}

impl Ran {
    /// Runs to the end with `input` on standard input.
    #[track_caller]
    pub fn of(command: Command, input: &str) -> Self {
        Begun::of(command, input).finish()
    }

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
    pub fn json(&self) -> Value {
        serde_json::from_str(&self.out).unwrap_or_else(|error| panic!("{error}: {self:#?}"))
    }
}

/// A command that runs.
pub struct Begun {
    process: Running,
    streams: [JoinHandle<String>; 2],
}

impl Begun {
    fn of(mut command: Command, input: &str) -> Self {
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut process = Running::start("command", command);
        // A command that refuses at once may not read its input.
        let _ = process.stdin().unwrap().write_all(input.as_bytes());
        let read = |mut from: Box<dyn Read + Send>| {
            std::thread::spawn(move || {
                let mut text = Vec::new();
                let _ = from.read_to_end(&mut text);
                String::from_utf8_lossy(&text).into_owned()
            })
        };
        let (out, err) = (process.child().stdout.take().unwrap(), process.child().stderr.take().unwrap());
        Self { process, streams: [read(Box::new(out)), read(Box::new(err))] }
    }

    pub fn has_ended(&mut self) -> bool {
        self.process.has_ended()
    }

    /// Waits for its end.
    #[track_caller]
    pub fn finish(mut self) -> Ran {
        let status = self.process.wait().code().unwrap_or(-1);
        let [out, err] = self.streams.map(|stream| stream.join().unwrap());
        Ran { status, out, err }
    }
}

impl World {
    /// `lych ARGS` as the person, without input.
    #[track_caller]
    pub fn lych(&self, args: &[&str]) -> Ran {
        self.fed(args, "")
    }

    /// The same with `input` on standard input.
    #[track_caller]
    pub fn fed(&self, args: &[&str], input: &str) -> Ran {
        self.begin(args, input).finish()
    }

    /// The same, and does not wait for its end.
    #[track_caller]
    pub fn begin(&self, args: &[&str], input: &str) -> Begun {
        let mut command = self.user.command(&self.programs.lych);
        command.args(self.state_arguments()).args(args);
        Begun::of(command, input)
    }

    #[track_caller]
    pub fn unlock(&self) {
        self.fed(&["unlock", "--factor-stdin"], &format!("{PASSPHRASE}\n")).exits(0);
    }

    #[track_caller]
    pub fn lock(&self) {
        self.lych(&["lock"]).exits(0);
    }

    /// Adds a channel to the upstream with the world's credential.
    #[track_caller]
    pub fn add_channel(&self, name: &str, more: &[&str]) {
        self.add_channel_to(name, &self.upstream.origin(), more);
    }

    #[track_caller]
    pub fn add_channel_to(&self, name: &str, origin: &str, more: &[&str]) {
        let ca = self.ca_file().display().to_string();
        let mut args = vec!["channel", "add", name, "--origin", origin, "--kind", "bearer", "--allow-private"];
        args.extend(["--ca", &ca, "--factor-stdin", "--secret-stdin"]);
        args.extend(more);
        self.fed(&args, &format!("{PIN}\n{}\n", self.bearer)).exits(0);
    }

    /// Says yes with the PIN.
    #[track_caller]
    pub fn approve(&self, card: u64) {
        self.try_approve(card, PIN).exits(0);
    }

    #[track_caller]
    pub fn try_approve(&self, card: u64, pin: &str) -> Ran {
        self.begin_approve(card, pin).finish()
    }

    /// Says yes and does not wait for what comes of it.
    #[track_caller]
    pub fn begin_approve(&self, card: u64, pin: &str) -> Begun {
        self.begin(&["approve", &format!("C{card}"), "--factor-stdin"], &format!("{pin}\n"))
    }

    /// Says yes for the programs that the agent starts, too.
    #[track_caller]
    pub fn approve_with_programs(&self, card: u64) {
        self.fed(&["approve", &format!("C{card}"), "--programs", "--factor-stdin"], &format!("{PIN}\n")).exits(0);
    }

    #[track_caller]
    pub fn deny(&self, card: u64) {
        self.lych(&["deny", &format!("C{card}")]).exits(0);
    }

    /// The open cards.
    #[track_caller]
    pub fn cards(&self) -> Vec<Value> {
        let cards = self.lych(&["approvals", "--json"]).exits(0).json();
        cards.as_array().unwrap().clone()
    }

    /// The first card that opens.
    #[track_caller]
    pub fn next_card(&self) -> Value {
        until("a card", || self.cards().into_iter().next())
    }

    #[track_caller]
    pub fn runs(&self) -> Vec<Value> {
        self.lych(&["runs", "--json"]).exits(0).json().as_array().unwrap().clone()
    }

    #[track_caller]
    pub fn status(&self) -> Value {
        self.lych(&["status", "--json"]).exits(0).json()
    }

    /// The activity lines, read with the passphrase.
    #[track_caller]
    pub fn activity(&self) -> String {
        self.fed(&["activity", "--factor-stdin"], &format!("{PASSPHRASE}\n")).exits(0).out
    }

    /// The session lines, read with the passphrase.
    #[track_caller]
    pub fn sessions(&self) -> String {
        self.fed(&["sessions", "--factor-stdin"], &format!("{PASSPHRASE}\n")).exits(0).out
    }

    /// Waits until an activity line holds all of `words`: rows that nobody waits for may come a little later.
    #[track_caller]
    pub fn has_activity(&self, words: &[&str]) -> String {
        let began = Instant::now();
        loop {
            let activity = self.activity();
            if let Some(line) = activity.lines().find(|line| words.iter().all(|word| line.contains(word))) {
                return line.to_owned();
            }
            assert!(began.elapsed() < PATIENCE, "no line with {words:?} in:\n{activity}");
        }
    }

    /// `audit verify` with the vault's public key.
    pub fn verify(&self, more: &[&str]) -> Ran {
        let mut args = vec!["audit", "verify", "--key", &self.public_key];
        args.extend(more);
        self.lych(&args)
    }

    /// A command as another user.
    pub fn as_stranger(&self, args: &[&str]) -> Ran {
        let mut command = place::stranger().command(&self.programs.lych);
        command.args(self.state_arguments()).args(args);
        Ran::of(command, "")
    }
}
