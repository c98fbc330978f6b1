//! A console that is not plainly our own `lych`, unaltered, is refused before its factor counts (spec 1).

use crate::world::agent::Agent;
use crate::world::fixture::PIN;
use crate::world::operator::Ran;
use crate::world::{World, place};
use std::process::Command;

/// An agent with an open card, and the words that approve it.
fn asked(world: &World) -> (Agent, Vec<String>) {
    let mut agent = world.agent();
    let card = agent.get(world, "/v1/x").must_say("APPROVAL_PENDING new_run").card();
    let mut words = world.state_arguments().to_vec();
    words.extend(["approve".to_owned(), format!("C{card}"), "--factor-stdin".to_owned()]);
    (agent, words)
}

#[track_caller]
fn is_refused(world: &World, command: Command, complaint: &str) {
    let ran = Ran::of(command, &format!("{PIN}\n"));
    ran.exits(1).complains(complaint);
    assert_eq!((world.cards().len(), world.upstream.connections()), (1, 0));
}

#[test]
fn a_copy_of_lych_is_no_console() {
    let world = World::new();
    let (_agent, words) = asked(&world);
    let copy = world.own_dir().join("lych");
    place::copy_program(&world.programs.lych, &copy);
    let mut command = world.user.command(&copy);
    command.args(words);
    is_refused(&world, command, "another build");
}

#[test]
fn a_console_in_a_namespace_of_its_own_is_refused() {
    let world = World::new();
    let (_agent, words) = asked(&world);
    let mut command = world.user.command(std::path::Path::new("/usr/bin/unshare"));
    command.args(["-U", "--map-current-user"]).arg(&world.programs.lych).args(&words);
    is_refused(&world, command, "namespace");
}

#[test]
fn a_traced_console_is_refused() {
    let world = World::new();
    let (_agent, words) = asked(&world);
    let mut command = world.user.command(std::path::Path::new("/usr/bin/strace"));
    command.args(["-f", "-o", "/dev/null"]).arg(&world.programs.lych).args(&words);
    is_refused(&world, command, "traces");
}
