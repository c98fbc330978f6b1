//! All processes above one, whoever's they are.

use crate::linux::held::inode_of;
use crate::world::World;
use lychgate_core::evidence::{ProcessInode, Why};
use lychgate_core::limits::CHAIN_LENGTH;
use std::os::fd::AsFd;

/// One process of a way up.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Ancestor {
    /// Identity: this is what to compare.
    pub inode: ProcessInode,
    /// Process id at the time.
    pub pid: u32,
    /// Program path for people, or in parentheses why it could not be seen.
    pub program: String,
}

/// The process of `peer` (a pidfd), which has the number `pid` now, first, and all processes above it up to pid 1.
///
/// Each parent is held and proven to be the parent. An orphan's former parents are not among them: what follows from
/// "no descendant of that run" must not be more than that.
///
/// # Errors
/// Where a process could not be held or proven to be the parent. The way up is unknown then: refuse.
pub fn ancestry(world: &dyn World, peer: impl AsFd, pid: u32) -> Result<Vec<Ancestor>, Why> {
    let mut outcome = Err(Why::Unclear);
    // A parent may end while it is looked at; its child then has another one, and the way is walked again.
    for _ in 0..TRIES {
        outcome = walk(world, &peer, pid);
        if outcome != Err(Why::Gone) || !lives(&peer) {
            break;
        }
    }
    outcome
}

const TRIES: usize = 4;

fn walk(world: &dyn World, peer: &impl AsFd, pid: u32) -> Result<Vec<Ancestor>, Why> {
    let mut next = Some(world.adopt(peer.as_fd(), pid)?);
    let mut found = Vec::new();
    while let Some(process) = next {
        if found.len() >= CHAIN_LENGTH {
            return Err(Why::Unclear);
        }
        found.push(Ancestor { inode: process.inode(), pid: process.pid(), program: process.program() });
        next = process.parent()?;
    }
    // The first link may have been cut while the upper ones were read.
    let whole = found.first().is_some_and(|first| inode_of(peer.as_fd()).is_ok_and(|inode| inode == first.inode));
    if whole && lives(peer) { Ok(found) } else { Err(Why::Gone) }
}

fn lives(peer: &impl AsFd) -> bool {
    crate::linux::held::alive([peer.as_fd()]) == [true]
}
