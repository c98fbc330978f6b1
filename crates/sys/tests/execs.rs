//! The kernel's reports of executions.
#![allow(clippy::unwrap_used, clippy::panic, reason = "tests")]

use lychgate_sys::ExecWatch;
use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdout, Command, Stdio};

/// A shell that does what it is told, line by line, and what it writes.
///
/// It has answered once: whoever starts a program goes on before the kernel has reported that it was executed.
fn shell() -> (Child, BufReader<ChildStdout>) {
    let mut shell = Command::new("/bin/sh").stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    let mut out = BufReader::new(shell.stdout.take().unwrap());
    tell(&mut shell, "echo here\n");
    assert_eq!(line(&mut out), "here\n");
    (shell, out)
}

fn line(out: &mut BufReader<ChildStdout>) -> String {
    let mut line = String::new();
    out.read_line(&mut line).unwrap();
    line
}

fn tell(shell: &mut Child, line: &str) {
    shell.stdin.as_mut().unwrap().write_all(line.as_bytes()).unwrap();
}

#[test]
fn an_execution_is_reported_for_good_and_what_others_execute_is_not() {
    let ((mut watched, mut out), (mut other, _)) = (shell(), shell());
    let watch = ExecWatch::start(watched.id()).unwrap();
    let beside = ExecWatch::start(other.id()).unwrap();
    // A child's execution is not its parent's.
    for shell in [&mut watched, &mut other] {
        tell(shell, "/bin/true\necho one\n");
    }
    assert_eq!(line(&mut out), "one\n");
    assert!(!watch.executed());
    tell(&mut watched, "exec /bin/echo two\n");
    assert_eq!(line(&mut out), "two\n");
    assert!(watch.executed());
    assert!(watch.executed(), "read once, and still so");
    assert!(!beside.executed());
    for mut shell in [watched, other] {
        drop(shell.stdin.take());
        shell.wait().unwrap();
    }
}

#[test]
fn a_flood_of_executions_by_others_hides_nothing_and_is_not_taken_for_one() {
    let (mut watched, _) = shell();
    let watch = ExecWatch::start(watched.id()).unwrap();
    for _ in 0..1500 {
        Command::new("/bin/true").status().unwrap();
    }
    assert!(!watch.executed());
    tell(&mut watched, "exec /bin/cat\n");
    drop(watched.stdin.take());
    watched.wait().unwrap();
    assert!(watch.executed());
}

/// The kernel's answer to a subscription goes to everybody who listens.
#[test]
fn a_flood_of_subscriptions_by_others_is_not_taken_for_lost_reports() {
    let (mut watched, _out) = shell();
    let watch = ExecWatch::start(watched.id()).unwrap();
    for _ in 0..2000 {
        ExecWatch::start(std::process::id()).unwrap();
    }
    assert!(!watch.executed());
    drop(watched.stdin.take());
    watched.wait().unwrap();
}
