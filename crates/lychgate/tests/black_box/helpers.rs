//! Helpers (R7, F98): a program that an agent started asks by itself. It works under the agent's approval where the
//! person said so, or where the agent named it, for as long as every process between them lives unchanged.

use crate::world::World;
use crate::world::children::children_of;
use crate::world::helper::Born;
use crate::world::raw::By;
use rustix::process::{Pid, Signal, kill_process};
use serde_json::json;

const NEW: &str = "APPROVAL_PENDING new_run";
const CHANGED: &str = "REAUTH_REQUIRED process_changed";

fn kill(pid: u32) {
    kill_process(Pid::from_raw(pid.try_into().unwrap()).unwrap(), Signal::KILL).unwrap();
}

/// F98 as one table. Every way to come to be, with a yes to the programs and without one.
#[test]
fn what_hangs_from_the_agent_is_served_and_what_was_cut_loose_is_not() {
    let world = World::new();
    let mut agent = world.generous_agent();
    let table = [
        (Born::Child, "COMPLETED"),
        (Born::Grandchild, "COMPLETED"),
        (Born::OwnSession, "COMPLETED"),
        (Born::Escaped, NEW),
        (Born::Orphan, NEW),
    ];
    for (born, expected) in table {
        let mut helper = world.registered_helper(&mut agent, born);
        assert_eq!(helper.gets(&world, "/v1/x"), expected, "{born:?}");
    }
    let served = table.iter().filter(|(_, expected)| *expected == "COMPLETED").count();
    assert_eq!(world.upstream.count(), served);
    let bearer = format!("Bearer {}", world.bearer);
    assert!(world.upstream.requests().iter().all(|request| request.header("authorization") == [bearer.as_str()]));

    let world = World::new();
    let mut agent = world.agent();
    agent.authorized(&world, &["api"]);
    for (born, _) in table {
        let mut helper = world.registered_helper(&mut agent, born);
        assert_eq!(helper.gets(&world, "/v1/x"), NEW, "{born:?}: the yes was to the agent alone");
    }
    assert_eq!(world.upstream.connections(), 0);
}

#[test]
fn a_helper_is_a_run_of_its_own_and_the_record_says_whose_it_is() {
    let world = World::new();
    let mut agent = world.generous_agent();
    let own = agent.get(&world, "/v1/own").must_say("COMPLETED").run();
    let mut helper = world.registered_helper(&mut agent, Born::Grandchild);
    let answer = helper.call(By::Itself, &world.raw_get("/v1/x")).unwrap().must_say("COMPLETED");
    assert_ne!(answer.run(), own);
    let runs = world.runs();
    let under = &runs
        .iter()
        .find(|run| json!(format!("R{}", run["run"])) == json!(answer.run()))
        .unwrap_or_else(|| panic!("{runs:#?}"))["works_under"];
    assert_eq!(format!("R{}", under["run"]), own, "{runs:#?}");
    world.has_activity(&["run_started", &format!("run={}", answer.run()), "started_by="]);
    world.has_activity(&["http_action_started", &format!("run={}", answer.run())]);
    world.has_activity(&["session_approved", "covers_programs=true"]);
    let status = helper.call(By::Itself, &json!({ "call": "run_status" })).unwrap();
    assert_eq!(status.result()["approved_channels"], json!(["api"]));
    assert!(world.cards().is_empty());
}

/// Whoever takes the helper's place on its connection is nobody.
#[test]
fn nobody_else_writes_on_a_helpers_connection() {
    for by in [By::Fork, By::Orphan, By::Passed] {
        let world = World::new();
        let mut agent = world.generous_agent();
        let mut helper = world.registered_helper(&mut agent, Born::Child);
        let answer = helper.call(by, &world.raw_get("/v1/x"));
        assert!(answer.is_none_or(|answer| answer.says() == CHANGED), "{by:?}");
        assert_eq!(world.upstream.connections(), 0);
    }
}

/// A second shim speaks for the agent, and is no program of its.
#[test]
fn another_shim_of_the_same_agent_is_not_covered() {
    let world = World::new();
    let mut agent = world.generous_agent();
    let meeting = world.meeting();
    agent.starts(&meeting.words(&[], &world.words(&["mcp"])));
    let mut second = meeting.agent();
    second.get(&world, "/v1/x").must_say(NEW);
    assert_eq!(world.upstream.connections(), 0);
}

