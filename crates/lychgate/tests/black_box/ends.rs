//! The end of any process of a chain ends its run, whichever it was and however it ended.

use crate::shapes::{client, line_from, pilot, shim_through, words};
use crate::world::agent::Agent;
use crate::world::children::{Running, children_of};
use crate::world::elsewhere::Elsewhere;
use crate::world::{World, until};
use serde_json::json;

/// `true` keeps a shell from becoming the shim.
const THROUGH: [&str; 6] = ["/bin/bash", "-lc", "\"$@\"; true", "bash", "/usr/bin/timeout", "600"];

/// A pilot with authority that was used, and its line of processes.
fn approved(world: &World, mut agent: Agent, names: &[&str]) -> (Agent, Vec<Elsewhere>) {
    agent.authorized(world, &["api"]);
    agent.get(world, "/v1/one").must_say("COMPLETED");
    let line = line_from(agent.pid());
    let found: Vec<&str> = line.iter().map(|(_, file)| file.rsplit('/').next().unwrap()).collect();
    assert_eq!(found, names);
    (agent, line.into_iter().map(|(pid, _)| Elsewhere::of(pid)).collect())
}

/// The run is over, the journal says why, and what is left of its processes gets nothing: the shim has ended too, or
/// hears what it `says`.
#[track_caller]
fn is_over(world: &World, agent: &mut Agent, cause: &str, says: Option<&str>) {
    until("no run", || world.runs().is_empty().then_some(()));
    world.has_activity(&["session_ended", cause]);
    if let Some(says) = says {
        agent.get(world, "/v1/two").must_say(says);
    }
    assert_eq!((world.runs().len(), world.cards().len(), world.upstream.count()), (0, 0, 1));
}

const NO_AGENT: Option<&str> = Some("UNVERIFIED_REQUESTER no_agent");

/// SIGKILL to one of `pilot`, `bash`, `timeout`, `lych`, by its place.
#[track_caller]
fn killed(place: usize, says: Option<&str>) {
    let world = World::new();
    let (mut agent, line) = approved(&world, pilot(&world, &THROUGH), &["pilot", "bash", "timeout", "lych"]);
    line[place].kill();
    if says.is_none() {
        line[3].ends();
    }
    is_over(&world, &mut agent, "process_exited", says);
}

#[test]
fn a_killed_agent_ends_its_run() {
    killed(0, NO_AGENT);
}

#[test]
fn a_killed_launcher_ends_the_run_whose_chain_it_is_in() {
    killed(1, NO_AGENT);
    killed(2, None);
}

#[test]
fn a_killed_shim_ends_its_run() {
    killed(3, None);
}

#[test]
fn an_open_card_goes_with_the_process_that_asked() {
    let world = World::new();
    let mut agent = pilot(&world, &THROUGH);
    agent.get(&world, "/v1/one").must_say("APPROVAL_PENDING new_run");
    assert_eq!(world.cards().len(), 1);
    Elsewhere::of(line_from(agent.pid())[1].0).kill();
    until("no card", || world.cards().is_empty().then_some(()));
}

/// Dead is dead, though the number is still taken and the parent may never ask.
#[test]
fn a_dead_agent_whose_own_parent_does_not_ask_for_it_ends_its_run() {
    let world = World::new();
    let (mut agent, _line) = approved(&world, pilot(&world, &THROUGH), &["pilot", "bash", "timeout", "lych"]);
    agent.kill_and_leave();
    is_over(&world, &mut agent, "process_exited", NO_AGENT);
    let stat = std::fs::read_to_string(format!("/proc/{}/stat", agent.pid())).unwrap();
    assert!(stat.contains(") Z "), "it was a zombie until now: {stat}");
}

fn is_lych(pid: u32) -> bool {
    std::fs::read_link(format!("/proc/{pid}/exe")).is_ok_and(|file| file.ends_with("lych"))
}

/// A launcher that forks and ends in order, as one does that puts its program into the background.
#[test]
fn a_launcher_that_ends_by_itself_ends_the_run_whose_chain_it_is_in() {
    let world = World::new();
    let go = world.own_dir().join("go");
    let shell = format!("exec 3<&0; \"$@\" <&3 & while ! [ -e {} ]; do sleep 0.1; done; exit 0", go.display());
    let mut agent = pilot(&world, &["/bin/sh", "-c", &shell, "sh"]);
    agent.authorized(&world, &["api"]);
    agent.get(&world, "/v1/one").must_say("COMPLETED");
    let pids = [agent.children(), children_of(agent.children()[0])].concat();
    let shell = Elsewhere::of(pids[0]);
    let shim = pids.iter().find(|pid| is_lych(**pid)).map(|shim| Elsewhere::of(*shim)).unwrap();
    std::fs::write(&go, "").unwrap();
    shell.ends();
    shim.ends();
    is_over(&world, &mut agent, "process_exited", None);
    assert!(!Elsewhere::of(agent.pid()).has_ended(), "the agent itself lives on");
}

/// The agent lives, but is another's child now: nothing proves that it is still what was approved.
#[test]
fn an_agent_that_gets_another_parent_must_ask_anew() {
    let world = World::new();
    let (meeting, go) = (world.meeting(), world.own_dir().join("go"));
    let agent = meeting.words(&[], &world.words_of_agent("pilot", &shim_through(&world, &[])));
    let line = format!("\"$@\" & while ! [ -e {} ]; do sleep 0.1; done", go.display());
    let mut shell = words(&["/bin/sh", "-c", &line, "sh"]);
    shell.extend(agent);
    let mut command = world.user.command("/bin/sh".as_ref());
    command.args(&shell[1..]);
    let (mut shell, _output) = Running::with_output("shell", command);
    let (mut agent, _line) = approved(&world, meeting.agent(), &["pilot", "lych"]);
    std::fs::write(&go, "").unwrap();
    assert!(shell.wait().success());
    agent.get(&world, "/v1/two").must_say("REAUTH_REQUIRED process_changed");
    world.has_activity(&["session_ended", "process_identity_mismatch"]);
    assert_eq!(world.upstream.count(), 1);
    // The same agent in its new place is asked about, and served after a yes.
    agent.call("authorize", json!({ "channels": ["api"], "wait_seconds": 0 }));
    world.approve(world.next_card()["card"].as_u64().unwrap());
    agent.get(&world, "/v1/three").must_say("COMPLETED");
}

/// Its input stays open, as a launcher's other child may keep it.
#[test]
fn an_orphaned_shim_ends_by_itself_though_its_input_stays_open() {
    let world = World::new();
    let (mut agent, line) = approved(&world, pilot(&world, &[]), &["pilot", "lych"]);
    agent.kill();
    line[1].ends();
    is_over(&world, &mut agent, "process_exited", None);
}

/// The agent below ends; the agent above goes on with its own run.
#[test]
fn the_end_of_one_agent_leaves_the_run_of_another_alone() {
    let world = World::new();
    let (mut above, _line) = approved(&world, pilot(&world, &[]), &["pilot", "lych"]);
    let mut below = client(&world, &world.words_of_agent("copilot", &shim_through(&world, &[])));
    below.authorized(&world, &["api"]);
    below.kill();
    until("one run", || (world.runs().len() == 1).then_some(()));
    above.get(&world, "/v1/two").must_say("COMPLETED");
}
