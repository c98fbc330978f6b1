//! From a peer to its agent.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing, reason = "tests")]

mod common;

use common::{Stage, kill, names, now, wait, words};
use lychgate_core::evidence::{PathNow, Seen};
use lychgate_core::outcome::Reason;
use lychgate_peer::{Linux, Pinned, Rules, inode_of, own_ancestry};
use rustix::process::{Pid, PidfdFlags, pidfd_open};
use std::os::fd::{AsFd, OwnedFd};

fn pidfd(pid: u32) -> OwnedFd {
    pidfd_open(Pid::from_raw(i32::try_from(pid).unwrap()).unwrap(), PidfdFlags::empty()).unwrap()
}

#[test]
fn the_agent_of_a_shim_is_the_process_that_started_it() {
    let stage = Stage::new(&["agent", "shim"]);
    let (agent, shim, mut child) = stage.agent_and_shim();
    let pinned = shim.pin(&stage.rules(&[])).unwrap();
    assert_eq!(names(&pinned), ["shim", "agent"]);
    let subject = pinned.subject();
    assert_eq!(subject.peer().unwrap().pid, shim.pid);
    assert_eq!(subject.peer().unwrap().parent, agent.pid);
    let facts = subject.agent().unwrap();
    assert_eq!(facts.pid, agent.pid);
    assert_eq!(facts.uid, rustix::process::getuid().as_raw());
    assert_eq!(facts.parent, std::process::id());
    assert_eq!(facts.inode, inode_of(pidfd(agent.pid).as_fd()).unwrap());
    assert_eq!(facts.executable.value().unwrap().file, stage.file("agent"));
    assert_eq!(facts.executable.value().unwrap().path, stage.path("agent"));
    assert_eq!(facts.executable.value().unwrap().path_now, PathNow::Same);
    assert_eq!(facts.claimed_command, stage.serve("agent").join(" "));
    assert!(facts.directory.is_some() && facts.start_ticks > 0);
    assert_eq!(subject.kernel_boot().len(), 36);
    assert_eq!(now(&pinned), []);
    drop((agent, shim));
    child.wait().unwrap();
}

/// F63: each way of starting names the same agent.
#[test]
fn every_launch_shape_names_the_same_agent_and_shows_the_whole_chain() {
    let stage = Stage::new(&["agent", "shim", "node", "bun", "uvx", "busybox", "npx-cli.js"]);
    let (agent, mut child) = stage.enter("agent");
    let shim = stage.serve("shim");
    let under = |prefix: &[&str]| [words(prefix), shim.clone()].concat();
    let quoted = format!("{}; true", shim.join(" "));
    let (node, bun, uvx, busybox) = (stage.path("node"), stage.path("bun"), stage.path("uvx"), stage.path("busybox"));
    let script = stage.path("npx-cli.js");
    let npx = under(&[&node, &script, "-y", "thing", "--"]);
    let shapes: Vec<(Vec<String>, usize)> = vec![
        (shim.clone(), 2),
        (words(&["sh", "-c", &quoted]), 3),
        (words(&["sh", "-c", &format!("exec {}", shim.join(" "))]), 2),
        (words(&["sh", "-c", &format!("sh -c '{quoted}'; true")]), 4),
        (under(&["env", "-u", "NOTHING"]), 2),
        (under(&["timeout", "100"]), 3),
        (under(&["setsid", "--wait"]), 2),
        (under(&["timeout", "100", "setsid", "nice"]), 3),
        (npx.clone(), 3),
        ([words(&["timeout", "100"]), npx].concat(), 4),
        (under(&[&bun, "run", "start", "--"]), 3),
        (under(&[&uvx, "thing", "--"]), 3),
        (under(&[&busybox, "sh", "--"]), 3),
    ];
    for (shape, length) in shapes {
        agent.tell("start", &shape);
        let shim = stage.next();
        let pinned = shim.pin(&stage.rules(&[])).unwrap_or_else(|refused| panic!("{shape:?}: {refused}"));
        assert_eq!(pinned.subject().agent().unwrap().pid, agent.pid, "{shape:?}");
        assert_eq!(pinned.subject().peer().unwrap().pid, shim.pid, "{shape:?}");
        assert_eq!(pinned.subject().chain().len(), length, "{shape:?}: {:?}", names(&pinned));
        for pair in pinned.subject().chain().windows(2) {
            assert_eq!(pair[0].parent, pair[1].pid, "{shape:?}");
        }
        assert_eq!(now(&pinned), [], "{shape:?}");
    }
    drop(agent);
    child.wait().unwrap();
}

