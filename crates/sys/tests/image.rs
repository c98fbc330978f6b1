//! A held memory map tells an `execve` and an exit.
#![allow(unsafe_code, reason = "a test asks for a flag that has no safe face")]
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing, reason = "tests")]

use lychgate_sys::{boottime_ms, image_unchanged, set_dumpable};
use std::fs::File;
use std::io::{BufRead, BufReader, Write};
use std::os::fd::AsFd;
use std::process::{Child, Command, Stdio};

/// A shell that says `ready`, then waits for a line, then does `then`.
fn shell(then: &str) -> (Child, File) {
    let mut child = Command::new("sh")
        .args(["-c", &format!("echo ready; read line; {then}")])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let maps = {
        line(&mut child);
        File::open(format!("/proc/{}/maps", child.id())).unwrap()
    };
    (child, maps)
}

/// Reads one line byte by byte, so that nothing behind it is lost.
fn line(child: &mut Child) -> String {
    let mut text = String::new();
    BufReader::with_capacity(1, child.stdout.as_mut().unwrap()).read_line(&mut text).unwrap();
    text
}

#[test]
fn a_process_that_goes_on_is_unchanged() {
    let maps = File::open("/proc/self/maps").unwrap();
    assert!(image_unchanged(maps.as_fd()).unwrap());
}

#[test]
fn an_exec_of_the_very_same_program_is_seen() {
    let (mut child, maps) = shell("exec sh -c 'echo again; read line'");
    assert!(image_unchanged(maps.as_fd()).unwrap());
    child.stdin.as_mut().unwrap().write_all(b"\n").unwrap();
    assert_eq!(line(&mut child), "again\n");
    assert!(!image_unchanged(maps.as_fd()).unwrap());
    child.kill().unwrap();
    child.wait().unwrap();
}

#[test]
fn an_exit_is_seen() {
    let (mut child, maps) = shell("exit");
    child.kill().unwrap();
    child.wait().unwrap();
    assert!(!image_unchanged(maps.as_fd()).unwrap());
}

#[test]
fn what_is_no_memory_map_is_an_error_and_not_unchanged() {
    let null = File::open("/dev/null").unwrap();
    assert!(image_unchanged(null.as_fd()).is_err());
}

#[test]
fn the_clock_since_boot_goes_forward() {
    let first = boottime_ms();
    assert!(first > 0);
    assert!(boottime_ms() >= first);
}

#[test]
fn the_dumpable_flag_is_what_was_asked_for() {
    for wanted in [false, true] {
        set_dumpable(wanted).unwrap();
        // SAFETY: PR_GET_DUMPABLE takes no argument and touches no memory of ours.
        let now = unsafe { libc::prctl(libc::PR_GET_DUMPABLE, 0, 0, 0, 0) };
        assert_eq!(now, i32::from(wanted));
    }
}
