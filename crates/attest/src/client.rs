//! The gateway's side: a world that is looked at through an attestor.

use crate::line::Line;
use crate::messages::{Answer, Ask, Handle, Holding};
use lychgate_core::evidence::{FileId, LiveProcess, Namespaces, ProcessFacts, ProcessInode, Seen, Why};
use lychgate_peer::inode_of;
use lychgate_peer::world::{Image, Process, Standing, World};
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::process::{Pid, PidfdFlags, pidfd_open};
use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, TryLockError};
use std::time::Duration;

/// Who does not answer a look in this time has seen nothing.
const QUICK: Duration = Duration::from_secs(2);
/// Hashing the largest program takes less.
const SLOW: Duration = Duration::from_secs(60);
/// Programs that are read at once; as many as the gateway pins.
const SLOW_LINES: usize = 2;

/// Processes as an attestor sees them.
#[derive(Debug, Clone)]
pub struct Attestor(Arc<Lines>);

/// A look never waits behind the reading of a program.
#[derive(Debug)]
struct Lines {
    quick: Mutex<Option<Line>>,
    slow: [Mutex<Option<Line>>; SLOW_LINES],
}

impl Attestor {
    /// Connects to the attestor at `path`, which must run as the user `server`.
    ///
    /// # Errors
    /// The socket's; `PermissionDenied` where somebody else serves it.
    pub fn connect(path: &Path, server: u32) -> io::Result<Self> {
        let slow = || Line::connect(path, server, SLOW).map(|line| Mutex::new(Some(line)));
        let quick = Mutex::new(Some(Line::connect(path, server, QUICK)?));
        Ok(Self(Arc::new(Lines { quick, slow: [slow()?, slow()?] })))
    }

    fn ask(&self, ask: &Ask, with: Option<BorrowedFd<'_>>) -> Result<Answer, Why> {
        let mut line = if ask.is_slow() { self.0.slow() } else { lock(&self.0.quick) };
        let asked = line.as_ref().ok_or(Why::Unclear).and_then(|line| exchange(line, ask, with));
        if asked.is_err() {
            // A late answer would pass for that to the next question. Nothing is seen through this line any more.
            *line = None;
        }
        match asked? {
            Answer::Not(why) => Err(why),
            answer => Ok(answer),
        }
    }

    fn held(&self, Holding { handle, pid, inode }: Holding) -> Result<Remote, Why> {
        let remote = |pidfd| Remote { attestor: self.clone(), handle, pid, inode, pidfd };
        let number = i32::try_from(pid).ok().and_then(Pid::from_raw);
        let pidfd = number.and_then(|number| pidfd_open(number, PidfdFlags::empty()).ok());
        match pidfd {
            // Another process may have the number by now: only the inode says that it is the one that is held there.
            Some(pidfd) if inode_of(pidfd.as_fd()).ok() == Some(inode) => Ok(remote(pidfd)),
            _ => {
                let _ = self.ask(&Ask::LetGo(handle), None);
                Err(Why::Gone)
            }
        }
    }
}

impl Lines {
    /// One that is free, or the first.
    fn slow(&self) -> MutexGuard<'_, Option<Line>> {
        let free = self.slow.iter().find_map(|line| match line.try_lock() {
            Ok(line) => Some(line),
            Err(TryLockError::Poisoned(poisoned)) => Some(poisoned.into_inner()),
            Err(TryLockError::WouldBlock) => None,
        });
        let [first, ..] = &self.slow;
        free.unwrap_or_else(|| lock(first))
    }
}

fn lock(line: &Mutex<Option<Line>>) -> MutexGuard<'_, Option<Line>> {
    line.lock().unwrap_or_else(PoisonError::into_inner)
}

fn exchange(line: &Line, ask: &Ask, with: Option<BorrowedFd<'_>>) -> Result<Answer, Why> {
    line.send(ask, with).map_err(|_| Why::Unclear)?;
    line.receive().map(|(answer, _)| answer).map_err(|_| Why::Unclear)
}

impl World for Attestor {
    fn adopt(&self, handle: BorrowedFd<'_>, pid: u32) -> Result<Box<dyn Process>, Why> {
        match self.ask(&Ask::Adopt { pid }, Some(handle))? {
            Answer::Held(holding) if inode_of(handle).ok() == Some(holding.inode) => Ok(Box::new(self.held(holding)?)),
            _ => Err(Why::Unclear),
        }
    }