#[test]
fn a_script_that_a_runtime_runs_itself_is_the_agent() {
    let stage = Stage::new(&["shim", "node", "bun"]);
    for agent in [
        [words(&[&stage.path("node"), "/opt/agent/cli.js", "npx", "--"]), stage.serve("shim")].concat(),
        [words(&[&stage.path("bun"), "run", "agent.ts", "--"]), stage.serve("shim")].concat(),
    ] {
        let mut child = stage.spawn(&agent);
        let shim = stage.next();
        let pinned = shim.pin(&stage.rules(&[])).unwrap();
        assert_eq!(pinned.subject().agent().unwrap().pid, child.id(), "{agent:?}");
        drop(shim);
        child.wait().unwrap();
    }
}

#[test]
fn nothing_at_or_above_a_session_manager_is_an_agent() {
    let stage = Stage::new(&["agent", "shim", "tmux", "systemd", "sshd-session"]);
    let (agent, mut child) = stage.enter("agent");
    for manager in ["tmux", "systemd", "sshd-session"] {
        agent.tell("start", &[words(&[&stage.path(manager), "--"]), stage.serve("shim")].concat());
        let refused = stage.next().pin(&stage.rules(&[])).unwrap_err();
        assert_eq!(refused.reason, Reason::NoAgent, "{manager}");
        assert_eq!(refused.requester.program, stage.path("shim"));
    }
    drop(agent);
    child.wait().unwrap();
}

#[test]
fn an_ancestor_of_the_gateway_or_of_a_sign_in_is_never_the_agent() {
    let stage = Stage::new(&["agent", "shim"]);
    let (agent, shim, mut child) = stage.agent_and_shim();
    let never = [inode_of(pidfd(agent.pid).as_fd()).unwrap()];
    assert_eq!(shim.pin(&stage.rules(&never)).unwrap_err().reason, Reason::NoAgent);
    let rules = Rules { claims_shim: false, ..stage.rules(&never) };
    assert_eq!(agent.pin(&rules).unwrap_err().reason, Reason::NoAgent, "not as a subject of its own either");
    assert!(shim.pin(&stage.rules(&[])).is_ok(), "the list alone was the reason");
    drop((agent, shim));
    child.wait().unwrap();
}

#[test]
fn a_launcher_that_belongs_to_the_operator_ends_the_walk() {
    let stage = Stage::new(&["agent", "shim"]);
    let (agent, mut child) = stage.enter("agent");
    agent.tell("start", &[words(&["timeout", "100"]), stage.serve("shim")].concat());
    let shim = stage.next();
    let chain = shim.pin(&stage.rules(&[])).unwrap();
    let timeout = [chain.subject().chain()[1].inode];
    assert_eq!(shim.pin(&stage.rules(&timeout)).unwrap_err().reason, Reason::NoAgent);
    drop((agent, shim));
    child.wait().unwrap();
}

/// F98: the launcher ended before the handshake.
#[test]
fn a_shim_that_was_reparented_before_its_handshake_has_no_agent() {
    let stage = Stage::new(&["agent", "shim"]);
    let (agent, mut child) = stage.enter("agent");
    agent.tell("run", &words(&["sh", "-c", &format!("{} &", stage.serve("shim").join(" "))]));
    let shim = stage.next();
    assert_eq!(agent.hear().0, "ran\n", "the shell between has ended");
    assert_eq!(shim.pin(&stage.rules(&[])).unwrap_err().reason, Reason::NoAgent);
    drop((agent, shim));
    child.wait().unwrap();
}

