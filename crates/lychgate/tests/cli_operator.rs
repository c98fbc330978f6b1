//! A console against a scripted gateway: exit statuses, what is sent, and what is asked of the person when.
#![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "tests")]
mod common;

use common::Place;
use common::fake::{Fake, card, done, obliging, status};
use lychgate_wire::operator::{Command, Failure, ToOperator};
use std::os::unix::fs::PermissionsExt;

fn failing(kind: Failure) -> impl FnMut(u64, &Command) -> Vec<ToOperator> + Send + 'static {
    move |id, command| match command {
        Command::Status => done(id, status("unlocked")),
        _ => vec![ToOperator::Failed { id, kind, text: "no\u{202e}: because".to_owned() }],
    }
}

#[test]
fn each_kind_of_failure_has_its_exit_status() {
    for (kind, exit) in [
        (Failure::Refused, 1),
        (Failure::WrongFactor, 1),
        (Failure::NotFound, 1),
        (Failure::Fault, 1),
        (Failure::Locked, 4),
    ] {
        let place = Place::new();
        let _fake = Fake::start(&place.state(), failing(kind));
        place.lych(&["runs"]).exits(exit).complains("no\\u{202e}: because");
    }
}

#[test]
fn status_prints_text_or_json() {
    let place = Place::new();
    let _fake = Fake::start(&place.state(), obliging);
    place.lych(&["status"]).exits(0).says("vault     unlocked, epoch 12").says("cards     2 waiting");
    let place = Place::new();
    let _fake = Fake::start(&place.state(), obliging);
    assert_eq!(place.lych(&["status", "--json"]).exits(0).json()["boot"], 8);
}

#[test]
fn a_yes_goes_out_with_the_pin_and_the_digest_of_the_card_that_was_there() {
    let place = Place::new();
    let fake = Fake::start(&place.state(), obliging);
    place
        .fed(&["approve", "C7", "--factor-stdin"], "canary-4711\n")
        .exits(0)
        .says("Approved run R31 on: github.")
        .never_says("canary");
    let asked = fake.asked();
    assert_eq!(asked.iter().map(|asked| asked.word).collect::<Vec<_>>(), ["status", "may i", "approvals", "approve"]);
    assert_eq!(asked[3].factor.as_deref(), Some("canary-4711"));
    assert_eq!(asked[3].json["shown"], card().digest().to_string());
    assert_eq!(asked[3].json["channels"], serde_json::Value::Null);
    assert_eq!(asked[0].factor, None);
}

#[test]
fn a_card_that_changed_or_is_gone_gets_no_yes() {
    let place = Place::new();
    let fake = Fake::start(&place.state(), obliging);
    let other = "ab".repeat(32);
    place.fed(&["approve", "C7", "--shown", &other, "--factor-stdin"], "4711\n").exits(1).complains("changed");
    assert!(fake.asked().iter().all(|asked| asked.word != "approve"));
    let place = Place::new();
    let fake = Fake::start(&place.state(), obliging);
    place.fed(&["approve", "C8", "--factor-stdin"], "4711\n").exits(1).complains("no such card");
    assert!(fake.asked().iter().all(|asked| asked.word != "approve"));
}

#[test]
fn a_locked_vault_ends_with_4_before_a_pin_is_read() {
    for args in [
        &["approve", "C7", "--factor-stdin"][..],
        &["channel", "remove", "github", "--factor-stdin"],
        &["channel", "add", "x", "--origin", "https://a.example", "--kind", "bearer", "--factor-stdin"],
    ] {
        let place = Place::new();
        let fake = Fake::start(&place.state(), |id, _| done(id, status("locked")));
        // Nothing on standard input: reading a PIN would end with 2.
        place.lych(args).exits(4).complains("lych unlock");
        assert_eq!(fake.asked().len(), 1);
    }
}

#[test]
fn where_the_gateway_does_not_accept_the_console_no_factor_is_read() {
    for args in [
        &["unlock", "--factor-stdin"][..],
        &["approve", "C7", "--factor-stdin"],
        &["channel", "remove", "github", "--factor-stdin"],
        &["channel", "add", "x", "--origin", "https://a.example", "--kind", "bearer", "--factor-stdin"],
    ] {
        let place = Place::new();
        let fake = Fake::start(&place.state(), failing(Failure::Refused));
        // Nothing on standard input: reading a factor would end with 2.
        place.lych(args).exits(1).complains("because");
        assert!(fake.asked().iter().all(|asked| ["status", "may i"].contains(&asked.word)));
    }
}

#[test]
fn cards_are_shown_escaped_and_as_json_with_the_digest_that_approve_takes() {
    let place = Place::new();
    let _fake = Fake::start(&place.state(), obliging);
    place
        .lych(&["approvals"])
        .exits(0)
        .says("claude\\u{202e} (process 4242)")
        .says("unsigned")
        .says("`lych approve C7`")
        .never_says("\u{202e}");
    let place = Place::new();
    let _fake = Fake::start(&place.state(), obliging);
    let ran = place.lych(&["approvals", "--json"]).exits(0).never_says("\u{202e}");
    assert_eq!(ran.json()[0]["shown"], card().digest().to_string());
    assert_eq!(ran.json()[0]["agent"]["program"]["name"], "claude\u{202e}");
}

