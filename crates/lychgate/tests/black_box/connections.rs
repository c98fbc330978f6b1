//! Who writes on a connection, and who may open one at all.

use crate::world::place::stranger;
use crate::world::raw::{By, Raw};
use crate::world::{World, place, until};
use serde_json::json;

const CHANGED: &str = "REAUTH_REQUIRED process_changed";

/// A run with authority, proven by one request.
fn approved(world: &World) -> Raw {
    let mut raw = world.raw();
    raw.registered();
    raw.authorized(world);
    raw.call(By::Itself, &world.raw_get("/v1/own")).unwrap().must_say("COMPLETED");
    raw
}

#[track_caller]
fn a_frame_is_refused_and_ends_the_run(by: By) {
    let world = World::new();
    let mut raw = approved(&world);
    if let Some(answer) = raw.call(by, &world.raw_get("/v1/stolen")) {
        answer.must_say(CHANGED);
    }
    assert_eq!(world.upstream.connections(), 1);
    // The connection is nobody's any more, not even its first owner's.
    if let Some(answer) = raw.call(By::Itself, &world.raw_get("/v1/own")) {
        answer.must_say(CHANGED);
    }
    assert_eq!(world.upstream.connections(), 1);
    world.has_activity(&["session_ended", "process_identity_mismatch"]);
    // A new run of the very same process begins with nothing.
    raw.registered();
    raw.call(By::Itself, &world.raw_get("/v1/own")).unwrap().must_say(CHANGED);
    assert_eq!(world.upstream.count(), 1);
}

#[test]
fn a_connection_passed_to_another_process_is_refused() {
    a_frame_is_refused_and_ends_the_run(By::Passed);
}

#[test]
fn a_connection_inherited_by_a_forked_child_is_refused() {
    a_frame_is_refused_and_ends_the_run(By::Fork);
}

#[test]
fn a_connection_inherited_by_an_orphan_in_a_session_of_its_own_is_refused() {
    a_frame_is_refused_and_ends_the_run(By::Orphan);
}

#[test]
fn a_connection_registered_by_one_process_and_opened_by_another_is_refused() {
    let world = World::new();
    let mut raw = world.raw();
    raw.registered();
    let answer = raw.call(By::Fork, &json!({ "call": "authorize", "channels": ["api"], "wait_seconds": 0 }));
    if let Some(answer) = answer {
        answer.must_say(CHANGED);
    }
    assert_eq!(world.cards().len(), 0);
}

#[test]
fn an_orphan_that_connects_by_itself_is_a_run_of_its_own_without_authority() {
    let world = World::new();
    let mut agent = world.agent();
    agent.authorized(&world, &["api"]);
    let script = world.file("raw.py", include_bytes!("../world/raw.py"));
    let socket = world.state.join("run/agent.sock");
    let words = [place::python(), script, socket].map(|word| word.display().to_string());
    let orders = [
        json!({ "do": "register", "conversation": null }),
        json!({ "do": "call", "call": world.raw_get("/v1/orphan") }),
    ];
    let input = orders.map(|order| format!("{order}\n")).concat();
    for ran in [agent.runs(&words, &input), agent.runs_as_orphan(&words, &input)] {
        let ran = ran.exits(0);
        let last: serde_json::Value = serde_json::from_str(ran.out.lines().last().unwrap()).unwrap();
        assert_eq!(last["answer"]["outcome"], "APPROVAL_PENDING", "{ran:#?}");
        assert_eq!(last["answer"]["reason"], "new_run");
    }
    assert_eq!(world.upstream.connections(), 0);
}

#[test]
fn a_client_in_a_namespace_of_its_own_is_unverified() {
    let world = World::new();
    let wrappers: [&[&str]; 2] =
        [&["/usr/bin/unshare", "-Ur", "--fork", "--pid"], &["/usr/bin/unshare", "-U", "--map-current-user"]];
    for wrapper in wrappers {
        let mut raw = world.raw_by(&world.user, wrapper);
        let refused = raw.register(None);
        assert_eq!(refused["type"], "refused", "{wrapper:?}: {refused:#}");
        assert_eq!(refused["answer"]["outcome"], "UNVERIFIED_REQUESTER", "{wrapper:?}: {refused:#}");
        assert_eq!(refused["answer"]["reason"], "foreign_namespace");
    }
    world.has_activity(&["registration_refused", "foreign_namespace"]);
    assert_eq!(world.runs().len(), 0);
}

#[test]
fn another_user_does_not_reach_the_sockets_and_is_refused_where_the_directories_were_opened() {
    use std::fs::{Permissions, set_permissions};
    use std::os::unix::fs::PermissionsExt;
    let world = World::new();
    let somebody = stranger();
    let mut shut_out = world.raw_by(&somebody, &[]);
    let attempt = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| shut_out.register(None)));
    assert!(attempt.is_err(), "it reached the socket: {attempt:?}");

    for (path, mode) in [("", 0o711), ("run", 0o711), ("run/agent.sock", 0o666), ("run/operator.sock", 0o666)] {
        set_permissions(world.state.join(path), Permissions::from_mode(mode)).unwrap();
    }
    let mut raw = world.raw_by(&somebody, &[]);
    let refused = raw.register(None);
    assert_eq!(refused["answer"]["outcome"], "UNVERIFIED_REQUESTER", "{refused:#}");
    let command = json!({ "do": "operator", "command": { "command": "lock" } });
    assert_eq!(raw.order(&command)["type"], "closed", "another user locks nothing");
    assert_eq!(world.upstream.connections(), 0);
}

#[test]
fn a_shim_of_another_build_is_told_so_and_becomes_no_run() {
    let world = World::new();
    let other = world.own_dir().join("lych");
    place::copy_program(&world.programs.lych, &other);
    let mut agent = world.agent_with_shim(&other, crate::world::agent::Manner::default());
    agent.get(&world, "/v1/x").must_say("INVALID shim_build");
    assert_eq!((world.runs().len(), world.upstream.connections()), (0, 0));
}

#[test]
fn a_client_that_ends_before_it_is_looked_at_becomes_no_run() {
    let world = World::new();
    for _ in 0..20 {
        let mut raw = world.raw();
        raw.registered();
    }
    until("no run", || world.runs().is_empty().then_some(()));
}
