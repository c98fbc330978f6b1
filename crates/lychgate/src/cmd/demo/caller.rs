//! The agent, as the demo holds it: a process that is told what to call, and what it heard.

use super::failure;
use super::place::Place;
use super::process::{Program, clean, log};
use crate::trouble::Trouble;
use lychgate_core::card::visible;
use lychgate_core::outcome::{Outcome, Reason};
use lychgate_text::{Attempt, Catalogue, Cause, DemoFailure, Problem};
use serde_json::{Value, json};
use std::path::Path;
use std::process::Stdio;
use std::time::Duration;
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader, Lines};
use tokio::process::{ChildStdin, ChildStdout};

/// The label that both agents give. It grants nothing, which is the point.
const CONVERSATION: &str = "demo-conversation";
/// Longer than the gateway lets a call wait.
const CALL_TAKES: Duration = Duration::from_secs(90);
/// How long a shim may take to notice that its agent ended.
const SHIM_ENDS: Duration = Duration::from_millis(300);
/// How long a call waits for the person before the agent asks anew, in seconds.
const WAIT_SECONDS: u64 = 50;

/// A running agent.
pub(super) struct Agent {
    say: &'static dyn Catalogue,
    program: Program,
    input: ChildStdin,
    output: Lines<BufReader<ChildStdout>>,
    /// Every byte that it was answered.
    heard: String,
    calls: u64,
}

/// An answer.
pub(super) struct Heard(Value);

impl Agent {
    /// Starts it; it speaks MCP when this returns.
    pub(super) async fn start(say: &'static dyn Catalogue, place: &Place, lych: &Path) -> Result<Self, Trouble> {
        let failed = |error| Trouble::system(say, Attempt::StartingAgent, &error);
        let mut command = clean(place.agent());
        command.arg("--state-dir").arg(place.state()).arg("demo-agent").arg("--lych").arg(lych);
        command.args(["--conversation", CONVERSATION]);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(log(&place.log("agent")).map_err(failed)?);
        let mut program = Program::start(&mut command).map_err(failed)?;
        let (input, output) = (program.child().stdin.take(), program.child().stdout.take());
        let (Some(input), Some(output)) = (input, output) else {
            return Err(Trouble::of(say, &Problem::System { what: Attempt::StartingAgent, why: Cause::NoPipes }));
        };
        let input = ChildStdin::from_std(input).map_err(failed)?;
        let output = BufReader::new(ChildStdout::from_std(output).map_err(failed)?).lines();
        let mut agent = Self { say, program, input, output, heard: String::new(), calls: 0 };
        let ready = agent.line().await?;
        let good = ready.get("ready") == Some(&Value::Bool(true));
        if good { Ok(agent) } else { Err(Trouble::system(say, Attempt::StartingAgent, &ready)) }
    }

    pub(super) fn pid(&self) -> u32 {
        self.program.pid()
    }

    /// SIGKILL to the agent; its shim ends by itself, as it would anywhere.
    pub(super) async fn kill(self) {
        self.program.kill_alone();
        tokio::time::sleep(SHIM_ENDS).await;
    }

    /// Calls a tool and waits for its answer, however long the person takes.
    pub(super) async fn call(&mut self, tool: &str, arguments: &Value) -> Result<Heard, Trouble> {
        let mut arguments = arguments.clone();
        set_wait(&mut arguments);
        let mut heard = self.once(tool, &arguments).await?;
        while heard.outcome() == Outcome::ApprovalPending.word() {
            // What `next` says: an action is asked for by its id; a question about authority is asked again.
            heard = match heard.0.get("action_id").filter(|id| !id.is_null()) {
                Some(id) => {
                    self.once("action_status", &json!({ "action_id": id, "wait_seconds": WAIT_SECONDS })).await?
                }
                None => self.once(tool, &arguments).await?,
            };
        }
        Ok(heard)
    }

    async fn once(&mut self, tool: &str, arguments: &Value) -> Result<Heard, Trouble> {
        self.calls += 1;
        let id = self.calls;
        let mut line = json!({ "id": id, "tool": tool, "arguments": arguments }).to_string();
        line.push('\n');
        self.input
            .write_all(line.as_bytes())
            .await
            .map_err(|error| Trouble::system(self.say, Attempt::TellingAgent, &error))?;
        let answer = self.line().await?;
        if answer.get("id") == Some(&json!(id)) && answer.get("error").is_none() {
            Ok(Heard(answer))
        } else {
            Err(Trouble::system(self.say, Attempt::HearingAgent, &answer))
        }
    }

    async fn line(&mut self) -> Result<Value, Trouble> {
        let say = self.say;
        let line = tokio::time::timeout(CALL_TAKES, self.output.next_line())
            .await
            .map_err(|_| failure(say, &DemoFailure::TooLong { what: Attempt::HearingAgent }))?
            .map_err(|error| Trouble::system(say, Attempt::HearingAgent, &error))?
            .ok_or_else(|| Trouble::of(say, &Problem::System { what: Attempt::HearingAgent, why: Cause::Ended }))?;
        self.heard.push_str(&line);
        serde_json::from_str(&line).map_err(|error| Trouble::system(say, Attempt::HearingAgent, &error))
    }

    /// Whether `secret` is in anything that it was answered, or in its arguments or environment.
    pub(super) fn ever_had(&self, secret: &str) -> bool {
        let process = Path::new("/proc").join(self.pid().to_string());
        let holds = |name: &str| {
            let bytes = std::fs::read(process.join(name)).unwrap_or_default();
            String::from_utf8_lossy(&bytes).contains(secret)
        };
        self.heard.contains(secret) || holds("cmdline") || holds("environ")
    }
}

impl Heard {
    fn text(&self, name: &str) -> &str {
        self.0.get(name).and_then(Value::as_str).unwrap_or_default()
    }

    fn outcome(&self) -> &str {
        self.text("outcome")
    }

    /// `REAUTH_REQUIRED process_changed`.
    pub(super) fn words(&self) -> String {
        visible(format!("{} {}", self.outcome(), self.text("reason")).trim_end())
    }

    /// What the model reads, safe to print.
    pub(super) fn lines(&self) -> Vec<String> {
        super::visible_lines(self.text("text"))
    }

    /// Part of the result.
    pub(super) fn result(&self, pointer: &str) -> Option<&Value> {
        self.0.get("result")?.pointer(pointer)
    }
}

/// An outcome and its reason as [`Heard::words`] says them.
pub(super) fn words(outcome: Outcome, reason: Option<Reason>) -> String {
    match reason {
        Some(reason) => format!("{} {}", outcome.word(), reason.word()),
        None => outcome.word().to_owned(),
    }
}

fn set_wait(arguments: &mut Value) {
    if let Value::Object(fields) = arguments {
        fields.insert("wait_seconds".to_owned(), WAIT_SECONDS.into());
    }
}