#[test]
fn a_channel_arrives_as_it_was_described_and_its_credential_comes_from_the_line_after_the_pin() {
    let place = Place::new();
    let fake = Fake::start(&place.state(), obliging);
    let args = [
        "channel",
        "add",
        "github",
        "--origin",
        "https://api.github.com",
        "--path",
        "/repos/",
        "--method",
        "GET",
        "--method",
        "POST",
        "--per-call-methods",
        "POST",
        "--kind",
        "bearer",
        "--allow-private",
        "--secret-stdin",
        "--factor-stdin",
    ];
    place.fed(&args, "4711\ncanary-token\n").exits(0).says("Added channel github").never_says("canary");
    let add = fake.asked().pop().unwrap();
    assert_eq!(add.factor.as_deref(), Some("4711"));
    assert_eq!(add.json["secret"], "canary-token");
    let channel = &add.json["channel"];
    assert_eq!(channel["binding"]["origins"], serde_json::json!(["https://api.github.com"]));
    assert_eq!(channel["binding"]["paths"], serde_json::json!(["/repos/"]));
    assert_eq!(channel["binding"]["methods"], serde_json::json!(["GET", "POST"]));
    assert_eq!(channel["binding"]["allow_private"], true);
    assert_eq!(channel["approval"]["mode"], "session");
    assert_eq!(channel["approval"]["per_call_methods"], serde_json::json!(["POST"]));
    assert_eq!(channel["approval"]["ceremony"], "presence");
}

#[test]
fn a_channel_described_by_its_origin_alone_gets_the_careful_defaults() {
    let place = Place::new();
    let fake = Fake::start(&place.state(), obliging);
    let args = ["channel", "add", "a", "--origin", "https://a.example", "--kind", "bearer", "--factor-stdin"];
    place.fed(&args, "4711\ntoken\n").exits(0);
    let add = fake.asked().pop().unwrap();
    let channel = &add.json["channel"];
    assert_eq!(channel["binding"]["paths"], serde_json::json!(["/"]));
    let methods = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE"];
    assert_eq!(channel["binding"]["methods"], serde_json::json!(methods));
    assert_eq!(channel["binding"]["allow_private"], false);
    assert_eq!(channel["approval"]["mode"], "session");
    assert_eq!(channel["approval"]["ceremony"], "presence");
}

#[test]
fn a_credential_that_is_missing_empty_or_no_token_adds_nothing() {
    let args = ["channel", "add", "a", "--origin", "https://a.example", "--kind", "bearer", "--factor-stdin"];
    for (input, exit) in
        [("4711\n", 2), ("4711\n\n", 1), ("", 2), ("4711\nBearer token\n", 1), ("4711\nt\u{f6}ken\n", 1)]
    {
        let place = Place::new();
        let fake = Fake::start(&place.state(), obliging);
        place.fed(&args, input).exits(exit);
        assert!(fake.asked().iter().all(|asked| asked.word != "channel add"));
    }
}

#[test]
fn a_file_that_is_no_certificate_is_not_taken_for_one() {
    let place = Place::new();
    std::fs::create_dir(place.state()).unwrap();
    let file = place.state().join("ca.pem");
    let args = ["channel", "add", "a", "--origin", "https://a.example", "--kind", "bearer", "--factor-stdin", "--ca"];
    let args = [&args[..], &[file.to_str().unwrap()]].concat();
    place.fed(&args, "4711\nx\n").exits(1).complains("ca.pem");
    std::fs::write(&file, "hello").unwrap();
    place.fed(&args, "4711\nx\n").exits(1).complains("no certificate");
    std::fs::write(&file, "-----BEGIN CERTIFICATE-----\n-----BEGIN PRIVATE KEY-----\n").unwrap();
    place.fed(&args, "4711\nx\n").exits(1).complains("private key");
}

#[test]
fn narrowing_sends_no_factor() {
    for (args, word) in [
        (&["lock"][..], "lock"),
        (&["deny", "C7"], "deny"),
        (&["revoke", "R31"], "revoke"),
        (&["revoke", "--all"], "revoke"),
    ] {
        let place = Place::new();
        let fake = Fake::start(&place.state(), obliging);
        place.lych(args).exits(0);
        let asked = fake.asked();
        assert_eq!((asked.len(), asked[0].word, &asked[0].factor), (1, word, &None));
        let whose = (args[0] == "revoke").then(|| asked[0].json["run"].clone());
        let expected = if args.contains(&"--all") { serde_json::Value::Null } else { 31.into() };
        assert!(whose.is_none_or(|run| run == expected), "{asked:?}");
    }
}

#[test]
fn a_socket_in_a_directory_that_others_may_enter_is_not_spoken_to() {
    let place = Place::new();
    let fake = Fake::start(&place.state(), obliging);
    let run = place.state().join("run");
    std::fs::set_permissions(&run, std::fs::Permissions::from_mode(0o755)).unwrap();
    place.fed(&["approve", "C7", "--factor-stdin"], "canary-4711\n").exits(1).complains("none was sent");
    // The fake still waits: nobody connected. One command in good order ends it.
    std::fs::set_permissions(&run, std::fs::Permissions::from_mode(0o700)).unwrap();
    place.lych(&["lock"]).exits(0);
    assert_eq!(fake.asked().iter().map(|asked| asked.word).collect::<Vec<_>>(), ["lock"]);
}

#[test]
fn a_directory_that_is_a_symbolic_link_is_not_spoken_to() {
    let place = Place::new();
    let _fake = Fake::start(&place.state(), obliging);
    let run = place.state().join("run");
    std::fs::rename(&run, place.state().join("elsewhere")).unwrap();
    std::os::unix::fs::symlink("elsewhere", &run).unwrap();
    place.lych(&["status"]).exits(1).complains("symbolic link");
}

#[test]
fn a_gateway_of_another_wire_version_is_named_and_asked_nothing() {
    let place = Place::new();
    let fake = Fake::of_wire(lychgate_wire::WIRE + 1, &place.state(), obliging);
    place.lych(&["lock"]).exits(1).complains("another build");
    assert_eq!(fake.asked().len(), 0);
}
