//! From a peer to the chain of processes that a run is bound to.

use crate::linux::held::unseen_program;
use crate::linux::text::base_name;
use crate::tables::{Role, role};
use crate::world::{Image, Process, World};
use lychgate_core::event::Requester;
use lychgate_core::evidence::{
    Difference, FileId, LiveChain, LiveProcess, Namespaces, ProcessFacts, ProcessInode, Seen, Subject, Unverified, Why,
    differences,
};
use lychgate_core::limits::CHAIN_LENGTH;
use lychgate_core::outcome::Reason;
use lychgate_text::words;
use std::fmt;
use std::os::fd::{AsFd, OwnedFd};

/// What a peer is measured against. All of it is the gateway's own knowledge, but for the last field.
#[derive(Debug, Clone, Copy)]
pub struct Rules<'a> {
    /// The gateway's own program file: only a peer that runs it can be our shim.
    pub gateway_file: FileId,
    /// The gateway's namespaces: in another one a process can forge what we look at.
    pub own_namespaces: Namespaces,
    /// The one user that is served. In the system form this is the person's, not the gateway's.
    pub own_uid: u32,
    /// Never the agent: ancestors of the gateway and of operator sign-ins.
    pub never: &'a [ProcessInode],
    /// The peer says that it is our shim and speaks for the agent above it. Whoever else asks, `lych call` too, is itself
    /// the one that a run is bound to.
    pub claims_shim: bool,
    /// A requester that can't be verified may be taken as one (R5): the operator allowed it for a channel.
    pub allow_unverified: bool,
}

/// The peer is no requester that can be attested. Nothing is bound.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{}", (words().peer().requester_refused)(requester.pid, &requester.program, &reason.word()))]
pub struct PinRefused {
    /// Why, as the agent hears it.
    pub reason: Reason,
    /// Who asked, as far as it could be seen; for the journal.
    pub requester: Requester,
}

/// A chain of processes, held: peer first, agent last.
///
/// Costs five descriptors for each process. While this lives, none of the chain can be mistaken for another process.
pub struct Pinned {
    subject: Subject,
    processes: Vec<Box<dyn Image>>,
}

impl Pinned {
    /// Pins the process of `peer` (a pidfd) that has the number `peer_pid` now, and the chain up to its agent.
    ///
    /// A peer that runs our own program and says so is a shim, and its agent is the nearest ancestor that is no launcher and
    /// no shim. Any other peer is itself the subject. An agent whose program can't be read is held without it; what the subject
    /// is worth then, its [`Attestation`](lychgate_core::evidence::Attestation) says. Reads whole program files: call it where blocking is allowed.
    ///
    /// Act only on frames that were received after this returned: a process can write and then execute another program.
    ///
    /// # Errors
    /// Refuses whatever could not be seen, proven the same at the end, or named an agent.
    pub fn pin(world: &dyn World, peer: OwnedFd, peer_pid: u32, rules: &Rules<'_>) -> Result<Self, PinRefused> {
        let refused = |reason: Reason, program: &str| PinRefused {
            reason,
            requester: Requester { pid: peer_pid, program: program.to_owned() },
        };
        let process = world.adopt(peer.as_fd(), peer_pid).map_err(|why| refused(why.into(), unseen_program(why)))?;
        let program = process.program();
        let confirmed = walk(process, rules).and_then(|chain| confirm(world, chain, None));
        let taken = confirmed.or_else(|reason| match unverified(reason) {
            Some(why) if rules.allow_unverified => {
                let process = world.adopt(peer.as_fd(), peer_pid).map_err(Reason::from)?;
                confirm(world, vec![alone(process, why, rules).map_err(|_| reason)?], Some(why))
            }
            _ => Err(reason),
        });
        taken.map_err(|reason| refused(reason, &program))
    }

    /// Whom the run is bound to.
    #[must_use]
    pub fn subject(&self) -> &Subject {
        &self.subject
    }

    /// Looks at every process of the chain now. `sender` is who wrote the frame, by the pidfd that came with it.
    ///
    /// The answer is evidence, no verdict: give it to [`lychgate_core::evidence::differences`]. It is out of date as soon
    /// as it is made, so look as late as can be.
    #[must_use]
    pub fn look(&self, sender: Seen<ProcessInode>) -> LiveChain {
        let both = self.processes.iter().zip(self.subject.chain());
        let mut processes: Vec<LiveProcess> = both.map(|(image, then)| image.live(then)).collect();
        // Asked last: who lives after the reads lived during them, since an end is for ever.
        for (process, image) in processes.iter_mut().zip(&self.processes) {
            process.alive = image.process().alive();
        }
        LiveChain { sender, processes }
    }

    /// Peer first, agent last.
    pub(crate) fn processes(&self) -> &[Box<dyn Image>] {
        &self.processes
    }
}

/// Pids alone: a command line may hold what its program was given in confidence.
impl fmt::Debug for Pinned {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let pids: Vec<u32> = self.processes.iter().map(|image| image.process().pid()).collect();
        f.debug_struct("Pinned").field("pids", &pids).finish_non_exhaustive()
    }
}

/// One process of the chain with what was read of it.
pub(crate) struct Link {
    image: Box<dyn Image>,
    facts: ProcessFacts,
}

impl Link {
    pub(crate) fn read(image: Box<dyn Image>) -> Result<Self, Why> {
        let facts = image.facts()?;
        Ok(Self { image, facts })
    }

    pub(crate) fn inode(&self) -> ProcessInode {
        self.facts.inode
    }

    pub(crate) fn parent(&self) -> Result<Option<Box<dyn Process>>, Why> {
        self.image.process().parent()
    }

