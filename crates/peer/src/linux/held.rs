//! One process, held so that no other can take its place.
//!
//! A pid is a number that is used again. A pidfd is not, and neither is an open `/proc/PID` directory: once its
//! process is gone, reads through it fail, whoever has the number now.

use crate::linux::image::Bound;
use crate::linux::text::{self, Stat};
use crate::linux::veiled::Veiled;
use crate::world::{Image, Process, Standing};
use lychgate_core::evidence::{FileId, Namespaces, ProcessInode, Seen, Why};
use lychgate_text::words;
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::fs::{
    AtFlags, CWD, FileType, Mode, OFlags, ResolveFlags, StatxFlags, fstat, makedev, openat, openat2, readlinkat,
    readlinkat_raw, statat, statx,
};
use rustix::io::Errno;
use rustix::process::{Pid, PidfdFlags, pidfd_open};
use std::io;
use std::mem::MaybeUninit;
use std::os::fd::{AsFd, AsRawFd, BorrowedFd, OwnedFd};

/// The pidfs inode behind a pidfd: the identity of a process lifetime (with the kernel's boot id).
///
/// # Errors
/// Where the kernel gives no answer. `pidfd` must be a pidfd: this is not checked, see [`crate::kernel::check`].
pub fn inode_of(pidfd: BorrowedFd<'_>) -> io::Result<ProcessInode> {
    Ok(ProcessInode(fstat(pidfd)?.st_ino))
}

/// Holds the process that has the number `pid` now. A number is a question, never evidence: look at what it was.
///
/// # Errors
/// Where there is none in our pid namespace.
pub fn pidfd_of(pid: u32) -> io::Result<OwnedFd> {
    let number = i32::try_from(pid).ok().and_then(Pid::from_raw).ok_or(io::ErrorKind::NotFound)?;
    Ok(pidfd_open(number, PidfdFlags::empty())?)
}

/// Why a system call gave no fact.
pub(crate) fn why(error: Errno) -> Why {
    match error {
        Errno::SRCH | Errno::NOENT => Why::Gone,
        Errno::ACCESS | Errno::PERM => Why::NotReadable,
        _ => Why::Unclear,
    }
}

/// A process by pidfd and by its `/proc/PID` directory.
#[derive(Debug)]
pub(crate) struct Held {
    pub(crate) pid: u32,
    pub(crate) inode: ProcessInode,
    pidfd: OwnedFd,
    dir: OwnedFd,
}

impl Held {
    /// Holds the process that has the number `pid` now.
    pub(crate) fn open(pid: u32) -> Result<Self, Why> {
        let number = i32::try_from(pid).ok().and_then(Pid::from_raw).ok_or(Why::ForeignNamespace)?;
        let pidfd = pidfd_open(number, PidfdFlags::empty()).map_err(why)?;
        let inode = inode_of(pidfd.as_fd()).map_err(|_| Why::Unclear)?;
        let flags = OFlags::PATH | OFlags::DIRECTORY | OFlags::CLOEXEC;
        let dir = openat(CWD, format!("/proc/{pid}"), flags, Mode::empty()).map_err(why)?;
        let held = Self { pid, inode, pidfd, dir };
        // While the process lives its number is nobody else's, so the directory opened in between is its own.
        if held.alive() { Ok(held) } else { Err(Why::Gone) }
    }

    /// Holds the process of `pidfd`, which must be the one that has the number `pid` now.
    pub(crate) fn adopt(pidfd: BorrowedFd<'_>, pid: u32) -> Result<Self, Why> {
        let held = Self::open(pid)?;
        let same = inode_of(pidfd).is_ok_and(|inode| inode == held.inode);
        if same { Ok(held) } else { Err(Why::Gone) }
    }

    /// Holds the parent; `None` where there is none in our pid namespace.
    ///
    /// A bare parent number is not believed: the number is read again while both processes are held and alive, so at
    /// that moment it was the parent's.
    pub(crate) fn parent(&self) -> Result<Option<Self>, Why> {
        let before = self.stat()?;
        if before.parent == 0 {
            return Ok(None);
        }
        let parent = Self::open(before.parent)?;
        let after = self.stat()?;
        let older = parent.stat()?.start_ticks <= after.start_ticks;
        let proven = after.parent == before.parent && older && self.alive() && parent.alive();
        if proven { Ok(Some(parent)) } else { Err(Why::Gone) }
    }

