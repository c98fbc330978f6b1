//! Many connections at once, from a program whose file can't be read: each look at it waits for ever. The person's
//! commands and the agents that are there must not wait behind it.

use crate::world::raw::{By, Raw};
use crate::world::{PATIENCE, World, place, until, until_within};
use serde_json::{Value, json};
use std::path::PathBuf;

/// More than the gateway has threads for what may block, which are 512.
const CONNECTIONS: u64 = 700;
/// Connections that the gateway holds before they have registered.
const UNREGISTERED: u64 = 128;
/// Operator connections that the gateway holds before it has looked at them.
const DOORSTEP: usize = 256;
/// Large frames that the gateway receives at once.
const LARGE_FRAMES: usize = 16;

/// A program file of its own, so that nothing else of the world waits with it.
fn program(world: &World) -> PathBuf {
    let program = world.own_dir().join("flooder");
    place::copy_program(&std::fs::canonicalize(place::python()).unwrap(), &program);
    program
}

fn flood(raw: &mut Raw, count: u64, operator: bool) {
    let order = json!({ "do": "flood", "count": count, "operator": operator });
    assert_eq!(raw.order(&order)["type"], "written");
}

fn heard(raw: &mut Raw) -> Value {
    raw.order(&json!({ "do": "heard" }))
}

fn threads(world: &World) -> usize {
    std::fs::read_dir(format!("/proc/{}/task", world.gateway_pid())).unwrap().count()
}

/// Threads of the gateway that are held in a system call at this moment.
fn held(world: &World) -> usize {
    let tasks = std::fs::read_dir(format!("/proc/{}/task", world.gateway_pid())).unwrap();
    let stats = tasks.filter_map(|task| std::fs::read_to_string(task.unwrap().path().join("stat")).ok());
    stats.filter(|stat| stat.rsplit_once(") ").is_some_and(|(_, state)| state.starts_with('t'))).count()
}

/// Each of these ends while nothing of the flood has.
#[track_caller]
fn nobody_waits(world: &World, agent: &mut Raw) {
    agent.is_served(world);
    assert_eq!(world.runs().len(), 1);
    world.lych(&["revoke", "--all"]).exits(0);
    agent.call(By::Itself, &world.raw_get("/v1/y")).unwrap().must_say("REAUTH_REQUIRED approval_revoked");
    world.lock();
    assert_eq!(world.status()["vault"], "locked");
}

#[test]
fn a_flood_of_new_agents_delays_neither_the_person_nor_agents_that_are_there() {
    let world = World::new();
    let mut agent = world.approved_raw();
    let program = program(&world);
    let mut flooder = world.raw_from(&program, &world.user, &[]);
    let before = threads(&world);
    let file = world.stick_file(&program);
    flood(&mut flooder, CONNECTIONS, false);
    let told = until("the refusals", || {
        Some(heard(&mut flooder)).filter(|told| told["waiting"].as_u64().unwrap() <= UNREGISTERED)
    });
    // Over the limit they are refused at once, in words; below it nobody is let in unseen.
    let expected = json!({
        "waiting": UNREGISTERED, "pinned": 0, "closed": 0, "refused": CONNECTIONS - UNREGISTERED,
        "reasons": ["too_many"], "in_words": true,
    });
    assert_eq!(told, expected);
    nobody_waits(&world, &mut agent);
    assert!(threads(&world) < before + 64, "each look takes a thread: {} after {before}", threads(&world));
    assert_eq!(heard(&mut flooder), expected, "the flood was there until now");

    file.release();
    until("the looks", || (heard(&mut flooder)["pinned"] == UNREGISTERED).then_some(()));
    drop(flooder);
    // What a flood took is free again, and a new agent is let in.
    until("a place", || (world.raw().register(None)["type"] == "registered").then_some(()));
}

#[test]
fn a_flood_of_consoles_that_are_none_delays_neither_the_person_nor_agents_that_are_there() {
    let world = World::new();
    let mut agent = world.approved_raw();
    let program = program(&world);
    let mut flooder = world.raw_from(&program, &world.user, &[]);
    // Reading any of it would never end, and there are fewer threads than connections.
    let _file = world.stick_file(&program);
    flood(&mut flooder, CONNECTIONS, true);
    nobody_waits(&world, &mut agent);
}

#[test]
fn silent_connections_to_the_persons_socket_keep_no_command_of_the_person_out() {
    let world = World::new();
    let mut agent = world.approved_raw();
    let mut flooder = world.raw();
    let order = json!({ "do": "flood", "count": 3 * DOORSTEP, "operator": true, "silent": true });
    assert_eq!(flooder.order(&order)["type"], "written");
    let descriptors = || std::fs::read_dir(format!("/proc/{}/fd", world.gateway_pid())).unwrap().count();
    // Each that stays costs two.
    until("an end of what is over", || (descriptors() < 2 * DOORSTEP + 100).then_some(()));
    nobody_waits(&world, &mut agent);
    let told = heard(&mut flooder);
    assert!(told["waiting"].as_u64().unwrap() > 200, "the flood was there until now: {told}");
}

#[test]
fn frames_that_are_begun_and_never_end_take_a_bounded_memory() {
    let world = World::new();
    let mut agent = world.approved_raw();
    let mut flooder = world.raw();
    let order = json!({ "do": "begin_large", "count": 2 * LARGE_FRAMES, "length": 12 * 1024 * 1024 });
    assert_eq!(flooder.order(&order)["open"], LARGE_FRAMES);
    // Somebody else's comes through.
    let mut large = world.raw_get("/v1/large");
    large["method"] = json!("POST");
    large["body_base64"] = json!("QUJD".repeat(512 * 1024));
    agent.call(By::Itself, &large).unwrap().must_say("COMPLETED");
    assert_eq!(world.upstream.requests().last().unwrap().body.len(), 3 * 512 * 1024);
    // And small ones of the same process do not count.
    let mut small = world.raw();
    small.registered();
    world.lock();
}

/// A file system can be a program of the agent's user, and decide when it answers.
#[test]
fn a_program_on_a_file_system_that_stops_answering_delays_nobody() {
    let world = World::new();
    let mut agent = world.approved_raw();
    let mut served = world.serve_python();
    let mut pilot = world.raw_from(&served.path(), &world.user, &[]);
    pilot.registered();
    pilot.authorized(&world);
    pilot.is_served(&world);
    served.stops_answering();
    // Each of its calls is looked at, and so is each revoke.
    pilot.begin(&world.raw_get("/v1/x"));
    agent.is_served(&world);
    assert_eq!(world.runs().len(), 2);
    world.lych(&["revoke", "--all"]).exits(0);
    agent.call(By::Itself, &world.raw_get("/v1/y")).unwrap().must_say("REAUTH_REQUIRED approval_revoked");
    world.lock();
    assert_eq!(world.status()["vault"], "locked");
}

#[test]
#[ignore = "waits twice until the gateway gives a handshake up"]
fn a_look_that_never_ends_keeps_its_turn_also_when_its_client_is_given_up() {
    let world = World::new();
    let program = program(&world);
    let _file = world.stick_file(&program);
    for _ in 0..2 {
        let mut flooder = world.raw_from(&program, &world.user, &[]);
        flood(&mut flooder, 20, false);
        until_within(PATIENCE * 2, "the end of the handshakes", || {
            (heard(&mut flooder)["refused"] == 20).then_some(())
        });
    }
    // Else each such client would take one more of the threads that a lock needs.
    until("two looks and no more", || (held(&world) == 2).then_some(()));
    world.lock();
}
