//! R24 d: two agents that differ in nothing but in being two.

use crate::world::World;

#[test]
fn r24_d_the_approval_of_one_of_two_identical_agents_never_serves_the_other() {
    let world = World::new();
    let mut one = world.agent_of("same");
    let mut two = world.agent_of("same");
    for file in ["cmdline", "environ"] {
        let of = |pid| std::fs::read(format!("/proc/{pid}/{file}")).unwrap();
        assert_eq!(of(one.pid()), of(two.pid()), "they must be twins");
    }
    one.authorized(&world, &["api"]);
    two.get(&world, "/v1/two").must_say("APPROVAL_PENDING new_run");
    assert_eq!(world.upstream.connections(), 0);
    one.get(&world, "/v1/one").must_say("COMPLETED");
    two.get(&world, "/v1/two").must_say("APPROVAL_PENDING new_run");

    // Nor when the one that was approved is gone.
    one.kill();
    crate::world::until("one run", || (world.runs().len() == 1).then_some(()));
    two.get(&world, "/v1/two").must_say("APPROVAL_PENDING new_run");
    assert_eq!(world.upstream.count(), 1);
    assert_eq!(world.upstream.requests()[0].target, "/v1/one");
}

#[test]
fn r24_d_two_shims_of_one_agent_are_two_runs() {
    let world = World::new();
    let mut agent = world.agent();
    agent.authorized(&world, &["api"]);
    let mut raw = world.raw();
    raw.registered();
    let answer = raw.call(crate::world::raw::By::Itself, &world.raw_get("/v1/x")).unwrap();
    answer.must_say("APPROVAL_PENDING new_run");
    assert_eq!(world.upstream.connections(), 0);
}