#[test]
fn a_peer_that_claims_to_be_the_shim_must_run_the_gateways_own_file() {
    let stage = Stage::new(&["agent", "shim", "other"]);
    let (agent, mut child) = stage.enter("agent");
    agent.tell("start", &stage.serve("other"));
    let other = stage.next();
    let refused = other.pin(&stage.rules(&[])).unwrap_err();
    assert_eq!((refused.reason, refused.requester.pid), (Reason::ShimBuild, other.pid));
    let pinned = other.pin(&Rules { claims_shim: false, ..stage.rules(&[]) }).unwrap();
    assert_eq!(names(&pinned), ["other"], "any other peer is itself the subject");
    drop((agent, other));
    child.wait().unwrap();
}

#[test]
fn our_own_program_that_does_not_speak_for_an_agent_is_itself_the_one_that_asks() {
    let stage = Stage::new(&["agent", "shim"]);
    let (agent, shim, mut child) = stage.agent_and_shim();
    let pinned = shim.pin(&Rules { claims_shim: false, ..stage.rules(&[]) }).unwrap();
    assert_eq!(names(&pinned), ["shim"]);
    drop((agent, shim));
    child.wait().unwrap();
}

#[test]
fn a_number_that_is_not_the_peers_is_refused() {
    let stage = Stage::new(&["agent", "shim"]);
    let (agent, shim, mut child) = stage.agent_and_shim();
    let rules = Rules { claims_shim: false, ..stage.rules(&[]) };
    assert_eq!(Pinned::pin(&Linux, pidfd(agent.pid), shim.pid, &rules).unwrap_err().reason, Reason::PeerGone);
    assert_eq!(Pinned::pin(&Linux, pidfd(agent.pid), 0, &rules).unwrap_err().reason, Reason::ForeignNamespace);
    assert_eq!(Pinned::pin(&Linux, pidfd(agent.pid), u32::MAX, &rules).unwrap_err().reason, Reason::ForeignNamespace);
    drop((agent, shim));
    child.wait().unwrap();
}

#[test]
fn a_peer_that_is_gone_is_refused_before_and_after_it_was_reaped() {
    let stage = Stage::new(&["agent", "shim"]);
    let (agent, mut child) = stage.enter("agent");
    let held = pidfd(agent.pid);
    kill(agent.pid);
    wait(held.as_fd(), "the agent did not end");
    let rules = Rules { claims_shim: false, ..stage.rules(&[]) };
    let refused = Pinned::pin(&Linux, held.try_clone().unwrap(), agent.pid, &rules).unwrap_err();
    assert_eq!(refused.reason, Reason::PeerGone);
    child.wait().unwrap();
    let refused = Pinned::pin(&Linux, held, agent.pid, &rules).unwrap_err();
    assert_eq!((refused.reason, refused.requester.program.as_str()), (Reason::PeerGone, "(gone)"));
}

#[test]
fn a_process_of_another_user_is_refused_and_ends_the_walk() {
    let stage = Stage::new(&["agent", "shim"]);
    let (agent, shim, mut child) = stage.agent_and_shim();
    let rules = Rules { own_uid: 4_000_000, ..stage.rules(&[]) };
    assert_eq!(shim.pin(&rules).unwrap_err().reason, Reason::NoAgent);
    drop((agent, shim));
    child.wait().unwrap();
}

#[test]
fn a_shim_whose_file_was_replaced_is_of_another_build() {
    let stage = Stage::new(&["agent", "shim", "newer"]);
    let rules = stage.rules(&[]);
    std::fs::rename(stage.path("newer"), stage.path("shim")).unwrap();
    let (agent, shim, mut child) = stage.agent_and_shim();
    assert_eq!(shim.pin(&rules).unwrap_err().reason, Reason::ShimBuild);
    drop((agent, shim));
    child.wait().unwrap();
}

