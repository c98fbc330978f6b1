//! How agents and shims are really started: whatever stands between or above, the card names the agent and the person's
//! console is nobody's child.

mod consoles;
mod launchers;
mod nested;
mod packages;
pub(crate) mod starters;

use crate::world::World;
use crate::world::agent::Agent;
use crate::world::children::children_of;
use serde_json::{Value, json};
use std::path::PathBuf;

pub(crate) fn words(words: &[&str]) -> Vec<String> {
    words.iter().map(|word| (*word).to_owned()).collect()
}

/// The shim, started by `launcher`.
pub(crate) fn shim_through(world: &World, launcher: &[&str]) -> Vec<String> {
    let mut all = words(launcher);
    all.extend(world.words(&["mcp"]));
    all
}

/// `pilot`, with a shim through `launcher`.
pub(crate) fn pilot(world: &World, launcher: &[&str]) -> Agent {
    client(world, &world.words_of_agent("pilot", &shim_through(world, launcher)))
}

pub(crate) fn client(world: &World, words: &[String]) -> Agent {
    let mut command = world.user.command(words[0].as_ref());
    command.args(&words[1..]);
    world.client(command)
}

/// A process and its only child and so on down: pid and program file of each.
pub(crate) fn line_from(top: u32) -> Vec<(u32, String)> {
    let mut line = vec![top];
    while let [child] = children_of(line[line.len() - 1])[..] {
        line.push(child);
    }
    let file = |pid: &u32| std::fs::read_link(format!("/proc/{pid}/exe")).unwrap().display().to_string();
    line.iter().map(|pid| (*pid, file(pid))).collect()
}

fn base_name(path: &str) -> &str {
    path.rsplit('/').next().unwrap()
}

/// The card shows the line from the agent to the shim, whose programs are `names`, and a yes to it is enough. Processes
/// between `top` and the agent are no part of it.
#[track_caller]
fn is_named(world: &World, agent: &mut Agent, top: u32, names: &[&str]) -> Value {
    let asked = agent.call("authorize", json!({ "channels": ["api"], "wait_seconds": 0 }));
    let asked = asked.must_say("APPROVAL_PENDING new_run");
    let line = line_from(top);
    let line = &line[line.len().saturating_sub(names.len())..];
    let found: Vec<&str> = line.iter().map(|(_, file)| base_name(file)).collect();
    assert_eq!(found, names, "what runs: {:?}", line_from(top));
    let card = world.next_card();
    let shown = &card["agent"];
    let chain: Vec<Value> = line.iter().map(|(pid, file)| json!({ "pid": pid, "program": file })).collect();
    assert_eq!(shown["chain"], json!(chain), "{card:#}");
    let program = &shown["program"];
    assert_eq!((&program["name"], &shown["pid"]), (&json!(names[0]), &json!(line[0].0)), "{card:#}");
    assert_eq!(program["path"], line[0].1, "{card:#}");
    if let Some(script) = program["script"]["path"].as_str() {
        let told = world.lych(&["approvals"]).exits(0).out.split_whitespace().collect::<Vec<_>>().join("");
        assert!(told.contains(&format!("Script(claimed,notverified){script}")), "{told}");
    }
    world.approve(asked.card());
    agent.get(world, "/v1/x").must_say("COMPLETED");
    card
}

/// The same for `pilot`, which is at the top itself.
#[track_caller]
fn pilot_is_named(world: &World, agent: &mut Agent, names: &[&str]) {
    let (pid, path) = (agent.pid(), world.program("pilot").display().to_string());
    let card = is_named(world, agent, pid, names);
    assert_eq!(card["agent"]["program"]["path"], path, "{card:#}");
}

/// There is no agent above this shim.
#[track_caller]
fn is_no_agents(world: &World, shim: &mut Agent) {
    shim.get(world, "/v1/x").must_say("UNVERIFIED_REQUESTER no_agent");
    world.has_activity(&["registration_refused", "no_agent"]);
    assert_eq!((world.runs().len(), world.cards().len(), world.upstream.connections()), (0, 0, 0));
}

/// A script of the harness, which its own user can start.
fn script(world: &World, name: &str, content: &str) -> PathBuf {
    use std::os::unix::fs::PermissionsExt;
    let path = world.file(name, content.as_bytes());
    std::fs::set_permissions(&path, PermissionsExt::from_mode(0o755)).unwrap();
    path
}
