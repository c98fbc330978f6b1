//! Who is not what he shows himself as: a server of another user on the gateway's sockets, and senders that name others.

use crate::world::children::Running;
use crate::world::fixture::PIN;
use crate::world::place::{python, stranger};
use crate::world::{World, until};
use serde_json::json;
use std::os::unix::fs::PermissionsExt;
use std::process::Command;

/// A server of another user in both places. One of the same user can't be told from a gateway: docs/THREAT-MODEL.md.
#[test]
fn a_server_of_another_user_on_the_gateways_sockets_hears_nothing() {
    let world = World::asleep();
    let somebody = stranger();
    let run = world.state.join("run");
    std::fs::create_dir_all(&run).unwrap();
    world.user.give(&run);
    std::fs::set_permissions(&run, std::fs::Permissions::from_mode(0o700)).unwrap();
    let mut command = Command::new(python());
    command.arg(world.file("impostor.py", include_bytes!("../world/impostor.py")));
    command.args([somebody.uid.to_string(), somebody.gid.to_string()]);
    command.args([run.join("agent.sock"), run.join("operator.sock")]);
    let (_impostor, heard) = Running::with_output("impostor", command);
    assert_eq!(heard.line().as_deref(), Some("\"listens\""), "{}", heard.text());

    let mut agent = world.agent();
    let answer = agent.get(&world, "/v1/x").must_say("GATEWAY_UNAVAILABLE no_gateway");
    assert!(answer.0["next"].as_str().unwrap().contains("whose it is"), "{:#}", answer.0);
    let named = format!("user {}", somebody.uid);
    // The PIN is not typed to whoever sits there.
    world.fed(&["approve", "C1", "--factor-stdin"], &format!("{PIN}\n")).exits(1).complains(&named);
    world.lych(&["revoke", "--all"]).exits(1).complains(&named);
    until("three connections", || (heard.text().matches("heard").count() >= 3).then_some(()));
    let text = heard.text();
    let empty = text.lines().filter(|line| *line == r#"{"heard": ""}"#).count();
    assert_eq!(empty, text.matches("heard").count(), "{text}");
}

/// Forging a sender takes a right over the pid namespace that one is in, so its own is where it can be done.
#[test]
fn a_sender_that_names_another_process_is_refused() {
    let world = World::new();
    let agent = world.approved_raw();
    // In the gateway's pid namespace the kernel lets nobody do it, whoever he is in a user namespace of his own.
    for wrapper in [&[][..], &["/usr/bin/unshare", "-Ur"][..]] {
        let mut raw = world.raw_by(&world.user, wrapper);
        for pid in [agent.pid(), world.gateway_pid()] {
            let answer = raw.order(&json!({ "do": "forge", "pid": pid }));
            assert_eq!(answer["type"], "not_permitted", "{wrapper:?}: {answer:#}");
        }
    }
    let mut raw = world.raw_by(&world.user, &["/usr/bin/unshare", "-Ur", "--fork", "--pid"]);
    // The script is 1 there, and a child of it 2.
    let answer = raw.order(&json!({ "do": "forge", "pid": 2 }));
    assert_eq!(answer["type"], "refused", "{answer:#}");
    let answer = &answer["answer"];
    assert_eq!((&answer["outcome"], &answer["reason"]), (&json!("REAUTH_REQUIRED"), &json!("process_changed")));
    assert_eq!(world.runs().len(), 1);
}
