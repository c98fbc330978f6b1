//! What another program of the same user gets out of the processes that hold secrets: nothing; and what they gave up.

use crate::world::agent::Agent;
use crate::world::canary::Canary;
use crate::world::operator::Ran;
use crate::world::{World, place, until};
use serde_json::Value;
use std::collections::BTreeMap;

/// What each attempt gave.
#[track_caller]
fn tries(world: &World, victim: &[&str]) -> BTreeMap<String, String> {
    let script = world.file("shut_off.py", include_bytes!("shut_off.py"));
    let mut command = world.user.command(&place::python());
    command.arg(script).args(victim);
    let ran = Ran::of(command, "").exits(0);
    let Value::Object(tries) = ran.json() else { panic!("{ran:#?}") };
    tries.into_iter().map(|(what, how)| (what, how.as_str().unwrap().to_owned())).collect()
}

#[track_caller]
fn gets_nothing(world: &World, victim: &[&str]) {
    for (what, how) in tries(world, victim) {
        assert!(["EPERM", "EACCES"].contains(&how.as_str()), "{what} of {victim:?}: {how}");
    }
}

/// `lych WORDS` of the person, as words of its own.
fn lych<'a>(world: &'a World, state: &'a [String; 2], words: &[&'a str]) -> Vec<&'a str> {
    let program = world.programs.lych.to_str().unwrap();
    let mut all = vec!["-", program];
    all.extend(state.iter().map(String::as_str));
    all.extend(words);
    all
}

fn asked(world: &World) -> (Agent, u64) {
    let mut agent = world.agent();
    let card = agent.get(world, "/v1/x").must_say("APPROVAL_PENDING new_run").card();
    (agent, card)
}

#[test]
fn a_program_of_the_same_user_gets_nothing_out_of_a_gateway_a_console_or_a_viewer() {
    let world = World::new();
    let state = world.state_arguments();
    // The attempts are real ones: of a process that hides nothing they get everything.
    for (what, how) in tries(&world, &["-", "/bin/sleep", "60"]) {
        assert_eq!(how, "ok", "{what} of a process that hides nothing");
    }
    gets_nothing(&world, &[&world.gateway_pid().to_string()]);
    // Each of these waits for its factor.
    let (_agent, card) = asked(&world);
    let card = format!("C{card}");
    gets_nothing(&world, &lych(&world, &state, &["approve", &card, "--factor-stdin"]));
    gets_nothing(&world, &lych(&world, &state, &["activity", "--factor-stdin"]));
    let nowhere = world.own_dir().join("new");
    let elsewhere = ["--state-dir".to_owned(), nowhere.display().to_string()];
    gets_nothing(&world, &lych(&world, &elsewhere, &["init", "--factor-stdin"]));
    gets_nothing(&world, &lych(&world, &state, &["restore", "--previous", "--factor-stdin"]));
    assert_eq!((world.cards().len(), world.upstream.connections()), (1, 0));
}

#[test]
fn a_gateway_can_leave_no_core_gain_no_rights_and_keeps_its_keys_out_of_the_swap_space() {
    let world = World::new();
    let pid = world.gateway_pid();
    let read = |file: &str| std::fs::read_to_string(format!("/proc/{pid}/{file}")).unwrap();
    let status = read("status");
    let field = |name: &str| status.lines().find_map(|line| line.strip_prefix(name)).unwrap().trim();
    assert_eq!((field("NoNewPrivs:"), field("Seccomp:")), ("1", "2"));
    let limits = read("limits");
    let core = limits.lines().find(|line| line.starts_with("Max core file size")).unwrap();
    assert_eq!(core.split_whitespace().skip(4).collect::<Vec<_>>(), ["0", "0", "bytes"]);
    assert_ne!(field("VmLck:"), "0 kB");
}

#[test]
fn an_open_vault_keeps_credentials_in_locked_memory_alone_and_a_lock_leaves_nothing_behind() {
    let world = World::new();
    // So that it comes out of the file.
    world.lock();
    world.unlock();
    let mut agent = world.agent();
    agent.authorized(&world, &["api"]);
    for path in ["/v1/one", "/v1/two", "/v1/three"] {
        agent.get(&world, path).must_say("COMPLETED");
    }
    let bearer = Canary::of(&world.bearer);
    let pid = world.gateway_pid();
    // It is there while the vault is open, or the search finds nothing at all.
    assert!(bearer.is_in_process(pid));
    bearer.only_in_locked_memory(pid);
    world.lock();
    until("an empty memory", || (!bearer.is_in_process(pid)).then_some(()));
}
