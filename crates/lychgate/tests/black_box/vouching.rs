//! What a client says of its own past is no evidence: after a restart only our own shim is believed that an action
//! never left. Whoever else says so hears "unknown", whatever the files on disk have lost meanwhile.

use crate::world::answer::Answer;
use crate::world::raw::{By, Raw};
use crate::world::{World, random_hex};
use serde_json::{Value, json};
use std::fs::{self, OpenOptions};
use std::path::PathBuf;

const UNKNOWN: &str = "STATUS_UNKNOWN inspect_activity_journal";
const NOT_STARTED: &str = "RETRY_SAFE previous_action_not_started";

/// A client that speaks the protocol itself, and all that it needs to claim that nothing of its actions ever left.
struct Liar {
    raw: Raw,
    registered: Value,
    receipt: Value,
    actions: Vec<Action>,
}

#[derive(Clone)]
struct Action {
    client_ref: String,
    id: String,
}

impl Liar {
    fn of(world: &World) -> Self {
        let mut raw = world.raw();
        let registered = raw.register(None);
        assert_eq!(registered["type"], "registered", "{registered:#}");
        Self { raw, registered, receipt: Value::Null, actions: Vec::new() }
    }

    #[track_caller]
    fn ask(&mut self, call: &Value) -> Answer {
        self.raw.call(By::Itself, call).unwrap_or_else(|| panic!("no answer to {call:#}"))
    }

    /// A run with authority that was used: the store holds all of it.
    fn approved(world: &World) -> Self {
        let mut this = Self::of(world);
        this.authorized(world);
        this.requests(world, "api", "/v1/first", "COMPLETED");
        this.actions.clear();
        this
    }

    /// A request, with its answer's receipt kept.
    #[track_caller]
    fn requests(&mut self, world: &World, channel: &str, path: &str, says: &str) -> Action {
        let client_ref = random_hex();
        let mut call = world.raw_get_as(path, &client_ref);
        call["channel"] = json!(channel);
        let answer = self.ask(&call).must_say(says);
        self.receipt = answer.0["receipt"].clone();
        assert!(self.receipt.is_object(), "{:#}", answer.0);
        let action = Action { client_ref, id: answer.action() };
        self.actions.push(action.clone());
        action
    }

    /// Registers with the gateway of now and claims: it had no answer, it had no notice, it read to the end.
    #[track_caller]
    fn comes_back(&mut self) {
        let refs = self.actions.iter().flat_map(|action| [&action.client_ref, &action.id]);
        let claim = json!({
            "run": self.registered["run"], "boot": self.registered["boot"], "receipt": self.receipt,
            "unanswered": refs.collect::<Vec<_>>(), "noticed": [], "read_to_end": true,
        });
        let again = self.raw.order(&json!({ "do": "register", "conversation": null, "previous": claim }));
        assert_eq!(again["type"], "registered", "{again:#}");
    }

    /// Fresh authority by the person's yes.
    #[track_caller]
    fn authorized(&mut self, world: &World) {
        let ask = json!({ "call": "authorize", "channels": CHANNELS, "wait_seconds": 0 });
        let asked = self.ask(&ask);
        world.approve(asked.card());
        self.ask(&ask).must_say("COMPLETED");
    }

    #[track_caller]
    fn status(&mut self, name: &str) -> Answer {
        self.ask(&json!({ "call": "action_status", "action_id": name, "action_key": null, "wait_seconds": 0 }))
    }

    /// Unknown by both of its names, however often it is asked.
    #[track_caller]
    fn is_unknown(&mut self, action: &Action) {
        for name in [&action.client_ref, &action.id, &action.client_ref] {
            self.status(name).must_say(UNKNOWN);
        }
    }
}

/// `careful` asks for each GET, so that an action can wait within an approved run.
fn world() -> World {
    let world = World::new();
    world.add_channel("careful", &["--per-call-methods", "GET"]);
    world
}

const CHANNELS: [&str; 2] = ["api", "careful"];

