#![expect(clippy::unwrap_used, reason = "tests")]

use super::*;
use crate::card::{AgentView, CardAction, WorksUnder};
use crate::channel::Ceremony;
use crate::event::RowKind;
use crate::evidence::{Attestation, ProcessInode, Subject};
use crate::fixture::{EPOCH, channel, process};
use crate::ids::{ActionNo, ApprovalId};
use crate::limits;
use crate::outcome::{EndReason, Reason};

const AGENT: u32 = 10;

fn subject(pids: &[(u32, u32)]) -> Subject {
    let chain = pids.iter().map(|(pid, parent)| process(*pid, *parent)).collect();
    Subject::observed(chain, "kernel".into()).unwrap()
}

fn inode(pid: u32) -> ProcessInode {
    process(pid, 0).inode
}

fn new(id: u64, chain: &[(u32, u32)], descent: Option<&[(u32, u32)]>) -> NewRun {
    NewRun {
        id: RunId(id),
        subject: subject(chain),
        descent: descent.map(subject),
        nonce: LaunchNonce([u8::try_from(id).unwrap(); 16]),
        conversation: None,
        claimed: None,
        lapse: None,
    }
}

/// Run 1: the agent 10 over its shim 11. Run 2: the helper 40 below it. Run 3: a stranger 60.
fn broker() -> Broker {
    let mut broker = Broker::new(BootId([8; 16]), BootNo(1));
    broker.register(new(1, &[(11, AGENT), (AGENT, 1)], None)).unwrap();
    broker.register(new(2, &[(40, 30)], Some(&[(40, 30), (30, AGENT), (AGENT, 1)]))).unwrap();
    broker.register(new(3, &[(60, 1)], None)).unwrap();
    broker
}

fn agent() -> AgentView {
    AgentView {
        attestation: Attestation::Whole,
        program: None,
        pid: 1,
        directory: None,
        claimed_command: String::new(),
        chain: Vec::new(),
    }
}

fn ask(run: u64, on: &str) -> Ask {
    Ask {
        run: RunId(run),
        changed: Vec::new(),
        previous: None,
        agent: agent(),
        channels: vec![crate::card::CardChannel {
            name: on.parse().unwrap(),
            origins: Vec::new(),
            paths: Vec::new(),
            methods: Vec::new(),
            asks_each_time: Vec::new(),
            max_uses: None,
            max_minutes: None,
            ticked: true,
        }],
        action: None,
        asks_action: None,
        stands_alone: false,
        works_under: None,
        ceremony: Ceremony::Presence,
        epoch: EPOCH,
    }
}

/// A card about one use of what run `giver` holds.
fn ask_use(run: u64, giver: u64, reference: u8) -> Ask {
    Ask {
        channels: Vec::new(),
        action: Some(CardAction {
            action: ActionNo(u64::from(reference)),
            channel: github(),
            method: "POST".into(),
            url: "https://api.example.com/v1/".into(),
            headers: Vec::new(),
            body_text: None,
            body_bytes: 0,
            body_sha256: Digest([0; 32]),
            digest: Digest([reference; 32]),
        }),
        asks_action: Some(Ref([reference; 16])),
        works_under: Some(WorksUnder { run: RunId(giver), program: "/usr/bin/agent".into(), covered: true }),
        ..ask(run, "github")
    }
}

fn github() -> ChannelName {
    "github".parse().unwrap()
}

fn say_yes(broker: &mut Broker, card: CardNo, programs: bool, fresh: u8) -> Granting {
    broker
        .approve(Approve {
            card,
            shown: None,
            channels: None,
            programs,
            live: &|name| Some(channel(name.as_str())),
            ceremony: Ceremony::Presence,
            epoch: EPOCH,
            now: Moment(0),
            fresh: &mut || [fresh; 16],
        })
        .unwrap()
}