    /// False once it ended; never true again after that.
    pub(crate) fn alive(&self) -> bool {
        alive([self.pidfd.as_fd()]) == [true]
    }

    pub(crate) fn pidfd(&self) -> BorrowedFd<'_> {
        self.pidfd.as_fd()
    }

    /// Opens a file of the process's directory for reading.
    pub(crate) fn file(&self, name: &str) -> Result<OwnedFd, Why> {
        openat(&self.dir, name, OFlags::RDONLY | OFlags::CLOEXEC, Mode::empty()).map_err(why)
    }

    /// Opens a path as the process sees it (`root/…`, `cwd/…`), without waiting for whoever is behind a pipe and without
    /// touching a device: the file is looked at before it is opened for reading.
    pub(crate) fn regular_file(&self, path: &str) -> Result<(OwnedFd, rustix::fs::Stat), Why> {
        let place = openat(&self.dir, path, OFlags::PATH | OFlags::CLOEXEC, Mode::empty()).map_err(why)?;
        let stat = fstat(&place).map_err(why)?;
        if FileType::from_raw_mode(stat.st_mode) != FileType::RegularFile {
            return Err(Why::Unclear);
        }
        let again = format!("/proc/self/fd/{}", place.as_raw_fd());
        let file = openat(CWD, again, OFlags::RDONLY | OFlags::NONBLOCK | OFlags::CLOEXEC, Mode::empty());
        Ok((file.map_err(why)?, stat))
    }

    /// Reads a file of the process's directory. One that is longer than `limit` bytes is not understood.
    pub(crate) fn read(&self, name: &str, limit: usize) -> Result<Vec<u8>, Why> {
        read_all(self.file(name)?.as_fd(), limit)
    }

    /// Follows a link of the process's directory, or a path behind one, to its file.
    pub(crate) fn follow(&self, name: impl rustix::path::Arg) -> Result<rustix::fs::Stat, Why> {
        statat(&self.dir, name, AtFlags::empty()).map_err(why)
    }

    /// The file at `path` (without the slash before it) as the process sees the file system, over no link at all.
    pub(crate) fn file_at(&self, path: &[u8]) -> Result<rustix::fs::Stat, Why> {
        let flags = OFlags::PATH | OFlags::CLOEXEC;
        let root = openat(&self.dir, "root", flags | OFlags::DIRECTORY, Mode::empty()).map_err(why)?;
        let resolve = ResolveFlags::NO_SYMLINKS | ResolveFlags::NO_MAGICLINKS | ResolveFlags::BENEATH;
        let file = openat2(&root, path, flags, Mode::empty(), resolve).map_err(why)?;
        fstat(&file).map_err(why)
    }

    /// What a link of the process's directory says.
    pub(crate) fn link(&self, name: &str) -> Result<String, Why> {
        let target = readlinkat(&self.dir, name, Vec::with_capacity(128)).map_err(why)?;
        Ok(target.to_string_lossy().into_owned())
    }

    /// The program file, as the kernel has it in memory: a file system that another program serves is not asked, so it
    /// can't make whoever looks wait (statx(2), `AT_STATX_DONT_SYNC`).
    pub(crate) fn program_file(&self) -> Result<FileId, Why> {
        let stat = statx(&self.dir, "exe", AtFlags::STATX_DONT_SYNC, StatxFlags::INO).map_err(why)?;
        let dev = makedev(stat.stx_dev_major, stat.stx_dev_minor);
        Ok(FileId { dev, ino: stat.stx_ino })
    }

    pub(crate) fn namespaces(&self) -> Result<Namespaces, Why> {
        Ok(Namespaces { user: self.user_namespace()?, pid: self.namespace("ns/pid")? })
    }

    pub(crate) fn user_namespace(&self) -> Result<u64, Why> {
        self.namespace("ns/user")
    }

    /// The inode number of a namespace, from the text of its link: a third cheaper than following it.
    fn namespace(&self, name: &str) -> Result<u64, Why> {
        let mut space = [MaybeUninit::uninit(); 64];
        let (target, _) = readlinkat_raw(&self.dir, name, &mut space).map_err(why)?;
        text::namespace(target).ok_or(Why::Unclear)
    }

    pub(crate) fn stat(&self) -> Result<Stat, Why> {
        text::stat(&self.read("stat", PAGE)?).ok_or(Why::Unclear)
    }

    pub(crate) fn status(&self) -> Result<Standing, Why> {
        text::status(&self.read("status", 4 * PAGE)?).ok_or(Why::Unclear)
    }

    /// The program's path for people, or a code for why it can't be told.
    pub(crate) fn program(&self) -> String {
        self.link("exe").unwrap_or_else(|why| unseen_program(why).to_owned())
    }
}

