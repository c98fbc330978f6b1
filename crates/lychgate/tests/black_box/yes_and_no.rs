//! The person's answers: the PIN, both kinds of approval, no, and what becomes of a question that nobody waits for.

use crate::world::agent::Agent;
use crate::world::fixture::PIN;
use crate::world::{World, until};
use serde_json::{Value, json};

fn status(action: &str) -> Value {
    json!({ "action_id": action, "wait_seconds": 0 })
}

/// A channel that asks for every use.
fn with_careful() -> World {
    let world = World::new();
    world.add_channel("careful", &["--approval", "per-call"]);
    world
}

#[track_caller]
fn session_only(world: &World, agent: &mut Agent, channel: &str) {
    let asked = agent.call("authorize", json!({ "channels": [channel], "wait_seconds": 0 }));
    world.approve(asked.must_say("APPROVAL_PENDING new_run").card());
    agent.call("authorize", json!({ "channels": [channel] })).must_say("COMPLETED");
}

#[test]
fn five_wrong_pins_block_the_sixth_try_though_it_is_right_until_the_passphrase_was_given() {
    let world = World::new();
    let mut agent = world.agent();
    let card = agent.get(&world, "/v1/x").must_say("APPROVAL_PENDING new_run").card();
    for _ in 0..5 {
        world.try_approve(card, "0000").exits(1).complains("PIN");
    }
    world.try_approve(card, PIN).exits(1).complains("blocked");
    assert_eq!(world.cards().len(), 1);
    world.lock();
    world.unlock();
    let asked = agent.call("authorize", json!({ "channels": ["api"], "wait_seconds": 0 }));
    world.approve(asked.card());
    assert_eq!(world.upstream.connections(), 0);
}

#[test]
fn a_per_call_channel_asks_for_the_session_and_for_each_use() {
    let world = with_careful();
    let mut agent = world.agent();
    let first = agent.call("http_request", world.get("careful", "/v1/one")).must_say("APPROVAL_PENDING new_run");
    let card = world.next_card();
    assert_eq!((&card["asks_action"], card["channels"].as_array().unwrap().len()), (&json!(true), 1), "{card:#}");
    world.approve(first.card());
    agent.call("action_status", status(&first.action())).must_say("COMPLETED");
    assert_eq!(world.upstream.count(), 1);

    let second = agent.call("http_request", world.get("careful", "/v1/two")).must_say("APPROVAL_PENDING per_call");
    let card = world.next_card();
    assert_eq!((&card["asks_action"], &card["channels"]), (&json!(true), &json!([])), "{card:#}");
    agent.call("action_status", status(&second.action())).must_say("APPROVAL_PENDING per_call");
    assert_eq!(world.upstream.connections(), 1, "the session's yes does not stand in for this one");
    world.approve(second.card());
    agent.call("action_status", status(&second.action())).must_say("COMPLETED");
    // One yes, one use: the same request once more is another question.
    agent.call("http_request", world.get("careful", "/v1/two")).must_say("APPROVAL_PENDING per_call");
    assert_eq!(world.upstream.count(), 2);
}

#[test]
fn a_session_approval_alone_serves_no_use_of_a_per_call_channel() {
    let world = with_careful();
    let mut agent = world.agent();
    session_only(&world, &mut agent, "careful");
    agent.call("http_request", world.get("careful", "/v1/one")).must_say("APPROVAL_PENDING per_call");
    assert_eq!(world.upstream.connections(), 0);
}

#[test]
fn a_denied_use_stays_denied_for_its_run_and_is_never_sent() {
    let world = with_careful();
    let mut agent = world.agent();
    session_only(&world, &mut agent, "careful");
    let asked = agent.call("http_request", world.get("careful", "/v1/one")).must_say("APPROVAL_PENDING per_call");
    world.deny(asked.card());
    agent.call("action_status", status(&asked.action())).must_say("DENIED denied_by_operator");
    for _ in 0..3 {
        agent.call("http_request", world.get("careful", "/v1/one")).must_say("DENIED denied_by_operator");
    }
    assert_eq!(world.cards().len(), 0, "a no is not asked again");
    agent.call("http_request", world.get("careful", "/v1/other")).must_say("APPROVAL_PENDING per_call");
    assert_eq!(world.upstream.connections(), 0);
    world.has_activity(&["action_denied", "denied_by_operator"]);
}

#[test]
fn a_denied_session_gets_no_new_card_for_a_while() {
    let world = World::new();
    let mut agent = world.agent();
    let asked = agent.begin("authorize", json!({ "channels": ["api"], "wait_seconds": 50 }));
    world.deny(world.next_card()["card"].as_u64().unwrap());
    agent.finish(asked).must_say("DENIED denied_by_operator");
    agent.get(&world, "/v1/x").must_say("DENIED denied_by_operator");
    agent.call("authorize", json!({ "channels": ["api"], "wait_seconds": 0 })).must_say("DENIED denied_by_operator");
    assert_eq!((world.cards().len(), world.upstream.connections()), (0, 0));
}

