//! What a process of Lychgate gives up before it holds a secret.
//!
//! Two aims. Others of the same user shall not read it: no tracer, no `/proc/PID/mem`, no core file. And code that takes it
//! over shall be able to do little: execute nothing, write no file but its own, reach no network that it has no use
//! for.
//!
//! None of it protects from root, and none of it is what keeps an agent from a credential: that is the decision.
#![forbid(unsafe_code)]

mod calls;
mod files;

use lychgate_text::HardenStep as Step;
use rustix::process::{Resource, Rlimit, setrlimit};
use std::io;

/// Which process of Lychgate it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Role {
    /// Holds the unlocked vault, dials, looks at other processes.
    ///
    /// Not in a Landlock domain: a process in one may not look at processes outside of it (`landlock(7)`), and looking
    /// is half of its work.
    Gateway,
    /// Consoles and viewers: asks for a factor, speaks with the gateway, reads files, prints.
    Person,
    /// Creates the vault or puts one back, with no gateway: as a console, and writes files.
    Offline,
    /// Looks at processes for a gateway of another user: as the gateway, without a network, and writes no file.
    Attestor,
}

/// The system refused a step. A process that holds secrets must not go on.
#[derive(Debug)]
pub struct Refused {
    /// Which.
    pub step: Step,
    /// What the system said.
    pub error: io::Error,
}

/// Gives all of it up, for good: none of this can be taken back by this process.
///
/// The filter of system calls covers all threads. What concerns files covers this thread and those that it starts, and all
/// of them from Linux 7.0 on: so call it early. A console must have been looked at by the gateway before, which can't see it
/// any more afterwards.
///
/// # Errors
/// The first step that was refused; earlier ones stay done. A kernel without Landlock is no error: of the two walls that
/// is the outer one.
pub fn harden(role: Role) -> Result<(), Refused> {
    let at = |step| move |error| Refused { step, error };
    lychgate_sys::set_dumpable(false).map_err(at(Step::Hiding))?;
    let none = Rlimit { current: Some(0), maximum: Some(0) };
    setrlimit(Resource::Core, none).map_err(io::Error::from).map_err(at(Step::CoreDumps))?;
    rustix::thread::set_no_new_privs(true).map_err(io::Error::from).map_err(at(Step::NewPrivileges))?;
    lychgate_sys::refuse_writable_code().map_err(at(Step::WritableCode))?;
    if role == Role::Person {
        files::write_nothing().map_err(at(Step::Files))?;
    }
    calls::allow_only(role).map_err(at(Step::SystemCalls))
}
