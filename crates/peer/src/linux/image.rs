//! The image that a process runs: what is recorded of it, and whether it still is that one. A look costs tens of
//! microseconds.

use crate::linux::held::{Held, PAGE, file_id, read_all, seen, why};
use crate::linux::text::{self, Stat};
use crate::linux::{hash, provenance};
use crate::world::{Image, Process};
use lychgate_core::evidence::{Executable, FileId, LiveProcess, Namespaces, PathNow, ProcessFacts, Seen, Why};
use lychgate_core::provenance::{Provenance, Unsigned};
use lychgate_sys::ExecWatch;
use std::io;
use std::os::fd::{AsFd, OwnedFd};
use std::sync::OnceLock;

/// A process with its memory map and its `stat` held open from the pin on.
#[derive(Debug)]
pub(crate) struct Bound {
    pub(crate) held: Held,
    /// The kernel's own word of an `execve`; `None` where it gives none (in a container). Begun before the rest.
    execs: Option<ExecWatch>,
    /// Tells an `execve` as well. Opened before any fact was read, so that they are all of the image it describes.
    pub(crate) maps: OwnedFd,
    /// Read again for each action without being opened again.
    pub(crate) stat: OwnedFd,
}

impl Bound {
    /// Takes hold of the image that `held` runs now.
    pub(crate) fn new(held: Held) -> Result<Self, Why> {
        let execs = watch(held.pid)?;
        let (maps, stat) = (held.file("maps")?, held.file("stat")?);
        Ok(Self { held, execs, maps, stat })
    }

    /// What is recorded of a process that must run `file`. No other is read, so a stranger costs next to nothing, and
    /// nobody is asked who vouches for it.
    pub(crate) fn own_facts(&self, file: FileId) -> Result<ProcessFacts, Why> {
        read(self, Some(file))
    }
}

/// Whether this kernel reports executions to us, asked once: where it does, a process without its watch is refused, or
/// whoever fills the descriptor table could do without.
pub(crate) fn reports_execs() -> bool {
    static GIVEN: OnceLock<bool> = OnceLock::new();
    *GIVEN.get_or_init(|| ExecWatch::start(std::process::id()).is_ok())
}

fn watch(pid: u32) -> Result<Option<ExecWatch>, Why> {
    if reports_execs() { ExecWatch::start(pid).map(Some).map_err(|_| Why::Unclear) } else { Ok(None) }
}

impl Image for Bound {
    fn process(&self) -> &dyn Process {
        &self.held
    }

    fn path(&self) -> Result<String, Why> {
        Ok(path(&self.held, self.held.program_file()?)?.0)
    }

    fn arguments(&self) -> Vec<String> {
        arguments(&self.held)
    }

    fn facts(&self) -> Result<ProcessFacts, Why> {
        read(self, None)
    }

    fn live(&self, then: &ProcessFacts) -> LiveProcess {
        look(self, then)
    }

