//! `delegate` (R7): an agent names one live program that it started; that program alone works under its approval, while
//! both live. No token, no card, and nothing that the agent does not hold itself.

use crate::world::World;
use crate::world::agent::Agent;
use crate::world::answer::Answer;
use crate::world::children::children_of;
use crate::world::helper::Born;
use crate::world::raw::By;
use crate::world::until;
use rustix::process::{Pid, Signal, kill_process};
use serde_json::json;

const NEW: &str = "APPROVAL_PENDING new_run";
const CHANGED: &str = "REAUTH_REQUIRED process_changed";
const INVALID: &str = "INVALID invalid_request";

/// An agent with authority on `api` for itself alone.
fn agent(world: &World) -> Agent {
    let mut agent = world.agent();
    agent.authorized(world, &["api"]);
    agent
}

fn delegate(agent: &mut Agent, pid: u32) -> Answer {
    agent.call("delegate", json!({ "pid": pid, "channels": ["api"] }))
}

#[test]
fn the_named_program_is_served_and_its_twin_is_not() {
    let world = World::new();
    let mut agent = agent(&world);
    let mut named = world.registered_helper(&mut agent, Born::Grandchild);
    let mut twin = world.registered_helper(&mut agent, Born::Grandchild);
    assert_eq!(twin.gets(&world, "/v1/x"), NEW);
    let answer = delegate(&mut agent, named.pid()).must_say("COMPLETED");
    assert_eq!(answer.result()["channels"], json!(["api"]));
    assert!(answer.result()["program"].as_str().unwrap().contains("python"), "what was looked at is told");
    assert_eq!(named.gets(&world, "/v1/x"), "COMPLETED");
    assert_eq!(twin.gets(&world, "/v1/x"), NEW);
    // It may come before its program connects, and after.
    let mut later = world.helper(&mut agent, Born::Child);
    delegate(&mut agent, later.pid()).must_say("COMPLETED");
    later.registered();
    assert_eq!(later.gets(&world, "/v1/x"), "COMPLETED");
    assert_eq!(world.upstream.count(), 2);
    world.has_activity(&["delegated", &format!("to_pid={}", named.pid()), "channels=api"]);
}

#[test]
fn no_one_can_be_named_who_does_not_hang_from_the_agent() {
    let world = World::new();
    let mut agent = agent(&world);
    let mut other = world.agent();
    let foreign = world.helper(&mut other, Born::Child);
    let escaped = world.helper(&mut agent, Born::Escaped);
    let orphan = world.helper(&mut agent, Born::Orphan);
    let mut gone = world.helper(&mut agent, Born::Child);
    gone.kill();
    let own_shim = agent.children()[0];
    let pids = [
        ("another agent's", foreign.pid()),
        ("escaped", escaped.pid()),
        ("orphan", orphan.pid()),
        ("gone", gone.pid()),
        ("the other agent", other.pid()),
        ("itself", agent.pid()),
        ("the gateway", world.gateway_pid()),
        ("the harness", std::process::id()),
        ("the first process", 1),
        ("no process", 4_194_304),
        ("no number", u32::MAX),
    ];
    for (who, pid) in pids {
        let answer = delegate(&mut agent, pid).must_say(INVALID);
        assert!(
            answer.result()["error"].as_str().unwrap().contains(&format!("process {pid} is no live program")),
            "{who}"
        );
    }
    world.has_activity(&["delegation_refused", "reason=no_descendant"]);
    // Its own shim hangs from it. It is nobody that connects by itself, so nothing comes of it.
    delegate(&mut agent, own_shim).must_say("COMPLETED");
    agent.get(&world, "/v1/x").must_say("COMPLETED");
}

