//! R24 c: the vault is locked and unlocked while the approved agent waits to go on.

use crate::world::World;
use serde_json::json;

#[test]
fn r24_c_a_lock_ends_the_approval_nothing_is_queued_and_an_unlock_brings_nothing_back() {
    let world = World::new();
    let mut agent = world.agent();
    agent.authorized(&world, &["api"]);
    agent.get(&world, "/v1/one").must_say("COMPLETED");
    let epoch = world.status()["epoch"].as_u64().unwrap();
    world.lock();

    let locked = agent.get(&world, "/v1/two").must_say("VAULT_LOCKED vault_locked");
    assert!(locked.reasons().contains(&"vault_state_changed"), "{:#}", locked.0);
    agent.call("authorize", json!({ "channels": ["api"], "wait_seconds": 0 })).must_say("VAULT_LOCKED vault_locked");
    agent.call("list_channels", json!({})).must_say("VAULT_LOCKED vault_locked");
    world.unlock();
    assert!(world.status()["epoch"].as_u64().unwrap() > epoch + 1, "lock and unlock each raise the epoch");
    assert_eq!(world.cards().len(), 0, "an unlock does nothing visible");
    assert_eq!(world.upstream.connections(), 1);

    agent.get(&world, "/v1/two").must_say("REAUTH_REQUIRED vault_state_changed");
    let asked = agent.call("authorize", json!({ "channels": ["api"], "wait_seconds": 0 }));
    let asked = asked.must_say("APPROVAL_PENDING vault_state_changed");
    assert_eq!(world.next_card()["changed"], json!(["vault_state_changed"]));
    assert_eq!(world.upstream.connections(), 1);
    world.approve(asked.card());
    agent.get(&world, "/v1/two").must_say("COMPLETED");
    assert_eq!(world.upstream.count(), 2);
    world.has_activity(&["session_ended", "vault_locked"]);
}

#[test]
fn r24_c_a_card_of_before_the_lock_can_not_be_answered_after_the_unlock() {
    let world = World::new();
    let mut agent = world.agent();
    let asked = agent.begin("authorize", json!({ "channels": ["api"], "wait_seconds": 50 }));
    let card = world.next_card()["card"].as_u64().unwrap();
    world.lock();
    let heard = agent.finish(asked).must_say("VAULT_LOCKED vault_locked");
    assert!(heard.reasons().contains(&"vault_state_changed"), "{:#}", heard.0);
    world.unlock();
    world.try_approve(card, crate::world::fixture::PIN).exits(1);
    agent.get(&world, "/v1/one");
    assert_eq!(world.upstream.connections(), 0);
}