#[test]
fn an_agent_that_an_agent_started_works_under_it_and_its_own_helpers_do_not() {
    let world = World::new();
    let mut agent = world.generous_agent();
    let meeting = world.meeting();
    let inner = world.words_of_agent("inner-agent", &world.words(&["mcp"]));
    agent.starts(&meeting.words(&[], &inner));
    let (process, stream) = meeting.comes();
    let mut inner = crate::world::agent::Agent::elsewhere(process, stream);
    inner.takes_orders(&world);
    inner.get(&world, "/v1/x").must_say("COMPLETED");
    let mut below = world.registered_helper(&mut inner, Born::Child);
    assert_eq!(below.gets(&world, "/v1/x"), NEW, "it works for the inner agent, which has nothing of its own");
    assert_eq!(world.upstream.count(), 1);
}

#[test]
fn the_end_of_a_process_between_ends_it() {
    let world = World::new();
    let mut agent = world.generous_agent();
    let mut helper = world.registered_helper(&mut agent, Born::Grandchild);
    assert_eq!(helper.gets(&world, "/v1/x"), "COMPLETED");
    let shell = agent.children().into_iter().find(|pid| children_of(*pid).contains(&helper.pid())).unwrap();
    kill(shell);
    world.has_activity(&["descent_broken", "process_exited"]);
    assert_eq!(helper.gets(&world, "/v1/x"), CHANGED);
    assert_eq!(world.upstream.count(), 1);
    agent.get(&world, "/v1/x").must_say("COMPLETED");
    // It has another parent now, and is nobody's helper.
    helper.registered();
    assert_eq!(helper.gets(&world, "/v1/x"), NEW);
}

#[test]
fn a_helper_that_outlives_the_agent_goes_on_in_its_own_name_alone() {
    let world = World::new();
    let mut agent = world.generous_agent();
    let mut helper = world.registered_helper(&mut agent, Born::Grandchild);
    assert_eq!(helper.gets(&world, "/v1/x"), "COMPLETED");
    agent.kill();
    world.has_activity(&["descent_broken", "process_exited"]);
    assert_eq!(helper.gets(&world, "/v1/x"), CHANGED);
    let ask = json!({ "call": "authorize", "channels": ["api"], "wait_seconds": 0 });
    let card = helper.call(By::Itself, &ask).unwrap().card();
    assert_eq!(world.next_card()["works_under"], json!(null), "nobody's any more");
    world.approve(card);
    assert_eq!(helper.gets(&world, "/v1/x"), "COMPLETED");
    assert_eq!(world.upstream.count(), 2);
}

#[test]
fn a_helper_that_becomes_another_program_is_refused() {
    let world = World::new();
    let mut agent = world.generous_agent();
    let mut helper = world.registered_helper(&mut agent, Born::Child);
    helper.exec();
    assert!(matches!(helper.gets(&world, "/v1/x").as_str(), CHANGED | "closed"));
    assert_eq!(world.upstream.connections(), 0);
}

/// Another conversation than the approval's is not served, and is not told that it was: it can ask.
#[test]
fn a_helper_in_a_conversation_of_its_own_asks_for_itself() {
    let world = World::new();
    let mut agent = world.agent_of("thread-a");
    let ask = json!({ "channels": ["api"], "wait_seconds": 0 });
    let card = agent.call("authorize", ask.clone()).card();
    world.approve_with_programs(card);
    agent.call("authorize", ask).must_say("COMPLETED");
    let mut helper = world.helper(&mut agent, Born::Child);
    assert_eq!(helper.register(Some("thread-b"))["type"], "registered");
    assert_eq!(helper.gets(&world, "/v1/x"), "REAUTH_REQUIRED conversation_changed");
    let ask = json!({ "call": "authorize", "channels": ["api"], "wait_seconds": 0 });
    let answer = helper.call(By::Itself, &ask).unwrap();
    assert!(answer.says().starts_with("APPROVAL_PENDING"), "{}", answer.says());
    world.approve(answer.card());
    assert_eq!(helper.gets(&world, "/v1/x"), "COMPLETED");
    assert_eq!(world.upstream.count(), 1);
}

#[test]
fn every_end_of_the_agents_approval_ends_the_helpers_too() {
    type End = fn(&World, &mut crate::world::agent::Agent);
    let ends: [(&str, End, &str); 4] = [
        ("revoke", |world, _| drop(world.lych(&["revoke", "--all"]).exits(0)), "REAUTH_REQUIRED approval_revoked"),
        ("lock", |world, _| world.lock(), "VAULT_LOCKED vault_locked"),
        (
            "lock and unlock",
            |world, _| {
                world.lock();
                world.unlock();
            },
            "REAUTH_REQUIRED vault_state_changed",
        ),
        ("kill", |_, agent| agent.kill(), CHANGED),
    ];
    for (name, end, expected) in ends {
        let world = World::new();
        let mut agent = world.generous_agent();
        let mut helper = world.registered_helper(&mut agent, Born::Child);
        assert_eq!(helper.gets(&world, "/v1/x"), "COMPLETED");
        end(&world, &mut agent);
        assert_eq!(helper.gets(&world, "/v1/x"), expected, "{name}");
        assert_eq!(world.upstream.count(), 1, "{name}");
    }
}

