//! Conversation labels narrow and explain. They never grant (R16, F57, F89).

use crate::world::World;
use serde_json::json;

#[test]
fn another_conversation_on_the_same_connection_ends_the_approval() {
    let world = World::new();
    let mut agent = world.agent_of("one");
    agent.authorized(&world, &["api"]);
    agent.get(&world, "/v1/one").must_say("COMPLETED");
    let open = agent.begin_in("two", "http_request", world.get("api", "/v1/two"));
    agent.finish(open).must_say("REAUTH_REQUIRED conversation_changed");
    // Going back to the first one brings nothing back.
    agent.get(&world, "/v1/one").must_say("REAUTH_REQUIRED conversation_changed");
    assert_eq!(world.upstream.connections(), 1);
    world.has_activity(&["session_ended", "conversation_changed"]);
}

#[test]
fn without_a_label_only_processes_count() {
    let world = World::new();
    let mut agent = world.agent();
    agent.authorized(&world, &["api"]);
    agent.get(&world, "/v1/one").must_say("COMPLETED");
    world.agent().get(&world, "/v1/two").must_say("APPROVAL_PENDING new_run");
    assert_eq!(world.upstream.count(), 1);
}

#[test]
fn a_label_copied_from_a_living_session_gains_nothing() {
    let world = World::new();
    let mut agent = world.agent_of("label");
    agent.authorized(&world, &["api"]);
    let mut copier = world.agent();
    let open = copier.begin_in("label", "http_request", world.get("api", "/v1/x"));
    copier.finish(open).must_say("APPROVAL_PENDING new_run");
    let listed = copier.call("run_status", json!({})).must_say("COMPLETED");
    assert_eq!(listed.result()["approved_channels"], json!([]));
    assert_eq!(world.upstream.connections(), 0);
    // And costs its owner nothing.
    agent.get(&world, "/v1/y").must_say("COMPLETED");
}
