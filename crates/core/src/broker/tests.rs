#![expect(clippy::unwrap_used, clippy::indexing_slicing, reason = "tests")]

use super::*;
use crate::card::{AgentView, CardAction, CardChannel, ProgramView};
use crate::channel::{Ceremony, Channel};
use crate::event::RowKind;
use crate::evidence::{
    Attestation, Executable, FileId, Namespaces, PathNow, ProcessFacts, ProcessInode, Seen, Subject, Unverified,
};
use crate::ids::{ActionNo, LaunchNonce};
use crate::limits;
use crate::outcome::{EndReason, Reason};

const EPOCH: VaultEpoch = VaultEpoch { number: 17, nonce: [9; 16] };

fn subject(inode: u64) -> Subject {
    let facts = ProcessFacts {
        pid: 11,
        start_ticks: 5,
        inode: ProcessInode(inode),
        uid: 1000,
        parent: 1,
        session: 1,
        start_stack: Seen::Seen(1),
        namespaces: Seen::Seen(Namespaces { user: 1, pid: 2 }),
        executable: Seen::Seen(Executable {
            file: FileId { dev: 1, ino: 2 },
            size: 10,
            mtime_ns: 0,
            ctime_ns: 0,
            sha256: Digest([1; 32]),
            path: "/usr/bin/agent".into(),
            path_now: PathNow::Same,
        }),
        provenance: crate::provenance::Provenance::Unsigned(crate::provenance::Unsigned::NotPackaged),
        script: None,
        claimed_command: String::new(),
        directory: None,
    };
    Subject::observed(vec![facts], "k".into()).unwrap()
}

fn channel(name: &str) -> Channel {
    let mut channel = crate::fixture::channel(name);
    channel.approval.max_minutes = Some(1);
    channel
}

fn broker(runs: &[(u64, u64)]) -> Broker {
    let mut broker = Broker::new(BootId([8; 16]), BootNo(1));
    for (id, inode) in runs {
        let new = NewRun {
            id: RunId(*id),
            subject: subject(*inode),
            descent: None,
            nonce: LaunchNonce([u8::try_from(*id).unwrap(); 16]),
            conversation: None,
            claimed: None,
            lapse: None,
        };
        broker.register(new).unwrap();
    }
    broker
}

fn agent() -> AgentView {
    AgentView {
        attestation: Attestation::Whole,
        program: Some(ProgramView {
            name: "agent".into(),
            path: "/usr/bin/agent".into(),
            path_now: PathNow::Same,
            signer: crate::provenance::Signer::Unsigned(crate::provenance::Unsigned::NotPackaged),
            history: crate::programs::History::Known { first_asked: None, last_yes: crate::programs::LastYes::Never },
            script: None,
            sha256: Digest([0; 32]),
        }),
        pid: 11,
        directory: None,
        claimed_command: String::new(),
        chain: Vec::new(),
    }
}

fn ask(run: u64, channels: &[&str], action: Option<(u8, bool)>) -> Ask {
    let on = |name: &&str| CardChannel {
        name: name.parse().unwrap(),
        origins: Vec::new(),
        paths: Vec::new(),
        methods: Vec::new(),
        asks_each_time: Vec::new(),
        max_uses: None,
        max_minutes: None,
        ticked: true,
    };
    Ask {
        run: RunId(run),
        changed: Vec::new(),
        previous: None,
        agent: agent(),
        channels: channels.iter().map(on).collect(),
        action: action.map(|(digest, _)| CardAction {
            action: ActionNo(1),
            channel: "github".parse().unwrap(),
            method: "GET".into(),
            url: "https://api.example.com/".into(),
            headers: Vec::new(),
            body_text: None,
            body_bytes: 0,
            body_sha256: Digest([0; 32]),
            digest: Digest([digest; 32]),
        }),
        asks_action: action.filter(|(_, asks)| *asks).map(|(digest, _)| Ref([digest; 16])),
        stands_alone: false,
        works_under: None,
        ceremony: Ceremony::Presence,
        epoch: EPOCH,
    }
}

fn approve(broker: &mut Broker, card: CardNo, now: Moment) -> Result<Granting, AnswerRefused> {
    let mut next = 0u8;
    broker.approve(Approve {
        card,
        shown: None,
        channels: None,
        programs: false,
        live: &|name| Some(channel(name.as_str())),
        ceremony: Ceremony::Presence,
        epoch: EPOCH,
        now,
        fresh: &mut || {
            next += 1;
            [next; 16]
        },
    })
}

