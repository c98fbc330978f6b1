#![expect(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing, reason = "tests")]

use super::*;
use crate::approval::ApprovalFacts;
use crate::channel::{ApprovalMode, Ceremony};
use crate::event::RowKind;
use crate::evidence::{FileId, Namespaces, ProcessFacts, ProcessInode, Seen, Why};
use crate::fixture::{EPOCH, alive, approval, process, request};
use crate::ids::{ApprovalId, Digest, GrantNo};
use crate::proof::JournalAck;

/// A situation in which `decide` allows, as values that a test can change one at a time.
struct Situation {
    channel: Option<Channel>,
    subject: Subject,
    chain: LiveChain,
    facts: ApprovalFacts,
    ended: Option<EndReason>,
    uses: u32,
    session: bool,
    call: Option<CallApproval>,
    run: RunId,
    run_ended: Option<EndReason>,
    nonce: LaunchNonce,
    boot: BootId,
    vault: VaultNow,
    conversation: Option<String>,
    now: Moment,
    reference: Ref,
    request: CanonicalRequest,
}

fn channel(mode: ApprovalMode) -> Channel {
    let mut channel = crate::fixture::channel("github");
    channel.version = 3;
    channel.approval.mode = mode;
    channel.approval.max_uses = Some(5);
    channel
}

fn allowed(mode: ApprovalMode) -> Situation {
    let channel = channel(mode);
    let request = request(&channel);
    let chain = vec![process(11, 10), process(10, 1)];
    let live = LiveChain { sender: Seen::Seen(chain[0].inode), processes: chain.iter().map(alive).collect() };
    let subject = Subject::observed(chain, "kernel".into()).unwrap();
    let facts = approval(&channel, &subject);
    let reference = Ref([6; 16]);
    let call = (mode == ApprovalMode::PerCall).then(|| CallApproval {
        id: ApprovalId([5; 16]),
        run: RunId(31),
        nonce: LaunchNonce([2; 16]),
        boot: BootId([8; 16]),
        epoch: EPOCH,
        reference,
        digest: request.digest(),
        approved_at: Moment(1_000),
        ceremony: Ceremony::Presence,
    });
    Situation {
        channel: Some(channel),
        subject,
        chain: live,
        facts,
        ended: None,
        uses: 0,
        session: true,
        call,
        run: RunId(31),
        run_ended: None,
        nonce: LaunchNonce([2; 16]),
        boot: BootId([8; 16]),
        vault: VaultNow::Unlocked(EPOCH),
        conversation: Some("c".into()),
        now: Moment(2_000),
        reference,
        request,
    }
}

fn verdict(s: Situation) -> Decision {
    let granted =
        JournalAck::synced(RowKind::Grant, 1, Digest([0; 32]), Ref::NONE, s.facts.grant, s.facts.epoch.number);
    let mut session = Approval::activate(s.facts, granted).unwrap();
    if let Some(reason) = s.ended {
        session.end(reason);
    }
    for _ in 0..s.uses {
        session.count_use();
    }
    let live = LiveEvidence {
        run: s.run,
        subject: &s.subject,
        nonce: s.nonce,
        chain: &s.chain,
        run_ended: s.run_ended,
        boot: s.boot,
        vault: s.vault,
        channel: s.channel.as_ref(),
        conversation: s.conversation.as_deref(),
        now: s.now,
    };
    let question = Question { reference: s.reference, request: s.request };
    let (session, alone) = match session.facts().reach {
        Reach::Run => (s.session.then_some(&session), None),
        Reach::Action { .. } => (None, s.session.then_some(&session)),
    };
    decide(question, Authority { session, cover: None, alone, call: s.call }, &live)
}

fn reasons(s: Situation) -> Vec<Reason> {
    match verdict(s) {
        Decision::Allow(_) => Vec::new(),
        Decision::Deny(denied) => denied.reasons.all().to_vec(),
    }
}

