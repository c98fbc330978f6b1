//! Looking again: each way of not being the same process is seen.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing, reason = "tests")]

mod common;

use common::{Stage, kill, now, words};
use lychgate_core::evidence::{Difference, Seen, Why, differences};
use lychgate_core::outcome::Reason;
use lychgate_peer::{Linux, Pinned, Rules};
use std::os::fd::AsFd;
use std::process::Command;
use std::time::{Duration, Instant};

#[test]
fn a_chain_that_goes_on_is_the_same() {
    let stage = Stage::new(&["agent", "shim"]);
    let (agent, shim, mut child) = stage.agent_and_shim();
    let pinned = shim.pin(&stage.rules(&[])).unwrap();
    for _ in 0..3 {
        let sender = shim.say();
        assert_eq!(differences(pinned.subject(), &pinned.look(Seen::Seen(sender))), []);
    }
    drop((agent, shim));
    child.wait().unwrap();
}

/// F61.
#[test]
fn a_child_that_inherited_the_socket_is_another_sender() {
    let stage = Stage::new(&["agent", "shim"]);
    let (agent, shim, mut child) = stage.agent_and_shim();
    let pinned = shim.pin(&stage.rules(&[])).unwrap();
    shim.tell("lend", &words(&["sh", "-c", "echo stolen >&0; read wait"]));
    let (line, sender, pid) = shim.hear();
    assert_eq!(line, "stolen\n");
    assert_ne!(pid, shim.pid);
    assert_eq!(differences(pinned.subject(), &pinned.look(Seen::Seen(sender))), [Difference::Sender]);
    drop((agent, shim));
    child.wait().unwrap();
}

/// F61.
#[test]
fn a_process_that_was_passed_the_socket_is_another_sender() {
    let stage = Stage::new(&["agent", "shim"]);
    let (agent, shim, mut child) = stage.agent_and_shim();
    let pinned = shim.pin(&stage.rules(&[])).unwrap();
    shim.tell("pass", &[]);
    let (line, sender, pid) = shim.hear();
    assert_eq!(line, "passed\n");
    assert_ne!(pid, shim.pid);
    assert_eq!(differences(pinned.subject(), &pinned.look(Seen::Seen(sender))), [Difference::Sender]);
    drop((agent, shim));
    child.wait().unwrap();
}

#[test]
fn a_sender_that_was_not_seen_is_no_match() {
    let stage = Stage::new(&["agent", "shim"]);
    let (agent, shim, mut child) = stage.agent_and_shim();
    let pinned = shim.pin(&stage.rules(&[])).unwrap();
    let live = pinned.look(Seen::Unseen(Why::Gone));
    assert_eq!(differences(pinned.subject(), &live), [Difference::Sender]);
    drop((agent, shim));
    child.wait().unwrap();
}

/// F93.
#[test]
fn an_exec_of_the_same_program_anywhere_in_the_chain_is_seen() {
    for who in ["agent", "shim"] {
        let stage = Stage::new(&["agent", "shim"]);
        let (agent, shim, mut child) = stage.agent_and_shim();
        let pinned = shim.pin(&stage.rules(&[])).unwrap();
        let actor = if who == "agent" { &agent } else { &shim };
        actor.tell("exec", &stage.serve(who));
        let again = stage.next();
        assert_eq!(again.pid, actor.pid, "an exec keeps the number");
        let found = now(&pinned);
        assert!(found.contains(&Difference::Exec), "{who}: {found:?}");
        assert!(!found.contains(&Difference::Ended) && !found.contains(&Difference::Executable), "{who}: {found:?}");
        // Either detector alone must tell: a helper that shares the memory can blind the first.
        let index = usize::from(who == "agent");
        let (then, live) = (&pinned.subject().chain()[index], &pinned.look(Seen::Unseen(Why::Gone)).processes[index]);
        assert_eq!(live.same_image, Seen::Seen(false), "{who}");
        assert!(matches!((then.start_stack, live.start_stack), (Seen::Seen(a), Seen::Seen(b)) if a != b), "{who}");
        drop((agent, shim, again));
        child.wait().unwrap();
    }
}

/// F93.
/// A helper that shares the memory keeps the old map in use, and without randomisation the new stack begins where the
/// old one did: only the kernel's own report tells.
#[test]
fn an_exec_that_a_helper_with_the_same_memory_hides_is_seen() {
    let stage = Stage::with("hider", &["agent"]);
    let mut child = stage.spawn(&[words(&["setarch", "-R"]), stage.serve("agent")].concat());
    let actor = stage.next();
    let pinned = alone(&actor, &stage);
    assert_eq!(now(&pinned), []);
    actor.tell("hide", &[]);
    assert_eq!(actor.hear().0, "said\n");
    let peer = pinned.subject().peer().unwrap();
    let live = pinned.look(Seen::Seen(peer.inode));
    assert_eq!(live.processes[0].start_stack, peer.start_stack, "else the attack is not what it is meant to be");
    assert_eq!(now(&pinned), [Difference::Exec]);
    drop(actor);
    child.kill().unwrap();
    child.wait().unwrap();
}