    /// A program that was not seen is no shim: a shim lets itself be looked at.
    fn runs(&self, file: FileId) -> bool {
        self.facts.executable.value().is_some_and(|executable| executable.file == file)
    }
}

fn walk(peer: Box<dyn Process>, rules: &Rules<'_>) -> Result<Vec<Link>, Reason> {
    let first = Link::read(enter(peer, rules)?).map_err(Reason::from)?;
    let (own_program, unseen) = (first.runs(rules.gateway_file), first.facts.unseen());
    let mut chain = vec![first];
    match (rules.claims_shim, own_program) {
        (true, true) => {}
        (true, false) => return Err(unseen.map_or(Reason::ShimBuild, Reason::from)),
        (false, _) => return Ok(chain),
    }
    while let Some(child) = chain.last().filter(|_| chain.len() < CHAIN_LENGTH) {
        let parent = child.parent().map_err(Reason::from)?.ok_or(Reason::NoAgent)?;
        let image = enter(parent, rules)?;
        let role = match image.path() {
            Ok(path) => role(base_name(&path), &image.arguments()),
            // Who can't be looked at is passed over for nobody: he is the agent, and the card says what is not known.
            Err(Why::NotReadable) => Role::Ordinary,
            Err(why) => return Err(why.into()),
        };
        match role {
            Role::Never => return Err(Reason::NoAgent),
            Role::Launcher => chain.push(Link::read(image).map_err(Reason::from)?),
            Role::Ordinary => {
                let link = Link::read(image).map_err(Reason::from)?;
                // Our own program is nobody's agent: one shim does not speak for another.
                let own = link.runs(rules.gateway_file);
                chain.push(link);
                if !own {
                    return Ok(chain);
                }
            }
        }
    }
    Err(Reason::NoAgent)
}

/// What every process of a chain must pass before anything else is believed of it.
pub(crate) fn enter(process: Box<dyn Process>, rules: &Rules<'_>) -> Result<Box<dyn Image>, Reason> {
    if process.pid() == 1 || rules.never.contains(&process.inode()) {
        return Err(Reason::NoAgent);
    }
    // Another user's process may be unreadable; whose it is can always be read, and is the better reason.
    let standing = process.standing()?;
    if standing.nested {
        return Err(Reason::ForeignNamespace);
    }
    if standing.uids != [rules.own_uid; 4] {
        return Err(Reason::NoAgent);
    }
    if process.namespaces() == Err(Why::NotReadable) {
        return Ok(process.veil(Why::NotReadable)?);
    }
    let image = process.bind()?;
    if image.process().namespaces()? != rules.own_namespaces {
        return Err(Reason::ForeignNamespace);
    }
    Ok(image)
}

/// The reasons for which a requester may be taken unverified, where the operator allowed that.
fn unverified(reason: Reason) -> Option<Unverified> {
    match reason {
        Reason::ForeignNamespace => Some(Unverified::ForeignNamespace),
        Reason::NoAgent => Some(Unverified::NoAgent),
        _ => None,
    }
}

/// The peer without anything above it.
///
/// It must be the user's own all the same, and not a process that the person's consoles are below: those would count as
/// descendants of a run.
fn alone(peer: Box<dyn Process>, why: Unverified, rules: &Rules<'_>) -> Result<Link, Reason> {
    let standing = peer.standing()?;
    if peer.pid() == 1 || rules.never.contains(&peer.inode()) || standing.uids != [rules.own_uid; 4] {
        return Err(Reason::NoAgent);
    }
    let image = match why {
        // What can be seen of it can be forged there.
        Unverified::ForeignNamespace => peer.veil(Why::ForeignNamespace)?,
        Unverified::NoAgent => enter(peer, rules)?,
    };
    Ok(Link::read(image)?)
}

/// Refuses a chain with anything unseen in it for which there is no word.
fn confirm(world: &dyn World, chain: Vec<Link>, why: Option<Unverified>) -> Result<Pinned, Reason> {
    let partly = |link: &Link| link.facts.unseen().filter(|_| why.is_none() && !link.facts.is_shut_off());
    if let Some(refused) = chain.iter().find_map(partly) {
        return Err(refused.into());
    }
    promise(world, chain, why).map_err(|found| {
        let namespace = found.contains(&Difference::Namespace);
        if namespace { Reason::ForeignNamespace } else { Reason::PeerGone }
    })
}

/// The one place that states a [`Subject`] as observed, and it lets none out that a second look does not confirm.
///
/// Each process was held before it was read; now all are alive, run the image that was read, and have the parents that
/// were read. The parents within the chain are the very processes of the chain: see [`Process::parent`].
pub(crate) fn promise(world: &dyn World, chain: Vec<Link>, why: Option<Unverified>) -> Result<Pinned, Vec<Difference>> {
    let unseen = || vec![Difference::Unseen];
    let boot = world.boot().ok_or_else(unseen)?;
    let (processes, facts): (Vec<Box<dyn Image>>, Vec<ProcessFacts>) =
        chain.into_iter().map(|link| (link.image, link.facts)).unzip();
    let subject = match why {
        None => Subject::observed(facts, boot),
        Some(why) => Subject::unverified(facts, boot, why),
    };
    let subject = subject.ok_or_else(unseen)?;
    let pinned = Pinned { subject, processes };
    let LiveChain { processes, .. } = pinned.look(Seen::Unseen(Why::Unclear));
    let peer = pinned.subject.peer().ok_or_else(unseen)?.inode;
    let found = differences(&pinned.subject, &LiveChain { sender: Seen::Seen(peer), processes });
    if found.is_empty() { Ok(pinned) } else { Err(found) }
}
