//! The shim and a gateway that the test speaks for.
#![expect(clippy::unwrap_used, clippy::indexing_slicing, clippy::panic, reason = "tests")]

mod common;

use common::{Client, Connection, Place, answer, registered, request, soon, started, text};
use lychgate_core::ids::{BootNo, Digest, Ref, RunId};
use lychgate_core::outcome::{Outcome, Reason};
use lychgate_core::receipt::Receipt;
use lychgate_wire::agent::{Call, FromAgent, ToAgent};
use serde_json::{Value, json};
use std::process::Stdio;
use tokio::io::AsyncWriteExt as _;
use tokio::process::Command;

const ACTION: Ref = Ref([0xa1; 16]);

fn receipt(size: u64) -> Receipt {
    Receipt { size, root: Digest([3; 32]), row: None, note: "note".into() }
}

#[tokio::test]
async fn it_registers_before_the_first_call_and_passes_answers_on_in_the_one_shape() {
    let (_place, gateway, mut client) = started().await;
    let (mut connection, conversation, previous) = gateway.register(31, 8).await;
    assert_eq!((conversation, previous), (None, None));

    let id = client.call("http_request", request()).await;
    let (call, http) = connection.http().await;
    assert_eq!((http.channel.as_str(), http.method.as_str()), ("api", "POST"));
    assert_eq!(http.body_base64.as_deref(), Some("e30="));
    assert_ne!(http.client_ref, Ref::NONE);
    connection
        .reply(call, answer(Outcome::Completed, Some(ACTION), json!({ "status": 201, "body": { "id": 7 } })))
        .await;
    let result = client.answer(id).await;
    let content = &result["structuredContent"];
    assert_eq!(content["outcome"], "COMPLETED");
    assert_eq!(content["action_id"], ACTION.to_string());
    assert_eq!(content["run_id"], "R31");
    assert_eq!(content["result"]["body"]["id"], 7);
    for part in ["words of the gateway", "HTTP 201", "{\"id\":7}"] {
        assert!(text(&result).contains(part), "{part} in {result}");
    }
}

#[tokio::test]
async fn a_pending_answer_reaches_the_model_with_its_next_step() {
    let (_place, _gateway, mut client, mut connection) = registered(1, 1).await;
    let id = client.call("http_request", request()).await;
    let (call, _) = connection.http().await;
    let mut pending = answer(Outcome::ApprovalPending, Some(ACTION), Value::Null);
    pending.reason = Some(Reason::NewRun);
    pending.reasons = vec![Reason::NewRun];
    pending.next = Some("wait with action_status".into());
    connection.reply(call, pending).await;
    let result = client.answer(id).await;
    assert_eq!(result["isError"], false);
    assert_eq!(result["structuredContent"]["reasons"], json!(["new_run"]));
    let shown = text(&result);
    assert!(shown.starts_with("APPROVAL_PENDING (new_run)"), "{shown}");
    assert!(shown.contains("Next: wait with action_status") && shown.contains(&ACTION.to_string()), "{shown}");
}

#[tokio::test]
async fn answers_find_their_calls_in_any_order_and_a_waiting_call_holds_up_nothing() {
    let (_place, _gateway, mut client, mut connection) = registered(1, 1).await;
    let first = client.call("http_request", request()).await;
    let (first_call, _) = connection.http().await;
    let second = client.call("list_channels", json!({})).await;
    let (second_call, _, call) = connection.call().await;
    assert_eq!(call, Call::ListChannels);
    connection.reply(second_call, answer(Outcome::Completed, None, json!([]))).await;
    client.answer(second).await;
    let ping = client.ask("ping", json!({})).await;
    client.answer(ping).await;
    connection.reply(first_call, answer(Outcome::Completed, None, json!(null))).await;
    client.answer(first).await;
}