#[test]
fn only_what_a_run_holds_itself_can_be_named_and_a_helper_can_not_name_further() {
    let world = World::new();
    world.add_channel("other", &[]);
    let mut agent = agent(&world);
    let mut helper = world.registered_helper(&mut agent, Born::Child);
    let both = json!({ "pid": helper.pid(), "channels": ["api", "other"] });
    let answer = agent.call("delegate", both).must_say(INVALID);
    assert!(answer.result()["error"].as_str().unwrap().contains("`other`"), "{:#}", answer.0);
    assert_eq!(helper.gets(&world, "/v1/x"), NEW, "all or nothing");

    let world = World::new();
    let mut agent = world.generous_agent();
    let meeting = world.meeting();
    agent.starts(&meeting.words(&[], &world.words_of_agent("inner-agent", &world.words(&["mcp"]))));
    let (process, stream) = meeting.comes();
    let mut inner = Agent::elsewhere(process, stream);
    inner.takes_orders(&world);
    inner.get(&world, "/v1/x").must_say("COMPLETED");
    let mut below = world.registered_helper(&mut inner, Born::Child);
    delegate(&mut inner, below.pid()).must_say(INVALID);
    delegate(&mut agent, below.pid()).must_say(INVALID);
    assert_eq!(below.gets(&world, "/v1/x"), NEW);
    assert_eq!(world.upstream.count(), 1);
}

#[test]
fn a_delegation_ends_with_either_process_with_any_between_and_with_the_approval() {
    type End = fn(&World, &mut Agent, u32);
    let ends: [(&str, End, &str); 4] = [
        ("the agent", |_, agent, _| agent.kill(), CHANGED),
        ("the shell between", |_, _, shell| kill(shell), CHANGED),
        ("revoke", |world, _, _| drop(world.lych(&["revoke", "--all"]).exits(0)), "REAUTH_REQUIRED approval_revoked"),
        ("lock", |world, _, _| world.lock(), "VAULT_LOCKED vault_locked"),
    ];
    for (name, end, expected) in ends {
        let world = World::new();
        let mut agent = agent(&world);
        let mut named = world.registered_helper(&mut agent, Born::Grandchild);
        delegate(&mut agent, named.pid()).must_say("COMPLETED");
        named.begin(&world.raw_get("/v1/slow"));
        world.upstream.wait_for(1);
        let shell = agent.children().into_iter().find(|pid| children_of(*pid).contains(&named.pid())).unwrap();
        end(&world, &mut agent, shell);
        world.upstream.wait_for_cut();
        // The answer to the call that was cut.
        let _ = named.read();
        let said = named.gets(&world, "/v1/x");
        // A program whose parent ended has another one: its own run ends with that.
        assert!(said == expected || (name == "the shell between" && said == "closed"), "{name}: {said}");
        assert_eq!(world.upstream.connections(), 1, "{name}");
    }
}

/// The program is looked at when it is named. What it becomes afterwards was never named.
#[test]
fn a_named_program_that_becomes_another_one_is_not_the_one_that_was_named() {
    let world = World::new();
    let mut agent = agent(&world);
    let mut named = world.registered_helper(&mut agent, Born::Child);
    delegate(&mut agent, named.pid()).must_say("COMPLETED");
    assert_eq!(named.gets(&world, "/v1/x"), "COMPLETED");
    named.exec();
    named.registered();
    let said = named.gets(&world, "/v1/x");
    assert!(said == CHANGED || said == NEW, "{said}");
    assert_eq!(world.upstream.count(), 1);
}

#[test]
fn a_new_yes_after_a_lapse_revives_no_delegation() {
    let world = World::new();
    let mut agent = agent(&world);
    let mut named = world.registered_helper(&mut agent, Born::Child);
    delegate(&mut agent, named.pid()).must_say("COMPLETED");
    world.lych(&["revoke", "--all"]).exits(0);
    delegate(&mut agent, named.pid()).must_say("REAUTH_REQUIRED approval_revoked");
    agent.authorized(&world, &["api"]);
    agent.get(&world, "/v1/x").must_say("COMPLETED");
    assert_ne!(named.gets(&world, "/v1/x"), "COMPLETED");
    delegate(&mut agent, named.pid()).must_say("COMPLETED");
    assert_eq!(named.gets(&world, "/v1/x"), "COMPLETED");
    assert_eq!(world.upstream.count(), 2);
}

