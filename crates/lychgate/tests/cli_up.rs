//! `lych up`: with a gateway of its own, and its console against a scripted one.
#![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "tests")]
mod common;

use common::Place;
use common::fake::{Fake, card, obliging};
use lychgate_wire::operator::{Command, Failure, Reply, ToOperator};

/// Stops the gateway of a place however the test ends.
struct Stops<'a>(&'a Place);

impl Drop for Stops<'_> {
    fn drop(&mut self) {
        self.0.lych(&["stop"]);
    }
}

#[test]
fn a_first_up_makes_everything_and_what_it_did_can_be_read_and_verified() {
    let place = Place::new();
    let stops = Stops(&place);
    let passphrase = "canary correct horse\n";
    let ran = place.fed(&["up", "--factor-stdin"], &format!("{passphrase}4711\n")).exits(0).never_says("canary");
    let key = ran.out.lines().map(str::trim).find(|line| line.len() == 64).unwrap().to_owned();
    let ran = ran.says("The vault is unlocked.").says("Input ended");
    assert!(ran.err.is_empty(), "{ran:?}");
    let status = place.lych(&["status", "--json"]).exits(0).json();
    assert_eq!((&status["vault"], &status["boot"]), (&"unlocked".into(), &1.into()));

    // A second one finds the first, and both factors work.
    place.fed(&["up", "--factor-stdin"], "").exits(0).says("runs already");
    let add = ["channel", "add", "a", "--origin", "https://a.example", "--kind", "bearer", "--factor-stdin"];
    place.fed(&add, "4712\ncanary-token\n").exits(1).complains("PIN is wrong").never_says("canary");
    place.fed(&add, "4711\ncanary-token\n").exits(0);
    assert_eq!(place.lych(&["channel", "show", "a", "--json"]).exits(0).json()["version"], 1);
    place.lych(&["channel", "show", "b"]).exits(1);
    place.lych(&["lock"]).exits(0);
    place.fed(&add, "4711\nx\n").exits(4);
    place.fed(&["unlock", "--factor-stdin"], "not the passphrase\n").exits(1).complains("wrong passphrase");
    place.fed(&["unlock", "--factor-stdin"], passphrase).exits(0);
    place.fed(&["channel", "remove", "a", "--factor-stdin"], "4711\n").exits(0);

    // A checkpoint of the living log holds it to what was there.
    let note = place.lych(&["audit", "checkpoint"]).exits(0).out;
    let file = place.state().join("note");
    std::fs::write(&file, note).unwrap();
    drop(stops);
    place.lych(&["status"]).exits(3);
    place.lych(&["audit", "verify", "--key", &key, "--checkpoint", file.to_str().unwrap()]).exits(0).says("OK");
    std::fs::write(&file, "x").unwrap();
    place.lych(&["audit", "verify", "--checkpoint", file.to_str().unwrap()]).exits(17);

    place
        .fed(&["activity", "--factor-stdin"], passphrase)
        .exits(0)
        .says("gateway_started")
        .says("channel_configured channel=a change=added")
        .says("cause=command")
        .never_says("canary");
    let one = place.fed(&["activity", "--factor-stdin", "--json", "--outcome", "vault_unlocked"], passphrase).exits(0);
    let events: Vec<serde_json::Value> = one.out.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(events.iter().filter(|event| event["event"] == "vault_unlocked").count(), 2);
    assert_eq!(events.len(), 2);
    place.fed(&["sessions", "--factor-stdin"], passphrase).exits(0).says("nothing to show");
    place.fed(&["activity", "--factor-stdin"], "not the passphrase\n").exits(1).complains("wrong passphrase");
}

/// A place whose vault is there, as far as `up` looks before it connects.
fn with_vault(place: &Place) {
    drop(lychgate_seal::durable::private_dir(&place.state()).unwrap());
    std::fs::write(place.state().join("vault.lych"), "").unwrap();
}

/// Shows one card on `Watch`, and none after an answer.
fn with_a_card(id: u64, command: &Command) -> Vec<ToOperator> {
    let mut frames = obliging(id, command);
    match command {
        Command::Watch => frames.push(ToOperator::Cards { cards: vec![card()], locked: false }),
        Command::Approve { .. } | Command::Deny { .. } => {
            frames.push(ToOperator::Cards { cards: vec![], locked: false });
        }
        _ => {}
    }
    frames
}

