//! Write-temp, fsync, rename, fsync directory: after a crash at any instruction the old or the new file is there, whole.

use crate::random;
use lychgate_text::words;
use rustix::fs::{AtFlags, Mode, OFlags};
use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io::{self, Write};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

/// Replaces the file at `path` (or makes it) with `bytes` and exactly the permission bits `mode`.
///
/// When it returns `Ok`, the new content survives a power loss. When it returns an error, the old file is whole and
/// still there; one exception: where the directory's own fsync failed, either may be there after a power loss.
/// Not a lock: two callers at once each write a whole file, and one of them wins. Take a [`super::Lock`].
///
/// # Errors
/// Names the file and the step. The disk being full is one of them (`ErrorKind::StorageFull`).
pub fn replace(path: &Path, bytes: &[u8], mode: u32) -> io::Result<()> {
    replace_with(path, mode, |file| file.write_all(bytes))
}

/// Like [`replace`], for what is too large to be in memory at once: `fill` writes the content. Where `fill` fails, the
/// old file stays.
///
/// # Errors
/// As [`replace`], and the error of `fill`.
pub fn replace_with(path: &Path, mode: u32, fill: impl FnOnce(&mut File) -> io::Result<()>) -> io::Result<()> {
    let failed = |step: Step, error: io::Error| {
        io::Error::new(error.kind(), ReplaceFailed { path: path.to_owned(), step, error })
    };
    let name = file_name(path).map_err(|e| failed(Step::Name, e))?;
    let dir = open_dir(path).map_err(|e| failed(Step::OpenDirectory, e))?;
    let temp = temp_name(name).map_err(|e| failed(Step::RandomName, e))?;
    let written = write_new(&dir, &temp, mode, fill)
        .map_err(|e| failed(Step::Write, e))
        .and_then(|()| rustix::fs::renameat(&dir, &temp, &dir, name).map_err(|e| failed(Step::Rename, e.into())));
    if let Err(error) = written {
        // Nothing more can be done where this fails too: `remove_leftovers` takes it away later.
        let _ = rustix::fs::unlinkat(&dir, &temp, AtFlags::empty());
        return Err(error);
    }
    rustix::fs::fsync(&dir).map_err(|e| failed(Step::SyncDirectory, e.into()))
}

/// What stands inside the `io::Error`, whose kind is that of `error`.
#[derive(Debug, thiserror::Error)]
#[error("{}", (words().seal().write.failed)(&.path.display(), .step.word(), .error))]
struct ReplaceFailed {
    path: PathBuf,
    step: Step,
    error: io::Error,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Step {
    Name,
    OpenDirectory,
    RandomName,
    Write,
    Rename,
    SyncDirectory,
}

impl Step {
    fn word(self) -> &'static str {
        let words = &words().seal().write;
        match self {
            Self::Name => words.step_name,
            Self::OpenDirectory => words.step_open_directory,
            Self::RandomName => words.step_random_name,
            Self::Write => words.step_write,
            Self::Rename => words.step_rename,
            Self::SyncDirectory => words.step_sync_directory,
        }
    }
}

#[derive(Debug, thiserror::Error)]
#[error("{}", words().seal().write.no_file_name)]
struct NoFileName;

/// Like [`replace`], and keeps `current` (the bytes that the file held, known to be good) at `previous`.
///
/// `previous` is complete before `path` is touched, so at every instant both files are whole. The bytes are an
/// argument and not read back from `path`: what rotted on the disk meanwhile must not push out the last good copy.
///
/// # Errors
/// As [`replace`]. Where `previous` could not be written, `path` was not touched.
pub fn replace_keeping_previous(
    path: &Path,
    bytes: &[u8],
    previous: &Path,
    current: &[u8],
    mode: u32,
) -> io::Result<()> {
    replace(previous, current, mode)?;
    replace(path, bytes, mode)
}

/// Removes what a crash inside [`replace`] of `path` left behind. Call it while holding the [`super::Lock`] that all
/// writers of `path` take: another writer's file in the making would be removed too.
///
/// # Errors
/// The directory could not be read. A single file that can't be removed is left.
pub fn remove_leftovers(path: &Path) -> io::Result<()> {
    let name = file_name(path)?;
    for entry in std::fs::read_dir(parent(path))? {
        let entry = entry?;
        if is_leftover(&entry.file_name(), name) {
            let _ = std::fs::remove_file(entry.path());
        }
    }
    Ok(())
}

const RANDOM_HEX: usize = 16;
const SUFFIX: &[u8] = b".new";

fn temp_name(name: &OsStr) -> io::Result<OsString> {
    let random = u64::from_le_bytes(random::bytes().map_err(io::Error::other)?);
    let mut temp = OsString::from(".");
    temp.push(name);
    temp.push(format!(".{random:0width$x}.new", width = RANDOM_HEX));
    Ok(temp)
}

fn is_leftover(found: &OsStr, name: &OsStr) -> bool {
    found
        .as_bytes()
        .strip_prefix(b".")
        .and_then(|rest| rest.strip_prefix(name.as_bytes()))
        .and_then(|rest| rest.strip_prefix(b"."))
        .and_then(|rest| rest.strip_suffix(SUFFIX))
        .is_some_and(|hex| hex.len() == RANDOM_HEX && hex.iter().all(u8::is_ascii_hexdigit))
}

fn write_new(dir: &File, temp: &OsStr, mode: u32, fill: impl FnOnce(&mut File) -> io::Result<()>) -> io::Result<()> {
    let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let mode = Mode::from_raw_mode(mode);
    let mut file = File::from(rustix::fs::openat(dir, temp, flags, mode)?);
    // The umask may have taken bits away.
    rustix::fs::fchmod(&file, mode)?;
    fill(&mut file)?;
    file.sync_all()
}

fn file_name(path: &Path) -> io::Result<&OsStr> {
    path.file_name().ok_or_else(|| io::Error::new(io::ErrorKind::InvalidInput, NoFileName))
}

fn parent(path: &Path) -> &Path {
    match path.parent() {
        Some(parent) if parent.as_os_str().is_empty() => Path::new("."),
        Some(parent) => parent,
        None => Path::new("/"),
    }
}

fn open_dir(path: &Path) -> io::Result<File> {
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    Ok(File::from(rustix::fs::open(parent(path), flags, Mode::empty())?))
}