#[test]
fn an_agent_whose_file_was_removed_is_still_known_by_its_open_image() {
    let stage = Stage::new(&["agent", "shim"]);
    let (agent, shim, mut child) = stage.agent_and_shim();
    let before = shim.pin(&stage.rules(&[])).unwrap();
    std::fs::remove_file(stage.path("agent")).unwrap();
    let after = shim.pin(&stage.rules(&[])).unwrap();
    let [before, after] =
        [&before, &after].map(|pinned| pinned.subject().agent().unwrap().executable.value().unwrap().clone());
    assert_eq!((before.path_now, after.path_now), (PathNow::Same, PathNow::Gone));
    assert_eq!((before.file, before.sha256), (after.file, after.sha256));
    assert_eq!(after.name(), "agent");
    drop((agent, shim));
    child.wait().unwrap();
}

/// F64.
#[test]
fn a_peer_in_another_user_or_pid_namespace_is_refused() {
    let stage = Stage::new(&["agent", "shim"]);
    let (agent, mut child) = stage.enter("agent");
    for options in [&["-U", "-r"][..], &["-U", "-r", "-p", "-f"][..]] {
        let mut unshare = words(&["unshare"]);
        unshare.extend(words(options));
        agent.tell("start", &[unshare, stage.serve("shim")].concat());
        let shim = stage.next();
        let refused = shim.pin(&stage.rules(&[])).unwrap_err();
        assert_eq!(refused.reason, Reason::ForeignNamespace, "{options:?} (needs `unshare` and user namespaces)");
        let rules = Rules { claims_shim: false, ..stage.rules(&[]) };
        assert_eq!(shim.pin(&rules).unwrap_err().reason, Reason::ForeignNamespace, "{options:?}");
    }
    drop(agent);
    child.wait().unwrap();
}

#[test]
fn a_program_that_hides_itself_is_refused_by_a_gateway_of_its_own_user() {
    let stage = Stage::new(&["agent", "shim"]);
    let (agent, shim, mut child) = stage.agent_and_shim();
    agent.tell("hide", &[]);
    agent.hear();
    let pinned = shim.pin(&stage.rules(&[]));
    if rustix::process::getuid().is_root() {
        assert!(pinned.is_ok(), "root sees through it");
    } else {
        assert_eq!(pinned.unwrap_err().reason, Reason::ProgramUnreadable);
    }
    drop((agent, shim));
    child.wait().unwrap();
}

#[test]
fn the_ancestors_of_this_process_begin_with_its_parent() {
    let all = own_ancestry().unwrap();
    assert_eq!(all[0].pid, rustix::process::getppid().unwrap().as_raw_pid().cast_unsigned());
    assert!(all.iter().all(|ancestor| ancestor.pid != std::process::id()));
    assert_eq!(all.last().unwrap().pid, 1);
}

#[test]
fn the_ancestry_of_a_peer_shows_the_run_that_it_comes_from() {
    let stage = Stage::new(&["agent", "shim"]);
    let (agent, mut child) = stage.enter("agent");
    agent.tell("start", &[words(&["timeout", "100", "timeout", "100"]), stage.serve("shim")].concat());
    let shim = stage.next();
    let all = lychgate_peer::ancestry(&Linux, pidfd(shim.pid), shim.pid).unwrap();
    let run = shim.pin(&stage.rules(&[])).unwrap().subject().agent().unwrap().inode;
    assert_eq!(all[0].pid, shim.pid);
    assert_eq!(all[3].inode, run);
    assert_eq!(all[3].program, stage.path("agent"));
    assert_eq!(all[4].pid, std::process::id());
    assert!(lychgate_peer::ancestry(&Linux, pidfd(agent.pid), shim.pid).is_err(), "a number that is not the peer's");
    drop((agent, shim));
    child.wait().unwrap();
}

#[test]
fn what_is_printed_for_debugging_holds_no_command_line() {
    let stage = Stage::new(&["agent", "shim"]);
    let (agent, mut child) = stage.enter("agent");
    let pinned = agent.pin(&Rules { claims_shim: false, ..stage.rules(&[]) }).unwrap();
    assert!(matches!(pinned.subject().agent().unwrap().executable, Seen::Seen(_)));
    assert!(!format!("{pinned:?}").contains("serve"));
    drop(agent);
    child.wait().unwrap();
}
