//! Questions and answers: one for each method of [`Process`](lychgate_peer::world::Process) and
//! [`Image`](lychgate_peer::world::Image).

use lychgate_core::evidence::{LiveProcess, Namespaces, ProcessFacts, ProcessInode, Why};
use lychgate_peer::world::Standing;
use serde::{Deserialize, Serialize};

/// A process that the attestor holds. Random, so that a number means nothing elsewhere.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub(crate) struct Handle(pub(crate) u64);

#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Ask {
    Boot,
    /// A pidfd comes with it.
    Adopt {
        pid: u32,
    },
    Standing(Handle),
    Namespaces(Handle),
    Parent(Handle),
    Program(Handle),
    Bind(Handle),
    Veil(Handle, Why),
    Path(Handle),
    Arguments(Handle),
    Facts(Handle),
    Live(Handle, Box<ProcessFacts>),
    LetGo(Handle),
}

impl Ask {
    /// May read a whole program file. Others must not wait behind it.
    pub(crate) fn is_slow(&self) -> bool {
        matches!(self, Self::Adopt { .. } | Self::Parent(_) | Self::Bind(_) | Self::Facts(_))
    }
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Answer {
    Boot(Option<String>),
    Held(Holding),
    NoParent,
    Standing(Ids),
    Namespaces(Namespaces),
    Text(String),
    Arguments(Vec<String>),
    Facts(Box<ProcessFacts>),
    Live(LiveProcess),
    Done,
    Not(Why),
}

/// A process that is held from now on.
#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
pub(crate) struct Holding {
    pub(crate) handle: Handle,
    pub(crate) pid: u32,
    pub(crate) inode: ProcessInode,
}

/// [`Standing`], as it travels.
#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
pub(crate) struct Ids {
    uids: [u32; 4],
    tracer: u32,
    nested: bool,
}

impl From<Standing> for Ids {
    fn from(Standing { uids, tracer, nested }: Standing) -> Self {
        Self { uids, tracer, nested }
    }
}

impl From<Ids> for Standing {
    fn from(Ids { uids, tracer, nested }: Ids) -> Self {
        Self { uids, tracer, nested }
    }
}