#[test]
fn a_fresh_session_approval_allows_and_the_permit_owns_the_request() {
    let s = allowed(ApprovalMode::Session);
    let digest = s.request.digest();
    let Decision::Allow(permit) = verdict(s) else { panic!("refused") };
    assert_eq!((permit.digest(), permit.grant(), permit.run()), (digest, GrantNo(1), RunId(31)));
    assert_eq!(permit.give_up().digest(), digest);
}

#[test]
fn a_per_call_channel_takes_the_session_and_the_yes_to_this_use() {
    assert_eq!(reasons(allowed(ApprovalMode::PerCall)), []);
    let mut without_call = allowed(ApprovalMode::PerCall);
    without_call.call = None;
    assert_eq!(reasons(without_call), [Reason::PerCall]);
    let mut without_session = allowed(ApprovalMode::PerCall);
    without_session.session = false;
    assert_eq!(reasons(without_session), [Reason::NewRun]);
}

type Change = (&'static str, fn(&mut Situation), Reason);

/// From an allowed situation each single change denies, for that reason and no other.
#[test]
fn one_field_off_denies_for_that_reason_and_no_other() {
    let changes: &[Change] = &[
        ("sender", |s| s.chain.sender = Seen::Seen(ProcessInode(1)), Reason::ProcessChanged),
        ("sender unseen", |s| s.chain.sender = Seen::Unseen(Why::Gone), Reason::ProcessChanged),
        ("peer ended", |s| s.chain.processes[0].alive = false, Reason::ProcessChanged),
        ("agent ended", |s| s.chain.processes[1].alive = false, Reason::ProcessChanged),
        ("peer inode", |s| s.chain.processes[0].inode = Seen::Seen(ProcessInode(1)), Reason::ProcessChanged),
        ("agent inode", |s| s.chain.processes[1].inode = Seen::Seen(ProcessInode(1)), Reason::ProcessChanged),
        ("parent", |s| s.chain.processes[0].parent = Seen::Seen(1), Reason::ProcessChanged),
        ("file", |s| s.chain.processes[1].executable = Seen::Seen(FileId { dev: 1, ino: 99 }), Reason::ProcessChanged),
        ("file unseen", |s| s.chain.processes[1].executable = Seen::Unseen(Why::NotReadable), Reason::ProcessChanged),
        ("exec", |s| s.chain.processes[1].same_image = Seen::Seen(false), Reason::ProcessChanged),
        ("stack", |s| s.chain.processes[0].start_stack = Seen::Seen(1), Reason::ProcessChanged),
        (
            "namespace",
            |s| s.chain.processes[0].namespaces = Seen::Seen(Namespaces { user: 9, pid: 2 }),
            Reason::ProcessChanged,
        ),
        ("shorter chain", |s| s.chain.processes.truncate(1), Reason::ProcessChanged),
        ("run ended", |s| s.run_ended = Some(EndReason::ProcessExited), Reason::ProcessChanged),
        ("other run", |s| s.run = RunId(32), Reason::ProcessChanged),
        ("nonce", |s| s.nonce = LaunchNonce([3; 16]), Reason::ProcessChanged),
        ("subject digest", |s| s.facts.subject = Digest([3; 32]), Reason::ProcessChanged),
        ("boot", |s| s.boot = BootId([1; 16]), Reason::GatewayRestarted),
        ("epoch number", |s| s.facts.epoch.number = 16, Reason::VaultStateChanged),
        (
            "epoch nonce alone",
            |s| s.vault = VaultNow::Unlocked(VaultEpoch { number: 17, nonce: [1; 16] }),
            Reason::VaultStateChanged,
        ),
        ("approved version", |s| s.facts.channel_version = 2, Reason::ChannelChanged),
        ("channel version", |s| s.channel.as_mut().unwrap().version = 4, Reason::ChannelChanged),
        ("ceremony", |s| s.facts.ceremony = Ceremony::Click, Reason::ChannelChanged),
        ("channel gone", |s| s.channel = None, Reason::UnknownChannel),
        ("other channel's approval", |s| s.facts.channel = "other".parse().unwrap(), Reason::NewRun),
        ("no approval", |s| s.session = false, Reason::NewRun),
        ("conversation", |s| s.conversation = Some("d".into()), Reason::ConversationChanged),
        ("revoked", |s| s.ended = Some(EndReason::ManualRevoke), Reason::ApprovalRevoked),
        ("ended by lock", |s| s.ended = Some(EndReason::VaultLocked), Reason::VaultStateChanged),
        ("used up", |s| s.uses = 5, Reason::ApprovalExpired),
        ("time up", |s| s.now = Moment(900_000), Reason::ApprovalExpired),
        ("quarantine", |s| s.vault = VaultNow::Quarantined, Reason::Quarantined),
    ];
    for (name, change, expected) in changes {
        let mut situation = allowed(ApprovalMode::Session);
        change(&mut situation);
        let mut found = reasons(situation);
        // A vault that is not open in the approval's epoch is, by the same fact, in another state.
        if *expected == Reason::Quarantined {
            found.retain(|reason| *reason != Reason::VaultStateChanged);
        }
        assert_eq!(found, [*expected], "{name}");
    }
}

#[test]
fn one_field_of_a_yes_to_one_use_off_denies() {
    type CallChange = (&'static str, fn(&mut Situation), Reason);
    let changes: &[CallChange] = &[
        ("other action", |s| s.reference = Ref([7; 16]), Reason::PerCall),
        ("other request", |s| s.call.as_mut().unwrap().digest = Digest([7; 32]), Reason::PerCall),
        ("other run", |s| s.call.as_mut().unwrap().run = RunId(1), Reason::ProcessChanged),
        ("other nonce", |s| s.call.as_mut().unwrap().nonce = LaunchNonce([7; 16]), Reason::ProcessChanged),
        ("other boot", |s| s.call.as_mut().unwrap().boot = BootId([7; 16]), Reason::GatewayRestarted),
        ("other epoch", |s| s.call.as_mut().unwrap().epoch.nonce = [7; 16], Reason::VaultStateChanged),
        ("weaker ceremony", |s| s.call.as_mut().unwrap().ceremony = Ceremony::Click, Reason::PerCall),
        ("ten minutes later", |s| s.now = Moment(1_001 + limits::APPROVED_WAIT_MS), Reason::ApprovalExpired),
    ];
    for (name, change, expected) in changes {
        let mut situation = allowed(ApprovalMode::PerCall);
        situation.facts.ends_at = None;
        change(&mut situation);
        assert_eq!(reasons(situation), [*expected], "{name}");
    }
}

#[test]
fn a_locked_vault_outranks_and_lists_the_rest() {
    let mut s = allowed(ApprovalMode::Session);
    s.vault = VaultNow::Locked;
    s.channel = None;
    s.chain.processes[0].alive = false;
    assert_eq!(reasons(s), [Reason::VaultLocked, Reason::ProcessChanged, Reason::VaultStateChanged]);
}

#[test]
fn a_missing_label_neither_grants_nor_ends() {
    let mut s = allowed(ApprovalMode::Session);
    s.conversation = None;
    assert_eq!(reasons(s), []);
    let mut s = allowed(ApprovalMode::Session);
    s.facts.conversation = None;
    assert_eq!(reasons(s), []);
}

#[test]
fn a_refusal_hands_the_unused_yes_and_the_request_back() {
    let mut s = allowed(ApprovalMode::PerCall);
    s.boot = BootId([1; 16]);
    let digest = s.request.digest();
    let Decision::Deny(denied) = verdict(s) else { panic!("allowed") };
    assert_eq!(denied.call.map(|call| call.digest), Some(digest));
    assert_eq!(denied.question.request.digest(), digest);
}

#[test]
fn a_permit_is_fresh_for_two_seconds_and_not_before_its_time() {
    let Decision::Allow(permit) = verdict(allowed(ApprovalMode::Session)) else { panic!("refused") };
    assert!(permit.is_fresh(Moment(2_000)) && permit.is_fresh(Moment(4_000)));
    assert!(!permit.is_fresh(Moment(4_001)) && !permit.is_fresh(Moment(1_999)));
}

#[test]
fn a_permit_joins_only_the_dispatch_of_its_own_action() {
    use crate::proof::Armed;
    let ack = |kind, reference, grant, epoch| JournalAck::synced(kind, 9, Digest([0; 32]), reference, grant, epoch);
    let own = Ref([6; 16]);
    let wrong = [
        ack(RowKind::Intent, own, GrantNo(1), 17),
        ack(RowKind::Dispatch, Ref([7; 16]), GrantNo(1), 17),
        ack(RowKind::Dispatch, own, GrantNo(2), 17),
        ack(RowKind::Dispatch, own, GrantNo(1), 18),
    ];
    for dispatch in wrong {
        let Decision::Allow(permit) = verdict(allowed(ApprovalMode::Session)) else { panic!("refused") };
        assert!(Armed::join(permit, dispatch).is_err());
    }
    let Decision::Allow(permit) = verdict(allowed(ApprovalMode::Session)) else { panic!("refused") };
    assert!(Armed::join(permit, ack(RowKind::Dispatch, own, GrantNo(1), 17)).is_ok());
}

/// Nothing of a process is seen but that it lives.
fn veil(s: &mut Situation, why: Why) {
    let mut chain = s.subject.chain().to_vec();
    let (facts, live) = (chain.last_mut().unwrap(), s.chain.processes.last_mut().unwrap());
    facts.executable = Seen::Unseen(why);
    facts.start_stack = Seen::Unseen(why);
    facts.namespaces = Seen::Unseen(why);
    live.executable = Seen::Unseen(why);
    live.same_image = Seen::Unseen(why);
    live.start_stack = Seen::Unseen(why);
    live.namespaces = Seen::Unseen(why);
    let subject = match why {
        Why::NotReadable => Subject::observed(chain, "kernel".into()),
        _ => Subject::unverified(chain, "kernel".into(), Unverified::ForeignNamespace),
    };
    s.subject = subject.unwrap();
    s.facts.subject = s.subject.digest();
}

fn no_agent(s: &mut Situation) {
    let chain = s.subject.chain().to_vec();
    s.subject = Subject::unverified(chain, "kernel".into(), Unverified::NoAgent).unwrap();
    s.facts.subject = s.subject.digest();
}

/// Allowed by a yes to this action alone.
fn alone(how: fn(&mut Situation)) -> Situation {
    let mut s = allowed(ApprovalMode::Session);
    s.channel.as_mut().unwrap().approval.allow_unverified = true;
    s.facts.reach = Reach::Action { reference: s.reference, digest: s.request.digest() };
    s.facts.max_uses = Some(1);
    how(&mut s);
    s
}

const LESS_THAN_WHOLE: [fn(&mut Situation); 3] =
    [|s| veil(s, Why::NotReadable), |s| veil(s, Why::ForeignNamespace), no_agent];

#[test]
fn who_was_not_wholly_seen_needs_a_yes_to_this_very_action_and_it_stands_alone() {
    for how in LESS_THAN_WHOLE {
        let Decision::Allow(permit) = verdict(alone(how)) else { panic!("refused") };
        assert_eq!((permit.grant(), permit.approval()), (GrantNo(1), ApprovalId([4; 16])));
    }
}

#[test]
fn one_field_off_a_yes_that_stands_alone_denies_for_that_reason_and_no_other() {
    let changes: &[Change] = &[
        ("none", |s| s.session = false, Reason::PerCall),
        ("another attempt", |s| s.reference = Ref([7; 16]), Reason::PerCall),
        (
            "another request",
            |s| s.facts.reach = Reach::Action { reference: s.reference, digest: Digest([1; 32]) },
            Reason::PerCall,
        ),
        ("a session approval", |s| s.facts.reach = Reach::Run, Reason::PerCall),
        ("another channel", |s| s.facts.channel = "other".parse().unwrap(), Reason::PerCall),
        ("used", |s| s.uses = 1, Reason::ApprovalExpired),
        ("revoked", |s| s.ended = Some(EndReason::ManualRevoke), Reason::ApprovalRevoked),
        ("run", |s| s.facts.run = RunId(30), Reason::ProcessChanged),
        ("nonce", |s| s.nonce = LaunchNonce([3; 16]), Reason::ProcessChanged),
        ("subject", |s| s.facts.subject = Digest([3; 32]), Reason::ProcessChanged),
        ("sender", |s| s.chain.sender = Seen::Seen(ProcessInode(1)), Reason::ProcessChanged),
        ("ended", |s| s.chain.processes[1].alive = false, Reason::ProcessChanged),
        ("parent", |s| s.chain.processes[1].parent = Seen::Seen(9), Reason::ProcessChanged),
        ("boot", |s| s.boot = BootId([7; 16]), Reason::GatewayRestarted),
        (
            "epoch",
            |s| s.vault = VaultNow::Unlocked(VaultEpoch { number: 17, nonce: [1; 16] }),
            Reason::VaultStateChanged,
        ),
        ("conversation", |s| s.conversation = Some("d".into()), Reason::ConversationChanged),
        ("late", |s| s.now = Moment(900_000), Reason::ApprovalExpired),
    ];
    for how in LESS_THAN_WHOLE {
        for (what, change, reason) in changes {
            let mut s = alone(how);
            change(&mut s);
            assert_eq!(reasons(s), [*reason], "{what}");
        }
    }
}

/// The yes to one action does not stand in for a session, and a session not for what may have none.
#[test]
fn an_approval_serves_the_attestation_that_it_was_given_to() {
    let whole = alone(|_| {});
    assert_eq!(reasons(whole), [Reason::NewRun]);
    let with_call = |how: fn(&mut Situation)| {
        let mut s = allowed(ApprovalMode::PerCall);
        s.channel.as_mut().unwrap().approval.allow_unverified = true;
        how(&mut s);
        reasons(s)
    };
    for how in LESS_THAN_WHOLE {
        assert_eq!(with_call(how), [Reason::PerCall]);
    }
}

#[test]
fn without_the_operators_leave_an_unverified_requester_is_refused_whatever_was_approved() {
    for (how, reason) in [(LESS_THAN_WHOLE[1], Reason::ForeignNamespace), (LESS_THAN_WHOLE[2], Reason::NoAgent)] {
        let mut s = alone(how);
        s.channel.as_mut().unwrap().approval.allow_unverified = false;
        assert_eq!(reasons(s), [reason]);
        let mut session = allowed(ApprovalMode::Session);
        how(&mut session);
        assert_eq!(reasons(session), [reason]);
    }
}

#[test]
fn with_the_operators_leave_an_unreadable_program_has_a_session_and_what_is_seen_then_ends_it() {
    let situation = || {
        let mut s = allowed(ApprovalMode::Session);
        s.channel.as_mut().unwrap().approval.allow_unreadable = true;
        veil(&mut s, Why::NotReadable);
        s
    };
    assert_eq!(reasons(situation()), []);
    let mut seen = situation();
    seen.chain.processes[1].executable = Seen::Seen(FileId { dev: 1, ino: 10 });
    assert_eq!(reasons(seen), [Reason::ProcessChanged]);
    // It is no leave for those who are not verified at all.
    let mut foreign = situation();
    no_agent(&mut foreign);
    assert_eq!(reasons(foreign), [Reason::NoAgent]);
}

#[test]
fn what_is_seen_in_part_is_no_subject() {
    let chain = || vec![process(10, 1)];
    let hide: [fn(&mut ProcessFacts); 3] = [
        |facts| facts.executable = Seen::Unseen(Why::NotReadable),
        |facts| facts.start_stack = Seen::Unseen(Why::NotReadable),
        |facts| facts.namespaces = Seen::Unseen(Why::Gone),
    ];
    assert!(Subject::observed(chain(), "kernel".into()).is_some());
    for hide in hide {
        let mut chain = chain();
        hide(&mut chain[0]);
        assert_eq!(Subject::observed(chain, "kernel".into()), None);
    }
}
