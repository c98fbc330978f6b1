//! A card tells when a program first asked, and whether it is what the person last said yes to.

use crate::world::raw::Raw;
use crate::world::{World, place};
use serde_json::{Value, json};
use std::io::Write;
use std::path::{Path, PathBuf};

/// A program of its own that is no interpreter by its name.
fn program(world: &World) -> PathBuf {
    let program = world.own_dir().join("agent");
    place::copy_program(&std::fs::canonicalize(place::python()).unwrap(), &program);
    program
}

/// An agent that asks, and what its card says of its past.
fn asks(world: &World, program: &Path) -> (Raw, u64, Value) {
    asked_by(world, world.raw_from(program, &world.user, &[]))
}

fn asked_by(world: &World, mut agent: Raw) -> (Raw, u64, Value) {
    agent.registered();
    agent.order(&json!({ "do": "call", "call": { "call": "authorize", "channels": ["api"], "wait_seconds": 0 } }));
    let card = world.next_card();
    (agent, card["card"].as_u64().unwrap(), card["agent"]["program"]["history"]["known"].clone())
}

#[test]
fn a_program_is_new_then_known_over_a_restart_and_said_to_be_another_once_its_file_is() {
    let mut world = World::new();
    let program = program(&world);
    let (agent, card, history) = asks(&world, &program);
    assert_eq!(history, json!({ "first_asked": null, "last_yes": "never" }));
    world.approve(card);
    drop(agent);

    world.stop_gateway();
    world.start();
    world.unlock();
    let (agent, card, history) = asks(&world, &program);
    let (first, yes) = (history["first_asked"].as_u64().unwrap(), history["last_yes"]["same"].as_u64().unwrap());
    assert!(first > 1_700_000_000_000 && first <= yes, "{history}");
    world.deny(card);
    drop(agent);

    // An update: the same place, another content.
    let mut content = std::fs::read(&program).unwrap();
    content.extend_from_slice(b"updated");
    std::fs::remove_file(&program).unwrap();
    crate::world::children::without_forks(|| std::fs::File::create(&program).unwrap().write_all(&content).unwrap());
    std::fs::set_permissions(&program, std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
    let (_agent, _, history) = asks(&world, &program);
    assert_eq!(history["first_asked"], Value::Null);
    assert_eq!(history["last_yes"], json!({ "other_program": yes }));
}

#[test]
fn a_script_of_another_content_is_not_the_one_that_was_approved() {
    let world = World::new();
    let (agent, card, history) = asks(&world, &place::python());
    assert_eq!(history["last_yes"], "never");
    world.approve(card);
    drop(agent);
    let (agent, card, history) = asks(&world, &place::python());
    let yes = history["last_yes"]["same"].as_u64().unwrap();
    world.deny(card);
    drop(agent);

    let (_agent, _, history) = asked_by(&world, world.updated_raw());
    assert_eq!(history["last_yes"], json!({ "other_script": yes }));
}