    fn ending(&self) -> io::Result<OwnedFd> {
        self.held.pidfd().try_clone_to_owned()
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

/// Reads everything that is recorded; of a program other than `only`, where that is given, nothing. The caller
/// re-verifies afterwards.
fn read(bound: &Bound, only: Option<FileId>) -> Result<ProcessFacts, Why> {
    let held = &bound.held;
    let stat = text::stat(&read_all(bound.stat.as_fd(), PAGE)?).ok_or(Why::Unclear)?;
    let [uid, ..] = held.status()?.uids;
    let arguments = arguments(held);
    let unasked = Provenance::Unsigned(Unsigned::Unseen);
    let (executable, provenance) = match executable(held, only) {
        Ok((executable, _)) if only.is_some() => (Seen::Seen(executable), unasked),
        Ok((executable, image)) => {
            let provenance = provenance::provenance(bound, &executable, image.as_fd(), uid);
            (Seen::Seen(executable), provenance)
        }
        Err(why) => (Seen::Unseen(why), unasked),
    };
    let program = executable.value().filter(|_| only.is_none());
    let script = program.and_then(|program| provenance::script(held, program.name(), &arguments));
    Ok(ProcessFacts {
        pid: held.pid,
        start_ticks: stat.start_ticks,
        inode: held.inode,
        uid,
        parent: stat.parent,
        session: stat.session,
        start_stack: start_stack(stat.start_stack),
        namespaces: seen(held.namespaces()),
        executable,
        provenance,
        script,
        claimed_command: arguments.join(" "),
        directory: held.link("cwd").ok(),
    })
}

/// The kernel says 0 where it does not let us see the address. Two zeros are no match.
fn start_stack(told: u64) -> Seen<u64> {
    if told == 0 { Seen::Unseen(Why::NotReadable) } else { Seen::Seen(told) }
}

/// The program file, and the file itself, open.
fn executable(held: &Held, only: Option<FileId>) -> Result<(Executable, OwnedFd), Why> {
    let file = held.file("exe")?;
    let stat = rustix::fs::fstat(&file).map_err(why)?;
    if only.is_some_and(|only| file_id(&stat) != only) {
        return Err(Why::Unclear);
    }
    let (version, sha256) = hash::image(file.as_fd())?;
    let (path, path_now) = path(held, version.file)?;
    let executable = Executable {
        file: version.file,
        size: version.size,
        mtime_ns: version.mtime_ns,
        ctime_ns: version.ctime_ns,
        sha256,
        path,
        path_now,
    };
    Ok((executable, file))
}

/// The path of the program, and what is there now.
///
/// The kernel marks a path that leads nowhere any more with words that a file's own name may end with, so the mark is
/// believed only where the path with it does not lead to the file.
fn path(held: &Held, file: FileId) -> Result<(String, PathNow), Why> {
    let told = held.link("exe")?;
    let leads_to = |path: &str| {
        let inside = path.strip_prefix('/').unwrap_or(path);
        held.follow(format!("root/{inside}")).map(|stat| file_id(&stat))
    };
    if leads_to(&told) == Ok(file) {
        return Ok((told, PathNow::Same));
    }
    let path = told.strip_suffix(DELETED).unwrap_or(&told).to_owned();
    let now = if leads_to(&path).is_ok() { PathNow::Replaced } else { PathNow::Gone };
    Ok((path, now))
}

/// What the kernel adds to the path of a file that has no name any more.
pub(crate) const DELETED: &str = " (deleted)";

/// One process, not known to be alive yet. All reads go through descriptors of that very process.
fn look(bound: &Bound, then: &ProcessFacts) -> LiveProcess {
    let held = &bound.held;
    let stat = stat(bound);
    LiveProcess {
        alive: false,
        // A held pidfd is of one process for ever, so its inode need not be asked again.
        inode: Seen::Seen(held.inode),
        parent: seen(stat.map(|stat| stat.parent)),
        executable: seen(held.program_file()),
        start_stack: match stat {
            Ok(stat) => start_stack(stat.start_stack),
            Err(why) => Seen::Unseen(why),
        },
        namespaces: namespaces(held, then),
        // After the others: an image that is in use now was in use while they were read.
        same_image: seen(same_image(bound)),
    }
}

/// No `execve` since the binding, by the kernel's own report, which nothing in the process can stop or delay.
///
/// Where there are no reports the held map is asked. That question waits for whoever holds the process's memory map
/// locked, a program of ill will for a minute; and a helper that shares the memory can keep the map alive over an
/// `execve`, while the new program sets its start of stack to the old one's (`PR_SET_MM_MAP`).
fn same_image(bound: &Bound) -> Result<bool, Why> {
    match &bound.execs {
        Some(watch) => Ok(!watch.executed() && bound.held.alive()),
        None => lychgate_sys::image_unchanged(bound.maps.as_fd()).map_err(|_| Why::Unclear),
    }
}

/// A process can move to another user namespace. It can't change its own pid namespace, only that of its children
/// (`pid_namespaces(7)`), so that one is what was seen at the pin.
fn namespaces(held: &Held, then: &ProcessFacts) -> Seen<Namespaces> {
    match (held.user_namespace(), &then.namespaces) {
        (Ok(user), Seen::Seen(then)) => Seen::Seen(Namespaces { user, pid: then.pid }),
        (Err(why), _) => Seen::Unseen(why),
        (Ok(_), Seen::Unseen(why)) => Seen::Unseen(*why),
    }
}

fn stat(bound: &Bound) -> Result<Stat, Why> {
    let mut bytes = [0; PAGE];
    let length = rustix::io::pread(&bound.stat, &mut bytes, 0).map_err(why)?;
    text::stat(bytes.get(..length).unwrap_or_default()).ok_or(Why::Unclear)
}
