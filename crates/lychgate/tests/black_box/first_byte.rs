//! Between the yes and the first byte: the service is slow to greet, and meanwhile nobody is left who wants the
//! request, or nobody who may send it.

use crate::world::World;
use crate::world::raw::Raw;
use serde_json::json;

/// A client with authority that was used once, and whose next request waits for the service's TLS.
fn connecting(world: &World) -> (Raw, String) {
    let mut raw = world.raw();
    raw.registered();
    raw.authorized(world);
    world.upstream.hold();
    let client_ref = crate::world::random_hex();
    raw.begin(&world.raw_get_as("/v1/late", &client_ref));
    world.upstream.wait_for_connections(1);
    (raw, client_ref)
}

/// The service greets now. The journal has the action's end, so nothing of it can come later.
#[track_caller]
fn never_arrives(world: &World, why: &str) {
    world.upstream.let_go();
    world.has_activity(&["action_not_started", why]);
    let activity = world.activity();
    assert!(!activity.contains("http_action_started"), "{activity}");
    assert_eq!(world.upstream.count(), 0);
}

#[test]
fn a_request_that_was_taken_back_before_the_first_byte_never_leaves() {
    let world = World::new();
    let (mut raw, client_ref) = connecting(&world);
    // Whether it is still in time is not known yet.
    raw.cancel().must_say("STATUS_UNKNOWN inspect_activity_journal");
    never_arrives(&world, "caller_left");
    let status = json!({ "call": "action_status", "action_id": client_ref, "action_key": null, "wait_seconds": 0 });
    let told = raw.call(crate::world::raw::By::Itself, &status).unwrap();
    told.must_say("DENIED caller_left");
}

#[test]
fn a_request_of_an_agent_that_was_killed_before_the_first_byte_never_leaves() {
    let world = World::new();
    let mut agent = world.agent();
    agent.authorized(&world, &["api"]);
    world.upstream.hold();
    agent.begin("http_request", world.get("api", "/v1/late"));
    world.upstream.wait_for_connections(1);
    agent.kill();
    crate::world::until("the end of the run", || world.runs().is_empty().then_some(()));
    never_arrives(&world, "process_changed");
    world.has_activity(&["run_ended", "process_exited"]);
}

#[test]
fn a_request_whose_approval_was_revoked_before_the_first_byte_never_leaves() {
    let world = World::new();
    let (_raw, _) = connecting(&world);
    world.lych(&["revoke", "--all"]).exits(0);
    never_arrives(&world, "approval_revoked");
}

#[test]
fn a_request_under_a_vault_that_was_locked_before_the_first_byte_never_leaves() {
    let world = World::new();
    let (_raw, _) = connecting(&world);
    world.lock();
    world.unlock();
    never_arrives(&world, "vault_state_changed");
}
