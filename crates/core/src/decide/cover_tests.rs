#![expect(clippy::unwrap_used, clippy::panic, reason = "tests")]

use super::*;
use crate::approval::ApprovalFacts;
use crate::channel::{ApprovalMode, Ceremony};
use crate::event::RowKind;
use crate::evidence::{ProcessFacts, ProcessInode, Seen};
use crate::fixture::{EPOCH, alive, approval, process, request};
use crate::ids::{ApprovalId, GrantNo};
use crate::proof::JournalAck;

/// pid 40 `helper` under 30 `sh` under 10 `agent`; the agent's shim is 11. A situation in which the agent's session
/// approval covers the helper.
struct Situation {
    channel: Channel,
    giver: Vec<ProcessFacts>,
    giver_now: LiveChain,
    giver_ended: Option<EndReason>,
    giver_conversation: Option<String>,
    giver_nonce: LaunchNonce,
    facts: ApprovalFacts,
    ended: Option<EndReason>,
    uses: u32,
    helper: Vec<ProcessFacts>,
    way: Vec<ProcessFacts>,
    way_now: LiveChain,
    broken: Option<EndReason>,
    named: Option<(Vec<ProcessFacts>, LiveChain)>,
    own: Option<EndReason>,
    boot: BootId,
    vault: VaultNow,
    conversation: Option<String>,
}

fn seen(chain: &[ProcessFacts]) -> LiveChain {
    let sender = chain.first().map(|peer| peer.inode).unwrap();
    LiveChain { sender: Seen::Seen(sender), processes: chain.iter().map(alive).collect() }
}

fn subject(chain: &[ProcessFacts]) -> Subject {
    Subject::observed(chain.to_vec(), "kernel".into()).unwrap()
}

fn covered() -> Situation {
    let mut channel = crate::fixture::channel("github");
    channel.approval.max_uses = Some(5);
    let giver = vec![process(11, 10), process(10, 1)];
    let helper = vec![process(40, 30)];
    let way = vec![process(40, 30), process(30, 10), process(10, 1)];
    let mut facts = approval(&channel, &subject(&giver));
    facts.covers_programs = true;
    Situation {
        channel,
        giver_now: seen(&giver),
        giver,
        giver_ended: None,
        giver_conversation: Some("c".into()),
        giver_nonce: LaunchNonce([2; 16]),
        facts,
        ended: None,
        uses: 0,
        helper,
        way_now: seen(&way),
        way,
        broken: None,
        named: None,
        own: None,
        boot: BootId([8; 16]),
        vault: VaultNow::Unlocked(EPOCH),
        conversation: None,
    }
}

/// The approval covers no programs, and the agent named the helper.
fn delegated() -> Situation {
    let mut s = covered();
    s.facts.covers_programs = false;
    s.named = Some((s.way.clone(), seen(&s.way)));
    s
}

fn live_approval(facts: ApprovalFacts) -> Approval {
    let granted = JournalAck::synced(RowKind::Grant, 1, Digest([0; 32]), Ref::NONE, facts.grant, facts.epoch.number);
    Approval::activate(facts, granted).unwrap()
}

fn verdict(s: Situation) -> Decision {
    let mut given = live_approval(s.facts);
    if let Some(reason) = s.ended {
        given.end(reason);
    }
    for _ in 0..s.uses {
        given.count_use();
    }
    let (giver, helper, way) = (subject(&s.giver), subject(&s.helper), subject(&s.way));
    let own = s.own.map(|end| {
        let mut facts = approval(&s.channel, &helper);
        facts.run = RunId(40);
        facts.id = ApprovalId([9; 16]);
        let mut own = live_approval(facts);
        own.end(end);
        own
    });
    let named = s.named.as_ref().map(|(chain, now)| (subject(chain), now));
    let now = seen(&s.helper);
    let live = LiveEvidence {
        run: RunId(40),
        subject: &helper,
        nonce: LaunchNonce([7; 16]),
        chain: &now,
        run_ended: None,
        boot: s.boot,
        vault: s.vault,
        channel: Some(&s.channel),
        conversation: s.conversation.as_deref(),
        now: Moment(2_000),
    };
    let cover = Cover {
        approval: &given,
        giver: Giver {
            run: RunId(31),
            subject: &giver,
            nonce: s.giver_nonce,
            chain: &s.giver_now,
            ended: s.giver_ended,
            conversation: s.giver_conversation.as_deref(),
        },
        descent: Descent { pinned: &way, now: &s.way_now, broken: s.broken },
        named: named.as_ref().map(|(pinned, now)| Descent { pinned, now, broken: None }),
    };
    let question = Question { reference: Ref([6; 16]), request: request(&s.channel) };
    decide(question, Authority { session: own.as_ref(), cover: Some(cover), alone: None, call: None }, &live)
}

fn reasons(s: Situation) -> Vec<Reason> {
    match verdict(s) {
        Decision::Allow(_) => Vec::new(),
        Decision::Deny(denied) => denied.reasons.all().to_vec(),
    }
}

#[test]
fn a_covered_and_a_delegated_helper_use_the_givers_approval_in_their_own_name() {
    for situation in [covered(), delegated()] {
        let Decision::Allow(permit) = verdict(situation) else { panic!("refused") };
        assert_eq!((permit.run(), permit.grant(), permit.approval()), (RunId(40), GrantNo(1), ApprovalId([4; 16])));
    }
}

/// What the person was asked about each use is asked of the helper too: the session part alone is covered.
#[test]
fn a_use_that_asks_each_time_asks_for_a_helper_too() {
    let mut s = covered();
    s.channel.approval.mode = ApprovalMode::PerCall;
    assert_eq!(reasons(s), [Reason::PerCall]);
}