fn granted(facts: &ApprovalFacts) -> JournalAck {
    JournalAck::synced(RowKind::Grant, 1, Digest([0; 32]), Ref::NONE, facts.grant, facts.epoch.number)
}

/// Opens a session for run 1 on `github` and returns the broker.
fn with_session() -> Broker {
    let mut broker = broker(&[(1, 100), (2, 200)]);
    let (card, _) = broker.ask(ask(1, &["github"], None), Moment(0)).unwrap();
    let mut granting = approve(&mut broker, card, Moment(0)).unwrap();
    let facts = granting.approvals.pop().unwrap();
    let ack = granted(&facts);
    assert!(broker.activate(facts, ack, &granting, Some(EPOCH)));
    broker
}

fn github() -> ChannelName {
    "github".parse().unwrap()
}

#[test]
fn a_yes_is_live_only_with_its_durable_grant() {
    let mut broker = broker(&[(1, 100)]);
    let (card, _) = broker.ask(ask(1, &["github"], None), Moment(0)).unwrap();
    let mut granting = approve(&mut broker, card, Moment(0)).unwrap();
    assert!(broker.session(RunId(1), &github()).is_none());
    let facts = granting.approvals.pop().unwrap();
    let foreign = JournalAck::synced(RowKind::Grant, 1, Digest([0; 32]), Ref::NONE, GrantNo(99), facts.epoch.number);
    assert!(!broker.activate(facts, foreign, &granting, Some(EPOCH)));
    assert!(broker.session(RunId(1), &github()).is_none());
}

#[test]
fn a_yes_that_is_overtaken_by_a_lock_an_exit_or_another_epoch_grants_nothing() {
    for overtaken in 0..3 {
        let mut broker = broker(&[(1, 100)]);
        let (card, _) = broker.ask(ask(1, &["github"], None), Moment(0)).unwrap();
        let mut granting = approve(&mut broker, card, Moment(0)).unwrap();
        let facts = granting.approvals.pop().unwrap();
        let ack = granted(&facts);
        let epoch = match overtaken {
            0 => None,
            1 => Some(VaultEpoch { number: 17, nonce: [1; 16] }),
            _ => {
                let _ = broker.end_run(RunId(1), EndReason::ProcessExited);
                Some(EPOCH)
            }
        };
        assert!(!broker.activate(facts, ack, &granting, epoch));
    }
}

#[test]
fn the_first_answer_wins() {
    let mut broker = broker(&[(1, 100)]);
    let (card, _) = broker.ask(ask(1, &["github"], None), Moment(0)).unwrap();
    broker.deny(card, Moment(0)).unwrap();
    assert_eq!(approve(&mut broker, card, Moment(0)).unwrap_err(), AnswerRefused::NoSuchCard);
    assert_eq!(broker.resolution(card), Some(Resolution::Denied));
}

#[test]
fn concurrent_first_calls_of_one_run_and_channel_share_one_card_and_other_runs_do_not() {
    let mut broker = broker(&[(1, 100), (2, 200)]);
    let (first, new) = broker.ask(ask(1, &["github"], Some((1, false))), Moment(0)).unwrap();
    assert!(new);
    for digest in 2..50 {
        assert_eq!(broker.ask(ask(1, &["github"], Some((digest, false))), Moment(0)), Ok((first, false)));
    }
    let (other, new) = broker.ask(ask(2, &["github"], Some((1, false))), Moment(0)).unwrap();
    assert!(new && other != first);
}

#[test]
fn a_denied_request_stays_denied_and_a_denied_channel_is_quiet_for_a_minute() {
    let mut broker = broker(&[(1, 100)]);
    let (card, _) = broker.ask(ask(1, &["github"], Some((1, true))), Moment(0)).unwrap();
    broker.deny(card, Moment(0)).unwrap();
    assert_eq!(broker.ask(ask(1, &[], Some((1, true))), Moment(9_999_999)), Err(Reason::DeniedByOperator));
    assert_eq!(
        broker.ask(ask(1, &["github"], None), Moment(limits::DENIED_QUIET_MS - 1)),
        Err(Reason::DeniedByOperator)
    );
    assert!(broker.ask(ask(1, &["github"], None), Moment(limits::DENIED_QUIET_MS)).is_ok());
}

