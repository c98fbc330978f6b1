//! Landlock: nothing is written but the terminal, nothing executed, no TCP, no signal to others.

use landlock::{
    ABI, Access, AccessFs, AccessNet, PathBeneath, PathFd, RestrictSelfAttr, Ruleset, RulesetAttr, RulesetCreatedAttr,
    RulesetError, Scope,
};
use std::io;

/// The newest kernel interface whose rights are asked for: Linux 6.12, with signals and abstract sockets.
const KNOWN: ABI = ABI::V6;

/// What may still be written to: hidden prompts open the terminal anew, and `/dev/null` keeps nothing.
const WRITABLE: [&str; 2] = ["/dev/tty", "/dev/null"];

/// As far as the kernel knows how; one without Landlock does nothing. Descriptors that are open stay as they are.
pub(crate) fn write_nothing() -> io::Result<()> {
    restrict().map_err(io::Error::other)
}

fn restrict() -> Result<(), RulesetError> {
    let mut rules = Ruleset::default()
        .handle_access(AccessFs::from_write(KNOWN) | AccessFs::Execute)?
        .handle_access(AccessNet::from_all(KNOWN))?
        .scope(Scope::from_all(KNOWN))?
        .create()?;
    for path in WRITABLE {
        // Without a terminal there is none to open.
        if let Ok(file) = PathFd::new(path) {
            rules = rules.add_rule(PathBeneath::new(file, AccessFs::WriteFile | AccessFs::IoctlDev))?;
        }
    }
    rules.all_threads(true)?.restrict_self()?;
    Ok(())
}
