//! An approved process that becomes another program, or the same program anew.

use crate::world::World;
use crate::world::raw::By;

const CHANGED: &str = "REAUTH_REQUIRED process_changed";

#[track_caller]
fn an_agent_that_becomes(words: impl FnOnce(&World) -> Vec<String>) {
    let world = World::new();
    let mut agent = world.agent();
    agent.authorized(&world, &["api"]);
    agent.get(&world, "/v1/one").must_say("COMPLETED");
    agent.execs(&words(&world));
    agent.get(&world, "/v1/two").must_say(CHANGED);
    assert_eq!(world.upstream.connections(), 1);
    agent.get(&world, "/v1/two").must_say(CHANGED);
    assert_eq!(world.upstream.connections(), 1);
    world.has_activity(&["session_ended", "process_identity_mismatch"]);
}

#[test]
fn an_agent_that_executes_something_else_is_refused() {
    an_agent_that_becomes(|_| ["/bin/sleep", "60"].map(str::to_owned).to_vec());
}

#[test]
fn an_agent_that_executes_the_same_program_again_is_refused() {
    an_agent_that_becomes(World::words_of_idle_agent);
}

#[test]
fn a_peer_that_executes_its_own_program_again_is_refused_on_the_connection_that_it_kept() {
    let world = World::new();
    let mut raw = world.raw();
    raw.registered();
    raw.authorized(&world);
    raw.call(By::Itself, &world.raw_get("/v1/one")).unwrap().must_say("COMPLETED");
    raw.exec();
    if let Some(answer) = raw.call(By::Itself, &world.raw_get("/v1/two")) {
        answer.must_say(CHANGED);
    }
    assert_eq!(world.upstream.connections(), 1);
}

#[test]
fn a_wrapper_that_becomes_the_agent_before_its_first_call_does_no_harm() {
    let world = World::new();
    let mut raw = world.raw_by(&world.user, &["/bin/sh", "-c", "exec \"$@\"", "sh"]);
    raw.registered();
    raw.authorized(&world);
    raw.call(By::Itself, &world.raw_get("/v1/one")).unwrap().must_say("COMPLETED");
    assert_eq!(world.upstream.count(), 1);
}
