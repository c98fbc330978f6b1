//! What a gateway does with its world: pins a process, prints whom it is bound to, and looks again for each line of input.
//!
//! usage: gateway_side PERSON PID [SOCKET ATTESTOR]
#![allow(clippy::unwrap_used, clippy::indexing_slicing, clippy::print_stdout, reason = "a test's helper dies loudly")]

use lychgate_attest::Attestor;
use lychgate_core::evidence::{FileId, Seen, differences};
use lychgate_peer::{Linux, Pinned, Rules, World, own_namespaces};
use rustix::process::{Pid, PidfdFlags, pidfd_open};

fn main() {
    let arguments: Vec<String> = std::env::args().collect();
    let number = |at: usize| arguments[at].parse::<u32>().unwrap();
    let world: Box<dyn World> = match arguments.get(3) {
        Some(socket) => Box::new(Attestor::connect(socket.as_ref(), number(4)).unwrap()),
        None => Box::new(Linux),
    };
    let pid = number(2);
    let pidfd = pidfd_open(Pid::from_raw(i32::try_from(pid).unwrap()).unwrap(), PidfdFlags::empty()).unwrap();
    let rules = Rules {
        gateway_file: FileId { dev: 0, ino: 0 },
        own_namespaces: own_namespaces().unwrap(),
        own_uid: number(1),
        never: &[],
        claims_shim: false,
        allow_unverified: false,
    };
    let pinned = match Pinned::pin(world.as_ref(), pidfd, pid, &rules) {
        Ok(pinned) => pinned,
        Err(refused) => return println!("refused {}", refused.reason.word()),
    };
    println!("{}", serde_json::to_string(pinned.subject()).unwrap());
    let peer = pinned.subject().peer().unwrap().inode;
    for _ in std::io::stdin().lines() {
        println!("{:?}", differences(pinned.subject(), &pinned.look(Seen::Seen(peer))));
    }
}
