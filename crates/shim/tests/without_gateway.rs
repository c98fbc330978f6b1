//! The shim alone: a client must be served at once and told what to do.
#![expect(clippy::unwrap_used, clippy::indexing_slicing, reason = "tests")]

mod common;

use common::{Client, Place, program, request, soon, text};
use serde_json::json;
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::process::Stdio;
use std::time::{Duration, Instant};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::process::Command;

#[tokio::test]
async fn the_handshake_and_the_tool_list_take_less_than_50_ms() {
    let place = Place::new();
    let mut best = Duration::MAX;
    // The fastest of several: the machine may be busy with other tests.
    for _ in 0..8 {
        let start = Instant::now();
        let mut client = Client::start(&place.socket()).await;
        let id = client.ask("tools/list", json!({})).await;
        let list = client.answer(id).await;
        best = best.min(start.elapsed());
        assert_eq!(list["tools"].as_array().unwrap().len(), 7);
    }
    assert!(best < Duration::from_millis(50), "{best:?}");
}

#[tokio::test]
async fn every_protocol_version_with_a_handshake_is_spoken() {
    let place = Place::new();
    for version in ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"] {
        let mut client = Client::spawn(&mut Command::new(program()), &place.socket(), Stdio::null());
        let answer = client.initialize(version, "test").await;
        assert_eq!(answer["protocolVersion"], version);
        assert_eq!(answer["serverInfo"]["name"], "lychgate");
        assert!(answer["instructions"].as_str().unwrap().contains("APPROVAL_PENDING"));
    }
}

#[tokio::test]
async fn a_client_of_the_stateless_form_discovers_lists_and_calls_without_initialize() {
    let place = Place::new();
    let mut client = Client::spawn(&mut Command::new(program()), &place.socket(), Stdio::null());
    let meta = json!({
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientCapabilities": {},
        "io.modelcontextprotocol/clientInfo": { "name": "test", "version": "1" },
    });
    let id = client.ask("server/discover", json!({ "_meta": meta })).await;
    let discovered = client.answer(id).await;
    assert!(discovered["supportedVersions"].as_array().unwrap().contains(&json!("2026-07-28")), "{discovered}");
    let id = client.ask("tools/list", json!({ "_meta": meta })).await;
    assert_eq!(client.answer(id).await["tools"].as_array().unwrap().len(), 7);
    let id = client.ask("tools/call", json!({ "name": "run_status", "arguments": {}, "_meta": meta })).await;
    assert_eq!(client.answer(id).await["structuredContent"]["outcome"], "GATEWAY_UNAVAILABLE");
}

#[tokio::test]
async fn a_client_that_asks_for_discovery_first_may_still_initialize() {
    let place = Place::new();
    let mut client = Client::spawn(&mut Command::new(program()), &place.socket(), Stdio::null());
    let meta = json!({
        "io.modelcontextprotocol/protocolVersion": "2026-07-28", "io.modelcontextprotocol/clientCapabilities": {},
    });
    let id = client.ask("server/discover", json!({ "_meta": meta })).await;
    client.answer(id).await;
    assert_eq!(client.initialize("2025-11-25", "claude-code").await["protocolVersion"], "2025-11-25");
}

#[tokio::test]
async fn a_call_says_that_no_gateway_runs_and_how_the_person_starts_it() {
    let place = Place::new();
    let mut client = Client::start(&place.socket()).await;
    for (tool, arguments) in [("http_request", request()), ("authorize", json!({ "channels": ["api"] }))] {
        let id = client.call(tool, arguments).await;
        let result = client.answer(id).await;
        let content = &result["structuredContent"];
        assert_eq!(content["outcome"], "GATEWAY_UNAVAILABLE");
        assert_eq!(content["reason"], "no_gateway");
        assert_eq!(content["action_id"], json!(null), "nothing was sent, so there is nothing to ask for");
        assert!(content["next"].as_str().unwrap().contains("lych up"));
        assert!(text(&result).contains("Nothing was sent") && text(&result).contains("lych up"));
        assert_eq!(result["isError"], false);
    }
}

#[tokio::test]
async fn a_wrong_call_is_an_error_that_names_the_argument() {
    let place = Place::new();
    let mut client = Client::start(&place.socket()).await;
    let id = client.call("http_request", json!({ "channel": "a", "verb": "GET" })).await;
    let result = client.answer(id).await;
    assert_eq!(result["isError"], true);
    assert_eq!(result["structuredContent"]["outcome"], "INVALID");
    assert_eq!(result["structuredContent"]["reason"], "invalid_request");
    assert!(text(&result).contains("`verb`"), "{result}");
}

#[tokio::test]
async fn a_tool_that_does_not_exist_is_refused_and_the_service_goes_on() {
    let place = Place::new();
    let mut client = Client::start(&place.socket()).await;
    client.call("ssh_exec", json!({})).await;
    assert_eq!(client.line().await.unwrap()["error"]["code"], -32602);
    let id = client.ask("ping", json!({})).await;
    client.answer(id).await;
}

