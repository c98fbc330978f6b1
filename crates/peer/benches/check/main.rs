//! How long it takes to look at a chain of three processes again and to compare, and to decide about an action with that:
//! beside the system calls that nobody can do without, and beside what polkit takes to say that a process may do something.
#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::print_stdout,
    reason = "a bench dies loudly, and prints what it measured"
)]

#[path = "../../../core/benches/approved/mod.rs"]
mod approved;
mod bus;
#[path = "../../tests/common/mod.rs"]
mod common;
mod polkit;

use approved::Approved;
use common::Stage;
use lychgate_bench::{Contender, side_by_side, timed};
use lychgate_core::decide::{Decision, decide};
use lychgate_core::evidence::{Seen, differences};
// For the fixture behind `approved`.
use lychgate_core::{approval, channel, evidence, ids, provenance, request};
use polkit::Polkit;
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::fs::{AtFlags, CWD, Mode, OFlags, fstat, openat, statat};
use rustix::process::{Pid, PidfdFlags, pidfd_open};
use std::os::fd::OwnedFd;

fn main() {
    let stage = Stage::new(&["agent", "shim"]);
    let (agent, shim, mut child) = stage.agent_shell_and_shim();
    let pinned = shim.pin(&stage.rules(&[])).unwrap();
    let subject = pinned.subject();
    assert_eq!(subject.chain().len(), 3);
    let sender = Seen::Seen(subject.peer().unwrap().inode);
    let approved = Approved::of(subject);
    let bare: Vec<Bare> = subject.chain().iter().map(|process| Bare::open(process.pid)).collect();
    let polkit = Polkit::start();
    let (mut user, mut root, mut bus) = (polkit.client(), polkit.client(), polkit.client());

    let check_round = || {
        let mut found = None;
        let took = timed(|| found = Some(differences(subject, &pinned.look(sender))));
        assert_eq!(found, Some(vec![]));
        took
    };
    let whole_round = || {
        let (question, authority) = (approved.question(), approved.authority());
        let mut verdict = None;
        let took = timed(|| {
            let chain = pinned.look(sender);
            verdict = Some(decide(question, authority, &approved.live(subject, &chain)));
        });
        assert!(matches!(verdict, Some(Decision::Allow(_))));
        took
    };
    let [check, whole, digest, least, user, root, bus] = side_by_side(
        200,
        [
            Contender::new("check", 200, check_round),
            Contender::new("check and decision", 200, whole_round),
            Contender::new("of that the subject's digest", 200, || timed(|| subject.digest())),
            Contender::new("the least system calls", 200, || timed(|| bare.iter().for_each(Bare::look))),
            Contender::new("polkit, about a user's process", 20, || timed(|| user.check(&polkit.user))),
            Contender::new("polkit, about root's", 20, || timed(|| root.check(&polkit.root))),
            Contender::new("the bus without polkit", 20, || timed(|| bus.ask_bus())),
        ],
    );
    println!("check, one action of a chain of three processes");
    println!("(targets for check and decision: p50 60 µs, p99 200 µs, a tenth of a polkit check)");
    println!("{check}\n{whole}\n{digest}\n{least}\n{user}\n{root}\n{bus}");
    println!("{}\n{}", check.beside(&least), whole.beside(&least));
    println!("{}\n{}\n{}", check.beside(&user), whole.beside(&user), whole.beside(&root));
    drop((agent, shim));
    child.wait().unwrap();
}

/// One process, held by what the least calls need.
struct Bare {
    pidfd: OwnedFd,
    dir: OwnedFd,
    stat: OwnedFd,
}

impl Bare {
    fn open(pid: u32) -> Self {
        let number = Pid::from_raw(i32::try_from(pid).unwrap()).unwrap();
        let pidfd = pidfd_open(number, PidfdFlags::empty()).unwrap();
        let open = |name: &str, flags| openat(CWD, format!("/proc/{pid}/{name}"), flags, Mode::empty()).unwrap();
        Self { pidfd, dir: open("", OFlags::PATH | OFlags::DIRECTORY), stat: open("stat", OFlags::RDONLY) }
    }

    /// The same lifetime, the same file, the same parent and stack, alive: one call for each, and nothing understood.
    fn look(&self) {
        let inode = fstat(&self.pidfd).unwrap().st_ino;
        let file = statat(&self.dir, "exe", AtFlags::empty()).unwrap().st_ino;
        let mut bytes = [0_u8; 4096];
        let length = rustix::io::pread(&self.stat, &mut bytes, 0).unwrap();
        let now = Timespec { tv_sec: 0, tv_nsec: 0 };
        let ended = poll(&mut [PollFd::new(&self.pidfd, PollFlags::IN)], Some(&now)).unwrap();
        assert!(inode != 0 && file != 0 && length != 0 && ended == 0);
    }
}