fn approve(broker: &mut Broker, run: u64, on: &str, programs: bool, fresh: u8) -> ApprovalId {
    let (card, _) = broker.ask(ask(run, on), Moment(0)).unwrap();
    let mut granting = say_yes(broker, card, programs, fresh);
    let facts = granting.approvals.pop().unwrap();
    let id = facts.id;
    let ack = JournalAck::synced(RowKind::Grant, 1, Digest([0; 32]), Ref::NONE, facts.grant, facts.epoch.number);
    assert!(broker.activate(facts, ack, &granting, Some(EPOCH)));
    id
}

fn covers(broker: &Broker, run: u64) -> Option<ApprovalId> {
    broker
        .cover(RunId(run), &github())
        .filter(|approval| approval.ended().is_none())
        .map(|approval| approval.facts().id)
}

#[test]
fn only_a_yes_to_the_programs_too_covers_and_only_what_hangs_from_that_agent() {
    let mut broker = broker();
    approve(&mut broker, 1, "github", false, 1);
    assert_eq!(covers(&broker, 2), None, "off unless the person says so");

    let mut broker = self::broker();
    let given = approve(&mut broker, 1, "github", true, 1);
    assert_eq!(covers(&broker, 2), Some(given));
    assert_eq!(covers(&broker, 3), None, "a stranger");
    assert_eq!(covers(&broker, 1), None, "the agent's own run has its own");
    assert!(broker.cover(RunId(2), &"mail".parse().unwrap()).is_none(), "another channel");

    // What works for a helper does not work for the agent above it.
    broker.register(new(4, &[(50, 40)], Some(&[(50, 40), (40, 30)]))).unwrap();
    assert_eq!(covers(&broker, 4), None);
}

/// A covering approval is the agent's own: a helper that is approved by itself covers nobody.
#[test]
fn a_second_shim_of_the_agent_is_not_covered() {
    let mut broker = broker();
    approve(&mut broker, 1, "github", true, 1);
    broker.register(new(5, &[(12, AGENT), (AGENT, 1)], None)).unwrap();
    assert_eq!(covers(&broker, 5), None);
}

#[test]
fn every_end_of_the_givers_approval_ends_the_cover_with_its_cause() {
    type End = fn(&mut Broker) -> Ends;
    let ends: [(End, EndReason); 5] = [
        (|broker| broker.end_run(RunId(1), EndReason::ProcessExited), EndReason::ProcessExited),
        (|broker| broker.revoke(Some(RunId(1))), EndReason::ManualRevoke),
        (|broker| broker.revoke(None), EndReason::ManualRevoke),
        (|broker| broker.lock(), EndReason::VaultLocked),
        (|broker| broker.channel_changed(&github()), EndReason::ChannelChanged),
    ];
    for (end, reason) in ends {
        let mut broker = broker();
        let given = approve(&mut broker, 1, "github", true, 1);
        broker.register(new(6, &[(41, 30)], Some(&[(41, 30), (30, AGENT), (AGENT, 1)]))).unwrap();
        broker.runs.get_mut(&RunId(2)).unwrap().served_on.insert(github(), (given, None));
        assert_eq!(covers(&broker, 6), Some(given));
        // A question about one use, and a yes to another one, both on top of it.
        let (card, _) = broker.ask(ask_use(2, 1, 9), Moment(0)).unwrap();
        let (other, _) = broker.ask(ask_use(2, 1, 8), Moment(0)).unwrap();
        let mut granting = say_yes(&mut broker, other, false, 7);
        let call = granting.call.take().unwrap();
        assert!(broker.keep_call(call, &granting, Some(EPOCH)));

        let ends = end(&mut broker);
        assert!(ends.cards.iter().any(|(closed, run, why)| (*closed, *run, *why) == (card, RunId(2), reason.reason())));
        assert_eq!(broker.cover(RunId(2), &github()).and_then(Approval::ended), Some(reason), "it explains");
        // To a program that it never served it does so only where a person said stop.
        let told = broker.cover(RunId(6), &github()).and_then(Approval::ended);
        assert_eq!(told, (reason == EndReason::ManualRevoke).then_some(reason));
        assert!(broker.take_call(Ref([8; 16])).is_none(), "{reason:?}: the yes to one use falls with it");
    }
}

