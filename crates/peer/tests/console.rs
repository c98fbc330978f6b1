//! Consoles that are plainly not ours, or not ours alone, are refused before a factor is asked.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing, reason = "tests")]

mod common;

use common::{Actor, Stage, file_of, kill, words};
use lychgate_core::evidence::FileId;
use lychgate_peer::{ConsolePeer, ConsoleRefused, inspect_console};
use std::os::fd::AsFd;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::{Command, Stdio};

fn inspect(actor: &Actor, own: FileId) -> Result<ConsolePeer, ConsoleRefused> {
    inspect_console(lychgate_sys::peer_pidfd(actor.socket.as_fd()).unwrap(), actor.pid, own)
}

#[test]
fn our_own_program_started_plainly_is_a_console() {
    let stage = Stage::new(&["lych"]);
    let (actor, mut child) = stage.enter("lych");
    let console = inspect(&actor, stage.file("lych")).unwrap();
    assert!(console.still_same(actor.say()));
    assert_eq!((console.requester().pid, console.requester().program), (actor.pid, stage.path("lych")));
    drop(actor);
    child.wait().unwrap();
}

#[test]
fn another_program_is_no_console_whatever_its_name() {
    let (stage, other) = (Stage::new(&["lych"]), Stage::new(&["lych"]));
    let (actor, mut child) = stage.enter("lych");
    assert_eq!(inspect(&actor, other.file("lych")).unwrap_err(), ConsoleRefused::OtherProgram);
    drop(actor);
    child.wait().unwrap();
}

#[test]
fn a_console_that_was_told_to_load_a_library_is_refused() {
    let stage = Stage::new(&["lych"]);
    for variable in ["LD_PRELOAD", "LD_AUDIT", "LD_LIBRARY_PATH"] {
        let [program, serve, socket] = stage.serve("lych").try_into().unwrap();
        let mut child = Command::new(program)
            .args([serve, socket])
            .env_remove("LD_LIBRARY_PATH")
            .env(variable, "/nowhere/lib.so")
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let actor = stage.next();
        let refused = inspect(&actor, stage.file("lych")).unwrap_err();
        assert_eq!(refused, ConsoleRefused::Preloaded(variable.to_owned()));
        drop(actor);
        child.wait().unwrap();
    }
}

/// The dynamic loader stands in for our program here: what it loads is then code from another file.
#[test]
fn code_from_a_file_that_others_can_write_or_from_a_removed_one_is_refused() {
    let stage = Stage::new(&["other"]);
    let loader = std::fs::read_to_string("/proc/self/maps")
        .unwrap()
        .lines()
        .find_map(|line| line.split_ascii_whitespace().nth(5).filter(|path| path.contains("/ld-")).map(str::to_owned))
        .expect("this test needs a dynamic loader");
    assert!(Command::new("cp").args([&loader, &stage.path("lych")]).status().unwrap().success());
    std::fs::set_permissions(stage.path("other"), std::fs::Permissions::from_mode(0o777)).unwrap();
    let mut child = stage.spawn(&[words(&[&stage.path("lych")]), stage.serve("other")].concat());
    let actor = stage.next();
    let refused = inspect(&actor, stage.file("lych")).unwrap_err();
    assert_eq!(refused, ConsoleRefused::ForeignCode(stage.path("other")));
    std::fs::remove_file(stage.path("other")).unwrap();
    let refused = inspect(&actor, stage.file("lych")).unwrap_err();
    assert_eq!(refused, ConsoleRefused::ForeignCode(format!("{} (deleted)", stage.path("other"))));
    drop(actor);
    child.wait().unwrap();
}

#[test]
fn a_console_whose_own_file_was_removed_must_be_started_again() {
    let stage = Stage::new(&["lych"]);
    let (actor, mut child) = stage.enter("lych");
    let own = stage.file("lych");
    std::fs::remove_file(stage.path("lych")).unwrap();
    assert!(matches!(inspect(&actor, own).unwrap_err(), ConsoleRefused::ForeignCode(_)));
    drop(actor);
    child.wait().unwrap();
}

#[test]
fn a_console_in_another_namespace_is_refused() {
    let stage = Stage::new(&["lych"]);
    let mut child = stage.spawn(&[words(&["unshare", "-U", "-r"]), stage.serve("lych")].concat());
    let actor = stage.next();
    assert_eq!(inspect(&actor, stage.file("lych")).unwrap_err(), ConsoleRefused::ForeignNamespace);
    drop(actor);
    child.wait().unwrap();
}

#[test]
fn a_console_stays_the_same_after_it_hid_itself_and_until_it_becomes_another_program() {
    let stage = Stage::new(&["lych"]);
    let (actor, mut child) = stage.enter("lych");
    let console = inspect(&actor, stage.file("lych")).unwrap();
    actor.tell("hide", &[]);
    let sender = actor.hear().1;
    assert!(console.still_same(sender));
    actor.tell("exec", &stage.serve("lych"));
    let again = stage.next();
    let sender = again.say();
    assert!(!console.still_same(sender), "the very same file, executed anew");
    drop((actor, again));
    child.wait().unwrap();
}

#[test]
fn a_console_that_already_hid_itself_is_not_looked_at_in_vain() {
    let stage = Stage::new(&["lych"]);
    let (actor, mut child) = stage.enter("lych");
    actor.tell("hide", &[]);
    actor.hear();
    let inspected = inspect(&actor, stage.file("lych"));
    assert_eq!(inspected.is_ok(), rustix::process::getuid().is_root(), "{inspected:?}");
    drop(actor);
    child.wait().unwrap();
}

#[test]
fn another_sender_is_not_the_console() {
    let stage = Stage::new(&["lych"]);
    let (actor, mut child) = stage.enter("lych");
    let console = inspect(&actor, stage.file("lych")).unwrap();
    actor.tell("lend", &words(&["sh", "-c", "echo y >&0"]));
    assert!(!console.still_same(actor.hear().1));
    drop(actor);
    child.wait().unwrap();
}

#[test]
fn a_console_that_ended_is_not_the_same() {
    let stage = Stage::new(&["lych"]);
    let (actor, mut child) = stage.enter("lych");
    let console = inspect(&actor, stage.file("lych")).unwrap();
    let sender = actor.say();
    kill(actor.pid);
    child.wait().unwrap();
    assert!(!console.still_same(sender));
}

/// Connects, and lets its parent trace it when told to; says what the actor says.
const TRACED: &str = "
import ctypes, socket, sys
s = socket.socket(socket.AF_UNIX)
s.connect(sys.argv[1])
s.sendall(b'hello\\n')
while True:
    line = s.makefile('r', buffering=1).readline()
    if not line:
        break
    if line == 'trace\\n':
        ctypes.CDLL(None).ptrace(0, 0, 0, 0)
    s.sendall(b'said\\n')
";

#[test]
fn a_console_that_is_traced_is_refused_and_one_that_becomes_so_is_no_longer_the_same() {
    let python = "/usr/bin/python3";
    assert!(Path::new(python).exists(), "this test needs {python}");
    let stage = Stage::new(&[]);
    let mut child = stage.spawn(&words(&[python, "-c", TRACED, &stage.path("socket")]));
    let actor = stage.next();
    let own = file_of(&std::fs::canonicalize(python).unwrap());
    let console = inspect(&actor, own).unwrap();
    assert!(console.still_same(actor.say()));
    actor.tell("trace", &[]);
    let sender = actor.hear().1;
    assert!(!console.still_same(sender));
    assert!(matches!(inspect(&actor, own).unwrap_err(), ConsoleRefused::Traced(_)));
    drop(actor);
    child.wait().unwrap();
}
