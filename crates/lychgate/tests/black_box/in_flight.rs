//! Authority ends while a request is on the wire: the connection is cut, and nobody claims to know the result.

use crate::world::World;
use crate::world::agent::Agent;
use serde_json::json;

const UNKNOWN: &str = "STATUS_UNKNOWN inspect_activity_journal";

/// An agent whose request has left and whose answer never comes.
fn waiting(world: &World) -> (Agent, crate::world::agent::Open) {
    let mut agent = world.agent();
    agent.authorized(world, &["api"]);
    let open = agent.begin("http_request", world.get("api", "/v1/slow"));
    world.upstream.wait_for(1);
    (agent, open)
}

#[track_caller]
fn is_cut_and_recorded(world: &World) {
    world.upstream.wait_for_cut();
    world.has_activity(&["http_result_not_observed"]);
    assert_eq!(world.upstream.connections(), 1);
}

#[test]
fn a_lock_cuts_what_is_under_way() {
    let world = World::new();
    let (mut agent, open) = waiting(&world);
    world.lock();
    let answer = agent.finish(open).must_say(UNKNOWN);
    is_cut_and_recorded(&world);
    let status = json!({ "action_id": answer.action(), "wait_seconds": 0 });
    agent.call("action_status", status).must_say("VAULT_LOCKED vault_locked");
}

#[test]
fn a_revoke_cuts_what_is_under_way() {
    let world = World::new();
    let (mut agent, open) = waiting(&world);
    world.lych(&["revoke", "--all"]).exits(0);
    agent.finish(open).must_say(UNKNOWN);
    is_cut_and_recorded(&world);
}

#[test]
fn the_end_of_the_agent_cuts_what_is_under_way() {
    let world = World::new();
    let (mut agent, _) = waiting(&world);
    agent.kill();
    is_cut_and_recorded(&world);
}

#[test]
fn a_stop_of_the_gateway_cuts_and_records_what_is_under_way() {
    let mut world = World::new();
    let (_agent, _) = waiting(&world);
    world.stop_gateway();
    is_cut_and_recorded(&world);
    world.verify(&[]).exits(0);
}

#[test]
fn a_call_taken_back_too_late_is_unknown_and_is_not_sent_again() {
    let world = World::new();
    let (mut agent, open) = waiting(&world);
    agent.cancel(open);
    // It can't be taken back any more: the shim has let it go, the gateway sees it to its end.
    world.lych(&["revoke", "--all"]).exits(0);
    is_cut_and_recorded(&world);
}