/// Held processes cost descriptors: one run names a few, and what has ended makes room.
#[test]
fn one_run_names_no_more_than_a_few_at_a_time() {
    let world = World::new();
    let mut agent = agent(&world);
    let mut named: Vec<_> = (0..9).map(|_| world.helper(&mut agent, Born::Child)).collect();
    for helper in &named[..8] {
        delegate(&mut agent, helper.pid()).must_say("COMPLETED");
    }
    delegate(&mut agent, named[8].pid()).must_say("DENIED too_many");
    named[0].kill();
    world.has_activity(&["delegation_ended", &format!("to_pid={}", named[0].pid())]);
    delegate(&mut agent, named[8].pid()).must_say("COMPLETED");
    named[8].registered();
    let answer = named[8].call(By::Itself, &world.raw_get("/v1/x")).unwrap();
    answer.must_say("COMPLETED");
}

/// Who names a program again and again takes no more of the gateway than by naming it once, and a revoke gives that back.
#[test]
fn naming_the_same_program_again_takes_nothing_more() {
    let world = World::new();
    let mut agent = agent(&world);
    let named = world.helper(&mut agent, Born::Child);
    let unnamed = descriptors(&world);
    delegate(&mut agent, named.pid()).must_say("COMPLETED");
    let once = descriptors(&world);
    assert!(once > unnamed);
    for _ in 0..10 {
        delegate(&mut agent, named.pid()).must_say("COMPLETED");
    }
    until("what was named before is let go", || (descriptors(&world) <= once).then_some(()));
    world.lych(&["revoke", "--all"]).exits(0);
    until("all of it is let go", || (descriptors(&world) <= unnamed).then_some(()));
}

fn descriptors(world: &World) -> usize {
    std::fs::read_dir(format!("/proc/{}/fd", world.gateway_pid())).unwrap().count()
}

/// What was named and executes another program is nobody's any more: the record says so, and it may ask for itself.
#[test]
fn a_named_program_that_becomes_another_one_ends_its_delegation_and_may_ask() {
    for first in ["http", "authorize"] {
        let world = World::new();
        let mut agent = agent(&world);
        let mut named = world.helper(&mut agent, Born::Child);
        delegate(&mut agent, named.pid()).must_say("COMPLETED");
        named.registered();
        named.exec();
        named.registered();
        if first == "http" {
            assert_eq!(named.gets(&world, "/v1/x"), NEW);
        } else {
            let ask = json!({ "call": "authorize", "channels": ["api"], "wait_seconds": 0 });
            assert!(named.call(By::Itself, &ask).unwrap().says().starts_with("APPROVAL_PENDING"));
        }
        world.has_activity(&["delegation_ended", &format!("to_pid={}", named.pid())]);
        assert_eq!(world.cards().len(), 1);
        assert_eq!(world.upstream.connections(), 0);
    }
}

/// Two runs of one agent name the same program: the end of one takes nothing from the other, and the end of the program is
/// still seen.
#[test]
fn two_runs_that_name_one_program_do_so_each_for_itself() {
    let world = World::new();
    let mut agent = agent(&world);
    let mut named = world.registered_helper(&mut agent, Born::Child);
    let meeting = world.meeting();
    agent.starts(&meeting.words(&[], &world.words(&["mcp"])));
    let mut second = meeting.agent();
    second.authorized(&world, &["api"]);
    delegate(&mut agent, named.pid()).must_say("COMPLETED");
    delegate(&mut second, named.pid()).must_say("COMPLETED");
    second.kill();
    assert_eq!(named.gets(&world, "/v1/x"), "COMPLETED");
    named.kill();
    world.has_activity(&["delegation_ended", &format!("to_pid={}", named.pid())]);
}

fn kill(pid: u32) {
    kill_process(Pid::from_raw(pid.try_into().unwrap()).unwrap(), Signal::KILL).unwrap();
}