impl Process for Held {
    fn pid(&self) -> u32 {
        self.pid
    }

    fn inode(&self) -> ProcessInode {
        self.inode
    }

    fn alive(&self) -> bool {
        Self::alive(self)
    }

    fn standing(&self) -> Result<Standing, Why> {
        self.status()
    }

    fn namespaces(&self) -> Result<Namespaces, Why> {
        Self::namespaces(self)
    }

    fn parent(&self) -> Result<Option<Box<dyn Process>>, Why> {
        Ok(Self::parent(self)?.map(|parent| -> Box<dyn Process> { Box::new(parent) }))
    }

    fn program(&self) -> String {
        Self::program(self)
    }

    fn bind(self: Box<Self>) -> Result<Box<dyn Image>, Why> {
        Ok(Box::new(Bound::new(*self)?))
    }

    fn veil(self: Box<Self>, why: Why) -> Result<Box<dyn Image>, Why> {
        Ok(Box::new(Veiled::new(*self, why)))
    }
}

/// Bytes; more than any `stat` has.
pub(crate) const PAGE: usize = 4096;

/// Why something could not be seen, in words.
pub(crate) fn unseen(why: Why) -> &'static str {
    let say = &words().peer().unseen;
    match why {
        Why::Gone => say.gone,
        Why::NotReadable => say.not_readable,
        Why::ForeignNamespace => say.foreign_namespace,
        Why::Unclear => say.unclear,
    }
}

/// Stands where a program's path would: a code, since it goes into the journal.
#[must_use]
pub fn unseen_program(why: Why) -> &'static str {
    match why {
        Why::Gone => "(gone)",
        Why::NotReadable => "(not_readable)",
        Why::ForeignNamespace => "(foreign_namespace)",
        Why::Unclear => "(unclear)",
    }
}

pub(crate) fn file_id(stat: &rustix::fs::Stat) -> FileId {
    FileId { dev: stat.st_dev, ino: stat.st_ino }
}

pub(crate) fn seen<T>(fact: Result<T, Why>) -> Seen<T> {
    match fact {
        Ok(value) => Seen::Seen(value),
        Err(why) => Seen::Unseen(why),
    }
}

/// Which of these pidfds are of processes that have not ended. One system call; an error is no sign of life.
pub(crate) fn alive<'fd>(pidfds: impl IntoIterator<Item = BorrowedFd<'fd>>) -> Vec<bool> {
    let mut polled: Vec<PollFd<'_>> =
        pidfds.into_iter().map(|pidfd| PollFd::from_borrowed_fd(pidfd, PollFlags::IN)).collect();
    let now = Timespec { tv_sec: 0, tv_nsec: 0 };
    let answered = loop {
        match poll(&mut polled, Some(&now)) {
            Err(Errno::INTR) => {}
            answer => break answer.is_ok(),
        }
    };
    polled.iter().map(|one| answered && one.revents().is_empty()).collect()
}

/// Reads from the beginning to the end. More than `limit` bytes are not understood.
pub(crate) fn read_all(file: BorrowedFd<'_>, limit: usize) -> Result<Vec<u8>, Why> {
    let mut bytes = vec![0; PAGE];
    let mut length = 0;
    loop {
        let free = bytes.get_mut(length..).unwrap_or_default();
        match rustix::io::pread(file, free, length as u64) {
            Ok(0) => break,
            Ok(more) => length += more,
            Err(Errno::INTR) => {}
            Err(error) => return Err(why(error)),
        }
        if length > limit {
            return Err(Why::Unclear);
        }
        if length == bytes.len() {
            bytes.resize(length + length, 0);
        }
    }
    bytes.truncate(length);
    Ok(bytes)
}