#[test]
fn to_revoke_a_helper_is_to_revoke_what_it_works_under() {
    let mut broker = broker();
    approve(&mut broker, 1, "github", true, 1);
    approve(&mut broker, 3, "github", true, 2);
    let ends = broker.revoke(Some(RunId(2)));
    assert_eq!(ends.approvals.iter().map(|end| end.run).collect::<Vec<_>>(), [RunId(1)]);

    let mut broker = self::broker();
    approve(&mut broker, 1, "github", false, 1);
    assert!(broker.revoke(Some(RunId(2))).approvals.is_empty(), "it has nothing of that run");
}

#[test]
fn a_yes_to_one_action_alone_never_covers_programs() {
    let mut broker = broker();
    let mut unseen = channel("github");
    unseen.approval.allow_unverified = true;
    broker
        .register({
            let chain = vec![process(70, 1)];
            let subject = Subject::unverified(chain, "kernel".into(), crate::evidence::Unverified::NoAgent).unwrap();
            NewRun { subject, ..new(7, &[(70, 1)], None) }
        })
        .unwrap();
    let alone = Ask { stands_alone: true, works_under: None, ..ask_use(7, 7, 3) };
    let (card, _) = broker.ask(alone, Moment(0)).unwrap();
    let granting = broker
        .approve(Approve {
            card,
            shown: None,
            channels: None,
            programs: true,
            live: &|_| Some(unseen.clone()),
            ceremony: Ceremony::Presence,
            epoch: EPOCH,
            now: Moment(0),
            fresh: &mut || [3; 16],
        })
        .unwrap();
    assert!(granting.approvals.iter().all(|facts| !facts.covers_programs));
}

#[test]
fn a_delegation_serves_the_named_process_alone_and_ends_with_it_or_its_approval() {
    let way = |pid| subject(&[(pid, 30), (30, AGENT), (AGENT, 1)]);
    let mut broker = broker();
    let given = approve(&mut broker, 1, "github", false, 1);
    assert_eq!(broker.delegate(RunId(1), &[github()], way(40)), Ok(vec![given]));
    assert_eq!(covers(&broker, 2), Some(given));
    broker.register(new(6, &[(41, 30)], Some(&[(41, 30), (30, AGENT), (AGENT, 1)]))).unwrap();
    assert_eq!(covers(&broker, 6), None, "its twin was not named");

    assert!(broker.end_delegations(inode(40)) && !broker.end_delegations(inode(40)));
    assert_eq!(covers(&broker, 2), None);

    broker.delegate(RunId(1), &[github()], way(40)).unwrap();
    let _ = broker.revoke(Some(RunId(2)));
    assert!(broker.session(RunId(1), &github()).is_some_and(|session| session.ended().is_some()));
    assert!(!broker.is_named(RunId(1), inode(40)), "nothing of it is left");
    approve(&mut broker, 1, "github", false, 4);
    assert_eq!(covers(&broker, 2), None, "a new yes revives no delegation");
}

#[test]
fn only_what_a_run_holds_itself_can_be_delegated_and_only_downwards() {
    let mut broker = broker();
    let helpers_child = subject(&[(50, 40), (40, 30)]);
    let agents_child = || subject(&[(40, 30), (30, AGENT), (AGENT, 1)]);
    assert_eq!(broker.delegate(RunId(1), &[github()], agents_child()), Err(Reason::NewRun), "nothing to delegate");
    approve(&mut broker, 1, "github", true, 1);
    assert_eq!(broker.delegate(RunId(2), &[github()], helpers_child), Err(Reason::NewRun), "a helper holds nothing");
    let itself = subject(&[(AGENT, 1)]);
    assert_eq!(broker.delegate(RunId(1), &[github()], itself), Err(Reason::ProcessChanged));
    let stranger = subject(&[(60, 1)]);
    assert_eq!(broker.delegate(RunId(1), &[github()], stranger), Err(Reason::ProcessChanged));
    let both = [github(), "mail".parse().unwrap()];
    assert_eq!(broker.delegate(RunId(1), &both, agents_child()), Err(Reason::NewRun), "all or nothing");
    assert!(!broker.is_named(RunId(1), inode(40)));
    let _ = broker.lock();
    assert_eq!(broker.delegate(RunId(1), &[github()], agents_child()), Err(Reason::VaultStateChanged));
    assert_eq!(broker.delegate(RunId(9), &[github()], agents_child()), Err(Reason::ProcessChanged), "no such run");
}