/// The gateway is killed and comes back; meanwhile the action store is cut to `bytes`.
fn restarted(world: &mut World, bytes: Option<u64>) {
    world.kill_gateway();
    if let Some(bytes) = bytes {
        assert!(store_bytes(world) > bytes, "there is nothing to cut");
        OpenOptions::new().write(true).open(store(world)).unwrap().set_len(bytes).unwrap();
    }
    world.start();
    world.unlock();
}

fn store(world: &World) -> PathBuf {
    world.state.join("actions.store")
}

fn store_bytes(world: &World) -> u64 {
    fs::metadata(store(world)).unwrap().len()
}

#[test]
fn our_own_shim_is_believed_that_an_action_which_waited_never_left() {
    let mut world = world();
    let mut agent = world.agent();
    agent.authorized(&world, &CHANNELS);
    let mut call = world.get("careful", "/v1/x");
    call["wait_seconds"] = json!(50);
    let open = agent.begin("http_request", call);
    world.next_card();
    world.kill_gateway();
    let lost = agent.finish(open).must_say("GATEWAY_UNAVAILABLE no_gateway").action();
    world.start();
    world.unlock();
    agent.call("action_status", json!({ "action_id": lost })).must_say("REAUTH_REQUIRED gateway_restarted");
    agent.authorized(&world, &CHANNELS);
    agent.call("action_status", json!({ "action_id": lost })).must_say(NOT_STARTED);
    assert_eq!(world.upstream.connections(), 0);
}

#[test]
fn another_client_that_claims_the_same_in_the_same_place_hears_unknown() {
    let mut world = world();
    let mut liar = Liar::approved(&world);
    let waited = liar.requests(&world, "careful", "/v1/x", "APPROVAL_PENDING per_call");
    restarted(&mut world, None);
    liar.comes_back();
    liar.status(&waited.id).must_say("REAUTH_REQUIRED gateway_restarted");
    liar.authorized(&world);
    liar.is_unknown(&waited);
    assert_eq!(world.upstream.count(), 1);
}

#[test]
fn another_client_hears_unknown_also_where_the_store_was_cut_to_before_the_action() {
    let mut world = world();
    let mut liar = Liar::approved(&world);
    let before = store_bytes(&world);
    let waited = liar.requests(&world, "careful", "/v1/x", "APPROVAL_PENDING per_call");
    let left = liar.requests(&world, "api", "/v1/drop", UNKNOWN);
    restarted(&mut world, Some(before));
    liar.comes_back();
    liar.authorized(&world);
    liar.is_unknown(&waited);
    liar.is_unknown(&left);
    assert_eq!(world.upstream.count(), 2);
}

#[test]
fn another_client_hears_unknown_also_where_the_store_has_lost_the_end_of_the_action() {
    let mut world = world();
    let mut liar = Liar::approved(&world);
    let waited = liar.requests(&world, "careful", "/v1/x", "APPROVAL_PENDING per_call");
    let left = liar.requests(&world, "api", "/v1/drop", UNKNOWN);
    let last = store_bytes(&world) - 1;
    restarted(&mut world, Some(last));
    liar.comes_back();
    liar.authorized(&world);
    liar.is_unknown(&waited);
    liar.is_unknown(&left);
    assert_eq!(world.upstream.count(), 2);
}

#[test]
fn a_ref_that_is_nobodys_or_somebody_elses_is_never_safe_to_retry() {
    let mut world = world();
    let mut owner = Liar::approved(&world);
    let foreign = owner.requests(&world, "careful", "/v1/x", "APPROVAL_PENDING per_call");
    let mut liar = Liar::approved(&world);
    let invented = Action { client_ref: random_hex(), id: random_hex() };
    liar.actions = vec![foreign.clone(), invented.clone()];
    restarted(&mut world, None);
    liar.comes_back();
    for action in [&foreign, &invented] {
        liar.status(&action.id).must_say("REAUTH_REQUIRED gateway_restarted");
    }
    liar.authorized(&world);
    for action in [&foreign, &invented] {
        liar.is_unknown(action);
    }
    // Who does not even claim them hears that they are nothing.
    let mut stranger = Liar::approved(&world);
    for action in [&foreign, &invented] {
        stranger.status(&action.id).must_say("INVALID unknown_action");
    }
}
