//! What the gateway gives up or closes before it holds anything worth taking.

use crate::error::GatewayError;
use lychgate_text::GatewayStep;
use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

/// Makes the process unreadable to others of the same user, forbids core dumps, and raises the descriptor limit.
///
/// `execve` resets the first, so it stands only after the last restart of the program.
pub(crate) fn harden() -> Result<(), GatewayError> {
    lychgate_sys::set_dumpable(false).map_err(|error| GatewayError::System { step: GatewayStep::Hiding, error })?;
    let none = Rlimit { current: Some(0), maximum: Some(0) };
    setrlimit(Resource::Core, none)
        .map_err(|error| GatewayError::System { step: GatewayStep::CoreDumps, error: error.into() })?;
    // Each run costs a few descriptors, and one that can't be watched must not live.
    let files = getrlimit(Resource::Nofile);
    setrlimit(Resource::Nofile, Rlimit { current: files.maximum, maximum: files.maximum })
        .map_err(|error| GatewayError::System { step: GatewayStep::Descriptors, error: error.into() })?;
    rustix::process::umask(rustix::fs::Mode::from_raw_mode(0o077));
    Ok(())
}