#[test]
fn an_approved_action_runs_once_and_only_when_its_caller_is_there() {
    let world = World::new();
    let mut agent = world.agent();
    let pending = agent.get(&world, "/v1/x").must_say("APPROVAL_PENDING new_run");
    world.approve(pending.card());
    assert_eq!(world.upstream.connections(), 0, "nobody waits for it, so it does not run");
    let both = [(); 2].map(|()| agent.begin("action_status", json!({ "action_id": pending.action() })));
    for open in both {
        agent.finish(open).must_say("COMPLETED");
    }
    agent.call("action_status", status(&pending.action())).must_say("COMPLETED");
    assert_eq!(world.upstream.count(), 1);
}

#[test]
fn a_call_that_waits_goes_on_with_the_yes() {
    let world = World::new();
    let mut agent = world.agent();
    let mut call = world.get("api", "/v1/x");
    call["wait_seconds"] = json!(50);
    let open = agent.begin("http_request", call);
    world.approve(world.next_card()["card"].as_u64().unwrap());
    agent.finish(open).must_say("COMPLETED");
    assert_eq!(world.upstream.count(), 1);
}

#[test]
fn a_call_that_was_taken_back_never_runs() {
    let world = with_careful();
    let mut agent = world.agent();
    session_only(&world, &mut agent, "careful");
    let mut call = world.get("careful", "/v1/x");
    call["wait_seconds"] = json!(50);
    call["action_key"] = json!("taken-back");
    let open = agent.begin("http_request", call);
    let card = world.next_card()["card"].as_u64().unwrap();
    agent.cancel(open);
    until("no card", || world.cards().is_empty().then_some(()));
    world.try_approve(card, PIN).exits(1);
    let told = agent.call("action_status", json!({ "action_key": "taken-back", "wait_seconds": 0 }));
    told.must_say("DENIED caller_left");
    assert_eq!(world.upstream.connections(), 0);
}

#[test]
fn a_yes_after_the_call_was_taken_back_opens_the_session_and_sends_nothing() {
    let world = World::new();
    let mut agent = world.agent();
    let mut call = world.get("api", "/v1/x");
    call["wait_seconds"] = json!(50);
    call["action_key"] = json!("taken-back");
    let open = agent.begin("http_request", call);
    let card = world.next_card()["card"].as_u64().unwrap();
    agent.cancel(open);
    let told = until("the end of the action", || {
        let told = agent.call("action_status", json!({ "action_key": "taken-back", "wait_seconds": 0 }));
        (told.says() != "APPROVAL_PENDING new_run").then_some(told)
    });
    told.must_say("DENIED caller_left");
    world.approve(card);
    agent.call("action_status", json!({ "action_key": "taken-back" })).must_say("DENIED caller_left");
    assert_eq!(world.upstream.connections(), 0);
    agent.get(&world, "/v1/y").must_say("COMPLETED");
}

#[test]
fn a_client_that_leaves_while_its_card_is_open_takes_the_card_with_it() {
    let world = World::new();
    let mut agent = world.agent();
    let mut call = world.get("api", "/v1/x");
    call["wait_seconds"] = json!(50);
    agent.begin("http_request", call);
    let card = world.next_card()["card"].as_u64().unwrap();
    agent.close_input();
    until("no card", || world.cards().is_empty().then_some(()));
    world.try_approve(card, PIN).exits(1);
    // The end of the connection and that of the shim are seen in either order.
    let ended = world.has_activity(&["run_ended"]);
    assert!(["disconnected", "process_exited"].iter().any(|reason| ended.contains(reason)), "{ended}");
    assert_eq!(world.upstream.connections(), 0);
}

#[test]
fn a_card_closes_with_its_agent() {
    let world = World::new();
    let mut agent = world.agent();
    let card = agent.get(&world, "/v1/x").must_say("APPROVAL_PENDING new_run").card();
    agent.kill();
    until("no card", || world.cards().is_empty().then_some(()));
    world.try_approve(card, PIN).exits(1);
    assert_eq!(world.upstream.connections(), 0);
}

#[test]
fn one_question_asked_many_times_is_one_card() {
    let world = World::new();
    let mut agent = world.agent();
    let open: Vec<_> = (0..20).map(|_| agent.begin("http_request", world.get("api", "/v1/x"))).collect();
    let asks = [(); 5].map(|()| agent.begin("authorize", json!({ "channels": ["api"], "wait_seconds": 0 })));
    let cards: Vec<u64> = open.into_iter().chain(asks).map(|open| agent.finish(open).card()).collect();
    assert!(cards.iter().all(|card| *card == cards[0]), "{cards:?}");
    assert_eq!(world.cards().len(), 1);
    world.approve(cards[0]);
    agent.get(&world, "/v1/one").must_say("COMPLETED");
    assert_eq!(world.upstream.count(), 1);
}

