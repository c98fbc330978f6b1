//! Reading a file that must be ours alone. What is refused here was put there by somebody else, or left open to them.

use lychgate_text::words;
use rustix::fs::{FileType, Mode, OFlags, Stat};
use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use zeroize::Zeroizing;

/// Why a file was not read. Each names the file and what to do.
#[derive(Debug, thiserror::Error)]
pub enum ReadRefused {
    /// There is none.
    #[error("{}", (words().seal().read.absent)(&.0.display()))]
    Absent(PathBuf),
    /// A symbolic link stands there.
    #[error("{}", (words().seal().read.is_link)(&.0.display()))]
    Symlink(PathBuf),
    /// A directory, pipe, socket or device stands there.
    #[error("{}", (words().seal().read.not_regular)(&.0.display()))]
    NotRegular(PathBuf),
    /// It belongs to another user.
    #[error("{}", (words().seal().read.foreign)(&.path.display(), *.owner, *.ours))]
    Owner {
        /// The file.
        path: PathBuf,
        /// Its owner.
        owner: u32,
        /// Our effective user id.
        ours: u32,
    },
    /// The same file has more names.
    #[error("{}", (words().seal().read.second_name)(&.0.display()))]
    Links(PathBuf),
    /// Others may read or write it.
    #[error("{}", (words().seal().read.open_to_others)(&.path.display(), *.mode))]
    Mode {
        /// The file.
        path: PathBuf,
        /// Its permission bits.
        mode: u32,
    },
    /// Larger than this kind of file gets.
    #[error("{}", (words().seal().read.too_large)(&.path.display(), *.most))]
    TooLarge {
        /// The file.
        path: PathBuf,
        /// The limit.
        most: usize,
    },
    /// The system's error.
    #[error("{}", (words().seal().read.failed)(&.path.display(), .error))]
    Io {
        /// The file.
        path: PathBuf,
        /// What the system says.
        error: io::Error,
    },
}

/// The whole file, where it is a regular file of ours that nobody else may open, of at most `max_bytes`.
///
/// Directories on the way are the caller's to check ([`super::private_dir`]). The bytes are wiped when dropped.
///
/// # Errors
/// [`ReadRefused`]. Never treat one as an empty file; [`ReadRefused::Absent`] alone means that there is none.
pub fn read_owned(path: &Path, max_bytes: usize) -> Result<Zeroizing<Vec<u8>>, ReadRefused> {
    let too_large = || ReadRefused::TooLarge { path: path.to_owned(), most: max_bytes };
    let file = open_owned(path, Access::Read)?;
    let io = |error| ReadRefused::Io { path: path.to_owned(), error };
    let size = file.metadata().map_err(io)?.len();
    let size = usize::try_from(size).ok().filter(|size| *size <= max_bytes).ok_or_else(too_large)?;
    let mut bytes = Zeroizing::new(Vec::with_capacity(size.saturating_add(1)));
    file.take((max_bytes as u64).saturating_add(1)).read_to_end(&mut bytes).map_err(io)?;
    // It may have grown since.
    if bytes.len() > max_bytes { Err(too_large()) } else { Ok(bytes) }
}

/// What a file is opened for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Access {
    /// Reading.
    Read,
    /// Reading and writing.
    ReadWrite,
}

/// Opens an existing regular file of ours that nobody else may open.
///
/// The checks are made on the opened file, so it can't be exchanged after them.
///
/// # Errors
/// [`ReadRefused`].
pub fn open_owned(path: &Path, access: Access) -> Result<File, ReadRefused> {
    let io = |error: rustix::io::Errno| ReadRefused::Io { path: path.to_owned(), error: error.into() };
    let access = match access {
        Access::Read => OFlags::RDONLY,
        Access::ReadWrite => OFlags::RDWR,
    };
    // NONBLOCK: a pipe that somebody put there must not make us wait.
    let flags = access | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::NOCTTY | OFlags::CLOEXEC;
    let file = match rustix::fs::open(path, flags, Mode::empty()) {
        Ok(fd) => File::from(fd),
        Err(rustix::io::Errno::NOENT) => return Err(ReadRefused::Absent(path.to_owned())),
        Err(rustix::io::Errno::LOOP) => return Err(ReadRefused::Symlink(path.to_owned())),
        Err(rustix::io::Errno::ISDIR) => return Err(ReadRefused::NotRegular(path.to_owned())),
        Err(error) => return Err(io(error)),
    };
    let stat = rustix::fs::fstat(&file).map_err(io)?;
    judge(path, &stat, rustix::process::geteuid().as_raw())?;
    Ok(file)
}

fn judge(path: &Path, stat: &Stat, ours: u32) -> Result<(), ReadRefused> {
    let path = || path.to_owned();
    if FileType::from_raw_mode(stat.st_mode) != FileType::RegularFile {
        return Err(ReadRefused::NotRegular(path()));
    }
    if stat.st_uid != ours {
        return Err(ReadRefused::Owner { path: path(), owner: stat.st_uid, ours });
    }
    // None at all: it was replaced since it was opened, and what is read is the whole older file.
    if stat.st_nlink > 1 {
        return Err(ReadRefused::Links(path()));
    }
    if stat.st_mode & 0o077 != 0 {
        return Err(ReadRefused::Mode { path: path(), mode: stat.st_mode & 0o7777 });
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests")]
    use super::*;

    #[test]
    fn a_file_of_another_user_is_refused_whatever_its_mode() {
        let mut stat = rustix::fs::stat("/proc/self/exe").unwrap();
        (stat.st_mode, stat.st_nlink) = (0o100_600, 1);
        let ours = stat.st_uid;
        assert!(judge(Path::new("x"), &stat, ours).is_ok());
        assert!(matches!(judge(Path::new("x"), &stat, ours + 1), Err(ReadRefused::Owner { .. })));
    }
}