#[tokio::test]
async fn an_action_cut_off_by_the_end_of_the_gateway_is_answered_with_its_id_and_presented_at_the_next_registration() {
    let (place, gateway, mut client, mut connection) = registered(31, 8).await;
    let first = client.call("http_request", request()).await;
    let (_, dispatched) = connection.http().await;
    let second = client.call("http_request", request()).await;
    let (_, silent) = connection.http().await;
    let notice = ToAgent::Notice { action_id: ACTION, client_ref: dispatched.client_ref, receipt: receipt(12) };
    connection.say(&notice).await;
    drop((connection, gateway));

    for (id, http) in [(first, &dispatched), (second, &silent)] {
        let result = client.answer(id).await;
        let content = &result["structuredContent"];
        assert_eq!(content["outcome"], "GATEWAY_UNAVAILABLE");
        assert_eq!(content["action_id"], http.client_ref.to_string());
        let next = content["next"].as_str().unwrap();
        assert!(next.contains("`authorize`") && next.contains("`action_status`"), "{next}");
    }

    let gateway = place.gateway();
    let status = client.call("action_status", json!({ "action_id": silent.client_ref.to_string() })).await;
    let (mut connection, _, previous) = gateway.register(32, 9).await;
    let previous = previous.unwrap();
    assert_eq!((previous.run, previous.boot), (RunId(31), BootNo(8)));
    assert_eq!(previous.unanswered, [dispatched.client_ref, silent.client_ref]);
    assert_eq!(previous.noticed, [ACTION, dispatched.client_ref]);
    assert_eq!(previous.receipt, Some(receipt(12)));
    assert!(previous.read_to_end);

    let (call, _, asked) = connection.call().await;
    let Call::ActionStatus { action_id, .. } = asked else { panic!("{asked:?}") };
    assert_eq!(action_id, Some(silent.client_ref));
    connection.reply(call, answer(Outcome::RetrySafe, action_id, Value::Null)).await;
    assert_eq!(client.answer(status).await["structuredContent"]["outcome"], "RETRY_SAFE");
}

#[tokio::test]
async fn a_call_open_at_the_end_of_its_run_hears_the_reason_and_keeps_its_action_id() {
    let (_place, gateway, mut client, mut connection) = registered(1, 1).await;
    let id = client.call("http_request", request()).await;
    let (_, http) = connection.http().await;
    let mut ended = answer(Outcome::ReauthRequired, None, Value::Null);
    ended.reason = Some(Reason::ProcessChanged);
    ended.changed = Some("a process ended".into());
    connection.say(&ToAgent::RunEnded { answer: ended }).await;
    drop(connection);
    let content = client.answer(id).await["structuredContent"].clone();
    assert_eq!((&content["outcome"], &content["reason"]), (&json!("REAUTH_REQUIRED"), &json!("process_changed")));
    assert_eq!(content["action_id"], http.client_ref.to_string());
    assert_eq!(content["changed"], "a process ended");
    let (_connection, _, previous) = gateway.register(2, 1).await;
    assert_eq!(previous.unwrap().unanswered, [http.client_ref]);
}

#[tokio::test]
async fn it_comes_back_by_itself_after_a_restart_of_the_gateway() {
    let place = Place::new();
    let gateway = place.gateway();
    let _client = Client::start(&place.socket()).await;
    drop((gateway.register(1, 1).await, gateway));
    let gateway = place.gateway();
    let (_connection, _, previous) = gateway.register(2, 2).await;
    assert_eq!(previous.unwrap().run, RunId(1));
}

#[tokio::test]
async fn a_frame_of_another_process_ends_the_connection_and_its_words_go_nowhere() {
    let (_place, gateway, mut client, mut connection) = registered(1, 1).await;
    let id = client.call("http_request", request()).await;
    let (call, http) = connection.http().await;
    let forged = ToAgent::Answer { id: call, answer: answer(Outcome::Completed, None, json!("forged")) };
    let mut stranger = write_from_another_process(&connection, &forged).await;
    let result = client.answer(id).await;
    assert_eq!(result["structuredContent"]["outcome"], "GATEWAY_UNAVAILABLE");
    assert_eq!(result["structuredContent"]["action_id"], http.client_ref.to_string());
    assert!(!result.to_string().contains("forged"));
    connection.closed().await;
    stranger.kill().await.unwrap();

    let (_connection, _, previous) = gateway.register(2, 1).await;
    let previous = previous.unwrap();
    assert!(!previous.read_to_end, "what the gateway said afterwards was not read");
    assert_eq!(previous.unanswered, [http.client_ref]);
}

