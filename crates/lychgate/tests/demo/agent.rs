//! `lych demo-agent`, the agent that other tests start.

use super::user::{Shared, belongs_to_an_ordinary_user, place};
use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Lines, Write};
use std::process::{Child, ChildStdin, ChildStdout, Stdio};

struct Agent {
    _shared: Shared,
    child: Child,
    input: ChildStdin,
    output: Lines<BufReader<ChildStdout>>,
}

impl Agent {
    /// With no gateway: its shim answers all the same.
    fn start(state: &std::path::Path) -> Self {
        let shared = Shared::new();
        let mut command = shared.command();
        command.arg("--state-dir").arg(state).args(["demo-agent", "--conversation", "x", "--lych"]).arg(shared.lych());
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        let input = child.stdin.take().unwrap();
        let output = BufReader::new(child.stdout.take().unwrap()).lines();
        Self { _shared: shared, child, input, output }
    }

    fn tell(&mut self, line: &Value) {
        writeln!(self.input, "{line}").unwrap();
    }

    fn hear(&mut self) -> Value {
        serde_json::from_str(&self.output.next().unwrap().unwrap()).unwrap()
    }
}

#[test]
fn the_agent_calls_what_it_is_told_and_answers_with_the_id_and_the_text() {
    let place = place();
    let mut agent = Agent::start(&place.path().join("state"));
    assert_eq!(agent.hear(), json!({ "ready": true, "pid": agent.child.id() }));
    belongs_to_an_ordinary_user(format!("/proc/{}", agent.child.id()).as_ref());
    agent.tell(&json!({ "id": "a", "tool": "run_status", "arguments": {} }));
    agent.tell(&json!({ "id": 2, "tool": "list_channels" }));
    let mut answers = [agent.hear(), agent.hear()];
    answers.sort_by_key(|answer| answer["id"].is_string());
    for (answer, id) in answers.iter().zip([json!(2), json!("a")]) {
        assert_eq!(answer["id"], id);
        assert_eq!(answer["outcome"], "GATEWAY_UNAVAILABLE");
        assert!(answer["text"].as_str().unwrap().contains("GATEWAY_UNAVAILABLE"));
    }
    agent.tell(&json!({ "id": 3, "tool": "no_such_tool" }));
    let answer = agent.hear();
    assert_eq!(answer["id"], 3);
    assert!(answer["error"].is_string(), "{answer}");
    drop(agent.input);
    assert!(agent.child.wait().unwrap().success());
}

#[test]
fn exec_keeps_the_process_and_starts_the_program_anew() {
    let place = place();
    let mut agent = Agent::start(&place.path().join("state"));
    let first = agent.hear();
    agent.tell(&json!({ "exec": true }));
    assert_eq!(agent.hear(), first, "the same process id, and ready again");
    agent.tell(&json!({ "tool": "run_status" }));
    let answer = agent.hear();
    assert_eq!(answer["outcome"], "GATEWAY_UNAVAILABLE");
    assert!(answer.get("id").is_none());
    agent.tell(&json!({ "exec": ["/bin/echo", "{\"other\":true}"] }));
    assert_eq!(agent.hear(), json!({ "other": true }));
    assert!(agent.child.wait().unwrap().success());
}

#[test]
fn what_it_does_not_understand_ends_it_with_a_complaint() {
    let place = place();
    let mut agent = Agent::start(&place.path().join("state"));
    agent.hear();
    agent.tell(&json!({ "what": 1 }));
    assert_eq!(agent.child.wait().unwrap().code(), Some(2));
}
