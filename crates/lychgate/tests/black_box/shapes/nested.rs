//! Agents below agents, and shims below shims.

use super::{client, is_named, pilot_is_named, script, shim_through, words};
use crate::world::World;
use crate::world::place::python;

#[test]
fn an_agent_that_another_agent_started_is_named_and_the_other_is_not_bound() {
    let world = World::new();
    let inner = world.words_of_agent("copilot", &shim_through(&world, &[]));
    let mut agent = client(&world, &world.words_of_agent("pilot", &inner));
    let top = agent.pid();
    is_named(&world, &mut agent, top, &["copilot", "lych"]);
}

#[test]
fn an_agent_that_another_agent_started_through_a_shell_is_named() {
    let world = World::new();
    let mut between = words(&["/bin/sh", "-c", "\"$@\"; true", "sh"]);
    between.extend(world.words_of_agent("copilot", &shim_through(&world, &["/usr/bin/timeout", "600"])));
    let mut agent = client(&world, &world.words_of_agent("pilot", &between));
    let top = agent.pid();
    is_named(&world, &mut agent, top, &["copilot", "timeout", "lych"]);
}

/// A process forks and both become shims; the one below speaks.
#[test]
fn a_shim_is_never_the_agent_of_the_shim_below_it() {
    const BOTH: &str = "import os, sys
if os.fork():
    silent, open_end = os.pipe()
    os.dup2(silent, 0)
    os.set_inheritable(open_end, True)
    os.dup2(os.open('/dev/null', os.O_WRONLY), 1)
os.execv(sys.argv[1], sys.argv[1:])
";
    let world = World::new();
    let both = script(&world, "both.py", BOTH).display().to_string();
    let python = python().display().to_string();
    let mut agent = client(&world, &world.words_of_agent("pilot", &shim_through(&world, &[&python, &both])));
    pilot_is_named(&world, &mut agent, &["pilot", "lych", "lych"]);
}
