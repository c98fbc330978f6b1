//! R24 f: another client takes the recovery path of an earlier one, with everything that it could have learned.

use crate::world::answer::Answer;
use crate::world::raw::{By, Raw};
use crate::world::{World, random_hex, until};
use serde_json::{Value, json};

/// What a thief knows of an action.
struct Known {
    action: String,
    client_ref: String,
    key: String,
}

impl Known {
    fn nothing() -> Self {
        Self { action: random_hex(), client_ref: random_hex(), key: random_hex() }
    }

    /// Every question that names an action.
    fn questions(&self, world: &World) -> Vec<Value> {
        let status = |id: Option<&str>, key: Option<&str>| {
            let call = "action_status";
            json!({ "call": call, "action_id": id, "action_key": key, "wait_seconds": 0 })
        };
        let mut retry = world.raw_get("/v1/secret");
        retry["retry_of"] = json!(self.action);
        vec![
            status(Some(&self.action), None),
            status(Some(&self.client_ref), None),
            status(None, Some(&self.key)),
            json!({ "call": "read_result", "action_id": self.action, "offset": 0 }),
            json!({ "call": "read_result", "action_id": self.client_ref, "offset": 0 }),
            retry,
        ]
    }
}

#[track_caller]
fn ask(raw: &mut Raw, call: &Value) -> Answer {
    raw.call(By::Itself, call).unwrap_or_else(|| panic!("no answer to {call:#}"))
}

/// The thief's answers to true names are those to names that were just invented.
#[track_caller]
fn learns_nothing(world: &World, thief: &mut Raw, known: &Known) {
    let invented = Known::nothing();
    for (of_true, of_invented) in known.questions(world).iter().zip(&invented.questions(world)) {
        let (told, invented) = (ask(thief, of_true), ask(thief, of_invented));
        assert_eq!(told.bare(), invented.bare(), "to {of_true:#}");
        let text = told.0.to_string();
        assert!(!["COMPLETED", "RETRY_SAFE", "STATUS_UNKNOWN"].iter().any(|word| told.says().starts_with(word)));
        assert!(!text.contains("/v1/secret") && !text.contains("\"ok\""), "{text}");
    }
    // Nor does it hear that a key is taken, whether or not with the same request.
    for path in ["/v1/secret", "/v1/other"] {
        let [of_true, of_invented] = [&known.key, &invented.key].map(|key| {
            let mut call = world.raw_get(path);
            call["action_key"] = json!(key);
            ask(thief, &call).says()
        });
        assert_eq!(of_true, of_invented);
    }
    let state = ask(thief, &json!({ "call": "run_status" })).must_say("COMPLETED");
    assert!(!state.result()["approved_channels"].to_string().contains("api"), "{:#}", state.0);
    assert!(!state.result()["unfinished_actions"].to_string().contains(&known.action), "{:#}", state.0);
}

/// Registers with the owner's conversation and says that its last run was the owner's.
#[track_caller]
fn borrows(thief: &mut Raw, registered: &Value, known: &Known) {
    assert_eq!(registered["type"], "registered", "{registered:#}");
    let claim = json!({
        "run": registered["run"], "boot": registered["boot"], "receipt": null,
        "unanswered": [known.client_ref], "noticed": [], "read_to_end": true,
    });
    let order = json!({ "do": "register", "conversation": "thread-9", "previous": claim });
    assert_eq!(thief.order(&order)["type"], "registered");
}

fn action_of_the_owner(world: &World, owner: &mut Raw) -> Known {
    let known = Known { action: String::new(), client_ref: random_hex(), key: "order-9".into() };
    let mut call = world.raw_get_as("/v1/secret", &known.client_ref);
    call["action_key"] = json!(known.key);
    let done = ask(owner, &call).must_say("COMPLETED");
    Known { action: done.action(), ..known }
}

#[test]
fn r24_f_a_stranger_who_quotes_everything_of_a_living_run_learns_and_gets_nothing() {
    let world = World::new();
    let mut owner = world.raw();
    let registered = owner.register(Some("thread-9"));
    owner.authorized(&world);
    let known = action_of_the_owner(&world, &mut owner);

    let mut thief = world.raw();
    borrows(&mut thief, &registered, &known);
    learns_nothing(&world, &mut thief, &known);
    ask(&mut thief, &world.raw_get("/v1/theft")).must_say("APPROVAL_PENDING new_run");
    assert_eq!(world.upstream.count(), 1);
    // And takes nothing away from the owner.
    ask(&mut owner, &known.questions(&world)[0]).must_say("COMPLETED");
}

#[test]
fn r24_f_a_stranger_who_quotes_everything_of_a_dead_run_learns_and_gets_nothing() {
    let world = World::new();
    world.add_channel("other", &[]);
    let mut owner = world.raw();
    let registered = owner.register(Some("thread-9"));
    owner.authorized(&world);
    let known = action_of_the_owner(&world, &mut owner);
    drop(owner);
    until("no run", || world.runs().is_empty().then_some(()));

    let mut thief = world.raw();
    borrows(&mut thief, &registered, &known);
    learns_nothing(&world, &mut thief, &known);

    // A yes to something else opens nothing of it.
    let other = json!({ "call": "authorize", "channels": ["other"], "wait_seconds": 0 });
    let asked = ask(&mut thief, &other);
    world.approve(asked.card());
    let granted = ask(&mut thief, &other).must_say("COMPLETED");
    assert_eq!(granted.result()["granted"], json!(["other"]));
    assert_eq!(granted.result()["earlier_actions"], json!([]));
    learns_nothing(&world, &mut thief, &known);
    ask(&mut thief, &world.raw_get("/v1/theft")).must_say("REAUTH_REQUIRED process_changed");
    assert_eq!(world.upstream.count(), 1);
}

#[test]
fn r24_f_questions_about_foreign_actions_write_no_row() {
    let world = World::new();
    let mut owner = world.raw();
    owner.registered();
    owner.authorized(&world);
    let known = action_of_the_owner(&world, &mut owner);
    let mut thief = world.raw();
    thief.registered();
    // Whatever registered before is in the journal by now, and each further question could only add to it.
    let count = |world: &World| world.activity().lines().count();
    until("the row of the run", || world.activity().contains("run_started run=R2").then_some(()));
    let before = count(&world);
    for question in &known.questions(&world)[..5] {
        ask(&mut thief, question).must_say("INVALID unknown_action");
    }
    // A row that comes after them is durable: so would they be.
    world.lych(&["revoke", "--all"]).exits(0);
    let activity = world.activity();
    let of_thief: Vec<&str> = activity.lines().skip(before).filter(|line| line.contains("run=R2")).collect();
    assert_eq!(of_thief, Vec::<&str>::new(), "{activity}");
}