#[tokio::test]
async fn a_directory_that_is_not_ours_alone_is_not_used_and_named() {
    let place = Place::new();
    let _gateway = place.gateway();
    let mode = |mode| {
        std::fs::set_permissions(place.directory.path(), std::fs::Permissions::from_mode(mode)).unwrap();
    };
    let link = place.directory.path().with_extension("link");
    symlink(place.directory.path(), &link).unwrap();
    for (socket, set, what) in [
        (place.socket(), 0o750, "mode 0750"),
        (place.socket(), 0o1700, "mode 1700"),
        (link.join("agent.sock"), 0o700, "symbolic link"),
    ] {
        mode(set);
        let mut client = Client::start(&socket).await;
        let id = client.call("run_status", json!({})).await;
        let result = client.answer(id).await;
        assert_eq!(result["structuredContent"]["outcome"], "GATEWAY_UNAVAILABLE");
        assert!(text(&result).contains(what), "{result}");
    }
    mode(0o700);
    std::fs::remove_file(link).unwrap();
}

#[tokio::test]
async fn with_standard_error_closed_every_line_on_standard_output_is_json() {
    let place = Place::new();
    let mut shell = Command::new("/bin/sh");
    shell.args(["-c", "exec \"$0\" \"$1\" 2>&-"]).arg(program());
    let mut client = Client::spawn(&mut shell, &place.socket(), Stdio::null());
    client.initialize("2025-06-18", "test").await;
    for line in ["no json", "{\"jsonrpc\":\"2.0\",\"id\":90}", "[]", "\u{0}"] {
        client.stdin.as_mut().unwrap().write_all(format!("{line}\n").as_bytes()).await.unwrap();
    }
    let id = client.call("list_channels", json!({})).await;
    client.answer(id).await;
    client.stdin = None;
    while client.line().await.is_some() {} // Each of them is parsed.
    assert!(client.exit().await.success());
}

#[tokio::test]
async fn a_fatal_error_goes_to_standard_error_and_standard_output_stays_empty() {
    let place = Place::new();
    let mut child = Command::new(program())
        .arg(place.socket())
        .arg("x".repeat(201))
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let status = soon("its exit", child.wait()).await.unwrap();
    assert!(!status.success());
    let mut said = String::new();
    child.stdout.take().unwrap().read_to_string(&mut said).await.unwrap();
    assert_eq!(said, "");
    child.stderr.take().unwrap().read_to_string(&mut said).await.unwrap();
    assert!(said.contains("201 bytes") && said.contains("limit is 200"), "{said}");
}

#[tokio::test]
async fn the_end_of_standard_input_ends_the_shim_before_and_after_the_handshake() {
    let place = Place::new();
    let mut client = Client::spawn(&mut Command::new(program()), &place.socket(), Stdio::null());
    client.stdin = None;
    assert!(client.exit().await.success());

    let mut client = Client::start(&place.socket()).await;
    client.stdin = None;
    assert!(client.exit().await.success());
}

#[tokio::test]
async fn requests_written_in_one_go_before_the_end_are_still_answered() {
    let place = Place::new();
    let mut client = Client::spawn(&mut Command::new(program()), &place.socket(), Stdio::null());
    let parameters =
        json!({ "protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": { "name": "t", "version": "1" } });
    let first = client.ask("initialize", parameters).await;
    let second = client.ask("tools/list", json!({})).await;
    client.stdin = None;
    client.answer(first).await;
    assert!(client.answer(second).await["tools"].is_array());
    assert!(client.exit().await.success());
}

#[tokio::test]
async fn standard_streams_that_are_one_socket_serve_as_well_as_pipes() {
    let place = Place::new();
    let (ours, theirs) = std::os::unix::net::UnixStream::pair().unwrap();
    let input = std::os::fd::OwnedFd::from(theirs.try_clone().unwrap());
    let mut child = Command::new(program())
        .arg(place.socket())
        .stdin(Stdio::from(input))
        .stdout(Stdio::from(std::os::fd::OwnedFd::from(theirs)))
        .spawn()
        .unwrap();
    ours.set_nonblocking(true).unwrap();
    let mut ours = tokio::net::UnixStream::from_std(ours).unwrap();
    let request = json!({ "jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {
        "protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": { "name": "t", "version": "1" } } });
    ours.write_all(format!("{request}\n").as_bytes()).await.unwrap();
    let mut first = [0; 16];
    soon("an answer", ours.read_exact(&mut first)).await.unwrap();
    assert!(first.starts_with(b"{\"jsonrpc\""));
    drop(ours);
    assert!(soon("its exit", child.wait()).await.unwrap().success());
}

#[tokio::test]
async fn an_orphaned_shim_ends_by_itself_while_its_standard_input_stays_open() {
    let place = Place::new();
    // The launcher dies; the test keeps both ends of the pipes, so no end of input tells the shim.
    let mut launcher = Command::new("/bin/sh");
    launcher.args(["-c", "exec 3<&0; \"$0\" \"$1\" <&3 & wait"]).arg(program());
    let mut client = Client::spawn(&mut launcher, &place.socket(), Stdio::null());
    client.initialize("2025-06-18", "test").await;
    let killed = Instant::now();
    client.child.start_kill().unwrap();
    assert!(client.line().await.is_none(), "the end of its standard output is the end of the shim");
    assert!(killed.elapsed() < Duration::from_secs(5), "{:?}", killed.elapsed());
}
