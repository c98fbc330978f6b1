//! The throw-away directory.

use super::failure;
use crate::cmd::gateway::OWN_PROGRAM;
use crate::trouble::Trouble;
use lychgate_core::card::visible;
use lychgate_text::{Catalogue, Cause, DemoFailure};
use rustix::fs::{StatVfsMountFlags, statvfs};
use std::fs::DirBuilder;
use std::io;
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};

/// Where a directory may be made. Not from the environment.
const BASES: [&str; 2] = ["/tmp", "/var/tmp"];
/// File name of the agent, as cards show it.
const AGENT: &str = "demo-agent";
/// A program that was just killed may still be in the middle of a write.
const REMOVALS: usize = 5;

/// A directory of ours, 0700, with a random name. Removed when dropped, unless it is kept.
pub(super) struct Place {
    dir: PathBuf,
    keep: bool,
}

impl Place {
    /// Makes the directory, and in it the agent's program: a copy of this one, so that it is another file.
    pub(super) fn make(say: &dyn Catalogue, keep: bool) -> Result<Self, Trouble> {
        let mut tried = Vec::new();
        for base in BASES {
            match Self::make_in(Path::new(base), keep) {
                Ok(place) => return Ok(place),
                Err(unfit) => tried.push((base, unfit)),
            }
        }
        let tried: Vec<_> = tried.iter().map(|(base, unfit)| (*base, unfit.cause())).collect();
        Err(failure(say, &DemoFailure::NoPlace { tried: &tried }))
    }

    fn make_in(base: &Path, keep: bool) -> Result<Self, Unfit> {
        let failed = |error: io::Error| Unfit::System(visible(&error.to_string()));
        let mounted = statvfs(base).map_err(|error| failed(error.into()))?;
        if mounted.f_flag.contains(StatVfsMountFlags::NOEXEC) {
            return Err(Unfit::Noexec);
        }
        Self::fill(base, keep).map_err(failed)
    }

    fn fill(base: &Path, keep: bool) -> io::Result<Self> {
        let mut name = [0; 8];
        getrandom::fill(&mut name).map_err(io::Error::other)?;
        let dir = base.join(format!("lych-demo-{}", hex::encode(name)));
        DirBuilder::new().mode(0o700).create(&dir)?;
        let place = Self { dir, keep };
        std::fs::copy(OWN_PROGRAM, place.agent())?;
        Ok(place)
    }

    pub(super) fn dir(&self) -> &Path {
        &self.dir
    }

    /// Vault, journal and sockets.
    pub(super) fn state(&self) -> PathBuf {
        self.dir.join("state")
    }

    /// The service's directory.
    pub(super) fn service(&self) -> PathBuf {
        self.dir.join("service")
    }

    /// The agent's program.
    pub(super) fn agent(&self) -> PathBuf {
        self.dir.join(AGENT)
    }

    /// What a program of the demo writes to standard error.
    pub(super) fn log(&self, of: &str) -> PathBuf {
        self.dir.join(format!("{of}.log"))
    }

    /// The copy of the journal that is changed.
    pub(super) fn changed_copy(&self) -> PathBuf {
        self.dir.join("changed-copy")
    }
}

/// Why a directory can't hold the demo.
enum Unfit {
    Noexec,
    /// What the system said.
    System(String),
}

impl Unfit {
    fn cause(&self) -> Cause<'_> {
        match self {
            Self::Noexec => Cause::MountedNoexec,
            Self::System(said) => Cause::Said(said),
        }
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        if self.keep {
            return;
        }
        for _ in 0..REMOVALS {
            match std::fs::remove_dir_all(&self.dir) {
                Err(error) if error.kind() != io::ErrorKind::NotFound => {}
                Ok(()) | Err(_) => return,
            }
        }
    }
}
