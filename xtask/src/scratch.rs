//! A folder that ordinary users can read, for as long as the tests run.
//!
//! The checkout may lie where only its owner can look (a home directory, a folder of CI). The tests start the program
//! and the Python client as other users, so both are copied to a place that everybody can read and only we can write.

use crate::Failure;
use crate::report::run;
use crate::tools::Tools;
use std::fs::{self, DirBuilder, Permissions};
use std::io::Read;
use std::os::unix::fs::{DirBuilderExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::process::Command;

/// The folder; removed with this value.
pub(crate) struct Scratch {
    folder: PathBuf,
}

impl Scratch {
    /// Makes it and copies `lych` and the Python environment into it.
    pub(crate) fn with(root: &Path, tools: &Tools) -> Result<Self, Failure> {
        let scratch = Self::empty()?;
        scratch.copy_lych(&crate::target(root).join("debug/lych"))?;
        let mut copy = Command::new("cp");
        copy.arg("-a").arg("--").arg(&tools.python).arg(scratch.folder.join("python"));
        run(&mut copy)?;
        Ok(scratch)
    }

    /// `/var/tmp`, because `/tmp` is often mounted `noexec`. An unguessable name that must not exist yet, because both
    /// can be written by everybody.
    fn empty() -> Result<Self, Failure> {
        let mut name = [0_u8; 8];
        fs::File::open("/dev/urandom")
            .and_then(|mut random| random.read_exact(&mut name))
            .map_err(|error| format!("/dev/urandom: {error}"))?;
        let name: String = name.iter().map(|byte| format!("{byte:02x}")).collect();
        let scratch = Self { folder: Path::new("/var/tmp").join(format!("lychgate-test-{name}")) };
        make_folder(&scratch.folder)?;
        Ok(scratch)
    }

    fn copy_lych(&self, built: &Path) -> Result<(), Failure> {
        make_folder(&self.folder.join("bin"))?;
        fs::copy(built, self.lych()).map_err(|error| format!("{} can't be copied: {error}", built.display()))?;
        set_mode(&self.lych())
    }

    /// The program.
    pub(crate) fn lych(&self) -> PathBuf {
        self.folder.join("bin/lych")
    }

    /// A Python that has the MCP SDK.
    pub(crate) fn python(&self) -> PathBuf {
        self.folder.join("python/bin/python")
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        if let Err(error) = fs::remove_dir_all(&self.folder) {
            println!("{} stays behind: {error}", self.folder.display());
        }
    }
}

fn make_folder(path: &Path) -> Result<(), Failure> {
    DirBuilder::new().mode(0o755).create(path).map_err(|error| format!("{}: {error}", path.display()))?;
    // The umask may have taken what the others need.
    set_mode(path)
}

fn set_mode(path: &Path) -> Result<(), Failure> {
    fs::set_permissions(path, Permissions::from_mode(0o755)).map_err(|error| format!("{}: {error}", path.display()))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests")]
    use super::*;

    #[test]
    fn others_may_read_and_run_but_not_write_what_is_copied_and_it_goes_away() {
        let scratch = Scratch::empty().unwrap();
        scratch.copy_lych(Path::new("/bin/true")).unwrap();
        for path in [scratch.folder.clone(), scratch.folder.join("bin"), scratch.lych()] {
            assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o755, "{}", path.display());
        }
        let folder = scratch.folder.clone();
        drop(scratch);
        assert!(!folder.exists());
    }

    #[test]
    fn a_folder_that_is_already_there_is_refused() {
        let scratch = Scratch::empty().unwrap();
        assert!(make_folder(&scratch.folder).is_err());
    }
}
