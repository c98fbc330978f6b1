//! Who sits at an operator's socket: our own program, unaltered, as far as that can be seen from outside.
//!
//! A program of the same user that controls the console otherwise (a fake terminal around it) is not seen. This keeps
//! out what is plain to see, before any factor is asked.

use crate::linux::held::{Held, read_all, unseen, unseen_program};
use crate::linux::image::{Bound, DELETED};
use crate::linux::provenance::trustworthy;
use crate::linux::text::executable_mappings;
use crate::own::own_namespaces;
use crate::world::{Image as _, Standing};
use lychgate_core::evidence::{FileId, LiveProcess, ProcessFacts, ProcessInode, Seen, Why};
use lychgate_text::words;
use std::os::fd::{AsFd, OwnedFd};

/// Why a console is refused.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ConsoleRefused {
    /// It runs another program file than the gateway's.
    #[error("{}", words().peer().console.other_program)]
    OtherProgram,
    /// A debugger is attached, or was attached while it was looked at.
    #[error("{}", (words().peer().console.traced)(*.0))]
    Traced(u32),
    /// A library was to be loaded into it.
    #[error("{}", (words().peer().console.preloaded)(.0))]
    Preloaded(String),
    /// It runs code from a file that a program of its user can write.
    #[error("{}", (words().peer().console.foreign_code)(.0))]
    ForeignCode(String),
    /// It runs code that is in no file.
    #[error("{}", words().peer().console.code_without_file)]
    CodeWithoutFile,
    /// It lives in another pid or user namespace.
    #[error("{}", words().peer().console.foreign_namespace)]
    ForeignNamespace,
    /// Something needed could not be seen, or changed meanwhile.
    #[error("{}", (words().peer().console.unseen)(&unseen(*.0)))]
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
    facts: ProcessFacts,
    image: Bound,
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
    let image = Bound::new(held)?;
    let console = ConsolePeer { facts: image.own_facts(own_file)?, image };
    let ConsolePeer { facts, image } = &console;
    match &facts.executable {
        Seen::Seen(executable) if executable.file == own_file => {}
        Seen::Seen(_) => return Err(ConsoleRefused::OtherProgram),
        Seen::Unseen(why) => return Err((*why).into()),
    }
    check_environment(&image.held.read("environ", ENVIRON_BYTES)?)?;
    check_code(facts, image)?;
    // Last, and with the image unchanged: what was read was of this process and untraced.
    untraced(&image.held.status()?)?;
    if console.still_same(facts.inode) { Ok(console) } else { Err(ConsoleRefused::Unseen(Why::Gone)) }
}

fn untraced(status: &Standing) -> Result<(), ConsoleRefused> {
    if status.tracer == 0 { Ok(()) } else { Err(ConsoleRefused::Traced(status.tracer)) }
}

impl ConsolePeer {
    /// True where `sender` is the console that was inspected, still alive, untraced and running the same image.
    ///
    /// Ask for each frame. A console that made itself non-dumpable hides its file and its stack from a gateway of the
    /// same user; that is accepted, because `execve` would make it readable again and end the held memory map.
    #[must_use]
    pub fn still_same(&self, sender: ProcessInode) -> bool {
        // Before the look, whose last question is whether the process lives.
        let free = self.image.held.status().is_ok_and(|status| untraced(&status).is_ok());
        free && sender == self.facts.inode && same(&self.facts, &self.now())
    }

    /// Process id and program, for the journal.
    #[must_use]
    pub fn requester(&self) -> lychgate_core::event::Requester {
        lychgate_core::event::Requester {
            pid: self.facts.pid,
            program: match &self.facts.executable {
                Seen::Seen(executable) => executable.path.clone(),
                Seen::Unseen(why) => unseen_program(*why).to_owned(),
            },
        }
    }

    fn now(&self) -> LiveProcess {
        let now = self.image.live(&self.facts);
        LiveProcess { alive: self.image.held.alive(), ..now }
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

fn check_code(facts: &ProcessFacts, image: &Bound) -> Result<(), ConsoleRefused> {
    let text = read_all(image.maps.as_fd(), MAPS_BYTES)?;
    let own = facts.executable.value().map(|executable| (executable.path.as_bytes(), executable.file.ino));
    for mapping in executable_mappings(&text).ok_or(Why::Unclear)? {
        let allowed = KERNEL_CODE.contains(&mapping.name)
            || trustworthy(&mapping, &image.held, facts.uid)
            || (Some((mapping.name, mapping.inode)) == own && !mapping.name.ends_with(DELETED.as_bytes()));
        if !allowed {
            let name = String::from_utf8_lossy(mapping.name).into_owned();
            return Err(if name.is_empty() {
                ConsoleRefused::CodeWithoutFile
            } else {
                ConsoleRefused::ForeignCode(name)
            });
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests")]
    use super::*;

    /// This test's own process, pinned, and as it looks now.
    fn own() -> (ProcessFacts, LiveProcess) {
        let image = Bound::new(Held::open(std::process::id()).unwrap()).unwrap();
        let console = ConsolePeer { facts: image.own_facts(crate::own_file().unwrap()).unwrap(), image };
        let now = console.now();
        (console.facts, now)
    }

    type Change = fn(&mut LiveProcess);

    #[test]
    fn each_single_thing_that_differs_makes_it_another_console() {
        let (then, live) = own();
        assert!(same(&then, &live));
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
            assert!(!same(&then, &now), "{what}");
        }
    }

    #[test]
    fn a_console_may_hide_what_only_a_dumpable_process_shows_and_be_reparented() {
        let (then, mut now) = own();
        now.executable = Seen::Unseen(Why::NotReadable);
        now.start_stack = Seen::Unseen(Why::NotReadable);
        now.namespaces = Seen::Unseen(Why::NotReadable);
        now.parent = Seen::Seen(1);
        assert!(same(&then, &now));
    }
}