#[tokio::test]
async fn a_gateway_whose_second_frame_has_another_sender_is_not_registered_with() {
    let (_place, gateway, mut client) = started().await;
    let mut connection = gateway.accept().await;
    connection.hear().await;
    connection.say(&ToAgent::Pinned { wire: lychgate_wire::WIRE, version: "test".into() }).await;
    connection.hear().await;
    let id = client.call("run_status", json!({})).await;
    let forged = ToAgent::Registered { run: RunId(1), boot: BootNo(1) };
    let mut stranger = write_from_another_process(&connection, &forged).await;
    connection.closed().await;
    stranger.kill().await.unwrap();
    // The call was not part of that attempt; the next one serves it.
    let (mut connection, ..) = gateway.register(2, 1).await;
    let (call, ..) = connection.call().await;
    connection.reply(call, answer(Outcome::Completed, None, json!(null))).await;
    client.answer(id).await;
}

/// Sends a frame through `cat`, which stays alive until it is killed.
async fn write_from_another_process(connection: &Connection, message: &ToAgent) -> tokio::process::Child {
    let socket = connection.socket.try_clone().unwrap();
    let mut cat = Command::new("cat").stdin(Stdio::piped()).stdout(Stdio::from(socket)).spawn().unwrap();
    let body = serde_json::to_vec(message).unwrap();
    let mut frame = u32::try_from(body.len()).unwrap().to_le_bytes().to_vec();
    frame.extend(body);
    let mut input = cat.stdin.take().unwrap();
    input.write_all(&frame).await.unwrap();
    input.flush().await.unwrap();
    cat.stdin = Some(input);
    cat
}

#[tokio::test]
async fn a_refused_registration_is_every_calls_answer_and_the_next_call_tries_anew() {
    let (_place, gateway, mut client) = started().await;
    let mut refused = answer(Outcome::UnverifiedRequester, None, Value::Null);
    refused.reason = Some(Reason::NoAgent);
    let refuse = async |connection: &mut Connection| {
        connection.hear().await;
        connection.say(&ToAgent::Refused { answer: refused.clone() }).await;
        connection.closed().await;
    };
    refuse(&mut gateway.accept().await).await;
    let id = client.call("http_request", request()).await;
    refuse(&mut gateway.accept().await).await;
    let content = client.answer(id).await["structuredContent"].clone();
    assert_eq!((&content["outcome"], &content["reason"]), (&json!("UNVERIFIED_REQUESTER"), &json!("no_agent")));

    let id = client.call("run_status", json!({})).await;
    let (mut connection, ..) = gateway.register(1, 1).await;
    let (call, ..) = connection.call().await;
    connection.reply(call, answer(Outcome::Completed, None, json!(null))).await;
    client.answer(id).await;
}

#[tokio::test]
async fn a_gateway_of_another_build_is_named_and_what_to_restart() {
    let (_place, gateway, mut client) = started().await;
    let id = client.call("run_status", json!({})).await;
    // One connection or two: the call rides on the attempt that the shim makes by itself, where that still stands.
    let other_build = async {
        loop {
            let mut connection = gateway.accept().await;
            connection.hear().await;
            connection.say(&ToAgent::Pinned { wire: lychgate_wire::WIRE + 1, version: "9.9".into() }).await;
            connection.closed().await;
        }
    };
    let result = tokio::select! {
        result = client.answer(id) => result,
        () = other_build => unreachable!(),
    };
    assert_eq!(result["structuredContent"]["reason"], "shim_build");
    assert!(text(&result).contains("another build") && text(&result).contains("9.9"), "{result}");
    assert!(text(&result).contains("restart the agent or the gateway"), "{result}");
}