/// Others wait for the look at one process; so nothing in that process may be able to hold it up.
#[test]
#[ignore = "keeps every processor busy for some seconds, which other tests would suffer from"]
fn a_look_does_not_wait_for_a_process_that_keeps_its_memory_map_locked() {
    let stage = Stage::with("hider", &["agent"]);
    let (actor, mut child) = stage.enter("agent");
    let pinned = alone(&actor, &stage);
    actor.tell("lock", &[]);
    assert_eq!(actor.hear().0, "said\n");
    let (done, looked) = std::sync::mpsc::channel();
    std::thread::spawn(move || {
        for _ in 0..200 {
            let found = now(&pinned);
            if done.send(found).is_err() {
                return;
            }
            std::thread::sleep(std::time::Duration::from_millis(10));
        }
    });
    for at in 0..200 {
        let found = looked.recv_timeout(std::time::Duration::from_secs(4));
        if found != Ok(vec![]) {
            child.kill().unwrap();
            panic!("look {at}: {found:?}");
        }
    }
    child.kill().unwrap();
    child.wait().unwrap();
}

/// A requester of its own, which is no shim.
fn alone(actor: &common::Actor, stage: &Stage) -> Pinned {
    let rules = Rules { claims_shim: false, ..stage.rules_for("agent") };
    let rules = Rules { gateway_file: lychgate_core::evidence::FileId { dev: 0, ino: 0 }, ..rules };
    actor.pin(&rules).unwrap()
}

#[test]
fn any_thread_of_the_process_may_speak_for_it() {
    let stage = Stage::with("hider", &["agent"]);
    let (actor, mut child) = stage.enter("agent");
    let pinned = alone(&actor, &stage);
    actor.tell("thread", &[]);
    let (_, sender, pid) = actor.hear();
    assert_eq!(pid, actor.pid, "the kernel names the process, not the thread");
    assert_eq!(differences(pinned.subject(), &pinned.look(Seen::Seen(sender))), []);
    drop(actor);
    child.wait().unwrap();
}

/// `/proc/PID/exe` is gone with the first thread, although others run on.
#[test]
fn a_process_whose_first_thread_ended_can_no_longer_be_proven_the_same() {
    let stage = Stage::with("hider", &["agent"]);
    let (actor, mut child) = stage.enter("agent");
    let pinned = alone(&actor, &stage);
    actor.tell("leave", &[]);
    let (_, sender, _) = actor.hear();
    let found = differences(pinned.subject(), &pinned.look(Seen::Seen(sender)));
    assert!(found.contains(&Difference::Unseen), "{found:?}");
    let rules = Rules { claims_shim: false, ..stage.rules_for("agent") };
    assert!(actor.pin(&rules).is_err(), "and it can't be pinned anew");
    drop(actor);
    child.wait().unwrap();
}

#[test]
fn a_name_that_a_process_gives_itself_changes_nothing() {
    let stage = Stage::with("hider", &["agent"]);
    let [program, serve, socket]: [String; 3] = stage.serve("agent").try_into().unwrap();
    let mut command = std::process::Command::new(&program);
    std::os::unix::process::CommandExt::arg0(&mut command, "systemd");
    let mut child = command.args([serve, socket]).env_remove("LD_LIBRARY_PATH").spawn().unwrap();
    let actor = stage.next();
    actor.tell("rename", &[]);
    assert_eq!(actor.hear().0, "said\n");
    let pinned = alone(&actor, &stage);
    let facts = pinned.subject().agent().unwrap();
    assert_eq!(facts.executable.value().unwrap().path, program);
    assert!(facts.claimed_command.starts_with("systemd "), "{}", facts.claimed_command);
    assert_eq!(now(&pinned), []);
    drop(actor);
    child.wait().unwrap();
}

#[test]
fn two_agents_of_one_program_are_two() {
    let stage = Stage::new(&["agent"]);
    let (one, mut first) = stage.enter("agent");
    let (two, mut second) = stage.enter("agent");
    let (pinned, other) = (alone(&one, &stage), alone(&two, &stage));
    assert_ne!(pinned.subject().digest(), other.subject().digest());
    assert_eq!(
        differences(pinned.subject(), &pinned.look(Seen::Seen(two.say()))),
        [Difference::Sender],
        "the other one's word"
    );
    assert_eq!(differences(pinned.subject(), &pinned.look(Seen::Seen(one.say()))), []);
    let chain = other.look(Seen::Seen(one.say()));
    assert!(differences(pinned.subject(), &chain).contains(&Difference::Inode), "the other one's chain");
    drop((one, two));
    first.wait().unwrap();
    second.wait().unwrap();
}

