//! A vault from nothing, and what can be said about its journal without a gateway. Each `init` takes the real cost of a
//! passphrase, so there are few of them.
#![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "tests")]
mod common;

use common::Place;
use std::os::unix::fs::PermissionsExt;

const FACTORS: &str = "canary correct horse\n4711\n";

#[test]
fn init_makes_a_vault_whose_journal_verifies_with_the_printed_key_and_no_other() {
    let place = Place::new();
    let key = {
        let ran = place.fed(&["init", "--factor-stdin", "--json"], FACTORS).exits(0).never_says("canary");
        let json = ran.json();
        assert!(
            json["public_key"].as_str().unwrap().starts_with(&json["short_key"].as_str().unwrap().replace('-', ""))
        );
        json["public_key"].as_str().unwrap().to_owned()
    };
    place.lych(&["audit", "verify", "--key", &key]).exits(0).says("OK");
    place.lych(&["audit", "verify"]).exits(10).says("SELF-SIGNED").says("--key KEY");
    let other = "ab".repeat(32);
    place.lych(&["audit", "verify", "--key", &other]).exits(17).says("BAD_KEY");
    let json = place.lych(&["audit", "verify", "--key", &other, "--json"]).exits(17).json();
    assert_eq!((&json["exit"], &json["accepted"]), (&17.into(), &false.into()));
    place.lych(&["audit", "verify", "--key", "nonsense"]).exits(2);
    place.lych(&["audit", "verify", "/nowhere", "--key", &key]).exits(1).complains("there is no journal in /nowhere");

    // A second vault would replace the first.
    let before = std::fs::read(place.state().join("vault.lych")).unwrap();
    place.fed(&["init", "--factor-stdin"], FACTORS).exits(1).complains("already");
    assert_eq!(std::fs::read(place.state().join("vault.lych")).unwrap(), before);

    // Nothing that was typed is in any file, and no file is open to others.
    for file in files(&place.state()) {
        assert_eq!(std::fs::metadata(&file).unwrap().permissions().mode() & 0o077, 0, "{}", file.display());
        let bytes = std::fs::read(&file).unwrap();
        assert!(!bytes.windows(6).any(|window| window == b"canary"), "{}", file.display());
    }
}

#[test]
fn factors_that_will_not_do_make_no_vault() {
    let place = Place::new();
    for (input, exit, why) in [
        ("", 2, "passphrase"),
        ("canary correct horse\n", 2, "PIN"),
        ("short\n4711\n", 1, "8 characters"),
        ("canary correct horse\n123\n", 1, "PIN"),
        ("canary correct horse\n\n", 1, "empty"),
        ("4711 4711\n4711 4711\n", 1, "PIN is the passphrase"),
    ] {
        place.fed(&["init", "--factor-stdin"], input).exits(exit).complains(why).never_says("canary");
        assert!(!place.state().join("vault.lych").exists());
    }
}

#[test]
fn a_directory_that_others_may_enter_gets_no_vault() {
    let place = Place::new();
    std::fs::create_dir(place.state()).unwrap();
    std::fs::set_permissions(place.state(), std::fs::Permissions::from_mode(0o755)).unwrap();
    place.fed(&["init", "--factor-stdin"], FACTORS).exits(1).complains("0700");
    assert_eq!(files(&place.state()).len(), 0);
}

#[test]
fn a_journal_without_its_vault_is_not_written_over() {
    let place = Place::new();
    drop(lychgate_seal::durable::private_dir(&place.state().join("audit")).unwrap());
    std::fs::set_permissions(place.state(), std::fs::Permissions::from_mode(0o700)).unwrap();
    std::fs::write(place.state().join("audit/LOG"), "precious").unwrap();
    place.fed(&["init", "--factor-stdin"], FACTORS).exits(1).complains("journal without a vault");
    assert_eq!(files(&place.state()).len(), 1);
}

#[test]
fn the_gateway_needs_a_vault_and_says_how_to_make_one() {
    Place::new().lych(&["gateway"]).exits(1).complains("lych up");
}

fn files(dir: &std::path::Path) -> Vec<std::path::PathBuf> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(dir).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            found.extend(files(&path));
        } else {
            found.push(path);
        }
    }
    found
}
