//! What a client writes before it was looked at does not count: it may have been another program then.

use crate::world::World;
use crate::world::raw::Raw;
use rustix::process::Signal;
use serde_json::{Value, json};

fn hello() -> Value {
    json!({ "type": "hello", "wire": 1, "shim": false, "build": "raw" })
}

fn register() -> Value {
    json!({ "type": "register", "conversation": null, "previous": null })
}

#[track_caller]
fn is_refused(world: &World, raw: &mut Raw) {
    let refused = raw.read();
    assert_eq!(refused["type"], "refused", "{refused:#}");
    assert_eq!(refused["answer"]["reason"], "process_changed", "{refused:#}");
    assert_eq!(raw.read()["type"], "closed");
    assert_eq!(world.runs().len(), 0);
    world.has_activity(&["registration_refused", "process_changed"]);
}

#[test]
fn a_registration_written_before_the_client_was_looked_at_is_refused() {
    let world = World::new();
    let mut raw = world.raw();
    raw.write_early(&json!([hello(), register()]));
    is_refused(&world, &mut raw);
    // The same process in the right order becomes a run.
    raw.registered();
}

#[test]
fn frames_written_before_an_exec_do_not_speak_for_the_program_that_came_after_it() {
    let mut world = World::new();
    let mut raw = world.raw();
    // The gateway sees the connection only when the writer has become another program.
    world.signal_gateway(Signal::STOP);
    let call = json!({ "type": "call", "id": 1, "conversation": null, "call": { "call": "run_status" } });
    raw.write_early(&json!([hello(), register(), call]));
    raw.exec();
    world.signal_gateway(Signal::CONT);
    is_refused(&world, &mut raw);
}

#[test]
fn a_command_written_before_the_console_was_looked_at_is_not_heard() {
    let world = World::new();
    let mut raw = world.raw();
    let hello = json!({ "type": "hello", "wire": 1, "build": "raw" });
    let lock = json!({ "type": "do", "id": 1, "factor": null, "command": { "command": "lock" } });
    let written = raw.order(&json!({ "do": "early", "operator": true, "frames": [hello, lock] }));
    assert_eq!(written["type"], "written");
    assert_eq!(raw.read()["type"], "closed");
    assert_eq!(world.status()["vault"], "unlocked");
    // The same command in the right order is done: it takes nothing.
    let done = raw.order(&json!({ "do": "operator", "command": { "command": "lock" } }));
    assert_eq!(done["type"], "done", "{done:#}");
}

#[test]
fn a_frame_of_a_size_that_only_runs_may_send_is_not_taken_from_a_stranger() {
    let world = World::new();
    let mut raw = world.raw();
    let mut large = hello();
    large["build"] = json!("x".repeat(2 * 1024 * 1024));
    let answer = raw.order(&json!({ "do": "early", "frames": [large] }));
    assert_eq!(answer["type"], "closed", "{answer:#}");
    assert_eq!(world.runs().len(), 0);
}