#[test]
fn the_console_shows_a_card_and_sends_a_yes_for_it_with_the_pin() {
    let place = Place::new();
    with_vault(&place);
    let fake = Fake::start(&place.state(), with_a_card);
    place
        .fed(&["up", "--factor-stdin"], "y\ncanary-4711\n")
        .exits(0)
        .says("Card C7: run R31 asks to use your credentials")
        .says("Approved run R31 on: github.")
        .never_says("canary");
    let asked = fake.asked();
    let yes = asked.iter().find(|asked| asked.word == "approve").unwrap();
    assert_eq!(yes.factor.as_deref(), Some("canary-4711"));
    assert_eq!(yes.json["shown"], card().digest().to_string());
    assert_eq!(yes.json["channels"], serde_json::Value::Null);
    assert!(asked.iter().filter(|asked| asked.word != "approve").all(|asked| asked.factor.is_none()));
}

#[test]
fn the_console_opens_only_the_named_channels_and_a_no_takes_no_pin() {
    let place = Place::new();
    with_vault(&place);
    let fake = Fake::start(&place.state(), with_a_card);
    place.fed(&["up", "--factor-stdin"], "y github\n4711\n").exits(0);
    let asked = fake.asked();
    let yes = asked.iter().find(|asked| asked.word == "approve").unwrap();
    assert_eq!(yes.json["channels"], serde_json::json!(["github"]));

    let place = Place::new();
    with_vault(&place);
    let fake = Fake::start(&place.state(), with_a_card);
    place.fed(&["up", "--factor-stdin"], "n\n").exits(0).says("Denied C7.");
    let asked = fake.asked();
    let no = asked.iter().find(|asked| asked.word == "deny").unwrap();
    assert_eq!((&no.json["card"], &no.factor), (&7.into(), &None));
}

#[test]
fn a_refused_yes_leaves_the_console_and_its_card_standing() {
    let place = Place::new();
    with_vault(&place);
    let mut tries = 0;
    let fake = Fake::start(&place.state(), move |id, command| match command {
        Command::Approve { .. } if tries == 0 => {
            tries += 1;
            vec![ToOperator::Failed { id, kind: Failure::WrongFactor, text: "the PIN is wrong".to_owned() }]
        }
        _ => with_a_card(id, command),
    });
    place.fed(&["up", "--factor-stdin"], "y\n0000\ny\n4711\n").exits(0).complains("PIN is wrong").says("Approved");
    assert_eq!(fake.asked().iter().filter(|asked| asked.word == "approve").count(), 2);
}

#[test]
fn a_yes_is_for_the_card_that_is_there_now() {
    let place = Place::new();
    with_vault(&place);
    let mut other = card();
    other.epoch += 1;
    let changed = other.clone();
    let fake = Fake::start(&place.state(), move |id, command| match command {
        // The second card replaces the first before the script's answer is taken.
        Command::Watch => vec![
            ToOperator::Cards { cards: vec![card()], locked: false },
            ToOperator::Cards { cards: vec![changed.clone()], locked: false },
            ToOperator::Done { id, reply: Reply::Ok { notice: None } },
        ],
        _ => with_a_card(id, command),
    });
    place.fed(&["up", "--factor-stdin"], "y\n4711\n").exits(0);
    let asked = fake.asked();
    let yes: Vec<_> = asked.iter().filter(|asked| asked.word == "approve").collect();
    assert_eq!(yes.len(), 1);
    assert_eq!(yes[0].json["shown"], other.digest().to_string());
}

#[test]
fn a_gateway_that_this_console_did_not_start_is_not_stopped_by_q() {
    let place = Place::new();
    with_vault(&place);
    let fake = Fake::start(&place.state(), with_a_card);
    place.fed(&["up", "--factor-stdin"], "q\n").exits(0).says("The gateway goes on");
    assert!(fake.asked().iter().all(|asked| asked.word != "stop"));
}
