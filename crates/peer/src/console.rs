//! Who sits at an operator's socket: our own program, unaltered, as far as that can be seen from outside.
//!
//! A program of the same user that controls the console otherwise (a fake terminal around it) is not seen. This keeps
//! out what is plain to see, before any factor is asked.

use crate::facts::DELETED;
use crate::held::Held;
use crate::own::own_namespaces;
use crate::pin::Pinned;
use crate::text::{Mapping, Status, executable_mappings};
use lychgate_core::evidence::{FileId, LiveProcess, ProcessFacts, ProcessInode, Seen, Why};
use std::os::fd::{AsFd, OwnedFd};

/// Why a console is refused.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ConsoleRefused {
    /// It runs another program file than the gateway's.
    #[error("this is not the gateway's own `lych`, or one of another build; restart the gateway after an update")]
    OtherProgram,
    /// A debugger is attached, or was attached while it was looked at.
    #[error("process {0} traces this console; start it without a debugger")]
    Traced(u32),
    /// A library was to be loaded into it.
    #[error("this console was started with {0} set; unset it and start it again")]
    Preloaded(String),
    /// It runs code from a file that a program of its user can write, or from no file.
    #[error(
        "this console runs code from {0}, which programs of its user can change; start it again in a clean environment"
    )]
    ForeignCode(String),
    /// It lives in another pid or user namespace.
    #[error("this console runs in a container or another namespace; start it outside")]
    ForeignNamespace,
    /// Something needed could not be seen, or changed meanwhile.
    #[error("this console could not be looked at ({0:?}); start it again")]
    Unseen(Why),
}

impl From<Why> for ConsoleRefused {
    fn from(why: Why) -> Self {
        match why {
            Why::ForeignNamespace => Self::ForeignNamespace,
            Why::Gone | Why::NotReadable | Why::Unclear => Self::Unseen(why),
        }
    }
}

/// A console that passed, held.
#[derive(Debug)]
pub struct ConsolePeer {
    pinned: Pinned,
}

/// Looks at the process of `pidfd`, which has the number `pid` now. Do it before the console makes itself non-dumpable.
///
/// Whether its user may sign in at all is for the caller to check, and its [ancestry](crate::ancestry()).
///
/// # Errors
/// Refuses before any factor is asked.
pub fn inspect_console(pidfd: OwnedFd, pid: u32, own_file: FileId) -> Result<ConsolePeer, ConsoleRefused> {
    let held = Held::adopt(pidfd.as_fd(), pid)?;
    let own = own_namespaces().map_err(|_| ConsoleRefused::Unseen(Why::Unclear))?;
    let status = held.status()?;
    if status.nested || held.namespaces()? != own {
        return Err(ConsoleRefused::ForeignNamespace);
    }
    untraced(&status)?;
    // Before anything is read of it: the person's own console must not wait while large files of others are hashed.
    if held.program_file()? != own_file {
        return Err(ConsoleRefused::OtherProgram);
    }
    // From here on the memory map is held, and everything is of one image.
    let pinned = Pinned::alone(held, own_file)?;
    let console = ConsolePeer { pinned };
    let (facts, process) = console.parts().ok_or(Why::Unclear)?;
    match &facts.executable {
        Seen::Seen(executable) if executable.file == own_file => {}
        Seen::Seen(_) => return Err(ConsoleRefused::OtherProgram),
        Seen::Unseen(why) => return Err((*why).into()),
    }
    check_environment(&process.held.read("environ", ENVIRON_BYTES)?)?;
    check_code(facts, &process.held, process.maps.as_fd())?;
    // Last, and with the image unchanged: what was read was of this process and untraced.
    untraced(&process.held.status()?)?;
    if console.still_same(facts.inode) { Ok(console) } else { Err(ConsoleRefused::Unseen(Why::Gone)) }
}

fn untraced(status: &Status) -> Result<(), ConsoleRefused> {
    if status.tracer == 0 { Ok(()) } else { Err(ConsoleRefused::Traced(status.tracer)) }
}

impl ConsolePeer {
    /// True where `sender` is the console that was inspected, still alive, untraced and running the same image.
    ///
    /// Ask for each frame. A console that made itself non-dumpable hides its file and its stack from a gateway of the
    /// same user; that is accepted, because `execve` would make it readable again and end the held memory map.
    #[must_use]
    pub fn still_same(&self, sender: ProcessInode) -> bool {
        let Some((then, process)) = self.parts() else { return false };
        // Before the look, whose last question is whether the process lives.
        let free = process.held.status().is_ok_and(|status| untraced(&status).is_ok());
        let now = self.pinned.look(Seen::Seen(sender));
        let [now] = now.processes.as_slice() else { return false };
        free && sender == then.inode && same(then, now)
    }

    /// Process id and program, for the journal.
    #[must_use]
    pub fn requester(&self) -> lychgate_core::event::Requester {
        let facts = self.pinned.subject().peer();
        lychgate_core::event::Requester {
            pid: facts.map_or(0, |facts| facts.pid),
            program: match facts.map(|facts| &facts.executable) {
                Some(Seen::Seen(executable)) => executable.path.clone(),
                Some(Seen::Unseen(why)) => crate::held::unseen_program(*why).to_owned(),
                None => crate::held::unseen_program(Why::Unclear).to_owned(),
            },
        }
    }

    /// The chain of one, to wait for its end.
    #[must_use]
    pub fn pinned(&self) -> &Pinned {
        &self.pinned
    }

    fn parts(&self) -> Option<(&ProcessFacts, &crate::facts::Bound)> {
        self.pinned.subject().peer().zip(self.pinned.processes().first())
    }
}

