//! What is left to code that takes a hardened process over.
#![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "tests")]

use std::collections::BTreeMap;
use std::process::Command;

fn tried(role: &str) -> BTreeMap<String, String> {
    let tests = std::env::current_exe().unwrap();
    let example = tests.parent().unwrap().parent().unwrap().join("examples/hardened");
    let ran = Command::new(example).arg(role).output().unwrap();
    assert!(ran.status.success(), "{}", String::from_utf8_lossy(&ran.stderr));
    let lines = String::from_utf8(ran.stdout).unwrap();
    lines.lines().map(|line| line.split_once(' ').unwrap()).map(|(what, how)| (what.into(), how.into())).collect()
}

/// The errors by which a hardened process refuses.
fn number(error: i32) -> String {
    error.to_string()
}

const EVERY_CALL: usize = 20;

#[test]
fn a_gateway_reads_writes_and_dials_and_does_nothing_else() {
    let tried = tried("gateway");
    for what in ["thread", "read", "null", "lock_memory", "create", "look"] {
        assert_eq!(tried[what], "ok", "{what}");
    }
    assert_eq!(tried["tcp"], number(libc::ECONNREFUSED));
    assert_eq!(tried["unix"], number(libc::ENOENT));
    nothing_else(&tried);
}

#[test]
fn a_console_reads_and_does_nothing_else() {
    let tried = tried("person");
    for what in ["thread", "read", "null", "lock_memory"] {
        assert_eq!(tried[what], "ok", "{what}");
    }
    assert_eq!(tried["tcp"], number(libc::ENOSYS));
    assert_eq!(tried["unix"], number(libc::ENOENT));
    assert_eq!(tried["create"], number(libc::EACCES));
    // Why the gateway is in no Landlock domain: from within one, nobody can be looked at.
    assert_eq!(tried["look"], number(libc::EACCES));
    nothing_else(&tried);
}

#[track_caller]
fn nothing_else(tried: &BTreeMap<String, String>) {
    let missing: Vec<&String> =
        tried.iter().filter(|(_, how)| **how == number(libc::ENOSYS)).map(|(what, _)| what).collect();
    for what in ["exec", "spawn", "early_thread_spawn", "dumpable", "type_for_others", "signal", "ptrace", "execveat"] {
        assert!(missing.iter().any(|one| *one == what), "{what}: {tried:?}");
    }
    assert!(missing.len() >= EVERY_CALL + 6, "{tried:?}");
    assert_eq!(tried["writable_code"], number(libc::EACCES));
    assert_eq!((tried["no_new_privs"].as_str(), tried["core"].as_str()), ("true", "Some(0)"));
}
