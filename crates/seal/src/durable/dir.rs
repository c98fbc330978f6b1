//! A directory that is ours alone: made if need be, checked always.

use lychgate_text::words;
use rustix::fs::{Mode, OFlags};
use rustix::io::Errno;
use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};

/// Why a directory is not used. Each names it and says what to do.
#[derive(Debug, thiserror::Error)]
pub enum DirRefused {
    /// A symbolic link stands there.
    #[error("{}", (words().seal().dir.is_link)(&.0.display()))]
    Symlink(PathBuf),
    /// Something else stands there.
    #[error("{}", (words().seal().dir.not_a_directory)(&.0.display()))]
    NotADirectory(PathBuf),
    /// It belongs to another user.
    #[error("{}", (words().seal().dir.foreign)(&.path.display(), *.owner, *.ours))]
    Owner {
        /// The directory.
        path: PathBuf,
        /// Its owner.
        owner: u32,
        /// Our effective user id.
        ours: u32,
    },
    /// Others may enter it.
    #[error("{}", (words().seal().dir.open_to_others)(&.path.display(), *.mode))]
    Mode {
        /// The directory.
        path: PathBuf,
        /// Its permission bits.
        mode: u32,
    },
    /// The system's error.
    #[error("{}", (words().seal().dir.failed)(&.path.display(), .error))]
    Io {
        /// The directory.
        path: PathBuf,
        /// What the system says.
        error: io::Error,
    },
}

/// Makes sure that `path` is a directory of ours with mode 0700 or narrower, and makes it (and missing parents, 0700
/// too) where it is missing. Returns it opened, for what must not be exchanged afterwards.
///
/// An existing directory is never changed: one that is open to others is refused, since somebody may be in it already.
///
/// # Errors
/// [`DirRefused`].
pub fn private_dir(path: &Path) -> Result<File, DirRefused> {
    let io = |error: io::Error| DirRefused::Io { path: path.to_owned(), error };
    let dir = match open(path) {
        Err(Errno::NOENT) => {
            make(path).map_err(io)?;
            open(path)
        }
        found => found,
    };
    let dir = match dir {
        Ok(dir) => dir,
        Err(Errno::LOOP) => return Err(DirRefused::Symlink(path.to_owned())),
        Err(Errno::NOTDIR) => {
            // The kernel answers so for a link too; which of the two it is changes the words alone.
            let link = std::fs::symlink_metadata(path).is_ok_and(|found| found.is_symlink());
            let path = path.to_owned();
            return Err(if link { DirRefused::Symlink(path) } else { DirRefused::NotADirectory(path) });
        }
        Err(error) => return Err(io(error.into())),
    };
    let stat = rustix::fs::fstat(&dir).map_err(|error| io(error.into()))?;
    judge(path, stat.st_uid, stat.st_mode & 0o7777, rustix::process::geteuid().as_raw())?;
    Ok(dir)
}

fn open(path: &Path) -> Result<File, Errno> {
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    rustix::fs::open(path, flags, Mode::empty()).map(File::from)
}

fn make(path: &Path) -> io::Result<()> {
    use std::os::unix::fs::DirBuilderExt;
    std::fs::DirBuilder::new().recursive(true).mode(0o700).create(path)?;
    match path.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => File::open(parent)?.sync_all(),
        _ => Ok(()),
    }
}

fn judge(path: &Path, owner: u32, mode: u32, ours: u32) -> Result<(), DirRefused> {
    if owner != ours {
        return Err(DirRefused::Owner { path: path.to_owned(), owner, ours });
    }
    if mode & 0o077 != 0 {
        return Err(DirRefused::Mode { path: path.to_owned(), mode });
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_directory_of_another_user_is_refused_whatever_its_mode() {
        assert!(judge(Path::new("x"), 7, 0o700, 7).is_ok());
        assert!(matches!(judge(Path::new("x"), 8, 0o700, 7), Err(DirRefused::Owner { .. })));
        assert!(matches!(judge(Path::new("x"), 7, 0o710, 7), Err(DirRefused::Mode { .. })));
        assert!(matches!(judge(Path::new("x"), 7, 0o701, 7), Err(DirRefused::Mode { .. })));
    }
}
