//! What a person types, at terminals of their own: prompts work in the hardened programs, and show nothing.

use crate::terminal::Terminal;
use crate::world::World;
use crate::world::fixture::{PASSPHRASE, PIN};
use serde_json::json;

fn at(world: &World, args: &[&str]) -> Terminal {
    let user = [world.user.uid, world.user.gid].map(|id| id.to_string());
    let before: &[&str] = if rustix::process::getuid().is_root() {
        &["setpriv", "--reuid", &user[0], "--regid", &user[1], "--clear-groups"]
    } else {
        &[]
    };
    let before: Vec<String> = before.iter().map(|word| (*word).to_owned()).collect();
    let [option, state] = world.state_arguments();
    let all = [&[option.as_str(), state.as_str()], args].concat();
    Terminal::start(&before, &world.programs.lych, &all)
}

#[track_caller]
fn types(terminal: &mut Terminal, prompt: &str, answer: &str) {
    terminal.wait_for(prompt);
    terminal.type_keys(&format!("{answer}\n"));
}

#[track_caller]
fn ends_well(terminal: Terminal) -> String {
    let (status, screen) = terminal.end();
    assert_eq!(status, 0, "{screen}");
    assert!(!screen.contains(PIN) && !screen.contains(PASSPHRASE), "{screen}");
    screen
}

#[test]
fn a_person_answers_unlocks_and_looks_back_at_terminals() {
    let world = World::new();
    let mut agent = world.agent();
    let ask = json!({ "channels": ["api"], "wait_seconds": 0 });
    let card = agent.call("authorize", ask.clone()).must_say("APPROVAL_PENDING new_run").card();
    let mut approve = at(&world, &["approve", &format!("C{card}")]);
    types(&mut approve, "PIN", PIN);
    ends_well(approve);
    agent.call("authorize", ask).must_say("COMPLETED");

    world.lock();
    let mut unlock = at(&world, &["unlock"]);
    types(&mut unlock, "assphrase", PASSPHRASE);
    ends_well(unlock);
    let mut console = at(&world, &["up"]);
    console.wait_for("Waiting for agents");
    let waiting = agent.begin("authorize", json!({ "channels": ["api"], "wait_seconds": 50 }));
    console.wait_for("Card C");
    types(&mut console, "> ", "y");
    types(&mut console, "PIN", PIN);
    agent.finish(waiting).must_say("COMPLETED");
    console.type_keys("x\n");
    ends_well(console);

    let mut activity = at(&world, &["activity"]);
    types(&mut activity, "assphrase", PASSPHRASE);
    assert!(ends_well(activity).contains("session_approved"));
    let mut removed = at(&world, &["channel", "remove", "api"]);
    types(&mut removed, "PIN", PIN);
    ends_well(removed);
}
