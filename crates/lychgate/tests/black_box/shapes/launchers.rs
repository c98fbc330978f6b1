//! Shells and wrappers between an agent and its shim.

use super::{pilot, pilot_is_named};
use crate::world::World;

/// `true` keeps a shell from becoming the shim.
const AND_STAY: &str = "\"$@\"; true";

#[track_caller]
fn through(launcher: &[&str], names: &[&str]) {
    let world = World::new();
    let mut agent = pilot(&world, launcher);
    pilot_is_named(&world, &mut agent, names);
}

#[test]
fn an_agent_that_starts_its_shim_directly_is_named() {
    through(&[], &["pilot", "lych"]);
}

#[test]
fn an_agent_behind_a_shell_that_stays_is_named() {
    through(&["/bin/sh", "-c", AND_STAY, "sh"], &["pilot", "dash", "lych"]);
}

#[test]
fn an_agent_behind_a_shell_that_becomes_the_shim_is_named() {
    through(&["/bin/sh", "-c", "exec \"$@\"", "sh"], &["pilot", "lych"]);
}

#[test]
fn an_agent_behind_a_login_shell_is_named() {
    through(&["/bin/bash", "-lc", AND_STAY, "bash"], &["pilot", "bash", "lych"]);
}

#[test]
fn an_agent_behind_env_is_named() {
    through(&["/usr/bin/env", "-i", "A=b"], &["pilot", "lych"]);
}

#[test]
fn an_agent_behind_nice_is_named() {
    through(&["/usr/bin/nice", "-n", "5"], &["pilot", "lych"]);
}

#[test]
fn an_agent_behind_timeout_is_named() {
    through(&["/usr/bin/timeout", "600"], &["pilot", "timeout", "lych"]);
}

#[test]
fn an_agent_behind_setsid_is_named() {
    through(&["/usr/bin/setsid"], &["pilot", "lych"]);
    through(&["/usr/bin/setsid", "--fork", "--wait"], &["pilot", "setsid", "lych"]);
}

#[test]
fn an_agent_behind_a_row_of_launchers_is_named_and_each_of_them_is_shown_in_order() {
    let launcher = [
        &["/bin/bash", "-lc", AND_STAY, "bash", "/usr/bin/env", "/usr/bin/timeout", "600"][..],
        &["/bin/sh", "-c", AND_STAY, "sh", "/usr/bin/setsid", "--fork", "--wait", "/usr/bin/nice"],
    ];
    through(&launcher.concat(), &["pilot", "bash", "timeout", "dash", "setsid", "lych"]);
}
