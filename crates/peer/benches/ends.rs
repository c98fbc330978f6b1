//! From the end of a process of a chain until a task of the gateway's kind knows, beside a thread that does nothing but
//! wait for that one process.
#![allow(clippy::unwrap_used, clippy::print_stdout, reason = "a bench dies loudly, and prints what it measured")]

#[path = "../tests/common/mod.rs"]
mod common;

use common::{Actor, Stage, kill};
use lychgate_bench::{Contender, Measured, side_by_side};
use lychgate_peer::Pinned;
use rustix::event::{PollFd, PollFlags, poll};
use rustix::process::{Pid, PidfdFlags, pidfd_open};
use std::future::poll_fn;
use std::os::fd::OwnedFd;
use std::pin::pin;
use std::process::Child;
use std::sync::mpsc::{Sender, channel};
use std::thread::sleep;
use std::time::{Duration, Instant};
use tokio::runtime::Runtime;

/// Which process of the chain is killed, by its place: the peer is the first and the agent the last.
#[derive(Clone, Copy)]
enum Victim {
    Agent,
    Launcher,
    Shim,
}

fn main() {
    let stage = Stage::new(&["agent", "shim"]);
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_io().build().unwrap();
    let task = |victim| round(&stage, victim, |chain, _, times| by_task(&runtime, chain, times));
    let thread = |victim| round(&stage, victim, by_thread);
    let measured = side_by_side(
        100,
        [
            Contender::new("the agent: ended()", 5, || task(Victim::Agent)),
            Contender::new("the launcher: ended()", 5, || task(Victim::Launcher)),
            Contender::new("the shim: ended()", 5, || task(Victim::Shim)),
            Contender::new("the agent: poll in a thread", 5, || thread(Victim::Agent)),
            Contender::new("the launcher: poll in a thread", 5, || thread(Victim::Launcher)),
            Contender::new("the shim: poll in a thread", 5, || thread(Victim::Shim)),
        ],
    );
    println!("ends, from SIGKILL to one process of three (target: p99 5 ms)");
    measured.iter().for_each(|one| println!("{one}"));
    let [tasks @ .., _, _, _] = &measured;
    let [_, _, _, threads @ ..] = &measured;
    tasks.iter().zip(threads).for_each(|(task, thread)| println!("{}", Measured::beside(task, thread)));
}

/// One chain: agent, shell, shim. All of it ends with this value.
struct Chain {
    pinned: Pinned,
    _actors: [Actor; 2],
    child: Child,
}

impl Drop for Chain {
    fn drop(&mut self) {
        // The agent is our child; without it the others lose their sockets, and end.
        self.child.kill().unwrap();
        self.child.wait().unwrap();
    }
}

fn chain(stage: &Stage) -> Chain {
    let (agent, shim, child) = stage.agent_shell_and_shim();
    let pinned = shim.pin(&stage.rules(&[])).unwrap();
    assert_eq!(pinned.subject().chain().len(), 3);
    Chain { pinned, _actors: [agent, shim], child }
}

/// Starts whoever waits (`wait` sends once when it waits and once when it knows), kills, and says how long it took.
fn round(stage: &Stage, victim: Victim, wait: impl Fn(&Chain, u32, Sender<Instant>)) -> Duration {
    let chain = chain(stage);
    let processes = chain.pinned.subject().chain();
    let victim = match (victim, processes) {
        (Victim::Shim, [process, ..]) | (Victim::Launcher, [_, process, _]) | (Victim::Agent, [.., process]) => {
            process.pid
        }
        _ => unreachable!("a chain of three"),
    };
    let (times, known) = channel();
    wait(&chain, victim, times);
    known.recv().unwrap();
    // Between "I wait" and asleep there is no event: what is measured is the way from sleep.
    sleep(Duration::from_millis(2));
    let killed = Instant::now();
    kill(victim);
    known.recv().unwrap() - killed
}

fn by_task(runtime: &Runtime, chain: &Chain, times: Sender<Instant>) {
    let ended = chain.pinned.ended();
    runtime.spawn(async move {
        let mut ended = pin!(ended);
        let mut waits = false;
        poll_fn(|context| {
            let answer = ended.as_mut().poll(context);
            if !waits {
                assert!(answer.is_pending());
                times.send(Instant::now()).unwrap();
                waits = true;
            }
            answer
        })
        .await;
        times.send(Instant::now()).unwrap();
    });
}

fn by_thread(_: &Chain, victim: u32, times: Sender<Instant>) {
    let pid = Pid::from_raw(i32::try_from(victim).unwrap()).unwrap();
    let pidfd: OwnedFd = pidfd_open(pid, PidfdFlags::empty()).unwrap();
    std::thread::spawn(move || {
        times.send(Instant::now()).unwrap();
        poll(&mut [PollFd::new(&pidfd, PollFlags::IN)], None).unwrap();
        times.send(Instant::now()).unwrap();
    });
}
