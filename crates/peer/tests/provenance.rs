//! Who vouches for the programs of a chain.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing, reason = "tests")]

mod common;

use common::{Actor, Stage, words};
use lychgate_core::evidence::{FileId, PathNow, ProcessFacts};
use lychgate_core::provenance::{Provenance, Script, Unsigned};
use lychgate_peer::{Rules, own_namespaces};
use std::os::unix::fs::PermissionsExt;
use std::process::{Child, Command};

/// A requester of its own, whatever it runs.
fn alone(actor: &Actor) -> ProcessFacts {
    let rules = Rules {
        gateway_file: FileId { dev: 0, ino: 0 },
        own_namespaces: own_namespaces().unwrap(),
        own_uid: rustix::process::getuid().as_raw(),
        never: &[],
        claims_shim: false,
        allow_unverified: false,
    };
    actor.pin(&rules).unwrap().subject().agent().unwrap().clone()
}

fn enter(stage: &Stage, command: &mut Command) -> (Actor, Child) {
    let child = command.env_remove("LD_LIBRARY_PATH").spawn().unwrap();
    (stage.next(), child)
}

fn end(actor: Actor, mut child: Child) {
    drop(actor);
    child.wait().unwrap();
}

/// Of a library that this test has mapped itself.
fn library(part: &str) -> String {
    let maps = std::fs::read_to_string("/proc/self/maps").unwrap();
    let mut paths = maps.lines().filter_map(|line| line.split_ascii_whitespace().nth(5));
    paths.find(|path| path.contains(part)).expect("this test needs a dynamic program").to_owned()
}

fn not_packaged() -> Provenance {
    Provenance::Unsigned(Unsigned::NotPackaged)
}

#[test]
fn a_program_of_a_package_is_the_packages_and_a_copy_of_it_is_nobodys() {
    let stage = Stage::new(&["agent", "shim"]);
    let copy = stage.path("timeout");
    assert!(Command::new("cp").args(["/usr/bin/timeout", &copy]).status().unwrap().success());
    for (program, packaged) in [("/usr/bin/timeout", true), (copy.as_str(), false)] {
        let (agent, child) = stage.enter("agent");
        agent.tell("start", &[words(&[program, "100"]), stage.serve("shim")].concat());
        let shim = stage.next();
        let pinned = shim.pin(&stage.rules(&[])).unwrap();
        let [_, launcher, agent_facts] = pinned.subject().chain() else { panic!("{pinned:?}") };
        match &launcher.provenance {
            Provenance::Package(package) if packaged => assert_eq!(package.name, "coreutils"),
            other => assert_eq!(*other, not_packaged(), "{program}"),
        }
        assert_eq!(agent_facts.provenance, not_packaged());
        assert_eq!(agent_facts.script, None);
        drop(shim);
        end(agent, child);
    }
}

#[test]
fn a_program_started_through_the_dynamic_loader_is_unsigned_although_the_loader_is_packaged() {
    let stage = Stage::new(&["agent"]);
    let mut command = Command::new(library("/ld-"));
    let (actor, child) = enter(&stage, command.args(stage.serve("agent")));
    assert_eq!(alone(&actor).provenance, Provenance::Unsigned(Unsigned::Loader));
    end(actor, child);
}

#[test]
fn a_program_with_a_library_that_its_user_can_write_is_unsigned_for_that() {
    let stage = Stage::new(&["agent"]);
    let own = stage.path("own.so");
    assert!(Command::new("cp").args([&library("/libc.so"), &own]).status().unwrap().success());
    std::fs::set_permissions(&own, std::fs::Permissions::from_mode(0o666)).unwrap();
    let [program, serve, socket]: [String; 3] = stage.serve("agent").try_into().unwrap();
    let (actor, child) = enter(&stage, Command::new(program).args([serve, socket]).env("LD_PRELOAD", &own));
    assert_eq!(alone(&actor).provenance, Provenance::Unsigned(Unsigned::UserCode));
    end(actor, child);
}