#[tokio::test]
async fn a_cancelled_call_is_withdrawn_from_the_gateway() {
    let (_place, _gateway, mut client, mut connection) = registered(1, 1).await;
    let id = client.call("http_request", request()).await;
    let (call, _) = connection.http().await;
    client.tell("notifications/cancelled", json!({ "requestId": id, "reason": "esc" })).await;
    let FromAgent::Cancel { id: cancelled } = connection.hear().await else { panic!("a cancellation was expected") };
    assert_eq!(cancelled, call);
}

#[tokio::test]
async fn progress_is_told_where_the_client_gave_a_token_and_only_there() {
    let (_place, _gateway, mut client, mut connection) = registered(1, 1).await;
    for token in [Some("token-1"), None] {
        let mut parameters = json!({ "name": "authorize", "arguments": { "channels": ["api"] } });
        if let Some(token) = token {
            parameters["_meta"] = json!({ "progressToken": token });
        }
        let id = client.ask("tools/call", parameters).await;
        let (call, ..) = connection.call().await;
        connection.say(&ToAgent::Progress { id: call, text: "the card C7 is open".into() }).await;
        if token.is_some() {
            let told = client.line().await.unwrap();
            assert_eq!(told["method"], "notifications/progress");
            assert_eq!(told["params"]["progressToken"], "token-1");
            assert_eq!(told["params"]["message"], "the card C7 is open");
        }
        connection.reply(call, answer(Outcome::Completed, None, json!(null))).await;
        client.answer(id).await;
    }
    assert!(client.notifications.is_empty(), "{:?}", client.notifications);
}

#[tokio::test]
async fn the_end_of_standard_input_closes_the_connection_with_a_call_open() {
    let (_place, _gateway, mut client, mut connection) = registered(1, 1).await;
    client.call("http_request", request()).await;
    connection.http().await;
    client.stdin = None;
    connection.closed().await;
    assert!(client.exit().await.success());
}

#[tokio::test]
async fn the_label_of_a_call_travels_with_it_and_with_the_next_registration() {
    let place = Place::new();
    let gateway = place.gateway();
    let mut client = Client::spawn(&mut Command::new(common::program()), &place.socket(), Stdio::null());
    client.initialize("2025-06-18", "codex-mcp-client").await;
    let (mut connection, ..) = gateway.register(1, 1).await;
    let parameters = json!({ "name": "run_status", "_meta": { "threadId": "thread-7" } });
    let id = client.ask("tools/call", parameters).await;
    let (call, conversation, _) = connection.call().await;
    assert_eq!(conversation.as_deref(), Some("thread-7"));
    connection.reply(call, answer(Outcome::Completed, None, json!(null))).await;
    client.answer(id).await;
    drop(connection);
    let (_connection, conversation, _) = gateway.register(2, 1).await;
    assert_eq!(conversation.as_deref(), Some("thread-7"));
}

#[tokio::test]
async fn a_body_of_8_mib_passes_while_the_gateway_speaks_at_the_same_time() {
    let (_place, _gateway, mut client, mut connection) = registered(1, 1).await;
    let mut big = request();
    big["body"] = json!("x".repeat(8 * 1024 * 1024));
    let id = client.call("http_request", big).await;
    // More than a socket buffer holds, before the shim's frame is read.
    for _ in 0..64 {
        let progress = ToAgent::Progress { id: 1, text: "y".repeat(16 * 1024) };
        soon("room for what the gateway says", connection.say(&progress)).await;
    }
    let (call, http) = connection.http().await;
    assert_eq!(http.body_base64.unwrap().len(), 11_184_812);
    connection.reply(call, answer(Outcome::Completed, None, json!(null))).await;
    client.answer(id).await;
}
