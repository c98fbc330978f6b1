//! What the person sees before a yes (F99).

use crate::world::World;
use serde_json::json;

#[test]
fn a_per_call_card_shows_the_whole_request_with_everything_that_could_hide_made_visible() {
    let world = World::new();
    world.add_channel("careful", &["--approval", "per-call"]);
    let mut agent = world.agent_of("label\u{202e}gnp");
    let body = "{\"to\":\"alice\u{202e}bob\"}\nsecond line\u{e0041}\u{200b}end";
    let call = json!({
        "channel": "careful", "method": "POST", "url": world.upstream.url("/v1/pay?amount=1000&to=eve%0Aadmin"),
        "headers": { "X-Note": "look here" }, "body": body, "wait_seconds": 0,
    });
    let asked = agent.call("http_request", call).must_say("APPROVAL_PENDING new_run");
    let shown = world.lych(&["approvals"]).exits(0).out;
    // Lines may be broken to fit the screen; what is shown must be whole.
    let flat: String = shown.split_whitespace().collect();
    for part in [
        "POST",
        &world.upstream.url("/v1/pay?amount=1000&to=eve%0Aadmin"),
        "x-note:lookhere",
        "alice\\u{202e}bob",
        // A line break is shown as one, behind a mark that no body can make.
        "| second line\\u{e0041}\\u{200b}end",
        "label\\u{202e}gnp",
        "unsigned",
        "python",
        "careful",
    ] {
        let part: String = part.split_whitespace().collect();
        assert!(flat.to_lowercase().contains(&part.to_lowercase()), "no {part:?} in:\n{shown}");
    }
    for hidden in ['\u{202e}', '\u{e0041}', '\u{200b}', '\u{1b}'] {
        assert!(!shown.contains(hidden), "{hidden:?} is raw in:\n{shown}");
    }
    // What was shown is what is sent.
    world.approve(asked.card());
    agent.call("action_status", json!({ "action_id": asked.action() })).must_say("COMPLETED");
    let sent = &world.upstream.requests()[0];
    assert_eq!((sent.method.as_str(), sent.target.as_str()), ("POST", "/v1/pay?amount=1000&to=eve%0Aadmin"));
    assert_eq!(sent.body, body.as_bytes());
}

#[test]
fn a_card_that_is_not_the_one_that_was_shown_is_not_approved() {
    let world = World::new();
    world.add_channel("careful", &["--approval", "per-call"]);
    let mut agent = world.agent();
    let cards: Vec<u64> = ["a", "b"]
        .map(|body| {
            let url = world.upstream.url("/v1/x");
            let call = json!({ "channel": "careful", "method": "POST", "url": url, "body": body, "wait_seconds": 0 });
            agent.call("http_request", call).must_say("APPROVAL_PENDING new_run").card()
        })
        .to_vec();
    assert_ne!(cards[0], cards[1], "one byte makes another question");
    let shown = world.cards()[0]["shown"].as_str().unwrap().to_owned();
    let approve = |card: u64| {
        let (card, pin) = (format!("C{card}"), format!("{}\n", crate::world::fixture::PIN));
        world.fed(&["approve", &card, "--shown", &shown, "--factor-stdin"], &pin)
    };
    approve(cards[1]).exits(1);
    approve(cards[0]).exits(0);
    assert_eq!(world.upstream.connections(), 0);
}

#[test]
fn a_session_card_names_the_whole_chain_and_what_a_yes_covers() {
    let world = World::new();
    let mut agent = world.agent_as(crate::world::agent::Manner { shell: true, ..Default::default() });
    agent.begin("authorize", json!({ "channels": ["api"], "wait_seconds": 50 }));
    let card = world.next_card();
    assert_eq!(card["agent"]["pid"], agent.pid());
    let chain: Vec<&str> =
        card["agent"]["chain"].as_array().unwrap().iter().map(|link| link["program"].as_str().unwrap()).collect();
    assert_eq!(chain.len(), 3, "agent, shell, shim: {chain:?}");
    assert!(chain[0].contains("python") && chain[2].ends_with("lych"), "{chain:?}");
    let shown = world.lych(&["approvals"]).exits(0).out;
    for part in ["api", &world.upstream.origin(), "python"] {
        assert!(shown.contains(part), "no {part:?} in:\n{shown}");
    }
}
