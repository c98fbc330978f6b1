//! The official Python MCP SDK as a client of `lych mcp`.

use crate::world::answer::Answer;
use crate::world::children::{Output, Running};
use crate::world::{World, place};
use serde_json::{Value, json};
use std::io::Write;
use std::process::{ChildStdin, Stdio};

struct Sdk {
    _process: Running,
    stdin: ChildStdin,
    output: Output,
}

impl Sdk {
    fn start(world: &World, mode: &str) -> Self {
        let mut command = world.user.command(&place::python_with_sdk());
        command.arg(world.file("sdk.py", include_bytes!("../world/sdk.py"))).arg(mode).arg(&world.programs.lych);
        command.args(world.state_arguments()).arg("mcp");
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut process = Running::start("sdk", command);
        let stdin = process.stdin().unwrap();
        let output = Output::of(&mut process);
        Self { _process: process, stdin, output }
    }

    fn tell(&mut self, order: &Value) {
        self.stdin.write_all(format!("{order}\n").as_bytes()).unwrap();
    }

    #[track_caller]
    fn hear(&self) -> Value {
        let line = self.output.line().unwrap_or_else(|| panic!("the client ended: {}", self.output.text()));
        serde_json::from_str(&line).unwrap()
    }

    #[track_caller]
    fn call(&mut self, name: &str, arguments: Value) -> (Answer, Value) {
        self.tell(&json!({ "do": "call", "name": name, "arguments": arguments }));
        let heard = self.hear();
        (Answer(heard["answer"].clone()), heard)
    }
}

#[track_caller]
fn the_whole_path(mode: &str) {
    let world = World::new();
    let mut sdk = Sdk::start(&world, mode);
    sdk.tell(&json!({ "do": "list" }));
    let listed = sdk.hear();
    for tool in ["http_request", "authorize", "action_status", "list_channels", "run_status"] {
        assert!(listed["tools"].as_array().unwrap().contains(&json!(tool)), "{listed:#}");
    }
    let (channels, _) = sdk.call("list_channels", json!({}));
    assert_eq!(channels.must_say("COMPLETED").result()["channels"][0]["name"], "api");

    let (pending, heard) = sdk.call("http_request", world.get("api", "/v1/x"));
    let pending = pending.must_say("APPROVAL_PENDING new_run");
    assert_eq!(heard["error"], json!(false), "a question to a person is no error");
    assert!(heard["text"].as_str().unwrap().contains("action_status"), "{heard:#}");
    assert_eq!(world.upstream.connections(), 0);
    world.approve(pending.card());
    let (done, _) = sdk.call("action_status", json!({ "action_id": pending.action() }));
    assert_eq!(done.must_say("COMPLETED").result()["body"], json!({ "ok": true }));
    assert_eq!(world.upstream.count(), 1);

    let (wrong, heard) = sdk.call("http_request", json!({ "channel": "api", "methd": "GET" }));
    assert_eq!(wrong.says(), "INVALID invalid_request");
    assert_eq!(heard["error"], json!(true));
}

#[test]
fn the_official_python_sdk_drives_list_call_pending_approve_complete_by_the_initialize_handshake() {
    the_whole_path("legacy");
}

#[test]
fn the_official_python_sdk_drives_list_call_pending_approve_complete_by_what_it_finds_best() {
    the_whole_path("auto");
}

#[test]
fn a_waiting_call_shows_progress_to_the_official_python_sdk() {
    let world = World::new();
    let mut sdk = Sdk::start(&world, "legacy");
    let mut call = world.get("api", "/v1/x");
    call["wait_seconds"] = json!(6);
    sdk.tell(&json!({ "do": "call", "name": "http_request", "arguments": call, "progress": true }));
    let heard = sdk.hear();
    assert_eq!(heard["answer"]["outcome"], "APPROVAL_PENDING", "{heard:#}");
    assert!(!heard["progress"].as_array().unwrap().is_empty(), "{heard:#}");
}
