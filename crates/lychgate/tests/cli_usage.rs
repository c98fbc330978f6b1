//! What the parser accepts, and how a command ends that needs nobody else.
#![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "tests")]
mod common;

use common::{Place, run};
use std::path::Path;

#[test]
fn wrong_arguments_are_a_usage_error() {
    let place = Place::new();
    for args in [
        &["fly"][..],
        &["approve"],
        &["approve", "R7"],
        &["approve", "C7", "--channel", "No Name"],
        &["approve", "C7", "--shown", "abc"],
        &["deny", "seven"],
        &["revoke"],
        &["revoke", "R1", "--all"],
        &["channel", "add", "github", "--kind", "bearer"],
        &["channel", "add", "github", "--origin", "http://api.github.com", "--kind", "bearer"],
        &["channel", "add", "github", "--origin", "https://api.github.com/x", "--kind", "bearer"],
        &["channel", "add", "github", "--origin", "https://api.github.com"],
        &["channel", "add", "GitHub", "--origin", "https://api.github.com", "--kind", "bearer"],
        &["channel", "add", "x", "--origin", "https://a.example", "--kind", "bearer", "--method", "CONNECT"],
        &["channel", "add", "x", "--origin", "https://a.example", "--kind", "bearer", "--path", "/a/../b"],
        &["channel", "add", "x", "--origin", "https://a.example", "--kind", "bearer", "--max-uses", "0"],
        &["connect", "claude"],
        &["connect", "emacs", "--print"],
        &["status", "--state-dir"],
    ] {
        place.lych(args).exits(2);
    }
}

#[test]
fn a_method_that_asks_each_time_and_is_not_allowed_at_all_is_a_mistake() {
    let add = ["channel", "add", "x", "--origin", "https://a.example", "--kind", "bearer", "--method", "GET"];
    Place::new().lych(&[&add[..], &["--per-call-methods", "POST"]].concat()).exits(2).complains("POST");
}

#[test]
fn a_channel_to_a_private_address_says_that_it_needs_allow_private() {
    let add = ["channel", "add", "x", "--kind", "bearer", "--origin"];
    for origin in ["https://127.0.0.1:8443", "https://[::1]:8443", "https://192.168.1.5"] {
        Place::new().lych(&[&add[..], &[origin]].concat()).exits(2).complains("--allow-private");
        // Then the gateway alone is missing.
        Place::new().lych(&[&add[..], &[origin, "--allow-private"]].concat()).exits(3);
    }
}

#[test]
fn restore_names_both_of_its_ways() {
    let place = Place::new();
    place.lych(&["restore"]).exits(2).complains("FILE").complains("--previous");
}

#[test]
fn no_argument_and_no_variable_takes_a_secret() {
    let place = Place::new();
    for flag in ["--passphrase", "--pin", "--secret", "--factor", "--token", "--password"] {
        for command in [&["init"][..], &["unlock"], &["approve", "C1"], &["channel", "add", "x"], &["up"]] {
            place.lych(&[command, &[flag, "x"]].concat()).exits(2);
        }
    }
}

#[test]
fn every_command_says_in_its_help_what_it_is_for() {
    let place = Place::new();
    place.lych(&["--help"]).exits(0).says("lych up");
    for command in [
        "up",
        "gateway",
        "init",
        "unlock",
        "lock",
        "status",
        "stop",
        "channel",
        "approvals",
        "approve",
        "deny",
        "runs",
        "revoke",
        "sessions",
        "activity",
        "audit",
        "mcp",
        "connect",
    ] {
        place.lych(&[command, "--help"]).exits(0).says("Usage: lych").says("--state-dir");
    }
    place.lych(&["channel", "add", "--help"]).exits(0).says("--origin").says("--allow-private");
    run(&["--version"], "", Path::new("/")).exits(0).says("lych ");
}

#[test]
fn without_a_gateway_a_command_ends_with_3_and_says_how_to_start_one() {
    let place = Place::new();
    for args in [
        &["status"][..],
        &["status", "--json"],
        &["lock"],
        &["stop"],
        &["approvals"],
        &["approve", "C7", "--factor-stdin"],
        &["deny", "C7"],
        &["runs"],
        &["revoke", "--all"],
        &["channel", "list"],
        &["channel", "show", "x"],
        &["channel", "remove", "x", "--factor-stdin"],
        &["unlock", "--factor-stdin"],
    ] {
        place.fed(args, "canary-passphrase\n").exits(3).complains("lych up").never_says("canary");
    }
    assert!(!place.state().exists(), "asking for a gateway must create nothing");
}

#[test]
fn without_a_terminal_a_factor_needs_factor_stdin() {
    Place::new().lych(&["init"]).exits(2).complains("--factor-stdin");
    Place::new().lych(&["up"]).exits(2).complains("--factor-stdin");
}

#[test]
fn a_gateway_that_is_told_its_environment_is_clean_looks_for_itself() {
    Place::new().lych(&["gateway", "--clean-env"]).exits(2).complains("not empty");
}

#[test]
fn a_state_directory_too_long_for_a_socket_is_refused_by_name() {
    let long = format!("/tmp/{}", "x".repeat(120));
    run(&["--state-dir", &long, "status"], "", Path::new("/")).exits(2).complains("--state-dir");
}

#[test]
fn connect_prints_what_reaches_this_program_and_this_state_without_an_environment() {
    let place = Place::new();
    let lych = env!("CARGO_BIN_EXE_lych");
    let state = place.state().display().to_string();
    let claude = place.lych(&["connect", "claude", "--print"]).exits(0);
    assert!(claude.out.contains(&format!("claude mcp add --scope user lychgate -- {lych} --state-dir {state} mcp")));
    let json: serde_json::Value = serde_json::from_str(&claude.out[claude.out.find('{').unwrap()..]).unwrap();
    assert_eq!(json["mcpServers"]["lychgate"]["command"], lych);
    assert_eq!(json["mcpServers"]["lychgate"]["args"], serde_json::json!(["--state-dir", state, "mcp"]));
    place
        .lych(&["connect", "codex", "--print"])
        .exits(0)
        .says("[mcp_servers.lychgate]")
        .says(&format!("command = {lych:?}"))
        .says(&format!("args = [\"--state-dir\", {state:?}, \"mcp\"]"));
    let plain = run(&["connect", "codex", "--print"], "", Path::new("/")).exits(0);
    assert!(plain.out.contains("args = [\"mcp\"]"), "{}", plain.out);
}
