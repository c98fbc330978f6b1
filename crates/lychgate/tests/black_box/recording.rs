//! A yes that is being recorded: it is no approval yet, and what the person takes back meanwhile stays taken back.

use crate::world::agent::{Agent, Open};
use crate::world::fixture::PIN;
use crate::world::operator::Begun;
use crate::world::{World, until};
use serde_json::json;

/// An agent whose request waits for a person.
fn asking(world: &World) -> (Agent, Open, u64) {
    let mut agent = world.agent();
    let mut call = world.get("api", "/v1/x");
    call["wait_seconds"] = json!(50);
    let open = agent.begin("http_request", call);
    let card = world.next_card()["card"].as_u64().unwrap();
    (agent, open, card)
}

/// Says yes on a disk that does not answer; gives the command once its yes is taken and not recorded.
#[track_caller]
fn yes_under_recording(world: &World, card: u64) -> Begun {
    let mut yes = world.begin_approve(card, PIN);
    until("the yes to be taken", || world.cards().is_empty().then_some(()));
    assert!(!yes.has_ended());
    grants_nothing(world);
    yes
}

#[track_caller]
fn grants_nothing(world: &World) {
    for run in world.runs() {
        assert_eq!(run["channels"], json!([]), "{run:#}");
    }
    assert_eq!(world.upstream.connections(), 0);
}

/// The yes is on record, and so is its end.
#[track_caller]
fn was_ended(world: &World, reason: &str) {
    world.has_activity(&["session_approved", "channel=api"]);
    world.has_activity(&["session_ended", "channel=api", reason]);
}

#[test]
fn a_yes_grants_nothing_before_it_is_recorded_and_sends_the_request_then() {
    let world = World::new();
    let (mut agent, open, card) = asking(&world);
    let disk = world.stick_disk();
    let yes = yes_under_recording(&world, card);
    let state = agent.call("run_status", json!({})).must_say("COMPLETED");
    assert!(!state.result()["approved_channels"].to_string().contains("api"), "{:#}", state.0);
    disk.release();
    yes.finish().exits(0);
    agent.finish(open).must_say("COMPLETED");
    assert_eq!(world.upstream.count(), 1);
}

#[test]
fn a_revoke_while_a_yes_is_being_recorded_takes_it_back() {
    let world = World::new();
    let (mut agent, open, card) = asking(&world);
    let disk = world.stick_disk();
    let mut yes = yes_under_recording(&world, card);
    world.lych(&["revoke", "--all"]).exits(0);
    assert!(!yes.has_ended(), "the revoke came while the yes was being recorded");
    disk.release();
    yes.finish().exits(1).complains("nothing was granted");
    agent.finish(open).must_say("REAUTH_REQUIRED approval_revoked");
    grants_nothing(&world);
    was_ended(&world, "manual_revoke");
    // Nothing of it waits for later either.
    agent.get(&world, "/v1/x");
    grants_nothing(&world);
}

#[test]
fn a_lock_while_a_yes_is_being_recorded_takes_it_back() {
    let world = World::new();
    let (mut agent, open, card) = asking(&world);
    let disk = world.stick_disk();
    let mut yes = yes_under_recording(&world, card);
    let lock = world.begin(&["lock"], "");
    until("the lock", || (world.status()["vault"] == "locked").then_some(()));
    assert!(!yes.has_ended(), "the lock came while the yes was being recorded");
    disk.release();
    yes.finish().exits(1).complains("The vault was locked");
    lock.finish().exits(0);
    agent.finish(open).must_say("VAULT_LOCKED vault_locked");
    grants_nothing(&world);
    was_ended(&world, "vault_locked");
    world.unlock();
    agent.get(&world, "/v1/x");
    grants_nothing(&world);
}