/// A console may be reparented, and may hide what only a dumpable process shows. Nothing else may differ.
fn same(then: &ProcessFacts, now: &LiveProcess) -> bool {
    fn kept<T: PartialEq>(now: &Seen<T>, then: &Seen<T>) -> bool {
        now.proves(then) || matches!(now, Seen::Unseen(Why::NotReadable))
    }
    let file = match &then.executable {
        Seen::Seen(executable) => Seen::Seen(executable.file),
        Seen::Unseen(why) => Seen::Unseen(*why),
    };
    now.alive
        && now.same_image == Seen::Seen(true)
        && now.inode == Seen::Seen(then.inode)
        && kept(&now.executable, &file)
        && kept(&now.start_stack, &then.start_stack)
        && kept(&now.namespaces, &then.namespaces)
}

/// Variables by which the dynamic loader takes code from elsewhere (`ld.so(8)`).
const LOADER_VARIABLES: &[&str] = &["LD_PRELOAD", "LD_AUDIT", "LD_LIBRARY_PATH"];

/// An environment larger than this is not understood, in bytes.
const ENVIRON_BYTES: usize = 4 * 1024 * 1024;

/// The environment as it stood at the start. A loaded library can rewrite it, so the mappings are looked at too.
fn check_environment(environ: &[u8]) -> Result<(), ConsoleRefused> {
    for entry in environ.split(|byte| *byte == 0) {
        let name = entry.split(|byte| *byte == b'=').next().unwrap_or_default();
        if let Some(variable) = LOADER_VARIABLES.iter().find(|variable| variable.as_bytes() == name) {
            return Err(ConsoleRefused::Preloaded((*variable).to_owned()));
        }
    }
    Ok(())
}

/// A list of mappings longer than this is not understood, in bytes.
const MAPS_BYTES: usize = 1024 * 1024;

/// Executable memory that the kernel itself gives to every process.
const KERNEL_CODE: &[&[u8]] = &[b"[vdso]", b"[vsyscall]", b"[uprobes]"];

fn check_code(facts: &ProcessFacts, held: &Held, maps: std::os::fd::BorrowedFd<'_>) -> Result<(), ConsoleRefused> {
    let text = crate::held::read_all(maps, MAPS_BYTES)?;
    let own = facts.executable.value().map(|executable| (executable.path.as_bytes(), executable.file.ino));
    for mapping in executable_mappings(&text).ok_or(Why::Unclear)? {
        let allowed = KERNEL_CODE.contains(&mapping.name)
            || trustworthy(&mapping, held, facts.uid)
            || (Some((mapping.name, mapping.inode)) == own && !mapping.name.ends_with(DELETED.as_bytes()));
        if !allowed {
            let name = String::from_utf8_lossy(mapping.name).into_owned();
            let name = if name.is_empty() { "anonymous memory".to_owned() } else { name };
            return Err(ConsoleRefused::ForeignCode(name));
        }
    }
    Ok(())
}

/// The file behind the mapping can be written by nobody but its owner, who is not the console's user.
///
/// The name is where the mapped file is now, as the console sees the file system; a file without a name any more says
/// so in it, and is then not found.
fn trustworthy(mapping: &Mapping<'_>, held: &Held, user: u32) -> bool {
    let Some(path) = mapping.name.strip_prefix(b"/") else { return false };
    let behind_root = [b"root/".as_slice(), path].concat();
    let Ok(stat) = held.follow(behind_root) else { return false };
    // Root can write everything; what its own files hold is its own word.
    let of_the_user = stat.st_uid == user && user != 0;
    stat.st_ino == mapping.inode && !of_the_user && stat.st_mode & 0o022 == 0
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests")]
    use super::*;

    /// This test's own process, pinned, and as it looks now.
    fn own() -> (Pinned, LiveProcess) {
        let pinned = Pinned::alone(Held::open(std::process::id()).unwrap(), crate::own_file().unwrap()).unwrap();
        let live = pinned.look(Seen::Unseen(Why::Unclear)).processes.remove(0);
        (pinned, live)
    }

    type Change = fn(&mut LiveProcess);

    #[test]
    fn each_single_thing_that_differs_makes_it_another_console() {
        let (pinned, live) = own();
        let then = pinned.subject().peer().unwrap();
        assert!(same(then, &live));
        let changes: [(&str, Change); 9] = [
            ("ended", |now| now.alive = false),
            ("inode", |now| now.inode = Seen::Seen(ProcessInode(0))),
            ("inode unseen", |now| now.inode = Seen::Unseen(Why::NotReadable)),
            ("exec", |now| now.same_image = Seen::Seen(false)),
            ("exec unseen", |now| now.same_image = Seen::Unseen(Why::NotReadable)),
            ("file", |now| now.executable = Seen::Seen(FileId { dev: 0, ino: 0 })),
            ("file gone", |now| now.executable = Seen::Unseen(Why::Gone)),
            ("stack", |now| now.start_stack = Seen::Seen(1)),
            ("namespace unclear", |now| now.namespaces = Seen::Unseen(Why::Unclear)),
        ];
        for (what, change) in changes {
            let mut now = live.clone();
            change(&mut now);
            assert!(!same(then, &now), "{what}");
        }
    }

    #[test]
    fn a_console_may_hide_what_only_a_dumpable_process_shows_and_be_reparented() {
        let (pinned, mut now) = own();
        now.executable = Seen::Unseen(Why::NotReadable);
        now.start_stack = Seen::Unseen(Why::NotReadable);
        now.namespaces = Seen::Unseen(Why::NotReadable);
        now.parent = Seen::Seen(1);
        assert!(same(pinned.subject().peer().unwrap(), &now));
    }
}
