//! A client that speaks the wire protocol itself: a Python script, since a process of its own is what is tested.

use super::answer::Answer;
use super::children::{Output, Running};
use super::elsewhere::Elsewhere;
use super::place::{User, python};
use super::{World, random_hex};
use serde_json::{Value, json};
use std::io::Write;
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::process::{Command, Stdio};

/// Who writes a frame. See `raw.py`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum By {
    Itself,
    Fork,
    Orphan,
    Passed,
}

impl By {
    fn word(self) -> &'static str {
        match self {
            Self::Itself => "self",
            Self::Fork => "fork",
            Self::Orphan => "orphan",
            Self::Passed => "passed",
        }
    }
}

/// See the module.
pub struct Raw {
    process: Process,
    stdin: Box<dyn Write>,
    output: Output,
}

enum Process {
    Child(Running),
    Elsewhere(Elsewhere),
}

impl World {
    /// A raw client of the gateway's own user.
    pub fn raw(&self) -> Raw {
        self.raw_by(&self.user, &[])
    }

    /// A raw client with authority that was used.
    pub fn approved_raw(&self) -> Raw {
        let mut raw = self.raw();
        raw.registered();
        raw.authorized(self);
        raw.is_served(self);
        raw
    }

    /// A raw client of `user`, started through `wrapper`.
    pub fn raw_by(&self, user: &User, wrapper: &[&str]) -> Raw {
        self.raw_from(&python(), user, wrapper)
    }

    /// A raw client that runs the program file `python`.
    pub fn raw_from(&self, python: &Path, user: &User, wrapper: &[&str]) -> Raw {
        self.raw_of(include_bytes!("raw.py"), python, user, wrapper)
    }

    /// A raw client whose script is at the same place and has another content.
    pub fn updated_raw(&self) -> Raw {
        self.raw_of(&[include_bytes!("raw.py"), &b"# updated\n"[..]].concat(), &python(), &self.user, &[])
    }

    fn raw_of(&self, script: &[u8], python: &Path, user: &User, wrapper: &[&str]) -> Raw {
        let script = self.file("raw.py", script);
        let socket = self.state.join("run/agent.sock");
        let mut command = match wrapper.split_first() {
            None => user.command(python),
            Some((program, more)) => {
                let mut command = user.command(Path::new(program));
                command.args(more).arg(python);
                command
            }
        };
        command.arg(script).arg(socket);
        Raw::start(command)
    }

    /// The words of a raw client, for something else to start.
    pub fn words_of_raw(&self) -> Vec<String> {
        let script = self.file("raw.py", include_bytes!("raw.py"));
        [python(), script, self.state.join("run/agent.sock")].map(|word| word.display().to_string()).to_vec()
    }

    /// An `http_request` as it stands on the wire.
    pub fn raw_get(&self, path: &str) -> Value {
        self.raw_get_as(path, &random_hex())
    }

    pub fn raw_get_as(&self, path: &str, client_ref: &str) -> Value {
        json!({
            "call": "http_request", "client_ref": client_ref, "channel": "api", "method": "GET",
            "url": self.upstream.url(path), "headers": [], "body_base64": null, "action_key": null,
            "retry_of": null, "wait_seconds": 0,
        })
    }
}

impl Raw {
    fn start(mut command: Command) -> Self {
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut process = Running::start("raw client", command);
        let stdin = Box::new(process.stdin().unwrap());
        let output = Output::of(&mut process);
        Self { process: Process::Child(process), stdin, output }
    }

    /// A raw client that something else started.
    pub fn elsewhere(process: Elsewhere, stream: UnixStream) -> Self {
        let output = Output::from(stream.try_clone().unwrap());
        Self { process: Process::Elsewhere(process), stdin: Box::new(stream), output }
    }

    pub fn pid(&self) -> u32 {
        match &self.process {
            Process::Child(process) => process.pid(),
            Process::Elsewhere(process) => process.pid(),
        }
    }

    /// SIGKILL, and its end.
    pub fn kill(&mut self) {
        match &mut self.process {
            Process::Child(process) => process.kill(),
            Process::Elsewhere(process) => process.kill(),
        }
    }

    /// One order and what the gateway said to it.
    #[track_caller]
    pub fn order(&mut self, order: &Value) -> Value {
        self.tell(order);
        self.next()
    }

    #[track_caller]
    pub fn register(&mut self, conversation: Option<&str>) -> Value {
        self.order(&json!({ "do": "register", "conversation": conversation }))
    }

    /// A registration that must become a run.
    #[track_caller]
    pub fn registered(&mut self) {
        let answer = self.register(None);
        assert_eq!(answer["type"], "registered", "{answer:#}");
    }

    /// A call, and its answer; `None` where the connection was closed instead.
    #[track_caller]
    pub fn call(&mut self, by: By, call: &Value) -> Option<Answer> {
        let message = self.order(&json!({ "do": "call", "by": by.word(), "call": call }));
        message.get("answer").cloned().map(Answer)
    }

    /// Makes a call and reads nothing.
    #[track_caller]
    pub fn begin(&mut self, call: &Value) {
        assert_eq!(self.order(&json!({ "do": "begin", "call": call }))["type"], "written");
    }

    /// Takes back the call that was begun; what the gateway says to it.
    #[track_caller]
    pub fn cancel(&mut self) -> Answer {
        let message = self.order(&json!({ "do": "cancel" }));
        Answer(message["answer"].clone())
    }

    /// Connects and writes all of `frames`, whatever the gateway says to the first.
    #[track_caller]
    pub fn write_early(&mut self, frames: &Value) {
        assert_eq!(self.order(&json!({ "do": "early", "frames": frames }))["type"], "written");
    }

    /// What the gateway says next.
    #[track_caller]
    pub fn read(&mut self) -> Value {
        self.order(&json!({ "do": "read" }))
    }

    /// Becomes the same program anew and keeps the connection.
    #[track_caller]
    pub fn exec(&mut self) {
        assert_eq!(self.order(&json!({ "do": "exec" }))["type"], "adopted");
    }

    /// Authority on `api` from nothing.
    #[track_caller]
    pub fn authorized(&mut self, world: &World) {
        let ask = json!({ "call": "authorize", "channels": ["api"], "wait_seconds": 0 });
        let answer = self.call(By::Itself, &ask).expect("an answer").must_say("APPROVAL_PENDING new_run");
        world.approve(answer.card());
        self.call(By::Itself, &ask).expect("an answer").must_say("COMPLETED");
    }

    /// A request that is done.
    #[track_caller]
    pub fn is_served(&mut self, world: &World) {
        self.call(By::Itself, &world.raw_get("/v1/x")).unwrap().must_say("COMPLETED");
    }

    fn tell(&mut self, order: &Value) {
        self.stdin.write_all(format!("{order}\n").as_bytes()).unwrap();
    }

    #[track_caller]
    fn next(&mut self) -> Value {
        let line = self.output.line();
        let line = line.unwrap_or_else(|| panic!("the raw client ended: {}", self.output.text()));
        serde_json::from_str(&line).unwrap()
    }
}
