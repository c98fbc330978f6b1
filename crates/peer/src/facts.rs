//! What is recorded of one process, read between two looks at its life.

use crate::hash;
use crate::held::{Held, PAGE, seen};
use crate::text;
use lychgate_core::evidence::{Executable, FileId, ProcessFacts, Seen, Why};
use std::os::fd::{AsFd, OwnedFd};

/// A process with its memory map and its `stat` held open from the pin on.
#[derive(Debug)]
pub(crate) struct Bound {
    pub(crate) held: Held,
    /// Tells an `execve`. Opened before any fact was read, so that they are all of the image it describes.
    pub(crate) maps: OwnedFd,
    /// Read again for each action without being opened again.
    pub(crate) stat: OwnedFd,
}

impl Bound {
    /// Takes hold of the image that `held` runs now.
    pub(crate) fn new(held: Held) -> Result<Self, (Why, Held)> {
        match (held.file("maps"), held.file("stat")) {
            (Ok(maps), Ok(stat)) => Ok(Self { held, maps, stat }),
            (Err(why), _) | (_, Err(why)) => Err((why, held)),
        }
    }
}

/// Bytes of a command line that are read and shown; the rest is cut.
const COMMAND_BYTES: usize = 1024;

/// The command line, the process's own word.
pub(crate) fn arguments(held: &Held) -> Vec<String> {
    let mut start = vec![0; COMMAND_BYTES];
    let length = held.file("cmdline").ok().and_then(|file| rustix::io::pread(&file, start.as_mut_slice(), 0).ok());
    start.truncate(length.unwrap_or(0));
    text::arguments(&start)
}

/// Reads everything that is recorded. The caller re-verifies afterwards.
///
/// Where `only` is given, no other program file is read: it stays unseen.
pub(crate) fn read(bound: &Bound, arguments: &[String], only: Option<FileId>) -> Result<ProcessFacts, Why> {
    let held = &bound.held;
    let stat = text::stat(&crate::held::read_all(bound.stat.as_fd(), PAGE)?).ok_or(Why::Unclear)?;
    let [uid, ..] = held.status()?.uids;
    Ok(ProcessFacts {
        pid: held.pid,
        start_ticks: stat.start_ticks,
        inode: held.inode,
        uid,
        parent: stat.parent,
        session: stat.session,
        start_stack: start_stack(stat.start_stack),
        namespaces: seen(held.namespaces()),
        executable: seen(read_executable(held, only)),
        claimed_command: arguments.join(" "),
        directory: held.link("cwd").ok(),
    })
}

/// The kernel says 0 where it does not let us see the address. Two zeros are no match.
pub(crate) fn start_stack(told: u64) -> Seen<u64> {
    if told == 0 { Seen::Unseen(Why::NotReadable) } else { Seen::Seen(told) }
}

fn read_executable(held: &Held, only: Option<FileId>) -> Result<Executable, Why> {
    let file = held.file("exe")?;
    let stat = rustix::fs::fstat(&file).map_err(crate::held::why)?;
    if only.is_some_and(|only| crate::held::file_id(&stat) != only) {
        return Err(Why::Unclear);
    }
    let links = stat.st_nlink;
    let (version, sha256) = hash::image(file.as_fd())?;
    let path = held.link("exe")?;
    Ok(Executable {
        file: version.file,
        size: version.size,
        mtime_ns: version.mtime_ns,
        ctime_ns: version.ctime_ns,
        sha256,
        deleted: links == 0 || path.ends_with(DELETED),
        path,
    })
}

/// What the kernel adds to the path of a file that has no name any more.
pub(crate) const DELETED: &str = " (deleted)";
