//! One gateway for one state directory (F77, F98).

use crate::world::World;
use crate::world::fixture;

#[test]
fn a_second_gateway_is_refused_and_the_first_serves_on() {
    let world = World::new();
    let (mut second, output) = world.try_start();
    assert!(!second.wait().success());
    assert_eq!(output.line(), None, "it says `ready` only where it serves");
    output.wait_for_text("another gateway");
    let mut agent = world.agent();
    agent.authorized(&world, &["api"]);
    agent.get(&world, "/v1/x").must_say("COMPLETED");
    world.verify(&[]).exits(0);
}

#[test]
fn of_eight_racing_starts_one_serves_and_the_others_end() {
    let world = World::asleep();
    let mut racers: Vec<_> = (0..8).map(|_| world.try_start()).collect();
    let mut serving = Vec::new();
    for (index, (process, output)) in racers.iter_mut().enumerate() {
        match output.line() {
            Some(line) => {
                assert_eq!(line, "ready");
                serving.push(index);
            }
            None => assert!(!process.wait().success(), "{}", output.text()),
        }
    }
    assert_eq!(serving.len(), 1, "{serving:?}");
    world.unlock();
    assert_eq!(world.status()["vault"], "unlocked");
    assert!(!racers[serving[0]].0.has_ended());
    world.lych(&["stop"]).exits(0);
    assert!(racers[serving[0]].0.wait().success());
    world.verify(&[]).exits(0);
}

#[test]
fn signals_lock_and_stop_the_gateway_in_order() {
    use rustix::process::Signal;
    let mut world = World::new();
    let mut agent = world.agent();
    agent.authorized(&world, &["api"]);
    world.signal_gateway(Signal::HUP);
    world.signal_gateway(Signal::USR1);
    crate::world::until("a lock", || (world.status()["vault"] == "locked").then_some(()));
    agent.get(&world, "/v1/x").must_say("VAULT_LOCKED vault_locked");
    world.unlock();
    world.signal_gateway(Signal::TERM);
    world.gateway_ends();
    world.verify(&[]).exits(0);
    let activity = world.activity();
    for words in ["vault_locked epoch=4", "cause=signal", "gateway_stopped"] {
        assert!(activity.contains(words), "no {words:?} in:\n{activity}");
    }
    assert_eq!(world.upstream.connections(), 0);
}

#[test]
fn a_gateway_without_a_vault_or_with_a_wrong_passphrase_opens_nothing() {
    let mut world = World::asleep();
    world.start();
    world.fed(&["unlock", "--factor-stdin"], "not the passphrase\n").exits(1);
    world.fed(&["unlock", "--factor-stdin"], &format!("{}\n", fixture::PIN)).exits(1);
    assert_eq!(world.status()["vault"], "locked");
    world.stop_gateway();
    std::fs::rename(world.state.join("vault.lych"), world.state.join("elsewhere")).unwrap();
    let (mut gateway, output) = world.try_start();
    assert!(!gateway.wait().success());
    assert_eq!(output.line(), None);
}
