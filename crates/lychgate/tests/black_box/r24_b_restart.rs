//! R24 b: the gateway restarts while the approved agent lives and tries a second call.

use crate::world::World;
use serde_json::json;

fn second_call_after(restart: impl FnOnce(&mut World)) {
    let mut world = World::new();
    let mut agent = world.agent();
    agent.authorized(&world, &["api"]);
    agent.get(&world, "/v1/one").must_say("COMPLETED");
    restart(&mut world);
    assert_eq!(world.status()["vault"], "locked");

    let locked = agent.get(&world, "/v1/two").must_say("VAULT_LOCKED vault_locked");
    assert!(locked.reasons().contains(&"gateway_restarted"), "{:#}", locked.0);
    world.unlock();
    let refused = agent.get(&world, "/v1/two").must_say("REAUTH_REQUIRED gateway_restarted");
    assert!(!refused.reasons().contains(&"process_changed"), "the agent is the same: {:#}", refused.0);
    assert_eq!(world.cards().len(), 0);
    assert_eq!(world.upstream.connections(), 1, "nothing is sent before a yes");

    let asked = agent.call("authorize", json!({ "channels": ["api"], "wait_seconds": 0 }));
    let asked = asked.must_say("APPROVAL_PENDING gateway_restarted");
    assert_eq!(world.next_card()["changed"][0], "gateway_restarted");
    assert_eq!(world.upstream.connections(), 1);
    world.approve(asked.card());
    agent.call("authorize", json!({ "channels": ["api"] })).must_say("COMPLETED");
    assert_eq!(world.upstream.connections(), 1, "a yes sends nothing by itself");
    agent.get(&world, "/v1/two").must_say("COMPLETED");
    assert_eq!(world.upstream.count(), 2);
}

#[test]
fn r24_b_a_killed_gateway_leaves_no_authority_to_its_successor() {
    second_call_after(|world| {
        world.kill_gateway();
        world.start();
    });
}

#[test]
fn r24_b_a_stopped_gateway_leaves_no_authority_to_its_successor() {
    second_call_after(|world| {
        world.stop_gateway();
        world.start();
    });
}

#[test]
fn r24_b_without_a_gateway_a_call_says_so_and_the_shim_lives_on() {
    let mut world = World::new();
    let mut agent = world.agent();
    agent.authorized(&world, &["api"]);
    world.stop_gateway();
    agent.get(&world, "/v1/one").must_say("GATEWAY_UNAVAILABLE no_gateway");
    world.start();
    world.unlock();
    agent.get(&world, "/v1/one").must_say("REAUTH_REQUIRED gateway_restarted");
    assert_eq!(world.upstream.connections(), 0);
}
