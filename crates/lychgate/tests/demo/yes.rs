//! `--yes`: no terminal, no pauses.

use super::user::{Shared, as_ordinary_user, belongs_to_an_ordinary_user, place};
use super::{dir_of, is_gone, tells_the_whole_story};
use std::path::Path;
use std::process::{Command, Output, Stdio};
use std::time::{Duration, Instant};

fn demo(args: &[&str]) -> Output {
    let shared = Shared::new();
    let program = shared.lych();
    let mut words = as_ordinary_user();
    // A session of its own has no terminal, whatever the tests run in.
    words.extend(["setsid", "--wait", program.to_str().unwrap(), "demo"].map(str::to_owned));
    let mut command = Command::new(&words[0]);
    command.args(&words[1..]).args(args).env_clear().env("PATH", "/usr/sbin:/usr/bin:/sbin:/bin");
    command.current_dir("/").stdin(Stdio::null()).output().unwrap()
}

fn told(done: &Output) -> String {
    String::from_utf8(done.stdout.clone()).unwrap()
}

#[test]
fn the_whole_story_takes_less_than_a_minute_and_leaves_nothing_behind() {
    let start = Instant::now();
    let done = demo(&["--yes"]);
    let took = start.elapsed();
    let told = told(&done);
    assert!(done.status.success(), "{}\n{told}", String::from_utf8_lossy(&done.stderr));
    assert!(took < Duration::from_secs(60), "{took:?}");
    tells_the_whole_story(&told);
    is_gone(&dir_of(&told));
}

#[test]
fn kept_files_are_the_users_alone_and_hold_neither_pin_nor_passphrase_in_a_log() {
    use std::os::unix::fs::PermissionsExt;
    let done = demo(&["--yes", "--keep"]);
    let told = told(&done);
    assert!(done.status.success(), "{}\n{told}", String::from_utf8_lossy(&done.stderr));
    let dir = dir_of(&told);
    let mode = |path: &Path| std::fs::metadata(path).unwrap().permissions().mode() & 0o7777;
    assert_eq!(mode(&dir), 0o700);
    for log in ["agent.log", "gateway.log", "service.log"] {
        assert_eq!(mode(&dir.join(log)), 0o600, "{log}");
        belongs_to_an_ordinary_user(&dir.join(log));
        assert_eq!(std::fs::read_to_string(dir.join(log)).unwrap(), "", "{log}");
    }
    std::fs::remove_dir_all(&dir).unwrap();
    is_gone(&dir);
}

#[test]
fn without_a_terminal_and_without_yes_nothing_begins() {
    let done = demo(&[]);
    assert_eq!(done.status.code(), Some(2));
    assert_eq!(told(&done), "");
    assert!(String::from_utf8_lossy(&done.stderr).contains("--yes"));
}

#[test]
fn a_state_directory_of_ones_own_is_refused_and_not_touched() {
    let own = place();
    let state = own.path().join("state");
    let done = demo(&["--yes", "--state-dir", state.to_str().unwrap()]);
    assert_eq!(done.status.code(), Some(2));
    assert!(!state.exists());
}