#[test]
fn an_exec_of_another_program_is_seen_by_its_file_too() {
    let stage = Stage::new(&["agent", "shim", "other"]);
    let (agent, shim, mut child) = stage.agent_and_shim();
    let pinned = shim.pin(&stage.rules(&[])).unwrap();
    agent.tell("exec", &stage.serve("other"));
    let again = stage.next();
    let found = now(&pinned);
    assert!(found.contains(&Difference::Exec) && found.contains(&Difference::Executable), "{found:?}");
    drop((agent, shim, again));
    child.wait().unwrap();
}

/// F93: what a wrapper did before it became the agent does not count against it.
#[test]
fn a_wrapper_that_execs_into_the_agent_before_the_handshake_works() {
    let stage = Stage::new(&["agent", "shim"]);
    let agent = [words(&["env", "sh", "-c", "exec \"$@\"", "sh"]), stage.serve("agent")].concat();
    let mut child = stage.spawn(&agent);
    let agent = stage.next();
    agent.tell("start", &stage.serve("shim"));
    let shim = stage.next();
    let pinned = shim.pin(&stage.rules(&[])).unwrap();
    assert_eq!(pinned.subject().agent().unwrap().pid, child.id());
    assert_eq!(now(&pinned), []);
    drop((agent, shim));
    child.wait().unwrap();
}

#[test]
fn a_process_in_the_middle_that_is_killed_is_seen_although_both_ends_live() {
    let stage = Stage::new(&["agent", "shim"]);
    let (agent, mut child) = stage.enter("agent");
    agent.tell("run", &[words(&["timeout", "100"]), stage.serve("shim")].concat());
    let shim = stage.next();
    let pinned = shim.pin(&stage.rules(&[])).unwrap();
    assert_eq!(common::names(&pinned), ["shim", "timeout", "agent"]);
    kill(pinned.subject().chain()[1].pid);
    assert_eq!(agent.hear().0, "ran\n", "it was reaped");
    let live = pinned.look(Seen::Seen(shim.say()));
    let alive: Vec<bool> = live.processes.iter().map(|process| process.alive).collect();
    assert_eq!(alive, [true, false, true]);
    let found = differences(pinned.subject(), &live);
    assert!(found.contains(&Difference::Ended) && found.contains(&Difference::Chain), "{found:?}");
    drop((agent, shim));
    child.wait().unwrap();
}

#[test]
fn a_chain_that_ended_shows_nothing_that_could_match() {
    let stage = Stage::new(&["agent", "shim"]);
    let (agent, mut child) = stage.enter("agent");
    let pinned = agent.pin(&Rules { claims_shim: false, ..stage.rules(&[]) }).unwrap();
    kill(agent.pid);
    child.wait().unwrap();
    let live = pinned.look(Seen::Unseen(Why::Gone));
    let process = &live.processes[0];
    assert!(!process.alive);
    assert_eq!(process.executable, Seen::Unseen(Why::Gone));
    assert_eq!(process.parent, Seen::Unseen(Why::Gone));
    assert_eq!(process.start_stack, Seen::Unseen(Why::Gone));
    assert_eq!(process.namespaces, Seen::Unseen(Why::Gone));
    assert_eq!(process.same_image, Seen::Seen(false));
}

#[test]
fn a_program_that_hides_itself_after_the_pin_can_no_longer_be_proven_the_same() {
    let stage = Stage::new(&["agent", "shim"]);
    let (agent, shim, mut child) = stage.agent_and_shim();
    let pinned = shim.pin(&stage.rules(&[])).unwrap();
    agent.tell("hide", &[]);
    agent.hear();
    let expected: &[Difference] = if rustix::process::getuid().is_root() { &[] } else { &[Difference::Unseen] };
    assert_eq!(now(&pinned), expected);
    drop((agent, shim));
    child.wait().unwrap();
}

#[tokio::test]
async fn the_end_of_any_process_of_the_chain_resolves_at_once() {
    for victim in 0..3 {
        let stage = Stage::new(&["agent", "shim"]);
        let (agent, mut child) = stage.enter("agent");
        agent.tell("start", &[words(&["timeout", "100"]), stage.serve("shim")].concat());
        let shim = stage.next();
        let pinned = shim.pin(&stage.rules(&[])).unwrap();
        let victim = pinned.subject().chain()[victim].pid;
        let ended = pinned.ended();
        drop(pinned);
        let mut task = tokio::spawn(ended);
        let early = tokio::time::timeout(Duration::from_millis(50), &mut task).await;
        assert!(early.is_err(), "nobody has ended yet");
        let killed = Instant::now();
        kill(victim);
        tokio::time::timeout(Duration::from_secs(10), task).await.expect("the end was not seen").unwrap();
        assert!(killed.elapsed() < Duration::from_secs(1), "{:?}", killed.elapsed());
        drop((agent, shim));
        child.wait().unwrap();
    }
}