#[test]
fn one_agent_tree_can_not_crowd_the_person_out() {
    let mut broker = broker(&[(1, 100), (2, 200)]);
    for digest in 0..limits::OPEN_CARDS_PER_AGENT {
        let digest = u8::try_from(digest).unwrap();
        broker.ask(ask(1, &[], Some((digest, true))), Moment(0)).unwrap();
    }
    assert_eq!(broker.ask(ask(1, &[], Some((99, true))), Moment(0)), Err(Reason::TooMany));
    assert!(broker.ask(ask(2, &[], Some((99, true))), Moment(0)).is_ok());
}

#[test]
fn every_end_closes_cards_with_its_own_cause_and_ends_approvals_with_its_own_reason() {
    type End = (fn(&mut Broker) -> Ends, EndReason, Reason);
    let ends: [End; 4] = [
        (|broker| broker.lock(), EndReason::VaultLocked, Reason::VaultStateChanged),
        (|broker| broker.revoke(Some(RunId(1))), EndReason::ManualRevoke, Reason::ApprovalRevoked),
        (|broker| broker.end_run(RunId(1), EndReason::ProcessExited), EndReason::ProcessExited, Reason::ProcessChanged),
        (|broker| broker.channel_changed(&github()), EndReason::ChannelChanged, Reason::ChannelChanged),
    ];
    for (end, ended, closed) in ends {
        let mut broker = with_session();
        let (card, _) = broker.ask(ask(1, &[], Some((7, true))), Moment(0)).unwrap();
        let what = end(&mut broker);
        assert_eq!(what.approvals.len(), 1);
        assert_eq!(what.approvals[0].reason, ended);
        assert_eq!(what.cards, [(card, RunId(1), closed)]);
        assert_eq!(broker.session(RunId(1), &github()).and_then(Approval::ended), Some(ended));
        assert_eq!(broker.resolution(card), Some(Resolution::Closed(closed)));
        assert!(end(&mut broker).approvals.is_empty(), "an approval ends once");
    }
}

#[test]
fn revoking_one_run_leaves_the_other() {
    let mut broker = with_session();
    assert!(broker.revoke(Some(RunId(2))).approvals.is_empty());
    assert_eq!(broker.session(RunId(1), &github()).and_then(Approval::ended), None);
    assert_eq!(broker.revoke(None).approvals.len(), 1);
}

#[test]
fn another_conversation_on_the_connection_ends_approvals_and_a_missing_label_does_not() {
    let mut broker = with_session();
    assert!(broker.declare_conversation(RunId(1), Some("a")).is_empty());
    assert!(broker.declare_conversation(RunId(1), None).is_empty());
    assert!(broker.declare_conversation(RunId(1), Some("a")).is_empty());
    let ends = broker.declare_conversation(RunId(1), Some("b"));
    assert_eq!(ends.approvals[0].reason, EndReason::ConversationChanged);
}

#[test]
fn a_card_that_nobody_waits_for_closes_after_ten_minutes_and_an_attended_one_stays() {
    let mut broker = broker(&[(1, 100)]);
    let (alone, _) = broker.ask(ask(1, &[], Some((1, true))), Moment(0)).unwrap();
    let (attended, _) = broker.ask(ask(1, &[], Some((2, true))), Moment(0)).unwrap();
    broker.attend(attended, Moment(0));
    assert!(broker.tick(Moment(limits::CARD_UNATTENDED_MS - 1)).is_empty());
    let ends = broker.tick(Moment(limits::CARD_UNATTENDED_MS));
    assert_eq!(ends.cards, [(alone, RunId(1), Reason::CardExpired)]);
    assert!(broker.card(attended).is_some());
}

#[test]
fn an_approval_with_a_limit_of_minutes_ends_by_itself() {
    let mut broker = with_session();
    assert!(broker.tick(Moment(59_999)).is_empty());
    assert_eq!(broker.tick(Moment(60_000)).approvals[0].reason, EndReason::ApprovalExpired);
}

#[test]
fn a_card_of_another_epoch_or_of_an_ended_run_can_not_be_answered() {
    let mut broker = broker(&[(1, 100)]);
    let mut old = ask(1, &["github"], None);
    old.epoch = VaultEpoch { number: 16, nonce: [9; 16] };
    let (card, _) = broker.ask(old, Moment(0)).unwrap();
    assert_eq!(approve(&mut broker, card, Moment(0)).unwrap_err(), AnswerRefused::Stale(Reason::VaultStateChanged));
    assert_eq!(approve(&mut broker, card, Moment(0)).unwrap_err(), AnswerRefused::NoSuchCard);
}

