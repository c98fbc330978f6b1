//! Runners of packages between an agent and its shim, and above an agent; scripts as agents and as launchers.

use super::{client, is_named, pilot, pilot_is_named, script, words};
use crate::world::World;
use crate::world::agent::Agent;
use crate::world::place::{node_folder, python, uv_folder};
use serde_json::Value;
use sha2::{Digest as _, Sha256};
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};

/// Becomes the shim, in two languages that a package may have a program in.
const SHELL_STARTER: &str = "#!/bin/sh\nexec \"$@\"\n";
const PYTHON_STARTER: &str = "import os, sys\ndef main():\n    os.execv(sys.argv[1], sys.argv[1:])\n";
/// Starts the shim and stays, as an agent does.
const NODE_PILOT: &str = "#!/usr/bin/env node
require('child_process').spawn(process.argv[2], process.argv.slice(3), { stdio: 'inherit' });
";
const PYTHON_PILOT: &str = "import subprocess, sys\ndef main():\n    subprocess.run(sys.argv[1:])\n";

fn text(path: &Path) -> String {
    path.display().to_string()
}

/// Words that run `npx` or `npm` offline in a project that has the package `tool`, whose program is `content`.
fn node_project(world: &World, content: &str, command: &[&str]) -> Vec<String> {
    let project = world.own_dir().join("project");
    let package = project.join("node_modules/tool");
    std::fs::create_dir_all(&package).unwrap();
    std::fs::create_dir_all(project.join("node_modules/.bin")).unwrap();
    let write = |path: PathBuf, content: &str| std::fs::write(path, content).unwrap();
    write(project.join("package.json"), r#"{ "name": "project", "version": "1.0.0", "scripts": { "tool": "tool" } }"#);
    write(package.join("package.json"), r#"{ "name": "tool", "version": "1.0.0", "bin": { "tool": "tool" } }"#);
    symlink(script(world, "tool", content), project.join("node_modules/.bin/tool")).unwrap();
    world.user.give(&project);
    let path = format!("PATH={}:/usr/bin:/bin", text(&node_bin(world)));
    let home = format!("HOME={}", text(&world.own_dir()));
    let quiet = ["npm_config_offline=true", "npm_config_update_notifier=false", "npm_config_loglevel=silent"];
    let env = ["/usr/bin/env", "-i", "-C", &text(&project), &path, &home];
    words(&[&env[..], &quiet, command].concat())
}

/// `node`, `npm` and `npx` as an installation lays them.
fn node_bin(world: &World) -> PathBuf {
    let (bin, installed) = (world.own_dir().join("bin"), node_folder());
    std::fs::create_dir(&bin).unwrap();
    symlink(installed.join("bin/node"), bin.join("node")).unwrap();
    for name in ["npm", "npx"] {
        symlink(installed.join(format!("lib/node_modules/npm/bin/{name}-cli.js")), bin.join(name)).unwrap();
    }
    bin
}

/// Words that run `uv` or `uvx` offline on the package `tool`, whose module is `content`.
fn uv_project(world: &World, content: &str, command: impl Fn(&str) -> Vec<String>) -> Vec<String> {
    let project = world.own_dir().join("project");
    std::fs::create_dir_all(project.join("src/tool")).unwrap();
    // uv builds a package of its own kind by itself.
    let manifest = "[project]\nname = \"tool\"\nversion = \"1.0.0\"\nrequires-python = \">=3.9\"\n\
                    [project.scripts]\ntool = \"tool:main\"\n\
                    [build-system]\nrequires = [\"uv_build\"]\nbuild-backend = \"uv_build\"\n";
    std::fs::write(project.join("pyproject.toml"), manifest).unwrap();
    std::fs::write(project.join("src/tool/__init__.py"), content).unwrap();
    world.user.give(&project);
    let env =
        ["/usr/bin/env", "-i", "PATH=/usr/bin:/bin", "UV_OFFLINE=1", "UV_NO_CONFIG=1", "UV_PYTHON=/usr/bin/python3"];
    let mut all = words(&env);
    all.push(format!("HOME={}", text(&world.own_dir())));
    all.extend(command(&text(&project)));
    all
}

fn uvx(project: &str) -> Vec<String> {
    words(&[&text(&uv_folder().join("uvx")), "--quiet", "--from", project, "tool"])
}

fn uv_run(project: &str) -> Vec<String> {
    words(&[&text(&uv_folder().join("uv")), "run", "--quiet", "--directory", project, "tool"])
}

#[track_caller]
fn pilot_through(launcher: impl FnOnce(&World) -> Vec<String>, names: &[&str]) {
    let world = World::new();
    let launcher = launcher(&world);
    let launcher: Vec<&str> = launcher.iter().map(String::as_str).collect();
    let mut agent = pilot(&world, &launcher);
    pilot_is_named(&world, &mut agent, names);
}

/// Starts `words` with the shim behind them.
fn started(world: &World, words: &[String]) -> Agent {
    client(world, &[words, &world.words(&["mcp"])].concat())
}

/// The card names a script by a path that ends in `path`, and its content.
#[track_caller]
fn script_is_named(card: &Value, path: &str, content: &[u8]) {
    let script = &card["agent"]["program"]["script"];
    assert!(script["path"].as_str().is_some_and(|named| named.ends_with(path)), "{card:#}");
    let digest = hex::encode(Sha256::digest(content));
    assert_eq!(script["sha256"], digest, "{card:#}");
}

#[test]
fn an_agent_behind_npx_is_named() {
    let npx = |world: &World| node_project(world, SHELL_STARTER, &["npx", "tool"]);
    pilot_through(npx, &["pilot", "node", "dash", "lych"]);
}

#[test]
fn an_agent_behind_npm_exec_and_npm_run_is_named() {
    let exec = |world: &World| node_project(world, SHELL_STARTER, &["npm", "exec", "--", "tool"]);
    pilot_through(exec, &["pilot", "node", "dash", "lych"]);
    let run = |world: &World| node_project(world, SHELL_STARTER, &["npm", "run", "--silent", "tool", "--"]);
    pilot_through(run, &["pilot", "node", "dash", "lych"]);
}

#[test]
fn an_agent_behind_uvx_is_named() {
    pilot_through(|world| uv_project(world, PYTHON_STARTER, uvx), &["pilot", "uv", "lych"]);
}

#[test]
fn an_agent_behind_uv_run_is_named() {
    pilot_through(|world| uv_project(world, PYTHON_STARTER, uv_run), &["pilot", "uv", "lych"]);
}

/// Words that run a module by its name.
fn module(world: &World, content: &str) -> Vec<String> {
    let file = world.file("tool.py", format!("{content}main()\n").as_bytes());
    let folder = format!("PYTHONPATH={}", text(file.parent().unwrap()));
    words(&["/usr/bin/env", &folder, &text(&python()), "-m", "tool"])
}

#[test]
fn an_agent_behind_a_module_that_becomes_the_shim_is_named() {
    pilot_through(|world| module(world, PYTHON_STARTER), &["pilot", "lych"]);
}

#[test]
fn a_node_script_that_is_the_agent_is_named_with_its_script() {
    let world = World::new();
    let path = script(&world, "agent.js", NODE_PILOT);
    let mut agent = started(&world, &words(&[&text(&node_folder().join("bin/node")), "--no-warnings", &text(&path)]));
    let top = agent.pid();
    let card = is_named(&world, &mut agent, top, &["node", "lych"]);
    script_is_named(&card, &text(&path), NODE_PILOT.as_bytes());
}

/// Nothing tells such a script from an agent, so the nearest is named, and nobody above it is taken for who asked.
#[test]
fn a_node_script_that_starts_the_shim_for_another_is_named_itself() {
    let world = World::new();
    let path = script(&world, "wrapper.js", NODE_PILOT);
    let node = text(&node_folder().join("bin/node"));
    let mut agent = pilot(&world, &[&node, &text(&path)]);
    let top = agent.pid();
    let card = is_named(&world, &mut agent, top, &["node", "lych"]);
    script_is_named(&card, &text(&path), NODE_PILOT.as_bytes());
}

#[test]
fn an_agent_that_npx_started_is_named_and_npx_is_not() {
    let world = World::new();
    let mut agent = started(&world, &node_project(&world, NODE_PILOT, &["npx", "tool"]));
    let top = agent.pid();
    let card = is_named(&world, &mut agent, top, &["node", "lych"]);
    script_is_named(&card, "/node_modules/.bin/tool", NODE_PILOT.as_bytes());
}

#[test]
fn a_python_script_that_is_the_agent_is_named_with_its_script() {
    let world = World::new();
    let content = format!("{PYTHON_PILOT}main()\n");
    let path = world.file("agent-script.py", content.as_bytes());
    let mut agent = started(&world, &words(&[&text(&python()), "-u", &text(&path)]));
    let (top, name) = (agent.pid(), text(&python().canonicalize().unwrap()));
    let card = is_named(&world, &mut agent, top, &[super::base_name(&name), "lych"]);
    script_is_named(&card, &text(&path), content.as_bytes());
}

#[test]
fn a_python_module_that_is_the_agent_is_named_without_a_script() {
    let world = World::new();
    let mut agent = started(&world, &module(&world, PYTHON_PILOT));
    let (top, name) = (agent.pid(), text(&python().canonicalize().unwrap()));
    let card = is_named(&world, &mut agent, top, &[super::base_name(&name), "lych"]);
    assert_eq!(card["agent"]["program"]["script"], Value::Null);
}

#[test]
fn an_agent_that_uv_run_started_is_named_and_uv_is_not() {
    let world = World::new();
    let mut agent = started(&world, &uv_project(&world, PYTHON_PILOT, uv_run));
    let (top, name) = (agent.pid(), text(&Path::new("/usr/bin/python3").canonicalize().unwrap()));
    let card = is_named(&world, &mut agent, top, &[super::base_name(&name), "lych"]);
    let content = std::fs::read(world.own_dir().join("project/.venv/bin/tool")).unwrap();
    script_is_named(&card, "/project/.venv/bin/tool", &content);
}
