//! The attestor's side.

use crate::line::Line;
use crate::messages::{Answer, Ask, Handle};
use crate::table::{Entry, Table};
use lychgate_core::evidence::Why;
use lychgate_peer::world::{Image, Process, World};
use std::io;
use std::os::fd::{AsFd, OwnedFd};
use std::sync::{Arc, PoisonError, RwLockReadGuard, RwLockWriteGuard};

/// Whom an attestor serves, and about whom. Both are given by whoever starts it, and by nobody else.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Serving {
    /// The gateway's user: nobody else is answered.
    pub gateway: u32,
    /// The person: nothing is told of the processes of anybody else, but that they are not his.
    pub person: u32,
}

/// Serves connections from `next` until it fails, each by a thread of its own. They share what they hold.
///
/// # Errors
/// The one that `next` gave.
pub fn serve(world: Arc<dyn World>, serving: Serving, mut next: impl FnMut() -> io::Result<OwnedFd>) -> io::Result<()> {
    let table = Arc::new(Table::default());
    loop {
        let socket = next()?;
        let from = lychgate_sys::peer_credentials(socket.as_fd());
        if !from.is_ok_and(|from| from.uid == serving.gateway) {
            continue;
        }
        let desk = Desk { world: Arc::clone(&world), table: Arc::clone(&table), serving };
        std::thread::Builder::new().name("line".into()).spawn(move || desk.converse(&Line::over(socket)))?;
    }
}

struct Desk {
    world: Arc<dyn World>,
    table: Arc<Table>,
    serving: Serving,
}

impl Desk {
    fn converse(&self, line: &Line) {
        let mut own = Vec::new();
        // Whatever can't be read or answered ends the line: nothing after it is understood as it was meant.
        while let Ok((ask, descriptor)) = line.receive() {
            let answer = self.answer(ask, descriptor).unwrap_or_else(Answer::Not);
            if let Answer::Held(holding) = &answer {
                own.push(holding.handle);
            }
            if line.send(&answer, None).is_err() {
                break;
            }
        }
        // Its gateway is gone, or does not trust it any more.
        own.into_iter().for_each(|handle| self.table.let_go(handle));
    }

    fn answer(&self, ask: Ask, descriptor: Option<OwnedFd>) -> Result<Answer, Why> {
        match ask {
            Ask::Boot => Ok(Answer::Boot(self.world.boot())),
            Ask::Adopt { pid } => {
                let pidfd = descriptor.ok_or(Why::Unclear)?;
                Ok(self.table.hold(self.world.adopt(pidfd.as_fd(), pid)?))
            }
            // Whose it is may be told of anybody: that it is not the person's is the answer that refuses.
            Ask::Standing(handle) => {
                let entry = self.table.get(handle)?;
                Ok(Answer::Standing(read(&entry).process()?.standing()?.into()))
            }
            Ask::Namespaces(handle) => {
                self.of_person(handle, |entry| Ok(Answer::Namespaces(entry.process()?.namespaces()?)))
            }
            Ask::Parent(handle) => self.of_person(handle, |entry| {
                Ok(entry.process()?.parent()?.map_or(Answer::NoParent, |parent| self.table.hold(parent)))
            }),
            Ask::Program(handle) => self.of_person(handle, |entry| Ok(Answer::Text(entry.process()?.program()))),
            Ask::Bind(handle) => self.take_hold(handle, |process| process.bind()),
            Ask::Veil(handle, why) => self.take_hold(handle, |process| process.veil(why)),
            Ask::Path(handle) => self.of_person(handle, |entry| Ok(Answer::Text(entry.image()?.path()?))),
            Ask::Arguments(handle) => self.of_person(handle, |entry| Ok(Answer::Arguments(entry.image()?.arguments()))),
            Ask::Facts(handle) => self.of_person(handle, |entry| Ok(Answer::Facts(Box::new(entry.image()?.facts()?)))),
            Ask::Live(handle, then) => self.of_person(handle, |entry| Ok(Answer::Live(entry.image()?.live(&then)))),
            Ask::LetGo(handle) => {
                self.table.let_go(handle);
                Ok(Answer::Done)
            }
        }
    }