#[test]
fn a_weaker_ceremony_another_card_and_a_foreign_channel_are_refused_and_the_card_stays() {
    let mut broker = broker(&[(1, 100)]);
    let (card, _) = broker.ask(ask(1, &["github"], None), Moment(0)).unwrap();
    let foreign = ["gitlab".parse().unwrap()];
    type Attempt<'a> = (Option<Digest>, Option<&'a [ChannelName]>, Ceremony);
    let attempts: [Attempt<'_>; 3] = [
        (None, None, Ceremony::Click),
        (Some(Digest([1; 32])), None, Ceremony::Presence),
        (None, Some(&foreign), Ceremony::Presence),
    ];
    for (shown, channels, ceremony) in attempts {
        let refused = broker.approve(Approve {
            card,
            shown,
            channels,
            programs: false,
            live: &|name| Some(channel(name.as_str())),
            ceremony,
            epoch: EPOCH,
            now: Moment(0),
            fresh: &mut || [0; 16],
        });
        assert!(refused.is_err());
        assert!(broker.card(card).is_some());
    }
    assert!(approve(&mut broker, card, Moment(0)).is_ok());
}

#[test]
fn a_yes_to_one_action_falls_with_its_session() {
    let mut broker = with_session();
    let (card, _) = broker.ask(ask(1, &[], Some((7, true))), Moment(0)).unwrap();
    let mut granting = approve(&mut broker, card, Moment(0)).unwrap();
    let call = granting.call.take().unwrap();
    let reference = call.reference;
    assert!(broker.keep_call(call, &granting, Some(EPOCH)));
    let _ = broker.revoke(None);
    assert_eq!(broker.take_call(reference), None);
}

#[test]
fn runs_of_one_agent_are_limited() {
    let runs: Vec<(u64, u64)> = (0..limits::RUNS_PER_AGENT as u64).map(|n| (n, 100)).collect();
    let mut broker = broker(&runs);
    let one_more = |inode| NewRun {
        id: RunId(999),
        subject: subject(inode),
        descent: None,
        nonce: LaunchNonce([0; 16]),
        conversation: None,
        claimed: None,
        lapse: None,
    };
    assert_eq!(broker.register(one_more(100)), Err(Reason::TooMany));
    assert_eq!(broker.register(one_more(101)), Ok(()));
}

#[test]
fn a_yes_that_is_being_recorded_while_the_person_takes_authority_back_grants_nothing() {
    type TakeBack = fn(&mut Broker) -> Ends;
    let ways: [TakeBack; 3] = [
        |broker| broker.revoke(Some(RunId(1))),
        |broker| broker.revoke(None),
        |broker| broker.channel_changed(&github()),
    ];
    for take_back in ways {
        let mut broker = with_session();
        let (card, _) = broker.ask(ask(1, &["gitlab"], Some((7, true))), Moment(0)).unwrap();
        let mut granting = approve(&mut broker, card, Moment(0)).unwrap();
        let _ = take_back(&mut broker);
        let facts = granting.approvals.pop().unwrap();
        let ack = granted(&facts);
        assert!(!broker.activate(facts, ack, &granting, Some(EPOCH)));
        let call = granting.call.take().unwrap();
        assert!(!broker.keep_call(call, &granting, Some(EPOCH)));
    }
}

#[test]
fn a_card_of_one_conversation_does_not_serve_another() {
    let mut broker = broker(&[(1, 100)]);
    let _ = broker.declare_conversation(RunId(1), Some("a"));
    let (card, _) = broker.ask(ask(1, &["github"], None), Moment(0)).unwrap();
    let ends = broker.declare_conversation(RunId(1), Some("b"));
    assert_eq!(ends.cards, [(card, RunId(1), Reason::ConversationChanged)]);
    assert_eq!(approve(&mut broker, card, Moment(0)).unwrap_err(), AnswerRefused::NoSuchCard);
}

/// Run 1, whose requester is not verified, asked on a channel where such may ask.
fn unverified() -> Broker {
    let mut broker = Broker::new(BootId([8; 16]), BootNo(1));
    let chain = subject(100).chain().to_vec();
    let new = NewRun {
        id: RunId(1),
        subject: Subject::unverified(chain, "k".into(), Unverified::NoAgent).unwrap(),
        descent: None,
        nonce: LaunchNonce([1; 16]),
        conversation: None,
        claimed: None,
        lapse: None,
    };
    broker.register(new).unwrap();
    broker
}