#[test]
fn what_a_helper_has_under_way_is_cut_with_what_it_rests_on() {
    type End = fn(&World, &mut crate::world::agent::Agent, u32);
    let ends: [(&str, End); 4] = [
        ("revoke", |world, _, _| drop(world.lych(&["revoke", "--all"]).exits(0))),
        ("the agent's end", |_, agent, _| agent.kill()),
        ("the end of the shell between", |_, _, shell| kill(shell)),
        ("lock", |world, _, _| world.lock()),
    ];
    for (name, end) in ends {
        let world = World::new();
        let mut agent = world.generous_agent();
        let mut helper = world.registered_helper(&mut agent, Born::Grandchild);
        let shell = agent.children().into_iter().find(|pid| children_of(*pid).contains(&helper.pid())).unwrap();
        helper.begin(&world.raw_get("/v1/slow"));
        world.upstream.wait_for(1);
        end(&world, &mut agent, shell);
        world.upstream.wait_for_cut();
        world.has_activity(&["http_result_not_observed"]);
        assert_eq!(world.upstream.connections(), 1, "{name}");
    }
}

/// To stop a helper is to stop what it works under: a new connection of it would be another run.
#[test]
fn revoking_a_helper_revokes_what_it_works_under() {
    let world = World::new();
    let mut agent = world.generous_agent();
    let mut helper = world.registered_helper(&mut agent, Born::Child);
    let run = helper.call(By::Itself, &world.raw_get("/v1/x")).unwrap().must_say("COMPLETED").run();
    world.lych(&["revoke", &run]).exits(0).says("Ended 1 approval");
    assert_eq!(helper.gets(&world, "/v1/x"), "REAUTH_REQUIRED approval_revoked");
    let mut next = world.registered_helper(&mut agent, Born::Child);
    assert_eq!(next.gets(&world, "/v1/x"), "REAUTH_REQUIRED approval_revoked");
    agent.get(&world, "/v1/x").must_say("REAUTH_REQUIRED approval_revoked");
    assert_eq!(world.upstream.count(), 1);
}

#[test]
fn uses_and_times_are_counted_for_the_agent_and_its_helpers_together() {
    let world = World::new();
    world.add_channel("few", &["--max-uses", "2"]);
    let mut agent = world.agent();
    let ask = json!({ "channels": ["few"], "wait_seconds": 0 });
    world.approve_with_programs(agent.call("authorize", ask).must_say(NEW).card());
    let mut helper = world.registered_helper(&mut agent, Born::Child);
    let mut call = world.raw_get("/v1/x");
    call["channel"] = json!("few");
    let mut again = || {
        call["client_ref"] = json!(crate::world::random_hex());
        call.clone()
    };
    agent.call("http_request", world.get("few", "/v1/x")).must_say("COMPLETED");
    helper.call(By::Itself, &again()).unwrap().must_say("COMPLETED");
    helper.call(By::Itself, &again()).unwrap().must_say("REAUTH_REQUIRED approval_expired");
    agent.call("http_request", world.get("few", "/v1/x")).must_say("REAUTH_REQUIRED approval_expired");
    assert_eq!(world.upstream.count(), 2);
}

/// The second question is asked in addition, on a card that names the helper and the run it works under (R13).
#[test]
fn what_asks_each_time_asks_for_a_helper_by_its_own_name() {
    let world = World::new();
    world.add_channel("each", &["--approval", "per-call"]);
    let mut agent = world.agent();
    let ask = json!({ "channels": ["each"], "wait_seconds": 0 });
    world.approve_with_programs(agent.call("authorize", ask).must_say(NEW).card());
    let mut helper = world.registered_helper(&mut agent, Born::Child);
    let mut call = world.raw_get("/v1/x");
    call["channel"] = json!("each");
    let answer = helper.call(By::Itself, &call).unwrap().must_say("APPROVAL_PENDING per_call");
    let card = world.next_card();
    assert_eq!(card["agent"]["pid"], json!(helper.pid()));
    assert_eq!(card["works_under"]["covered"], json!(true));
    let shown = world.lych(&["approvals"]).exits(0).out;
    assert!(shown.contains("it works under the approval of R"), "{shown}");
    world.approve(answer.card());
    let status =
        json!({ "call": "action_status", "action_id": answer.action(), "action_key": null, "wait_seconds": 5 });
    helper.call(By::Itself, &status).unwrap().must_say("COMPLETED");
    // A yes to one use covers no second one, whoever makes it.
    call["client_ref"] = json!(crate::world::random_hex());
    helper.call(By::Itself, &call).unwrap().must_say("APPROVAL_PENDING per_call");
    assert_eq!(world.upstream.count(), 1);
}

