//! From a peer to the chain of processes that a run is bound to.

use crate::facts::{self, Bound};
use crate::held::{Held, unseen_program};
use crate::own;
use crate::tables::{Role, role};
use lychgate_core::event::Requester;
use lychgate_core::evidence::{
    Difference, FileId, LiveChain, Namespaces, ProcessFacts, ProcessInode, Seen, Subject, Why, differences,
};
use lychgate_core::limits::CHAIN_LENGTH;
use lychgate_core::outcome::Reason;
use std::fmt;
use std::os::fd::{AsFd, OwnedFd};

/// What a peer is measured against. All of it is the gateway's own knowledge, but for the last field.
#[derive(Debug, Clone, Copy)]
pub struct Rules<'a> {
    /// The gateway's own program file: a peer that runs it is our shim.
    pub gateway_file: FileId,
    /// The gateway's namespaces: in another one a process can forge what we look at.
    pub own_namespaces: Namespaces,
    /// The one user that is served. In the system form this is the person's, not the gateway's.
    pub own_uid: u32,
    /// Never the agent: ancestors of the gateway and of operator sign-ins.
    pub never: &'a [ProcessInode],
    /// The peer says that it is our shim. It can only lose by saying so.
    pub claims_shim: bool,
}

/// The peer is no requester that can be attested. Nothing is bound.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("the requester (process {}, {}) was refused: {}", requester.pid, requester.program, reason.word())]
pub struct PinRefused {
    /// Why, as the agent hears it.
    pub reason: Reason,
    /// Who asked, as far as it could be seen; for the journal.
    pub requester: Requester,
}

/// A chain of processes, held: peer first, agent last.
///
/// Costs four descriptors for each process. While this lives, none of the chain can be mistaken for another process.
pub struct Pinned {
    subject: Subject,
    processes: Vec<Bound>,
}

impl Pinned {
    /// Pins the process of `peer` (a pidfd) that has the number `peer_pid` now, and the chain up to its agent.
    ///
    /// A peer that runs our own program is a shim, and its agent is the nearest ancestor that is no launcher. Any other
    /// peer is itself the subject. Reads whole program files: call it where blocking is allowed.
    ///
    /// Act only on frames that were received after this returned: a process can write and then execute another program.
    ///
    /// # Errors
    /// Refuses whatever could not be seen, proven the same at the end, or named an agent.
    pub fn pin(peer: OwnedFd, peer_pid: u32, rules: &Rules<'_>) -> Result<Self, PinRefused> {
        let refused = |reason: Reason, program: &str| PinRefused {
            reason,
            requester: Requester { pid: peer_pid, program: program.to_owned() },
        };
        let held = Held::adopt(peer.as_fd(), peer_pid).map_err(|why| refused(why.into(), unseen_program(why)))?;
        let program = held.program();
        walk(held, rules).and_then(confirm).map_err(|reason| refused(reason, &program))
    }

    /// Pins one process as a chain of its own. It must run `file`: no other is read, so that a stranger costs next to
    /// nothing.
    pub(crate) fn alone(held: Held, file: FileId) -> Result<Self, Why> {
        let link = Link::read(Bound::new(held).map_err(|(why, _)| why)?, Some(file))?;
        promise(vec![link]).map_err(|_| Why::Unclear)
    }

    /// Whom the run is bound to.
    #[must_use]
    pub fn subject(&self) -> &Subject {
        &self.subject
    }

    /// Peer first, agent last.
    pub(crate) fn processes(&self) -> &[Bound] {
        &self.processes
    }
}

/// Pids alone: a command line may hold what its program was given in confidence.
impl fmt::Debug for Pinned {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let pids: Vec<u32> = self.processes.iter().map(|bound| bound.held.pid).collect();
        f.debug_struct("Pinned").field("pids", &pids).finish_non_exhaustive()
    }
}

/// One process of the chain with what was read of it.
struct Link {
    bound: Bound,
    facts: ProcessFacts,
}

impl Link {
    fn read(bound: Bound, only: Option<FileId>) -> Result<Self, Why> {
        let arguments = facts::arguments(&bound.held);
        let facts = facts::read(&bound, &arguments, only)?;
        Ok(Self { bound, facts })
    }
}