#[tokio::test]
async fn a_chain_that_ended_before_it_was_awaited_resolves() {
    let stage = Stage::new(&["agent", "shim"]);
    let (agent, mut child) = stage.enter("agent");
    let pinned = agent.pin(&Rules { claims_shim: false, ..stage.rules(&[]) }).unwrap();
    kill(agent.pid);
    child.wait().unwrap();
    tokio::time::timeout(Duration::from_secs(10), pinned.ended()).await.expect("the end was not seen");
}

/// F60: in a pid namespace of our own, where the next number can be chosen.
#[test]
fn a_process_that_got_the_number_of_one_that_ended_is_not_taken_for_it() {
    const ALONE: &str = "LYCHGATE_TEST_ALONE";
    if std::env::var_os(ALONE).is_none() {
        let output = Command::new("unshare")
            .args(["-U", "-r", "-p", "-f", "--mount-proc"])
            .arg(std::env::current_exe().unwrap())
            .args(["--exact", "a_process_that_got_the_number_of_one_that_ended_is_not_taken_for_it"])
            .env(ALONE, "1")
            .output()
            .expect("this test needs `unshare` and user namespaces");
        let said = String::from_utf8_lossy(&output.stdout);
        let complaint = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success() && said.contains("1 passed"), "{said}{complaint}");
        return;
    }
    let stage = Stage::new(&["agent", "shim"]);
    let (first, mut child) = stage.enter("agent");
    let rules = Rules { claims_shim: false, ..stage.rules(&[]) };
    let pinned = first.pin(&rules).unwrap();
    let old = lychgate_sys::peer_pidfd(first.socket.as_fd()).unwrap();
    kill(first.pid);
    child.wait().unwrap();
    let (second, mut child) = (0..100)
        .find_map(|_| {
            std::fs::write("/proc/sys/kernel/ns_last_pid", (first.pid - 1).to_string()).unwrap();
            let (actor, mut child) = stage.enter("agent");
            if actor.pid == first.pid {
                return Some((actor, child));
            }
            drop(actor);
            child.wait().unwrap();
            None
        })
        .expect("the number did not come back");
    let sender = second.say();
    assert_ne!(sender, pinned.subject().peer().unwrap().inode);
    let found = differences(pinned.subject(), &pinned.look(Seen::Seen(sender)));
    assert!(found.contains(&Difference::Sender) && found.contains(&Difference::Ended), "{found:?}");
    let process = &pinned.look(Seen::Seen(sender)).processes[0];
    assert!(!process.alive);
    assert_eq!(process.executable, Seen::Unseen(Why::Gone), "nothing was read of the other process");
    assert_eq!(process.parent, Seen::Unseen(Why::Gone));
    assert_eq!(Pinned::pin(&Linux, old, second.pid, &rules).unwrap_err().reason, Reason::PeerGone);
    assert!(second.pin(&rules).is_ok());
    drop(second);
    child.wait().unwrap();
}

/// `cargo test -p lychgate-peer --test look -- --ignored --nocapture`
#[test]
#[ignore = "measures; prints microseconds"]
#[expect(clippy::print_stdout, reason = "it is what it is for")]
fn how_long_a_look_takes() {
    let stage = Stage::new(&["agent", "shim"]);
    let (agent, mut child) = stage.enter("agent");
    agent.tell("start", &[words(&["timeout", "100"]), stage.serve("shim")].concat());
    let shim = stage.next();
    let pinned = shim.pin(&stage.rules(&[])).unwrap();
    let sender = shim.say();
    let measure = |what: &str, work: &mut dyn FnMut()| {
        let mut times: Vec<u128> = (0..20_000)
            .map(|_| {
                let start = Instant::now();
                work();
                start.elapsed().as_nanos()
            })
            .collect();
        times.sort_unstable();
        let micros = |at: usize| times[at] as f64 / 1000.0;
        println!("{what}: p50 {:.1} µs, p99 {:.1} µs", micros(10_000), micros(19_800));
    };
    measure("look, 3 processes", &mut || drop(std::hint::black_box(pinned.look(Seen::Seen(sender)))));
    measure("look and compare", &mut || {
        assert_eq!(differences(pinned.subject(), &pinned.look(Seen::Seen(sender))), []);
    });
    measure("pin, hashes remembered", &mut || drop(shim.pin(&stage.rules(&[])).unwrap()));
    drop((agent, shim));
    child.wait().unwrap();
}