#[test]
fn an_interpreter_is_unsigned_and_its_script_is_claimed_with_the_digest_of_the_file_that_is_there() {
    let stage = Stage::new(&["agent", "python3"]);
    let script = stage.path("agent.py");
    std::fs::write(&script, b"abc").unwrap();
    let digest = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
    let directory = std::path::Path::new(&script).parent().unwrap().to_owned();
    for named in [script.as_str(), "agent.py"] {
        let [_, serve, socket]: [String; 3] = stage.serve("python3").try_into().unwrap();
        let mut command = Command::new(stage.path("python3"));
        let (actor, child) = enter(&stage, command.current_dir(&directory).args(["-u", named, &serve, &socket]));
        let facts = alone(&actor);
        assert_eq!(facts.provenance, Provenance::Unsigned(Unsigned::Interpreter));
        let Some(Script { path, sha256 }) = facts.script else { panic!("no script") };
        assert_eq!(path, named);
        assert_eq!(sha256.unwrap().to_string(), digest);
        end(actor, child);
    }
}

/// A pipe without a writer would hold up whoever opens it; a device could do anything.
#[test]
fn a_script_that_is_no_regular_file_is_named_and_not_opened() {
    let stage = Stage::new(&["node"]);
    let pipe = stage.path("pipe.js");
    assert!(Command::new("mkfifo").arg(&pipe).status().unwrap().success());
    for named in [pipe.as_str(), "/dev/zero", "/nowhere/x.js", "/"] {
        let [_, serve, socket]: [String; 3] = stage.serve("node").try_into().unwrap();
        let mut command = Command::new(stage.path("node"));
        let (actor, child) = enter(&stage, command.args([named, &serve, &socket]));
        let script = alone(&actor).script.unwrap();
        assert_eq!((script.path.as_str(), script.sha256), (named, None));
        end(actor, child);
    }
}

#[test]
fn a_removed_program_an_updated_one_and_one_with_a_misleading_name_are_told_apart() {
    let stage = Stage::new(&["agent", "newer", "x (deleted)", "x"]);
    let look = |name: &str, change: &dyn Fn()| {
        let (actor, child) = stage.enter(name);
        change();
        let facts = alone(&actor);
        let executable = facts.executable.value().unwrap().clone();
        end(actor, child);
        (executable.path.clone(), executable.path_now, executable.name().to_owned())
    };
    let literal = stage.path("x (deleted)");
    assert_eq!(look("x (deleted)", &|| {}), (literal.clone(), PathNow::Same, "x (deleted)".to_owned()));
    let remove = || std::fs::remove_file(&literal).unwrap();
    assert_eq!(look("x (deleted)", &remove), (literal.clone(), PathNow::Gone, "x (deleted)".to_owned()));
    let replace = || std::fs::rename(stage.path("newer"), stage.path("agent")).unwrap();
    assert_eq!(look("agent", &replace), (stage.path("agent"), PathNow::Replaced, "agent".to_owned()));
    let remove = || std::fs::remove_file(stage.path("x")).unwrap();
    assert_eq!(look("x", &remove), (stage.path("x"), PathNow::Gone, "x".to_owned()));
}

/// A second name keeps the file alive, and the kernel still marks the name that went away.
#[test]
fn a_program_whose_name_was_removed_while_it_has_another_is_gone_from_there() {
    let stage = Stage::new(&["agent"]);
    std::fs::hard_link(stage.path("agent"), stage.path("second")).unwrap();
    let (actor, child) = stage.enter("agent");
    std::fs::remove_file(stage.path("agent")).unwrap();
    let facts = alone(&actor);
    let executable = facts.executable.value().unwrap();
    assert_eq!((executable.path.as_str(), executable.path_now), (stage.path("agent").as_str(), PathNow::Gone));
    end(actor, child);
}
