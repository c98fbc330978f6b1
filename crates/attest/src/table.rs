//! What the attestor holds for its gateway.

use crate::messages::{Answer, Handle, Holding};
use lychgate_core::evidence::Why;
use lychgate_peer::world::{Image, Process};
use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, RwLock};

/// Processes that are held at once; each costs a few descriptors.
const MOST: usize = 16 * 1024;

#[derive(Debug)]
pub(crate) enum Entry {
    Process(Box<dyn Process>),
    Image(Box<dyn Image>),
    /// Its program could not be bound.
    Lost,
}

impl Entry {
    pub(crate) fn process(&self) -> Result<&dyn Process, Why> {
        match self {
            Self::Process(process) => Ok(process.as_ref()),
            Self::Image(image) => Ok(image.process()),
            Self::Lost => Err(Why::Gone),
        }
    }

    pub(crate) fn image(&self) -> Result<&dyn Image, Why> {
        match self {
            Self::Image(image) => Ok(image.as_ref()),
            Self::Process(_) => Err(Why::Unclear),
            Self::Lost => Err(Why::Gone),
        }
    }
}

/// One for all lines of a gateway. A slow reading holds its own entry alone.
#[derive(Debug, Default)]
pub(crate) struct Table(Mutex<HashMap<Handle, Arc<RwLock<Entry>>>>);

impl Table {
    /// Holds one more; the answer that says so.
    pub(crate) fn hold(&self, process: Box<dyn Process>) -> Answer {
        let (pid, inode) = (process.pid(), process.inode());
        let mut number = [0; 8];
        if getrandom::fill(&mut number).is_err() {
            return Answer::Not(Why::Unclear);
        }
        let handle = Handle(u64::from_le_bytes(number));
        let mut entries = self.lock();
        if entries.len() >= MOST || entries.contains_key(&handle) {
            return Answer::Not(Why::Unclear);
        }
        entries.insert(handle, Arc::new(RwLock::new(Entry::Process(process))));
        Answer::Held(Holding { handle, pid, inode })
    }

    pub(crate) fn get(&self, handle: Handle) -> Result<Arc<RwLock<Entry>>, Why> {
        self.lock().get(&handle).map(Arc::clone).ok_or(Why::Gone)
    }

    pub(crate) fn let_go(&self, handle: Handle) {
        self.lock().remove(&handle);
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<Handle, Arc<RwLock<Entry>>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
