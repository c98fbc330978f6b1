//! The credential is where the upstream is, and nowhere else; factors are nowhere at all.

use crate::world::canary::Canary;
use crate::world::fixture::{PASSPHRASE, PIN};
use crate::world::{World, place};
use serde_json::json;

#[test]
fn the_upstream_sees_the_bearer_exactly_once_per_approved_action_and_nobody_else_ever() {
    let mut world = World::new();
    world.add_channel("careful", &["--approval", "per-call"]);
    let mut agent = world.agent_of("thread-1");
    agent.authorized(&world, &["api"]);
    for path in ["/v1/one", "/v1/two", "/v1/drop"] {
        agent.get(&world, path);
    }
    let asked = agent.call("http_request", world.get("careful", "/v1/three"));
    world.approve(asked.card());
    agent.call("action_status", json!({ "action_id": asked.action() })).must_say("COMPLETED");
    let denied = agent.call("http_request", world.get("careful", "/v1/no"));
    world.deny(denied.card());
    // A server that gives the credential back.
    let mirrored = agent.get(&world, "/v1/mirror").must_say("COMPLETED");
    assert!(mirrored.result()["notice"].as_str().unwrap_or_default().contains("withheld"), "{:#}", mirrored.0);
    // An agent that brings a credential of its own.
    let mut own = world.get("api", "/v1/own");
    own["headers"] = json!({ "Authorization": "Bearer mine" });
    agent.call("http_request", own).must_say("INVALID invalid_request");
    world.try_approve(99, PIN).exits(1);

    let requests = world.upstream.requests();
    let targets: Vec<&str> = requests.iter().map(|request| request.target.as_str()).collect();
    assert_eq!(targets, ["/v1/one", "/v1/two", "/v1/drop", "/v1/three", "/v1/mirror"]);
    let bearer = Canary::of(&world.bearer);
    for request in &requests {
        assert_eq!(request.header("authorization"), [format!("Bearer {}", world.bearer)], "{}", request.target);
        let elsewhere = request.headers.iter().filter(|(name, _)| !name.eq_ignore_ascii_case("authorization"));
        for (name, value) in elsewhere {
            bearer.not_in_text(name, value);
        }
        bearer.not_in_text("the target", &request.target);
        assert!(!bearer.is_in(&request.body));
    }

    let bearer = world.bearer.clone();
    let secrets = [("bearer", &bearer[..]), ("passphrase", PASSPHRASE), ("PIN", PIN)];
    let shim = agent.children();
    assert_eq!(shim.len(), 1);
    for (name, secret) in secrets {
        let canary = Canary::of(secret);
        canary.not_in_process(&format!("the agent ({name})"), agent.pid());
        canary.not_in_process(&format!("the shim ({name})"), shim[0]);
        canary.not_in_text("the agent's MCP traffic", &agent.transcript());
        for file in ["cmdline", "environ"] {
            let bytes = std::fs::read(format!("/proc/{}/{file}", world.gateway_pid()))
                .expect("the gateway hides from its own user, so only root can look: run `cargo xtask test` as root");
            assert!(!canary.is_in(&bytes), "{name} in the {file} of the gateway");
        }
        world.keeps_secret(&canary);
    }
    world.stop_gateway();
    for (_, secret) in secrets {
        assert!(Canary::of(secret).not_below(&world.state) > 5);
    }
}

#[test]
fn the_scan_finds_a_secret_that_is_there() {
    let world = World::asleep();
    let canary = Canary::of("canary-that-is-there");
    let hidden = world.file("agent.txt", b"x canary-that-is-there y");
    assert!(std::panic::catch_unwind(|| canary.not_below(hidden.parent().unwrap())).is_err());
    let encoded = world.file("encoded", b"");
    use base64::Engine as _;
    let text = base64::engine::general_purpose::STANDARD.encode("ab canary-that-is-there");
    std::fs::write(&encoded, &text).unwrap();
    assert!(canary.is_in(&std::fs::read(&encoded).unwrap()), "{text}");

    // In the memory of a process that holds it, though neither its arguments nor its environment do.
    let script =
        b"import sys\nx = bytearray(sys.stdin.readline(), 'ascii')\nprint('held', flush=True)\nsys.stdin.read()\n";
    let script = world.file("hold.py", script);
    let mut command = world.user.command(&place::python());
    command.arg(script).stdin(std::process::Stdio::piped());
    command.stdout(std::process::Stdio::piped()).stderr(std::process::Stdio::piped());
    let mut process = crate::world::children::Running::start("holder", command);
    let mut stdin = process.stdin().unwrap();
    let output = crate::world::children::Output::of(&mut process);
    std::io::Write::write_all(&mut stdin, b"canary-that-is-there\n").unwrap();
    output.wait_for("held");
    assert!(canary.is_in_process(process.pid()));
    assert!(!Canary::of("canary-that-is-not").is_in_process(process.pid()));
}
