//! R24 e: the request left, the answer was lost. Nobody may claim to know, and nothing is sent again.

use crate::world::{World, agent::Agent, upstream};
use serde_json::{Value, json};

fn order(world: &World, path: &str) -> Value {
    json!({
        "channel": "api", "method": "POST", "url": world.upstream.url(path), "body": "{\"buy\":1}",
        "action_key": "order-7", "wait_seconds": 0,
    })
}

fn reauthorized(agent: &mut Agent, world: &World, because: &str) {
    let asked = agent.call("authorize", json!({ "channels": ["api"], "wait_seconds": 0 }));
    world.approve(asked.must_say(&format!("APPROVAL_PENDING {because}")).card());
    agent.call("authorize", json!({ "channels": ["api"] })).must_say("COMPLETED");
}

const UNKNOWN: &str = "STATUS_UNKNOWN inspect_activity_journal";

#[test]
fn r24_e_a_dropped_answer_is_unknown_and_the_retry_path_says_so_also_after_a_restart() {
    let mut world = World::new();
    let mut agent = world.agent();
    agent.authorized(&world, &["api"]);
    let action = agent.call("http_request", order(&world, "/v1/drop")).must_say(UNKNOWN).action();
    let status = json!({ "action_id": action, "wait_seconds": 0 });
    agent.call("action_status", status.clone()).must_say(UNKNOWN);
    agent.call("http_request", order(&world, "/v1/drop")).must_say(UNKNOWN);
    assert_eq!(world.upstream.count(), 1, "the same action key is the same action");
    world.has_activity(&["http_result_not_observed"]);

    world.kill_gateway();
    world.start();
    world.unlock();
    agent.call("action_status", status.clone()).must_say("REAUTH_REQUIRED gateway_restarted");
    reauthorized(&mut agent, &world, "gateway_restarted");
    agent.call("action_status", status).must_say(UNKNOWN);
    agent.call("action_status", json!({ "action_key": "order-7" })).must_say(UNKNOWN);
    assert_eq!(world.upstream.count(), 1);
}

#[test]
fn r24_e_an_action_key_still_names_the_lost_action_after_a_restart_and_fresh_authority() {
    let mut world = World::new();
    let mut agent = world.agent();
    agent.authorized(&world, &["api"]);
    agent.call("http_request", order(&world, "/v1/drop")).must_say(UNKNOWN);
    world.kill_gateway();
    world.start();
    world.unlock();
    agent.call("http_request", order(&world, "/v1/drop")).must_say("REAUTH_REQUIRED gateway_restarted");
    reauthorized(&mut agent, &world, "gateway_restarted");
    agent.call("http_request", order(&world, "/v1/drop")).must_say(UNKNOWN);
    assert_eq!(world.upstream.count(), 1, "the business action was sent a second time");
}

#[test]
fn r24_e_a_gateway_killed_while_the_answer_is_awaited_leaves_unknown_and_the_action_id() {
    let mut world = World::new();
    let mut agent = world.agent();
    agent.authorized(&world, &["api"]);
    let open = agent.begin("http_request", order(&world, "/v1/slow"));
    world.upstream.wait_for(1);
    world.kill_gateway();
    let lost = agent.finish(open).must_say("GATEWAY_UNAVAILABLE no_gateway");
    let status = json!({ "action_id": lost.action(), "wait_seconds": 0 });

    world.start();
    agent.call("action_status", status.clone()).must_say("VAULT_LOCKED vault_locked");
    world.unlock();
    agent.call("action_status", status.clone()).must_say("REAUTH_REQUIRED gateway_restarted");
    reauthorized(&mut agent, &world, "gateway_restarted");
    agent.call("action_status", status).must_say(UNKNOWN);
    assert_eq!(world.upstream.count(), 1);
    world.has_activity(&["http_result_not_observed"]);
}

#[test]
fn r24_e_a_connection_that_never_opened_is_safe_to_retry_and_is_not_retried_by_itself() {
    let world = World::new();
    let origin = upstream::closed_origin();
    world.add_channel_to("closed", &origin, &[]);
    let mut agent = world.agent();
    agent.authorized(&world, &["closed"]);
    let call = json!({ "channel": "closed", "method": "GET", "url": format!("{origin}/v1/x"), "wait_seconds": 0 });
    let answer = agent.call("http_request", call).must_say("RETRY_SAFE previous_action_not_started");
    assert_eq!(answer.result()["evidence"], "CONNECT");
    let status = json!({ "action_id": answer.action() });
    agent.call("action_status", status).must_say("RETRY_SAFE previous_action_not_started");
}

#[test]
fn r24_e_a_server_that_can_not_prove_who_it_is_gets_nothing_and_a_retry_is_safe() {
    let world = World::new();
    let impostor = upstream::Upstream::start();
    world.add_channel_to("impostor", &impostor.origin(), &[]);
    let mut agent = world.agent();
    agent.authorized(&world, &["impostor"]);
    let call = json!({ "channel": "impostor", "method": "GET", "url": impostor.url("/v1/x"), "wait_seconds": 0 });
    let answer = agent.call("http_request", call).must_say("RETRY_SAFE previous_action_not_started");
    assert_eq!(answer.result()["evidence"], "TLS");
    assert_eq!(impostor.count(), 0);
}

#[test]
fn r24_e_another_request_under_a_used_action_key_is_refused_also_after_a_restart() {
    let mut world = World::new();
    let mut agent = world.agent();
    agent.authorized(&world, &["api"]);
    agent.call("http_request", order(&world, "/v1/drop")).must_say(UNKNOWN);
    agent.call("http_request", order(&world, "/v1/else")).must_say("INVALID key_reused");
    world.kill_gateway();
    world.start();
    world.unlock();
    reauthorized(&mut agent, &world, "gateway_restarted");
    agent.call("http_request", order(&world, "/v1/else")).must_say("INVALID key_reused");
    assert_eq!(world.upstream.count(), 1);
}

#[test]
fn r24_e_a_finished_action_is_told_again_after_a_restart_and_not_sent_again() {
    let mut world = World::new();
    let mut agent = world.agent();
    agent.authorized(&world, &["api"]);
    let done = agent.call("http_request", order(&world, "/v1/buy")).must_say("COMPLETED");
    world.kill_gateway();
    world.start();
    world.unlock();
    let status = json!({ "action_id": done.action() });
    agent.call("action_status", status.clone()).must_say("REAUTH_REQUIRED gateway_restarted");
    reauthorized(&mut agent, &world, "gateway_restarted");
    let again = agent.call("action_status", status).must_say("COMPLETED");
    assert_eq!(again.result()["status"], 200);
    assert_eq!(world.upstream.count(), 1);
}
