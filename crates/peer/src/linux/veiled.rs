//! A process that is held without its program: that could not be seen, or can't be believed.

use crate::linux::held::{Held, PAGE, seen};
use crate::linux::image::arguments;
use crate::linux::text;
use crate::world::{Image, Process};
use lychgate_core::evidence::{LiveProcess, ProcessFacts, Seen, Why};
use lychgate_core::provenance::{Provenance, Unsigned};
use std::io;
use std::os::fd::OwnedFd;

/// Its lifetime, its parent and its user are known, and nothing else is claimed.
#[derive(Debug)]
pub(crate) struct Veiled {
    held: Held,
    why: Why,
}

impl Veiled {
    pub(crate) fn new(held: Held, why: Why) -> Self {
        Self { held, why }
    }
}

impl Image for Veiled {
    fn process(&self) -> &dyn Process {
        &self.held
    }

    fn path(&self) -> Result<String, Why> {
        Err(self.why)
    }

    fn arguments(&self) -> Vec<String> {
        arguments(&self.held)
    }

    fn facts(&self) -> Result<ProcessFacts, Why> {
        let stat = text::stat(&self.held.read("stat", PAGE)?).ok_or(Why::Unclear)?;
        let [uid, ..] = self.held.status()?.uids;
        Ok(ProcessFacts {
            pid: self.held.pid,
            start_ticks: stat.start_ticks,
            inode: self.held.inode,
            uid,
            parent: stat.parent,
            session: stat.session,
            start_stack: Seen::Unseen(self.why),
            namespaces: Seen::Unseen(self.why),
            executable: Seen::Unseen(self.why),
            provenance: Provenance::Unsigned(Unsigned::Unseen),
            script: None,
            claimed_command: self.arguments().join(" "),
            directory: None,
        })
    }

    fn live(&self, _then: &ProcessFacts) -> LiveProcess {
        // A program that lets itself be seen now is perhaps another one than before; what can't be believed stays so.
        let executable = match self.why {
            Why::NotReadable => seen(self.held.program_file()),
            why => Seen::Unseen(why),
        };
        LiveProcess {
            alive: false,
            inode: Seen::Seen(self.held.inode),
            parent: seen(self.held.stat().map(|stat| stat.parent)),
            executable,
            same_image: Seen::Unseen(self.why),
            start_stack: Seen::Unseen(self.why),
            namespaces: Seen::Unseen(self.why),
        }
    }

    fn ending(&self) -> io::Result<OwnedFd> {
        self.held.pidfd().try_clone_to_owned()
    }
}
