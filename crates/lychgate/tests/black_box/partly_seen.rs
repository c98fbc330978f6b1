//! Requesters that are not wholly seen (R5): an agent whose program lets nobody look at it, one in a namespace of its
//! own, and a shim without an agent. No session approval, and no word that says more than was seen.

use crate::world::World;
use crate::world::agent::{Agent, Manner};
use crate::world::fixture::PIN;
use crate::world::raw::{By, Raw};
use serde_json::{Value, json};

const ASKED: &str = "APPROVAL_PENDING per_call";
const CHANGED: &str = "REAUTH_REQUIRED process_changed";

fn shut_off(world: &World) -> Agent {
    world.agent_as(Manner { shut_off: true, ..Manner::default() })
}

fn status(action: &str) -> Value {
    json!({ "action_id": action, "wait_seconds": 0 })
}

fn raw_status(action: &str) -> Value {
    json!({
        "call": "action_status", "action_id": action, "action_key": null, "wait_seconds": 0,
    })
}

#[test]
fn an_agent_that_lets_nobody_look_at_it_is_asked_for_each_action_and_the_card_says_why() {
    let world = World::new();
    let mut agent = shut_off(&world);
    let first = agent.get(&world, "/v1/one").must_say(ASKED);
    let card = world.next_card();
    let shown = &card["agent"];
    assert_eq!((&shown["attestation"], &shown["program"]), (&json!("program_unreadable"), &json!(null)), "{card:#}");
    assert_eq!((&card["channels"], &card["stands_alone"]), (&json!([]), &json!(true)), "{card:#}");
    let told = world.lych(&["approvals"]).exits(0).out;
    assert!(told.contains("NO PROGRAM WAS VERIFIED") && !told.contains("Signer"), "{told}");
    assert_eq!(world.runs()[0]["program"], "(not_readable)");
    world.approve(first.card());
    assert_eq!(world.upstream.connections(), 0, "not before its caller is there");
    agent.call("action_status", status(&first.action())).must_say("COMPLETED");

    // One yes, one action: also the very same request is a question of its own.
    agent.get(&world, "/v1/one").must_say(ASKED);
    assert_eq!(world.upstream.count(), 1);
    let asked = agent.call("authorize", json!({ "channels": ["api"] })).must_say("COMPLETED");
    assert_eq!((&asked.result()["granted"], &asked.result()["asks_each_time"]), (&json!([]), &json!(["api"])));
    world.has_activity(&["call_approved_alone", "unverified=program_unreadable"]);
    assert!(!world.activity().contains("session_approved"));
    world.has_activity(&["call_approval_ended", "approval_expired"]);
    world.verify(&[]).exits(0);
}

#[test]
fn what_ends_a_session_ends_a_yes_that_stands_alone() {
    let world = World::new();
    let mut agent = shut_off(&world);
    let asked = agent.get(&world, "/v1/one").must_say(ASKED);
    world.approve(asked.card());
    world.lych(&["revoke", "--all"]).exits(0);
    agent.call("action_status", status(&asked.action())).must_say("REAUTH_REQUIRED approval_revoked");

    let asked = agent.get(&world, "/v1/two").must_say(ASKED);
    world.approve(asked.card());
    world.lock();
    world.unlock();
    let after = agent.call("action_status", status(&asked.action()));
    assert!(!after.says().starts_with("COMPLETED"), "{:#}", after.0);

    let asked = agent.get(&world, "/v1/three").must_say(ASKED);
    world.approve(asked.card());
    agent.kill();
    world.has_activity(&["call_approval_ended", "process_exited"]);
    assert_eq!(world.upstream.count(), 0);
    world.verify(&[]).exits(0);
}

#[test]
fn a_revoke_cuts_an_action_that_stands_alone() {
    let world = World::new();
    let mut agent = shut_off(&world);
    let asked = agent.get(&world, "/v1/slow").must_say(ASKED);
    world.approve(asked.card());
    let open = agent.begin("action_status", json!({ "action_id": asked.action(), "wait_seconds": 20 }));
    world.upstream.wait_for(1);
    world.lych(&["revoke", "--all"]).exits(0);
    agent.finish(open).must_say("STATUS_UNKNOWN inspect_activity_journal");
    world.upstream.wait_for_cut();
    world.has_activity(&["http_result_not_observed"]);
    world.verify(&[]).exits(0);
}

#[test]
fn with_the_operators_leave_such_an_agent_has_a_session_until_it_executes_something() {
    let world = World::new();
    world.add_channel("open", &["--allow-unreadable"]);
    let mut agent = shut_off(&world);
    agent.authorized(&world, &["open"]);
    for _ in 0..2 {
        agent.call("http_request", world.get("open", "/v1/x")).must_say("COMPLETED");
    }
    // The leave is for one channel.
    agent.get(&world, "/v1/x").must_say(ASKED);
    agent.execs(&world.words_of_idle_agent());
    agent.call("http_request", world.get("open", "/v1/x")).must_say(CHANGED);
    assert_eq!(world.upstream.count(), 2);
}

#[test]
fn an_agent_that_shuts_itself_off_after_its_session_began_loses_it() {
    let world = World::new();
    let mut raw = world.approved_raw();
    assert_eq!(raw.order(&json!({ "do": "shut_off" }))["type"], "done");
    let answer = raw.call(By::Itself, &world.raw_get("/v1/y"));
    assert!(answer.is_none_or(|answer| answer.says() == CHANGED));
    assert_eq!(world.upstream.count(), 1);
}