    fn of_person(&self, handle: Handle, answer: impl FnOnce(&Entry) -> Result<Answer, Why>) -> Result<Answer, Why> {
        let entry = self.table.get(handle)?;
        let entry = read(&entry);
        self.is_persons(entry.process()?)?;
        let answer = answer(&entry)?;
        // It may have become somebody else's while it was looked at.
        self.is_persons(entry.process()?)?;
        Ok(answer)
    }

    fn is_persons(&self, process: &dyn Process) -> Result<(), Why> {
        if process.standing()?.uids == [self.serving.person; 4] { Ok(()) } else { Err(Why::NotReadable) }
    }

    fn take_hold(
        &self,
        handle: Handle,
        how: impl FnOnce(Box<dyn Process>) -> Result<Box<dyn Image>, Why>,
    ) -> Result<Answer, Why> {
        let entry = self.table.get(handle)?;
        let mut entry = write(&entry);
        self.is_persons(entry.process()?)?;
        match std::mem::replace(&mut *entry, Entry::Lost) {
            Entry::Process(process) => *entry = Entry::Image(how(process)?),
            Entry::Image(image) => *entry = Entry::Image(image),
            Entry::Lost => return Err(Why::Gone),
        }
        Ok(Answer::Done)
    }
}

fn read(entry: &std::sync::RwLock<Entry>) -> RwLockReadGuard<'_, Entry> {
    entry.read().unwrap_or_else(PoisonError::into_inner)
}

fn write(entry: &std::sync::RwLock<Entry>) -> RwLockWriteGuard<'_, Entry> {
    entry.write().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
#[expect(clippy::unwrap_used, clippy::panic, reason = "tests")]
mod tests {
    use super::*;
    use lychgate_peer::Linux;
    use rustix::process::{Pid, PidfdFlags, pidfd_open};

    fn desk(person: u32) -> (Desk, Handle) {
        let world: Arc<dyn World> = Arc::new(Linux);
        let desk = Desk { world, table: Arc::default(), serving: Serving { gateway: 0, person } };
        let own = rustix::process::getpid();
        let pidfd = pidfd_open(own, PidfdFlags::empty()).unwrap();
        let pid = Pid::as_raw(Some(own)).unsigned_abs();
        let Ok(Answer::Held(holding)) = desk.answer(Ask::Adopt { pid }, Some(pidfd)) else { panic!("not held") };
        (desk, holding.handle)
    }

    #[test]
    fn of_somebody_elses_process_nothing_is_told_but_that_it_is() {
        let (desk, handle) = desk(rustix::process::getuid().as_raw() + 1);
        assert!(matches!(desk.answer(Ask::Standing(handle), None), Ok(Answer::Standing(_))));
        let asks = [
            Ask::Namespaces(handle),
            Ask::Parent(handle),
            Ask::Program(handle),
            Ask::Bind(handle),
            Ask::Veil(handle, Why::NotReadable),
            Ask::Path(handle),
            Ask::Arguments(handle),
            Ask::Facts(handle),
        ];
        for ask in asks {
            let told = format!("{ask:?}");
            assert_eq!(desk.answer(ask, None).err(), Some(Why::NotReadable), "{told}");
        }
    }

    #[test]
    fn a_number_without_its_pidfd_or_with_that_of_another_holds_nothing() {
        let (desk, _) = desk(rustix::process::getuid().as_raw());
        let pid = std::process::id();
        assert_eq!(desk.answer(Ask::Adopt { pid }, None).err(), Some(Why::Unclear));
        let parent = rustix::process::getppid().unwrap();
        let other = pidfd_open(parent, PidfdFlags::empty()).unwrap();
        assert!(desk.answer(Ask::Adopt { pid }, Some(other)).is_err());
    }

    #[test]
    fn a_handle_that_was_let_go_or_made_up_names_nothing() {
        let (desk, handle) = desk(rustix::process::getuid().as_raw());
        assert!(matches!(desk.answer(Ask::Program(handle), None), Ok(Answer::Text(_))));
        assert_eq!(desk.answer(Ask::Program(Handle(handle.0.wrapping_add(1))), None).err(), Some(Why::Gone));
        assert!(matches!(desk.answer(Ask::LetGo(handle), None), Ok(Answer::Done)));
        assert_eq!(desk.answer(Ask::Program(handle), None).err(), Some(Why::Gone));
    }
}
