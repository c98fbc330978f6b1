//! R24 a: the agent dies, and a replacement gives the same conversation reference.

use crate::world::{World, until};
use serde_json::json;

#[test]
fn r24_a_a_replacement_with_the_same_conversation_must_ask_anew_and_nothing_is_sent_before_a_yes() {
    let world = World::new();
    let mut first = world.agent_of("thread-7");
    first.authorized(&world, &["api"]);
    let run = first.get(&world, "/v1/one").must_say("COMPLETED").run();
    assert_eq!(world.upstream.count(), 1);
    first.kill();

    let mut second = world.agent_of("thread-7");
    let refused = second.get(&world, "/v1/two").must_say("REAUTH_REQUIRED process_changed");
    assert_ne!(refused.run(), run);
    assert_eq!(world.cards().len(), 0, "a refusal opens no card");
    assert_eq!(world.upstream.connections(), 1);

    let asked = second.call("authorize", json!({ "channels": ["api"], "wait_seconds": 0 }));
    let asked = asked.must_say("APPROVAL_PENDING process_changed");
    let card = world.next_card();
    assert_eq!(card["card"], asked.card());
    assert_eq!(card["changed"], json!(["process_changed"]));
    assert_eq!(format!("R{}", card["previous"]["run"]), run);
    assert!(card["action"].is_null(), "after a lapse a card shows no action: {card:#}");
    assert_eq!(world.upstream.connections(), 1);

    world.approve(asked.card());
    second.call("authorize", json!({ "channels": ["api"] })).must_say("COMPLETED");
    second.get(&world, "/v1/two").must_say("COMPLETED");
    assert_eq!(world.upstream.count(), 2);
}

#[test]
fn r24_a_a_respawn_at_once_is_changed_with_a_label_and_new_without_one() {
    let world = World::new();
    for (conversation, expected) in
        [(Some("thread-8"), "REAUTH_REQUIRED process_changed"), (None, "APPROVAL_PENDING new_run")]
    {
        let manner = crate::world::agent::Manner { conversation, ..Default::default() };
        let mut first = world.agent_as(manner);
        first.authorized(&world, &["api"]);
        first.kill();
        let mut second = world.agent_as(manner);
        second.get(&world, "/v1/x").must_say(expected);
    }
    assert_eq!(world.upstream.connections(), 0);
}

#[test]
fn the_end_of_the_agent_ends_its_run_though_a_shell_and_the_shim_outlive_it() {
    let world = World::new();
    let mut agent = world.agent_as(crate::world::agent::Manner { shell: true, ..Default::default() });
    agent.authorized(&world, &["api"]);
    let shell = agent.children();
    assert_eq!(shell.len(), 1);
    let shim = crate::world::children::children_of(shell[0]);
    assert_eq!(shim.len(), 1);
    assert_eq!(world.runs().len(), 1);

    agent.kill();
    until("no run", || world.runs().is_empty().then_some(()));
    world.has_activity(&["session_ended", "process_exited"]);
    // The harness held the other end of its input, as a launcher's grandchild may.
    agent.close_input();
    until("the end of the shim", || (!std::path::Path::new(&format!("/proc/{}", shim[0])).exists()).then_some(()));
}
