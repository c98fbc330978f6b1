//! What the tests need from outside, each with its version in one place.

pub(crate) mod debian;
pub(crate) mod deny;
pub(crate) mod python;

use crate::Failure;
use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

/// What was found or installed.
pub(crate) struct Tools {
    /// `cargo-deny`, in the version that `deny.toml` is written for.
    pub(crate) deny: PathBuf,
    /// Folder of a Python environment that has the MCP SDK and runners of packages.
    pub(crate) python: PathBuf,
}

/// The kernel and the programs of the system, which the first steps need already.
pub(crate) fn system() -> Result<(), Failure> {
    kernel()?;
    debian::install(&debian::FOR_TESTS)
}

/// The same for the benches.
pub(crate) fn system_for_benches() -> Result<(), Failure> {
    kernel()?;
    debian::install(&debian::FOR_BENCHES)
}

/// Installs what is missing, or says what is and how to get it.
pub(crate) fn install(root: &Path) -> Result<Tools, Failure> {
    let folder = crate::target(root).join("tools");
    fs::create_dir_all(&folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    Ok(Tools { python: python::install(&folder)?, deny: deny::install(&folder)? })
}

/// The product refuses older kernels; tests there would only fail one by one.
fn kernel() -> Result<(), Failure> {
    if std::env::consts::OS != "linux" {
        return Err("the tests need Linux: the product asks its kernel who is at the socket".to_owned());
    }
    let file = "/proc/sys/kernel/osrelease";
    let release = fs::read_to_string(file).map_err(|error| format!("{file}: {error}"))?;
    if new_enough(&release) {
        Ok(())
    } else {
        Err(format!("this kernel is {}; the tests need 6.11 or newer", release.trim()))
    }
}

/// 6.11 or newer; what can't be read as a version is not.
fn new_enough(release: &str) -> bool {
    let mut numbers = release.split(|character: char| !character.is_ascii_digit()).map(str::parse::<u32>);
    match (numbers.next(), numbers.next()) {
        (Some(Ok(major)), Some(Ok(minor))) => (major, minor) >= (6, 11),
        _ => false,
    }
}

/// May we install packages and become other users?
pub(crate) fn is_root() -> Result<bool, Failure> {
    let own = fs::metadata("/proc/self").map_err(|error| format!("/proc/self: {error}"))?;
    Ok(own.uid() == 0)
}

#[cfg(test)]
mod tests {
    use super::new_enough;

    #[test]
    fn kernels_before_6_11_and_nonsense_are_refused() {
        for release in ["6.11.0", "6.11-rc1", "6.18.44-fc\n", "7.0"] {
            assert!(new_enough(release), "{release}");
        }
        for release in ["6.10.9", "5.15.0-generic", "4.4", "6", "", "six.eleven", "-6.11"] {
            assert!(!new_enough(release), "{release}");
        }
    }
}
