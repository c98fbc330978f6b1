//! What process evidence is made of, wherever it comes from.
//!
//! [`Linux`](crate::Linux) looks through `/proc` and pidfds. A test scripts a world of its own; a gateway of another
//! user than the agents asks an attestor; on macOS it would be audit tokens and designated requirements. What follows
//! from the evidence ([`pin`](crate::pin), and `decide` in the core) is the same for all.

use lychgate_core::evidence::{LiveProcess, Namespaces, ProcessFacts, ProcessInode, Why};
use std::fmt::Debug;
use std::io;
use std::os::fd::{BorrowedFd, OwnedFd};

/// Where processes are looked at.
pub trait World: Debug + Send + Sync {
    /// Holds the process that `handle` (on Linux a pidfd) names, which must be the one that has the number `pid` now.
    ///
    /// # Errors
    /// Where the two are not the same process: a number alone is never believed.
    fn adopt(&self, handle: BorrowedFd<'_>, pid: u32) -> Result<Box<dyn Process>, Why>;

    /// The kernel's boot; with an inode it names a process lifetime for ever. `None` where it can't be told, and then
    /// nothing is pinned.
    fn boot(&self) -> Option<String>;
}

/// One process, held so that no other can take its place.
pub trait Process: Debug + Send + Sync {
    /// Its number, as long as it lives.
    fn pid(&self) -> u32;

    /// Identity of this process lifetime.
    fn inode(&self) -> ProcessInode;

    /// False once it ended; never true again after that.
    fn alive(&self) -> bool;

    /// Who it runs as.
    ///
    /// # Errors
    /// Where it is gone, or the answer is not understood.
    fn standing(&self) -> Result<Standing, Why>;

    /// Its namespaces.
    ///
    /// # Errors
    /// Where they can't be seen.
    fn namespaces(&self) -> Result<Namespaces, Why>;

    /// Holds the parent; `None` where there is none in our pid namespace.
    ///
    /// # Errors
    /// Where it could not be proven to be the parent while both were held and alive.
    fn parent(&self) -> Result<Option<Box<dyn Process>>, Why>;

    /// The program's path for people, or in parentheses why it can't be told.
    fn program(&self) -> String;

    /// Takes hold of the image that it runs now: everything that is read through the answer is of that image.
    ///
    /// # Errors
    /// Where the process does not let us.
    fn bind(self: Box<Self>) -> Result<Box<dyn Image>, Why>;

    /// Keeps hold of it without its program: everything of that is `Unseen` for `why` in the facts and in each look.
    ///
    /// # Errors
    /// Where it is gone.
    fn veil(self: Box<Self>, why: Why) -> Result<Box<dyn Image>, Why>;
}

/// What can always be told of a process.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Standing {
    /// Real, effective, saved and file-system user id.
    pub uids: [u32; 4],
    /// Who traces it; 0 for nobody.
    pub tracer: u32,
    /// It has a pid of its own in a pid namespace below ours.
    pub nested: bool,
}

/// A process with the program image that it ran when it was bound.
pub trait Image: Debug + Send + Sync {
    /// The process.
    fn process(&self) -> &dyn Process;

    /// Path of the program file as the kernel tells it, without its mark for a removed file.
    ///
    /// # Errors
    /// Where it can't be seen.
    fn path(&self) -> Result<String, Why>;

    /// The first of the command line: the process's own word.
    fn arguments(&self) -> Vec<String>;

    /// Everything that is recorded. May read a whole program file: call it where blocking is allowed.
    ///
    /// # Errors
    /// Where not even the process's numbers could be read. What else could not be seen is `Unseen` in the facts.
    fn facts(&self) -> Result<ProcessFacts, Why>;

    /// How it looks now, against what was recorded. Says nothing of whether it lives: ask that afterwards.
    fn live(&self, then: &ProcessFacts) -> LiveProcess;

    /// A descriptor that becomes readable, for good, when the process ends.
    ///
    /// # Errors
    /// Where there is none left.
    fn ending(&self) -> io::Result<OwnedFd>;
}