    fn boot(&self) -> Option<String> {
        match self.ask(&Ask::Boot, None) {
            Ok(Answer::Boot(boot)) => boot,
            _ => None,
        }
    }
}

/// A process that the attestor holds, and that is held here as well.
#[derive(Debug)]
struct Remote {
    attestor: Attestor,
    handle: Handle,
    pid: u32,
    inode: ProcessInode,
    pidfd: OwnedFd,
}

impl Drop for Remote {
    fn drop(&mut self) {
        // An attestor that is gone holds nothing.
        let _ = self.attestor.ask(&Ask::LetGo(self.handle), None);
    }
}

impl Process for Remote {
    fn pid(&self) -> u32 {
        self.pid
    }

    fn inode(&self) -> ProcessInode {
        self.inode
    }

    fn alive(&self) -> bool {
        let mut polled = [PollFd::from_borrowed_fd(self.pidfd.as_fd(), PollFlags::IN)];
        let now = Timespec { tv_sec: 0, tv_nsec: 0 };
        // Readable: it ended. An error is no proof of life.
        matches!(poll(&mut polled, Some(&now)), Ok(0))
    }

    fn standing(&self) -> Result<Standing, Why> {
        match self.attestor.ask(&Ask::Standing(self.handle), None)? {
            Answer::Standing(ids) => Ok(ids.into()),
            _ => Err(Why::Unclear),
        }
    }

    fn namespaces(&self) -> Result<Namespaces, Why> {
        match self.attestor.ask(&Ask::Namespaces(self.handle), None)? {
            Answer::Namespaces(namespaces) => Ok(namespaces),
            _ => Err(Why::Unclear),
        }
    }

    fn parent(&self) -> Result<Option<Box<dyn Process>>, Why> {
        match self.attestor.ask(&Ask::Parent(self.handle), None)? {
            Answer::NoParent => Ok(None),
            Answer::Held(holding) => Ok(Some(Box::new(self.attestor.held(holding)?))),
            _ => Err(Why::Unclear),
        }
    }

    fn program(&self) -> String {
        match self.attestor.ask(&Ask::Program(self.handle), None) {
            Ok(Answer::Text(program)) => program,
            _ => "?".to_owned(),
        }
    }

    fn bind(self: Box<Self>) -> Result<Box<dyn Image>, Why> {
        match self.attestor.ask(&Ask::Bind(self.handle), None)? {
            Answer::Done => Ok(self),
            _ => Err(Why::Unclear),
        }
    }

    fn veil(self: Box<Self>, why: Why) -> Result<Box<dyn Image>, Why> {
        match self.attestor.ask(&Ask::Veil(self.handle, why), None)? {
            Answer::Done => Ok(self),
            _ => Err(Why::Unclear),
        }
    }
}

impl Image for Remote {
    fn process(&self) -> &dyn Process {
        self
    }

    fn path(&self) -> Result<String, Why> {
        match self.attestor.ask(&Ask::Path(self.handle), None)? {
            Answer::Text(path) => Ok(path),
            _ => Err(Why::Unclear),
        }
    }

    fn arguments(&self) -> Vec<String> {
        match self.attestor.ask(&Ask::Arguments(self.handle), None) {
            Ok(Answer::Arguments(arguments)) => arguments,
            _ => Vec::new(),
        }
    }

    fn facts(&self) -> Result<ProcessFacts, Why> {
        match self.attestor.ask(&Ask::Facts(self.handle), None)? {
            Answer::Facts(facts) if facts.inode == self.inode && facts.pid == self.pid => Ok(*facts),
            _ => Err(Why::Unclear),
        }
    }

    fn live(&self, then: &ProcessFacts) -> LiveProcess {
        match self.attestor.ask(&Ask::Live(self.handle, Box::new(then.clone())), None) {
            Ok(Answer::Live(live)) => live,
            Ok(_) => unseen(Why::Unclear),
            Err(why) => unseen(why),
        }
    }

    fn ending(&self) -> io::Result<OwnedFd> {
        self.pidfd.try_clone()
    }
}

/// Nothing was seen, which denies.
fn unseen(why: Why) -> LiveProcess {
    LiveProcess {
        alive: false,
        inode: Seen::Unseen(why),
        parent: Seen::Unseen(why),
        executable: Seen::<FileId>::Unseen(why),
        same_image: Seen::Unseen(why),
        start_stack: Seen::Unseen(why),
        namespaces: Seen::Unseen(why),
    }
}
