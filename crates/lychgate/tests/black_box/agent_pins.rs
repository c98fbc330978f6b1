//! Programs that the operator vouches for.

use crate::world::World;
use crate::world::agent::Manner;
use crate::world::fixture::PIN;
use crate::world::place;
use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;

/// A program that is no known interpreter and of no package: a copy under a name of its own.
fn program(world: &World, name: &str) -> PathBuf {
    let path = world.own_dir().join(name);
    let _ = std::fs::copy(place::python().canonicalize().unwrap(), &path).unwrap();
    std::fs::set_permissions(&path, PermissionsExt::from_mode(0o755)).unwrap();
    path
}

#[test]
fn a_pinned_program_is_named_on_cards_until_it_is_unpinned_and_gains_no_authority() {
    let world = World::new();
    let path = program(&world, "my-agent");
    let text = path.to_str().unwrap();
    let mut agent = world.agent_run_by(&path, &world.programs.lych, Manner::default());
    let asked = agent.get(&world, "/v1/x").must_say("APPROVAL_PENDING new_run");
    let card = world.lych(&["approvals"]).exits(0);
    assert!(card.out.contains("unsigned (no installed package holds this file)"), "{}", card.out);
    world.lych(&["deny", &format!("C{}", asked.card())]).exits(0);

    world.fed(&["agent", "pin", text, "--name", "my-agent", "--factor-stdin"], &format!("{PIN}\n")).exits(0);
    let listed = world.lych(&["agent", "list", "--json"]).exits(0).json();
    assert_eq!(listed[0]["name"], "my-agent");
    assert_eq!(listed[0]["path"], text);
    world.has_activity(&["agent_pinned", "name=my-agent", "change=pinned"]);

    let mut agent = world.agent_run_by(&path, &world.programs.lych, Manner::default());
    let _ = agent.get(&world, "/v1/x").must_say("APPROVAL_PENDING new_run");
    let card = world.lych(&["approvals"]).exits(0);
    assert!(card.out.contains("pinned by you as \"my-agent\""), "{}", card.out);
    assert_eq!(world.upstream.connections(), 0);

    world.fed(&["agent", "unpin", "my-agent", "--factor-stdin"], &format!("{PIN}\n")).exits(0);
    world.lych(&["agent", "list"]).exits(0).says("No program is pinned");
    world.has_activity(&["agent_pinned", "name=my-agent", "change=unpinned"]);
    world.fed(&["agent", "unpin", "my-agent", "--factor-stdin"], &format!("{PIN}\n")).exits(1).complains("my-agent");
}

/// Another file under the pinned name and path.
#[test]
fn a_pin_is_of_a_content_and_not_of_a_path() {
    let world = World::new();
    let path = program(&world, "my-agent");
    let text = path.to_str().unwrap();
    world.fed(&["agent", "pin", text, "--name", "my-agent", "--factor-stdin"], &format!("{PIN}\n")).exits(0);
    let other = program(&world, "other");
    let mut bytes = std::fs::read(&other).unwrap();
    bytes.push(0);
    std::fs::write(&other, bytes).unwrap();
    std::fs::rename(&other, &path).unwrap();
    let mut agent = world.agent_run_by(&path, &world.programs.lych, Manner::default());
    let _ = agent.get(&world, "/v1/x").must_say("APPROVAL_PENDING new_run");
    let card = world.lych(&["approvals"]).exits(0);
    assert!(card.out.contains("unsigned"), "{}", card.out);
    assert!(!card.out.contains("pinned by you"), "{}", card.out);
}

#[test]
fn a_pin_takes_the_pin_and_a_place_outside_and_a_program_of_its_own() {
    let world = World::new();
    let path = program(&world, "my-agent");
    let text = path.to_str().unwrap();
    let words = ["agent", "pin", text, "--name", "my-agent", "--factor-stdin"];
    world.fed(&words, "0000\n").exits(1).complains("PIN is wrong");
    let mut agent = world.agent();
    let _ = agent.get(&world, "/v1/x").must_say("APPROVAL_PENDING new_run");
    let within = world.words(&words);
    agent.runs(&within, &format!("{PIN}\n")).exits(1).complains("agent");
    world.has_activity(&["operator_refused", "command=\"agent pin\""]);
    // What an interpreter does is in another file.
    let python = place::python();
    let words = ["agent", "pin", python.to_str().unwrap(), "--name", "python", "--factor-stdin"];
    world.fed(&words, &format!("{PIN}\n")).exits(1).complains("interpreter");
    // Reading a pipe would wait for ever.
    let pipe = world.own_dir().join("pipe");
    assert!(std::process::Command::new("mkfifo").arg(&pipe).status().unwrap().success());
    let words = ["agent", "pin", pipe.to_str().unwrap(), "--name", "pipe", "--factor-stdin"];
    world.fed(&words, &format!("{PIN}\n")).exits(1);
    world.lych(&["agent", "list"]).exits(0).says("No program is pinned");
    // A locked vault says so, and not that nothing is pinned.
    world.lych(&["lock"]).exits(0);
    world.lych(&["agent", "list"]).complains("locked");
}
