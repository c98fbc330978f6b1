//! The whole chain, looked at again for one action. Tens of microseconds.

use crate::facts::{self, Bound};
use crate::held::{Held, PAGE, alive, seen, why};
use crate::pin::Pinned;
use crate::text::{self, Stat};
use lychgate_core::evidence::{LiveChain, LiveProcess, Namespaces, ProcessFacts, ProcessInode, Seen, Why};
use std::os::fd::AsFd;

impl Pinned {
    /// Looks at every process of the chain now. `sender` is who wrote the frame, by the pidfd that came with it.
    ///
    /// The answer is evidence, no verdict: give it to [`lychgate_core::evidence::differences`]. It is out of date as soon
    /// as it is made, so look as late as can be.
    #[must_use]
    pub fn look(&self, sender: Seen<ProcessInode>) -> LiveChain {
        let both = self.processes().iter().zip(self.subject().chain());
        let mut processes: Vec<LiveProcess> = both.map(|(bound, then)| look_at(bound, then)).collect();
        // Asked last: who lives after the reads lived during them, since an end is for ever.
        let living = alive(self.processes().iter().map(|bound| bound.held.pidfd()));
        for (process, alive) in processes.iter_mut().zip(living) {
            process.alive = alive;
        }
        LiveChain { sender, processes }
    }
}

/// One process, not known to be alive yet. All reads go through descriptors of that very process.
fn look_at(bound: &Bound, then: &ProcessFacts) -> LiveProcess {
    let held = &bound.held;
    let stat = stat(bound);
    LiveProcess {
        alive: false,
        // A held pidfd is of one process for ever, so its inode need not be asked again.
        inode: Seen::Seen(held.inode),
        parent: seen(stat.map(|stat| stat.parent)),
        executable: seen(held.program_file()),
        start_stack: match stat {
            Ok(stat) => facts::start_stack(stat.start_stack),
            Err(why) => Seen::Unseen(why),
        },
        namespaces: namespaces(held, then),
        // After the others: an image that is in use now was in use while they were read.
        same_image: seen(lychgate_sys::image_unchanged(bound.maps.as_fd()).map_err(|_| Why::Unclear)),
    }
}

/// A process can move to another user namespace. It can't change its own pid namespace, only that of its children
/// (`pid_namespaces(7)`), so that one is what was seen at the pin.
fn namespaces(held: &Held, then: &ProcessFacts) -> Seen<Namespaces> {
    match (held.user_namespace(), &then.namespaces) {
        (Ok(user), Seen::Seen(then)) => Seen::Seen(Namespaces { user, pid: then.pid }),
        (Err(why), _) => Seen::Unseen(why),
        (Ok(_), Seen::Unseen(why)) => Seen::Unseen(*why),
    }
}

fn stat(bound: &Bound) -> Result<Stat, Why> {
    let mut bytes = [0; PAGE];
    let length = rustix::io::pread(&bound.stat, &mut bytes, 0).map_err(why)?;
    text::stat(bytes.get(..length).unwrap_or_default()).ok_or(Why::Unclear)
}