type Change = (&'static str, fn(&mut Situation), Reason);

const CHANGES: &[Change] = &[
    ("neither covered nor named", |s| (s.facts.covers_programs, s.named) = (false, None), Reason::NewRun),
    ("another channel's", |s| s.facts.channel = "other".parse().unwrap(), Reason::NewRun),
    ("giver ended", |s| s.giver_ended = Some(EndReason::ProcessExited), Reason::ProcessChanged),
    ("giver's shim ended", |s| s.giver_now.processes.first_mut().unwrap().alive = false, Reason::ProcessChanged),
    (
        "giver's agent execed",
        |s| s.giver_now.processes.last_mut().unwrap().same_image = Seen::Seen(false),
        Reason::ProcessChanged,
    ),
    ("giver's peer", |s| s.giver_now.sender = Seen::Seen(ProcessInode(1)), Reason::ProcessChanged),
    ("giver's nonce", |s| s.giver_nonce = LaunchNonce([1; 16]), Reason::ProcessChanged),
    ("giver's subject", |s| s.facts.subject = Digest([1; 32]), Reason::ProcessChanged),
    ("another run's approval", |s| s.facts.run = RunId(32), Reason::ProcessChanged),
    ("revoked", |s| s.ended = Some(EndReason::ManualRevoke), Reason::ApprovalRevoked),
    ("used up by the tree", |s| s.uses = 5, Reason::ApprovalExpired),
    ("boot", |s| s.boot = BootId([1; 16]), Reason::GatewayRestarted),
    ("epoch", |s| s.facts.epoch.number = 16, Reason::VaultStateChanged),
    ("version", |s| s.facts.channel_version = 7, Reason::ChannelChanged),
    ("ceremony", |s| s.facts.ceremony = Ceremony::Click, Reason::ChannelChanged),
    ("giver's conversation", |s| s.giver_conversation = Some("d".into()), Reason::ConversationChanged),
    ("helper's own other conversation", |s| s.conversation = Some("d".into()), Reason::ConversationChanged),
    ("broken before", |s| s.broken = Some(EndReason::ProcessExited), Reason::ProcessChanged),
    ("between ended", |s| s.way_now.processes.get_mut(1).unwrap().alive = false, Reason::ProcessChanged),
    (
        "between execed",
        |s| s.way_now.processes.get_mut(1).unwrap().same_image = Seen::Seen(false),
        Reason::ProcessChanged,
    ),
    ("reparented", |s| s.way_now.processes.first_mut().unwrap().parent = Seen::Seen(1), Reason::ProcessChanged),
    (
        "way to another agent",
        |s| {
            s.way = vec![process(40, 30), process(30, 12), process(12, 1)];
            s.way_now = seen(&s.way);
        },
        Reason::ProcessChanged,
    ),
    (
        "way of another process",
        |s| {
            s.way = vec![process(41, 30), process(30, 10), process(10, 1)];
            s.way_now = seen(&s.way);
        },
        Reason::ProcessChanged,
    ),
];

#[test]
fn one_thing_off_keeps_the_approval_from_serving_a_covered_helper() {
    for (name, change, expected) in CHANGES {
        let mut s = covered();
        change(&mut s);
        assert_eq!(reasons(s), [*expected], "{name}");
    }
}

#[test]
fn one_thing_off_keeps_the_approval_from_serving_a_delegated_helper() {
    for (name, change, expected) in CHANGES {
        let mut s = delegated();
        change(&mut s);
        assert_eq!(reasons(s), [*expected], "{name}");
    }
    let off: &[Change] = &[
        (
            "named execed",
            |s| s.named.as_mut().unwrap().1.processes.first_mut().unwrap().same_image = Seen::Seen(false),
            Reason::ProcessChanged,
        ),
        (
            "named reparented",
            |s| s.named.as_mut().unwrap().1.processes.first_mut().unwrap().parent = Seen::Seen(1),
            Reason::ProcessChanged,
        ),
        (
            "between ended",
            |s| s.named.as_mut().unwrap().1.processes.get_mut(1).unwrap().alive = false,
            Reason::ProcessChanged,
        ),
        (
            "another was named",
            |s| {
                let chain = vec![process(41, 30), process(30, 10), process(10, 1)];
                s.named = Some((chain.clone(), seen(&chain)));
            },
            Reason::ProcessChanged,
        ),
    ];
    for (name, change, expected) in off {
        let mut s = delegated();
        change(&mut s);
        assert_eq!(reasons(s), [*expected], "{name}");
    }
}

/// A second client of the same agent is not one of the programs that it started.
#[test]
fn another_client_of_the_agent_itself_is_not_covered() {
    let mut s = covered();
    s.helper = vec![process(40, 30), process(30, 10), process(10, 1)];
    s.way = s.helper.clone();
    assert_eq!(reasons(s), [Reason::ProcessChanged]);
}

#[test]
fn where_neither_serves_the_runs_own_end_is_the_cause() {
    let mut s = covered();
    s.own = Some(EndReason::ApprovalExpired);
    assert!(matches!(verdict(s), Decision::Allow(_)), "its own ended, and the other covers it");
    let mut s = covered();
    s.own = Some(EndReason::ApprovalExpired);
    s.ended = Some(EndReason::ManualRevoke);
    let found = reasons(s);
    assert!(found.contains(&Reason::ApprovalExpired) && !found.contains(&Reason::ApprovalRevoked), "{found:?}");
}
