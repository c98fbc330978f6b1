//! The agent tries to answer its own question (F94). Narrowing works from anywhere; everything else does not.

use crate::world::fixture::{PASSPHRASE, PIN};
use crate::world::operator::Ran;
use crate::world::{World, agent::Agent, place};
use serde_json::{Value, json};

/// An agent with an action that waits for its card.
fn asking(world: &World) -> (Agent, String, String) {
    let mut agent = world.agent();
    let pending = agent.get(world, "/v1/x").must_say("APPROVAL_PENDING new_run");
    (agent, format!("C{}", pending.card()), pending.action())
}

#[track_caller]
fn still_waits(world: &World, agent: &mut Agent, action: &str) {
    assert_eq!(world.cards().len(), 1, "the card must still be open");
    let status = json!({ "action_id": action, "wait_seconds": 0 });
    agent.call("action_status", status).must_say("APPROVAL_PENDING new_run");
    assert_eq!(world.upstream.connections(), 0);
}

#[test]
fn approve_from_a_child_of_the_agent_is_refused_and_journalled_with_the_right_pin_too() {
    let world = World::new();
    let (mut agent, card, action) = asking(&world);
    let approve = world.words(&["approve", &card, "--factor-stdin"]);
    for factor in [PIN, "0000", PASSPHRASE] {
        agent.runs(&approve, &format!("{factor}\n")).exits(1).complains("agent");
    }
    // Also through programs that only start others.
    let mut wrapped: Vec<String> = ["/usr/bin/setsid", "--wait", "/usr/bin/env"].map(str::to_owned).to_vec();
    wrapped.extend(approve);
    agent.runs(&wrapped, &format!("{PIN}\n")).exits(1);
    still_waits(&world, &mut agent, &action);
    world.has_activity(&["operator_refused", "command=approve "]);
    // The refused tries were no tries of the PIN.
    world.try_approve(card[1..].parse().unwrap(), PIN).exits(0);
}

#[test]
fn approve_by_the_raw_protocol_is_refused_from_within_and_from_outside_since_it_is_not_lych() {
    let world = World::new();
    let (mut agent, card, action) = asking(&world);
    let script = world.file("raw.py", include_bytes!("../world/raw.py"));
    let words = [place::python(), script, world.state.join("run/agent.sock")].map(|word| word.display().to_string());
    let command = json!({ "command": "approve", "card": card[1..].parse::<u64>().unwrap(), "channels": null, "shown": null, "programs": true });
    let order = json!({ "do": "operator", "command": command, "factor": PIN });
    let refused = |ran: &Ran| {
        let reply: Value = serde_json::from_str(&ran.out).unwrap();
        assert_eq!(reply["type"], "failed", "{ran:#?}");
        assert_eq!(reply["kind"], "refused");
    };
    refused(&agent.runs(&words, &format!("{order}\n")));
    refused(&agent.runs_as_orphan(&words, &format!("{order}\n")));
    let mut outside = world.raw();
    assert_eq!(outside.order(&order)["kind"], "refused");
    still_waits(&world, &mut agent, &action);
    world.has_activity(&["operator_refused", "approve"]);
}

#[test]
fn an_orphan_of_the_agent_lacks_the_factor() {
    let world = World::new();
    let (mut agent, card, action) = asking(&world);
    let approve = world.words(&["approve", &card, "--factor-stdin"]);
    agent.runs_as_orphan(&approve, "4444\n").exits(1).complains("PIN");
    agent.runs_as_orphan(&approve, "").exits(2);
    still_waits(&world, &mut agent, &action);
    world.has_activity(&["operator_refused", "approve"]);
}

#[test]
fn cards_runs_and_channels_are_not_shown_within_a_run_and_nothing_is_widened() {
    let world = World::new();
    let (mut agent, _, action) = asking(&world);
    for command in [&["approvals"][..], &["approvals", "--json"], &["runs"], &["runs", "--json"], &["channel", "list"]]
    {
        let ran = agent.runs(&world.words(command), "").exits(1);
        assert!(!ran.out.contains("api") && !ran.out.contains("python"), "{ran:#?}");
    }
    world.has_activity(&["operator_refused", "runs"]);
    let add = ["channel", "add", "evil", "--origin", "https://evil.example", "--kind", "bearer", "--factor-stdin"];
    agent.runs(&world.words(&add), &format!("{PIN}\nsecret\n")).exits(1);
    still_waits(&world, &mut agent, &action);
    world.lock();
    agent.runs(&world.words(&["unlock", "--factor-stdin"]), &format!("{PASSPHRASE}\n")).exits(1);
    assert_eq!(world.status()["vault"], "locked");
}

#[test]
fn deny_revoke_and_lock_work_within_a_run_without_a_factor_and_are_journalled() {
    let world = World::new();
    let (mut agent, card, action) = asking(&world);
    agent.runs(&world.words(&["deny", &card]), "").exits(0);
    let status = json!({ "action_id": action, "wait_seconds": 0 });
    agent.call("action_status", status).must_say("DENIED denied_by_operator");

    let mut other = world.agent();
    other.authorized(&world, &["api"]);
    agent.runs(&world.words(&["revoke", "--all"]), "").exits(0);
    other.get(&world, "/v1/x").must_say("REAUTH_REQUIRED approval_revoked");
    agent.runs(&world.words(&["lock"]), "").exits(0);
    assert_eq!(world.status()["vault"], "locked");
    assert_eq!(world.upstream.connections(), 0);
    for words in [["card_denied", "C"], ["session_ended", "manual_revoke"], ["vault_locked", "command"]] {
        world.has_activity(&words);
    }
}
