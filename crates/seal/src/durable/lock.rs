//! One writer at a time, by flock(2) on a file of its own. The lock ends with the process, a crash included.

use lychgate_text::words;
use rustix::fs::{FlockOperation, Mode, OFlags};
use rustix::io::Errno;
use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};

/// Why the lock was not taken.
#[derive(Debug, thiserror::Error)]
pub enum LockRefused {
    /// Another process holds it.
    #[error("{}", (words().seal().lock_held)(&.0.display()))]
    Held(PathBuf),
    /// The system's error.
    #[error("{}", (words().seal().lock_failed)(&.path.display(), .error))]
    Io {
        /// The lock file.
        path: PathBuf,
        /// What the system says.
        error: io::Error,
    },
}

/// Held while it lives. The file stays: removing it would let two processes hold locks on two files of one name.
#[derive(Debug)]
pub struct Lock {
    _file: File,
}

impl Lock {
    /// Takes the lock at once, or refuses. Never waits.
    ///
    /// # Errors
    /// [`LockRefused`].
    pub fn take(path: &Path) -> Result<Self, LockRefused> {
        let io = |error: Errno| LockRefused::Io { path: path.to_owned(), error: error.into() };
        let flags = OFlags::RDWR | OFlags::CREATE | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC;
        let file = File::from(rustix::fs::open(path, flags, Mode::from_raw_mode(super::PRIVATE_FILE)).map_err(io)?);
        match rustix::fs::flock(&file, FlockOperation::NonBlockingLockExclusive) {
            Ok(()) => Ok(Self { _file: file }),
            Err(Errno::WOULDBLOCK) => Err(LockRefused::Held(path.to_owned())),
            Err(error) => Err(io(error)),
        }
    }
}