#[test]
fn one_run_names_no_more_than_a_few_and_naming_again_replaces() {
    let mut broker = broker();
    approve(&mut broker, 1, "github", false, 1);
    let way = |pid| subject(&[(pid, AGENT), (AGENT, 1)]);
    let few = u32::try_from(limits::DELEGATIONS_PER_RUN).unwrap();
    for pid in 100..100 + few {
        broker.delegate(RunId(1), &[github()], way(pid)).unwrap();
        broker.delegate(RunId(1), &[github()], way(pid)).unwrap();
    }
    assert_eq!(broker.delegate(RunId(1), &[github()], way(99)), Err(Reason::TooMany));
    assert!(broker.end_delegations(inode(100)));
    assert!(broker.delegate(RunId(1), &[github()], way(99)).is_ok());
}

#[test]
fn a_broken_way_stays_broken_and_only_a_helper_has_one() {
    let mut broker = broker();
    assert!(!broker.break_descent(RunId(1), EndReason::ProcessExited));
    assert!(broker.break_descent(RunId(2), EndReason::ProcessExited));
    assert!(!broker.break_descent(RunId(2), EndReason::ProcessIdentityMismatch));
    assert_eq!(broker.run(RunId(2)).and_then(Run::descent_broken), Some(EndReason::ProcessExited));
    assert_eq!(broker.run(RunId(2)).and_then(Run::ended), None, "what it has of its own stays");
}

/// Nobody crowds the person out by starting programs that ask: they count with the agent above them, however deep.
#[test]
fn runs_and_cards_are_counted_by_the_tree() {
    let mut broker = Broker::new(BootId([8; 16]), BootNo(1));
    broker.register(new(1, &[(AGENT, 1)], None)).unwrap();
    for n in 0..u32::try_from(limits::RUNS_PER_AGENT).unwrap() - 1 {
        let (pid, above) = (100 + n, if n == 0 { AGENT } else { 99 + n });
        let way = [(pid, above), (above, 1)];
        broker.register(new(u64::from(2 + n), &[(pid, above)], Some(&way))).unwrap();
    }
    let deepest = 100 + u32::try_from(limits::RUNS_PER_AGENT).unwrap() - 2;
    let one_more = || new(200, &[(500, deepest)], Some(&[(500, deepest), (deepest, 1)]));
    assert_eq!(broker.register(one_more()), Err(Reason::TooMany));
    assert!(broker.same_tree(RunId(1), RunId(40)) && !broker.same_tree(RunId(1), RunId(900)));
    broker.register(new(201, &[(600, 1)], None)).unwrap();
    assert!(!broker.same_tree(RunId(1), RunId(201)));

    for run in 1..=u64::try_from(limits::OPEN_CARDS_PER_AGENT).unwrap() {
        broker.ask(ask(run, "github"), Moment(0)).unwrap();
    }
    assert_eq!(broker.ask(ask(30, "github"), Moment(0)), Err(Reason::TooMany));
    assert!(broker.ask(ask(201, "github"), Moment(0)).is_ok(), "another tree");
    let _ = broker.end_run(RunId(5), EndReason::ProcessExited);
    assert!(broker.register(one_more()).is_ok(), "an end makes room");
}
