//! What could not be given up.

use crate::harden::HardenStep as Step;

pub(in crate::en) fn step(step: Step) -> &'static str {
    match step {
        Step::Hiding => "shutting this program off from others",
        Step::CoreDumps => "forbidding core dumps",
        Step::NewPrivileges => "giving up new privileges",
        Step::WritableCode => "forbidding writable code",
        Step::Files => "giving up writing files (Landlock)",
        Step::SystemCalls => "giving up system calls (seccomp)",
    }
}
