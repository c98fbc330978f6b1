//! What the gateway gives up or closes before it holds anything worth taking.

use crate::error::GatewayError;
use lychgate_harden::Role;
use lychgate_text::GatewayStep;
use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

/// Raises the descriptor limit, and then gives up whatever else a gateway has no use for.
///
/// `execve` would undo a part of it, so it stands only after the last restart of the program.
pub(crate) fn harden() -> Result<(), GatewayError> {
    // Each run costs a few descriptors, and one that can't be watched must not live.
    let files = getrlimit(Resource::Nofile);
    setrlimit(Resource::Nofile, Rlimit { current: files.maximum, maximum: files.maximum })
        .map_err(|error| GatewayError::System { step: GatewayStep::Descriptors, error: error.into() })?;
    rustix::process::umask(rustix::fs::Mode::from_raw_mode(0o077));
    lychgate_harden::harden(Role::Gateway)
        .map_err(|refused| GatewayError::System { step: GatewayStep::Harden(refused.step), error: refused.error })
}
