//! From a helper up to the agent that started it (R7).

use crate::linux::text::base_name;
use crate::pin::{Link, Pinned, Rules, enter, promise};
use crate::tables::{Role, role};
use crate::world::World;
use lychgate_core::evidence::{Attestation, ProcessInode};
use lychgate_core::limits::CHAIN_LENGTH;
use std::os::fd::AsFd;

impl Pinned {
    /// Holds the process of `from` (a pidfd) that has the number `pid` now, and all above it up to the nearest one above
    /// `below` of which `is_agent` is true: from the process that holds a connection, where `below` is who asks on it, or
    /// from a process that an agent named, where `below` is that process itself.
    ///
    /// `None` where there is no such way: a process that was reparented (an orphan, a daemon) is no descendant of whoever
    /// started it, whatever it says, and a terminal, a login or a service manager ends every way. Also where anything of it
    /// could not be seen or proven. Reads whole program files: call it where blocking is allowed.
    #[must_use]
    pub fn descent(
        world: &dyn World,
        from: impl AsFd,
        pid: u32,
        below: ProcessInode,
        rules: &Rules<'_>,
        is_agent: &dyn Fn(ProcessInode) -> bool,
    ) -> Option<Self> {
        let first = world.adopt(from.as_fd(), pid).ok()?;
        let mut chain = vec![Link::read(enter(first, rules).ok()?).ok()?];
        let mut passed = false;
        loop {
            let child = chain.last().filter(|_| chain.len() < CHAIN_LENGTH)?;
            passed |= child.inode() == below;
            let image = enter(child.parent().ok()??, rules).ok()?;
            if role(base_name(&image.path().ok()?), &image.arguments()) == Role::Never {
                return None;
            }
            let inode = image.process().inode();
            chain.push(Link::read(image).ok()?);
            if passed && is_agent(inode) {
                break;
            }
        }
        promise(world, chain, None).ok().filter(|way| way.subject().attestation() == Attestation::Whole)
    }
}