fn walk(peer: Held, rules: &Rules<'_>) -> Result<Vec<Link>, Reason> {
    let first = Link::read(enter(peer, rules)?, None).map_err(Reason::from)?;
    let shim = match &first.facts.executable {
        Seen::Seen(executable) => executable.file == rules.gateway_file,
        Seen::Unseen(why) => return Err((*why).into()),
    };
    let mut chain = vec![first];
    match (shim, rules.claims_shim) {
        (true, _) => {}
        (false, true) => return Err(Reason::ShimBuild),
        (false, false) => return Ok(chain),
    }
    while let Some(child) = chain.last().filter(|_| chain.len() < CHAIN_LENGTH) {
        let parent = child.bound.held.parent().map_err(Reason::from)?.ok_or(Reason::NoAgent)?;
        let bound = enter(parent, rules)?;
        let file = bound.held.link("exe").map_err(Reason::from)?;
        let role = role(file_name(&file), &facts::arguments(&bound.held));
        match role {
            Role::Never => return Err(Reason::NoAgent),
            Role::Launcher => chain.push(Link::read(bound, None).map_err(Reason::from)?),
            Role::Ordinary => {
                chain.push(Link::read(bound, None).map_err(Reason::from)?);
                return Ok(chain);
            }
        }
    }
    Err(Reason::NoAgent)
}

/// What every process of a chain must pass before anything else is believed of it.
fn enter(held: Held, rules: &Rules<'_>) -> Result<Bound, Reason> {
    if held.pid == 1 || rules.never.contains(&held.inode) {
        return Err(Reason::NoAgent);
    }
    // Another user's process may be unreadable; whose it is can always be read, and is the better reason.
    let status = held.status()?;
    if status.nested {
        return Err(Reason::ForeignNamespace);
    }
    if status.uids != [rules.own_uid; 4] {
        return Err(Reason::NoAgent);
    }
    let bound = Bound::new(held).map_err(|(why, _)| why)?;
    if bound.held.namespaces()? != rules.own_namespaces {
        return Err(Reason::ForeignNamespace);
    }
    Ok(bound)
}

fn file_name(path: &str) -> &str {
    crate::text::base_name(path.strip_suffix(facts::DELETED).unwrap_or(path))
}

/// Refuses a chain with anything unseen in it.
fn confirm(chain: Vec<Link>) -> Result<Pinned, Reason> {
    for Link { facts, .. } in &chain {
        let unseen = match (&facts.executable, &facts.start_stack, &facts.namespaces) {
            (Seen::Unseen(why), _, _) | (_, Seen::Unseen(why), _) | (_, _, Seen::Unseen(why)) => *why,
            (Seen::Seen(_), Seen::Seen(_), Seen::Seen(_)) => continue,
        };
        return Err(unseen.into());
    }
    promise(chain).map_err(|found| {
        let namespace = found.contains(&Difference::Namespace);
        if namespace { Reason::ForeignNamespace } else { Reason::PeerGone }
    })
}

/// The one place that states a [`Subject`] as observed, and it lets none out that a second look does not confirm.
///
/// Each process was held before it was read; now all are alive, run the image that was read, and have the parents that
/// were read. The parents within the chain are the very processes of the chain: see [`Held::parent`].
fn promise(chain: Vec<Link>) -> Result<Pinned, Vec<Difference>> {
    let unseen = || vec![Difference::Unseen];
    let boot = own::kernel_boot().ok_or_else(unseen)?;
    let (processes, facts): (Vec<Bound>, Vec<ProcessFacts>) =
        chain.into_iter().map(|link| (link.bound, link.facts)).unzip();
    let subject = Subject::observed(facts, boot.to_owned()).ok_or_else(unseen)?;
    let pinned = Pinned { subject, processes };
    let LiveChain { processes, .. } = pinned.look(Seen::Unseen(Why::Unclear));
    let peer = pinned.subject.peer().ok_or_else(unseen)?.inode;
    let found = differences(&pinned.subject, &LiveChain { sender: Seen::Seen(peer), processes });
    if found.is_empty() { Ok(pinned) } else { Err(found) }
}