/// A client in a user namespace of its own, in a world with a channel where such may ask.
fn elsewhere() -> (World, Raw) {
    let world = World::new();
    world.add_channel("open", &["--allow-unverified"]);
    let raw = world.raw_by(&world.user, &["/usr/bin/unshare", "-U", "--map-current-user"]);
    (world, raw)
}

fn on_open(world: &World, path: &str) -> Value {
    let mut call = world.raw_get(path);
    call["channel"] = json!("open");
    call
}

#[test]
fn a_requester_that_can_not_be_verified_is_asked_for_each_action_where_that_is_allowed_and_refused_elsewhere() {
    let (world, mut raw) = elsewhere();
    raw.registered();
    let refused = "UNVERIFIED_REQUESTER foreign_namespace";
    raw.call(By::Itself, &world.raw_get("/v1/x")).unwrap().must_say(refused);
    let ask = json!({ "call": "authorize", "channels": ["api"], "wait_seconds": 0 });
    raw.call(By::Itself, &ask).unwrap().must_say(refused);
    let listed = raw.call(By::Itself, &json!({ "call": "list_channels" })).unwrap();
    let names: Vec<&Value> =
        listed.result()["channels"].as_array().unwrap().iter().map(|channel| &channel["name"]).collect();
    assert_eq!(names, ["open"]);
    assert_eq!(world.cards().len(), 0);

    let asked = raw.call(By::Itself, &on_open(&world, "/v1/x")).unwrap().must_say(ASKED);
    let card = world.next_card();
    assert_eq!(card["agent"]["attestation"], json!({ "unverified": "foreign_namespace" }), "{card:#}");
    assert_eq!(card["agent"]["program"], json!(null), "{card:#}");
    assert_eq!(card["agent"]["chain"][0]["program"], "(foreign_namespace)", "{card:#}");
    let told = world.lych(&["approvals"]).exits(0).out;
    assert!(told.contains("NO PROCESS WAS VERIFIED"), "{told}");
    world.approve(asked.card());
    raw.call(By::Itself, &raw_status(&asked.action())).unwrap().must_say("COMPLETED");
    raw.call(By::Itself, &on_open(&world, "/v1/x")).unwrap().must_say(ASKED);
    assert_eq!(world.upstream.count(), 1);
    world.has_activity(&["call_approved_alone", "unverified=foreign_namespace"]);
    world.verify(&[]).exits(0);
}

#[test]
fn a_yes_to_an_unverified_requester_serves_no_other_process_and_no_other_request() {
    let (world, mut raw) = elsewhere();
    raw.registered();
    let asked = raw.call(By::Itself, &on_open(&world, "/v1/x")).unwrap().must_say(ASKED);
    world.approve(asked.card());
    let mut other = world.raw_by(&world.user, &["/usr/bin/unshare", "-U", "--map-current-user"]);
    other.registered();
    other.call(By::Itself, &raw_status(&asked.action())).unwrap().must_say("INVALID unknown_action");
    other.call(By::Itself, &on_open(&world, "/v1/x")).unwrap().must_say(ASKED);
    raw.call(By::Itself, &on_open(&world, "/v1/other")).unwrap().must_say(ASKED);
    assert!(raw.call(By::Fork, &raw_status(&asked.action())).is_none_or(|answer| answer.says() == CHANGED));
    world.has_activity(&["call_approval_ended", "process_identity_mismatch"]);
    assert_eq!(world.upstream.connections(), 0);
}

#[test]
fn the_leave_goes_with_the_channel_and_with_it_the_yes() {
    let (world, mut raw) = elsewhere();
    raw.registered();
    let asked = raw.call(By::Itself, &on_open(&world, "/v1/x")).unwrap().must_say(ASKED);
    world.approve(asked.card());
    world.fed(&["channel", "remove", "open", "--factor-stdin"], &format!("{PIN}\n")).exits(0);
    world.add_channel("open", &[]);
    let after = raw.call(By::Itself, &raw_status(&asked.action())).unwrap();
    assert!(!after.says().starts_with("COMPLETED"), "{:#}", after.0);
    raw.call(By::Itself, &on_open(&world, "/v1/x")).unwrap().must_say("UNVERIFIED_REQUESTER foreign_namespace");
    assert_eq!(world.upstream.count(), 0);
}

#[test]
fn a_shim_without_an_agent_may_ask_where_the_unverified_may() {
    let world = World::new();
    world.add_channel("open", &["--allow-unverified"]);
    let meeting = world.meeting();
    let _starter = world.starts(&meeting.words(&["--orphan"], &world.words(&["mcp"])));
    let mut shim = meeting.agent();
    shim.get(&world, "/v1/x").must_say("UNVERIFIED_REQUESTER no_agent");
    let asked = shim.call("http_request", world.get("open", "/v1/x")).must_say(ASKED);
    let card = world.next_card();
    assert_eq!(card["agent"]["attestation"], json!({ "unverified": "no_agent" }), "{card:#}");
    assert_eq!(world.runs()[0]["program"], "(no_agent)");
    world.approve(asked.card());
    shim.call("action_status", status(&asked.action())).must_say("COMPLETED");
    let row = world.has_activity(&["call_approved_alone", "unverified=no_agent"]);
    assert!(!row.contains("program="), "no program is named as the agent: {row}");
}