/// F65: one prompt for twenty children where they are covered, and never more than eight where they are not.
#[test]
fn twenty_children_raise_one_card_or_eight() {
    let world = World::new();
    let mut agent = world.generous_agent();
    for _ in 0..20 {
        let mut helper = world.registered_helper(&mut agent, Born::Child);
        assert_eq!(helper.gets(&world, "/v1/x"), "COMPLETED");
    }
    assert!(world.cards().is_empty());

    let world = World::new();
    let mut agent = world.agent();
    agent.authorized(&world, &["api"]);
    let mut helpers: Vec<_> = (0..20).map(|_| world.registered_helper(&mut agent, Born::Child)).collect();
    let said: Vec<String> = helpers.iter_mut().map(|helper| helper.gets(&world, "/v1/x")).collect();
    assert_eq!(said.iter().filter(|said| *said == NEW).count(), 8, "{said:?}");
    assert_eq!(said.iter().filter(|said| *said == "DENIED too_many").count(), 12, "{said:?}");
    assert_eq!(world.cards().len(), 8);
}

/// `lych call` is what a script uses: it asks for itself, and below the agent it works under the agent's approval.
#[test]
fn lych_call_works_under_the_agent_that_runs_it_and_else_asks_for_itself() {
    let world = World::new();
    let mut agent = world.generous_agent();
    let get = |path: &str| world.words(&["call", "api", "GET", &world.upstream.url(path), "--wait", "0"]);
    let shell: Vec<String> = ["/bin/sh", "-c", "\"$@\" | cat", "sh"].map(str::to_owned).to_vec();
    let ran = agent.runs(&[shell, get("/v1/x")].concat(), "").exits(0);
    assert_eq!((ran.out.as_str(), ran.err.as_str()), ("{\"ok\":true}\n", ""));
    let post = world.words(&[
        "call",
        "api",
        "POST",
        &world.upstream.url("/v1/y"),
        "--body-stdin",
        "-H",
        "Content-Type: text/plain",
        "--header",
        "X-One:two",
        "--json",
    ]);
    let answer = agent.runs(&post, "all of it").exits(0).json();
    assert_eq!((&answer["outcome"], &answer["result"]["status"]), (&json!("COMPLETED"), &json!(200)));
    let sent = world.upstream.requests();
    assert_eq!(sent[1].body, b"all of it");
    assert_eq!((sent[1].header("content-type"), sent[1].header("x-one")), (vec!["text/plain"], vec!["two"]));

    // An approval that has ended is no reason to send away a program that it never served.
    world.lock();
    world.unlock();
    agent.runs(&get("/v1/x"), "").exits(1).complains("APPROVAL_PENDING (new_run)");

    // Cut loose, it asks for itself.
    agent.runs_as_orphan(&get("/v1/x"), "").exits(1).complains("APPROVAL_PENDING (new_run)");
    // So it does for a person, whose card names the process and waits for the yes.
    let asks = world.begin(&["call", "api", "GET", &world.upstream.url("/v1/z"), "--wait", "30"], "");
    let card = crate::world::until("the person's own card", || {
        world.cards().into_iter().find(|card| card["agent"]["program"]["name"] == json!("lych"))
    });
    world.approve(card["card"].as_u64().unwrap());
    asks.finish().exits(0).says("{\"ok\":true}");
    assert_eq!(world.upstream.count(), 3);

    let call = |args: &[&str]| world.lych(&[&["call"][..], args].concat());
    call(&["api", "GET", "https://elsewhere.example/"]).exits(2).complains("INVALID");
    call(&["none", "GET", &world.upstream.url("/v1/x")]).exits(2).complains("there is no channel `none`");
    call(&["api", "GET", "https://h/", "-H", "colonless"]).exits(2).complains("a header is written NAME: VALUE");
    world.lock();
    call(&["api", "GET", &world.upstream.url("/v1/x")]).exits(4).complains("VAULT_LOCKED");
    let asleep = World::asleep();
    asleep.lych(&["call", "api", "GET", "https://h/"]).exits(3).complains("lych up");
}