#[test]
fn one_agent_has_at_most_eight_open_cards_and_does_not_crowd_out_another() {
    let world = with_careful();
    let mut agent = world.agent();
    session_only(&world, &mut agent, "careful");
    for number in 0..8 {
        let call = world.get("careful", &format!("/v1/{number}"));
        agent.call("http_request", call).must_say("APPROVAL_PENDING per_call");
    }
    agent.call("http_request", world.get("careful", "/v1/8")).must_say("DENIED too_many");
    world.agent().get(&world, "/v1/x").must_say("APPROVAL_PENDING new_run");
    assert_eq!((world.cards().len(), world.upstream.connections()), (8, 0));
}

#[test]
fn a_revoke_ends_the_approval_at_once() {
    let world = World::new();
    let mut agent = world.agent();
    agent.authorized(&world, &["api"]);
    let run = agent.get(&world, "/v1/one").must_say("COMPLETED").run();
    world.lych(&["revoke", &run]).exits(0);
    agent.get(&world, "/v1/two").must_say("REAUTH_REQUIRED approval_revoked");
    assert_eq!(world.upstream.connections(), 1);
    let asked = agent.call("authorize", json!({ "channels": ["api"], "wait_seconds": 0 }));
    asked.must_say("APPROVAL_PENDING approval_revoked");
    assert_eq!(world.next_card()["changed"], json!(["approval_revoked"]));
}

#[test]
fn a_changed_channel_needs_a_new_yes() {
    let world = World::new();
    let mut agent = world.agent();
    agent.authorized(&world, &["api"]);
    world.fed(&["channel", "remove", "api", "--factor-stdin"], &format!("{PIN}\n")).exits(0);
    agent.get(&world, "/v1/one").must_say("INVALID unknown_channel");
    world.add_channel("api", &["--method", "GET"]);
    agent.get(&world, "/v1/one").must_say("REAUTH_REQUIRED channel_changed");
    assert_eq!(world.upstream.connections(), 0);
}

/// The yes was for the session that was taken back; what waits on it must not ride on the next one (R19).
#[test]
fn an_action_whose_approval_was_revoked_is_never_sent_under_a_later_one() {
    let world = World::new();
    let mut agent = world.agent();
    let call = json!({ "channel": "api", "method": "GET", "url": world.upstream.url("/v1/old"), "wait_seconds": 0 });
    let waiting = agent.call("http_request", call).must_say("APPROVAL_PENDING new_run");
    world.approve(waiting.card());
    world.lych(&["revoke", "--all"]).exits(0);
    agent.authorized(&world, &["api"]);
    let told = agent.call("action_status", json!({ "action_id": waiting.action() }));
    told.must_say("REAUTH_REQUIRED approval_revoked");
    assert_eq!(world.upstream.connections(), 0);
    agent.get(&world, "/v1/new").must_say("COMPLETED");
    assert_eq!(world.upstream.count(), 1);
}

/// What the card showed is what is bound: the conversation too.
#[test]
fn a_card_of_one_conversation_closes_when_the_run_declares_another() {
    let world = World::new();
    let mut agent = world.agent_of("first");
    let asked = agent.call("authorize", json!({ "channels": ["api"], "wait_seconds": 0 }));
    let card = asked.must_say("APPROVAL_PENDING new_run").card();
    let listed = agent.begin_in("second", "list_channels", json!({}));
    agent.finish(listed).must_say("COMPLETED");
    assert_ne!(world.try_approve(card, PIN).status, 0);
    agent.get(&world, "/v1/one");
    assert_eq!(world.upstream.connections(), 0);
}

/// The last use ends the approval, in the journal's own word.
#[test]
fn a_used_up_approval_ends_and_says_so() {
    let world = World::new();
    world.add_channel("once", &["--max-uses", "1"]);
    let mut agent = world.agent();
    agent.authorized(&world, &["once"]);
    let call = |path| json!({ "channel": "once", "method": "GET", "url": world.upstream.url(path) });
    agent.call("http_request", call("/v1/one")).must_say("COMPLETED");
    agent.call("http_request", call("/v1/two")).must_say("REAUTH_REQUIRED approval_expired");
    world.has_activity(&["session_ended", "channel=once", "reason=approval_expired"]);
    let asked = agent.call("authorize", json!({ "channels": ["once"], "wait_seconds": 0 }));
    asked.must_say("APPROVAL_PENDING approval_expired");
    assert_eq!(world.upstream.count(), 1);
}
