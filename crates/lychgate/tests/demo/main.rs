//! `lych demo` on real processes, as an ordinary user, answered by `--yes` and by keys; and the two programs that it
//! needs, as other tests use them.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing, reason = "tests")]

mod agent;
mod keys;
mod service;
mod terminal;
mod user;
mod yes;

/// The program as cargo built it. Root may be the only one who can start it there.
fn lych() -> &'static str {
    env!("CARGO_BIN_EXE_lych")
}

/// The throw-away directory that the demo named.
#[track_caller]
fn dir_of(told: &str) -> std::path::PathBuf {
    let line = told
        .lines()
        .map(str::trim)
        .find(|line| line.starts_with("/tmp/lych-demo-") || line.starts_with("/var/tmp/lych-demo-"));
    line.unwrap_or_else(|| panic!("no directory in {told}")).into()
}

/// Nothing of the demo is left: no file, no process.
#[track_caller]
fn is_gone(dir: &std::path::Path) {
    assert!(!dir.exists(), "{} is still there", dir.display());
    let name = dir.to_str().unwrap();
    for entry in std::fs::read_dir("/proc").unwrap() {
        // A process that ended meanwhile has no command line.
        let command = std::fs::read(entry.unwrap().path().join("cmdline")).unwrap_or_default();
        let command = String::from_utf8_lossy(&command).replace('\0', " ");
        assert!(!command.contains(name), "still running: {command}");
    }
}

/// What each step must have given, by the lines that say so.
#[track_caller]
fn tells_the_whole_story(told: &str) {
    let mut rest = told;
    for line in [
        "== 1.",
        "== 2.",
        "ok: the agent heard COMPLETED",
        "ok: the service got one request, and the credential stood in it once",
        "== 3.",
        "ok: the agent heard REAUTH_REQUIRED process_changed",
        "ok: no card was opened",
        "What changed",
        "ok: the agent heard COMPLETED",
        "== 4.",
        "ok: the agent heard VAULT_LOCKED vault_locked",
        "ok: the agent heard REAUTH_REQUIRED gateway_restarted",
        "ok: the agent heard COMPLETED",
        "== 5.",
        "ok: the agent heard REAUTH_REQUIRED vault_state_changed",
        "ok: the agent heard COMPLETED",
        "== 6.",
        "ok: the agent heard STATUS_UNKNOWN inspect_activity_journal",
        "ok: the service's own record shows that the request did arrive",
        "== 7.",
        "ok: the agent heard RETRY_SAFE previous_action_not_started",
        "== 8.",
        "$ lych sessions",
        "reason=gateway_restarted",
        "$ lych activity",
        "http_result_not_observed",
        "ok: the journal is whole",
        "ok: the changed copy is rejected",
        "Every step gave what it must.",
    ] {
        let at = rest.find(line).unwrap_or_else(|| panic!("no {line:?} (in this order) in:\n{told}"));
        rest = &rest[at + line.len()..];
    }
}