fn approve_where(broker: &mut Broker, card: CardNo, allowed: bool) -> Result<Granting, AnswerRefused> {
    broker.approve(Approve {
        card,
        shown: None,
        channels: None,
        programs: false,
        live: &|name| {
            let mut channel = channel(name.as_str());
            channel.approval.allow_unverified = allowed;
            channel.approval.max_uses = Some(5);
            Some(channel)
        },
        ceremony: Ceremony::Presence,
        epoch: EPOCH,
        now: Moment(0),
        fresh: &mut || [4; 16],
    })
}

/// The run's one action is approved by itself.
fn with_one_action() -> Broker {
    let mut broker = unverified();
    let (card, _) = broker.ask(ask(1, &[], Some((6, true))), Moment(0)).unwrap();
    let mut granting = approve_where(&mut broker, card, true).unwrap();
    assert!(granting.call.is_none());
    let facts = granting.approvals.pop().unwrap();
    assert_eq!(facts.reach, Reach::Action { reference: Ref([6; 16]), digest: Digest([6; 32]) });
    assert_eq!((facts.max_uses, granting.approvals.len()), (Some(1), 0));
    let ack = granted(&facts);
    assert!(broker.activate(facts, ack, &granting, Some(EPOCH)));
    broker
}

#[test]
fn a_yes_to_an_unverified_requester_opens_one_action_and_no_session() {
    let broker = with_one_action();
    assert_eq!(broker.alone(Ref([6; 16])).map(Approval::ended), Some(None));
    assert!(broker.session(RunId(1), &github()).is_none() && broker.live_channels(RunId(1)).next().is_none());
}

#[test]
fn a_card_for_a_session_grants_an_unverified_requester_none() {
    let mut broker = unverified();
    let (card, _) = broker.ask(ask(1, &["github"], None), Moment(0)).unwrap();
    let refused = approve_where(&mut broker, card, true).unwrap_err();
    assert_eq!(refused, AnswerRefused::Channels(vec![github()]));
    let (card, _) = broker.ask(ask(1, &[], Some((6, true))), Moment(0)).unwrap();
    let refused = approve_where(&mut broker, card, false).unwrap_err();
    assert_eq!(refused, AnswerRefused::Stale(Reason::NoAgent));
    assert_eq!(broker.resolution(card), Some(Resolution::Closed(Reason::NoAgent)));
}

#[test]
fn what_ends_a_session_ends_a_yes_that_stands_alone_and_so_does_the_end_of_its_action() {
    type End = (fn(&mut Broker) -> Ends, EndReason);
    let ends: [End; 5] = [
        (|broker| broker.revoke(Some(RunId(1))), EndReason::ManualRevoke),
        (|broker| broker.revoke(None), EndReason::ManualRevoke),
        (Broker::lock, EndReason::VaultLocked),
        (|broker| broker.end_run(RunId(1), EndReason::ProcessExited), EndReason::ProcessExited),
        (|broker| broker.expire_alone(Ref([6; 16])), EndReason::ApprovalExpired),
    ];
    for (end, reason) in ends {
        let mut broker = with_one_action();
        let ended = end(&mut broker).approvals;
        let named: Vec<_> = ended.iter().map(|end| (end.grant, end.action, end.reason)).collect();
        assert_eq!(named, [(GrantNo(1), Some(Ref([6; 16])), reason)]);
        assert!(broker.alone(Ref([6; 16])).is_none_or(|approval| approval.ended() == Some(reason)));
        assert!(broker.expire_alone(Ref([6; 16])).is_empty(), "one end, one row");
    }
    let mut broker = with_one_action();
    let other = broker.channel_changed(&"other".parse().unwrap());
    assert!(other.approvals.is_empty());
    let action_channel = ask(1, &[], Some((6, true))).action.unwrap().channel;
    assert_eq!(broker.channel_changed(&action_channel).approvals.len(), 1);
    // A run that is forgotten leaves nothing behind.
    let _ = broker.end_run(RunId(1), EndReason::Disconnected);
    broker.forget(RunId(1));
    assert!(broker.alone(Ref([6; 16])).is_none());
}
