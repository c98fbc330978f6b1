//! What was written comes back, in order, readable by the audit key alone; what can't be read is said.
#![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "tests")]

use ed25519_dalek::{Signer as _, SigningKey};
use jiff::tz::TimeZone;
use lychgate_core::channel::Ceremony;
use lychgate_core::event::{Event, Requester, RowDraft, RowKind};
use lychgate_core::evidence::{Executable, FileId, Namespaces, ProcessFacts, ProcessInode, Seen, Subject, Why};
use lychgate_core::ids::{ActionNo, ApprovalId, BootNo, Digest, GrantNo, Ref, RunId, WallTime};
use lychgate_core::outcome::{EndReason, Reason, Reasons};
use lychgate_journal::random::SystemRandom;
use lychgate_journal::{AuditPublicKey, CreateParams, Journal, VaultSigner};
use lychgate_seal::Cost;
use lychgate_view::{
    AuditPrivateKey, Filter, SessionState, Unreadable, ViewError, ViewedRow, activity, audit_key, read, render,
    sessions,
};
use std::path::PathBuf;

/// Cheap on purpose: the passphrase here protects nothing.
const CHEAP: Cost = Cost { memory_kib: 8, passes: 1, lanes: 1 };
/// 2026-11-30 14:23:06 UTC.
const AT: u64 = 1_796_048_586_000;

struct Vault(SigningKey);

impl VaultSigner for Vault {
    fn sign(&self, message: &[u8]) -> [u8; 64] {
        self.0.sign(message).to_bytes()
    }
    fn public(&self) -> [u8; 32] {
        self.0.verifying_key().to_bytes()
    }
}

struct Bench {
    root: tempfile::TempDir,
    dir: PathBuf,
    key: AuditPrivateKey,
}

fn vault() -> Vault {
    Vault(SigningKey::from_bytes(&[1; 32]))
}

impl Bench {
    fn new() -> Self {
        let root = tempfile::tempdir().unwrap();
        let path = root.path().join("audit.key");
        let recipient: AuditPublicKey = audit_key::create(&path, b"correct horse", CHEAP).unwrap();
        let key = audit_key::open(&path, b"correct horse").unwrap();
        let dir = root.path().join("audit");
        let signer = vault();
        let params = CreateParams {
            log_origin: "lychgate.test/view".to_owned(),
            vault_signer: &signer,
            recipient,
            segment_bytes: 64 * 1024,
        };
        Journal::create(&dir, params, &mut SystemRandom).unwrap();
        Self { root, dir, key }
    }

    fn open(&self) -> Journal {
        Journal::open(&self.dir, WallTime(AT), Some(vault().public()), Box::new(SystemRandom)).unwrap().0
    }

    fn rows(&self) -> Vec<Result<ViewedRow, ViewError>> {
        read(&self.dir, &self.key).unwrap().collect()
    }

    fn lines(&self) -> Vec<String> {
        render(&Filter::none().apply(activity(self.rows())), &TimeZone::UTC)
    }
}

fn draft(kind: RowKind, grant: u32, reference: u8, seconds: u64, event: Event) -> RowDraft {
    RowDraft {
        kind,
        epoch: 5,
        grant: GrantNo(grant),
        reference: Ref([reference; 16]),
        at: WallTime(AT + seconds * 1000),
        event,
    }
}

fn subject() -> Subject {
    let executable = Executable {
        file: FileId { dev: 1, ino: 2 },
        size: 3,
        mtime_ns: 4,
        ctime_ns: 5,
        sha256: Digest([6; 32]),
        path: "/opt/agent\u{202e}exe".to_owned(),
        path_now: lychgate_core::evidence::PathNow::Same,
    };
    let process = ProcessFacts {
        pid: 41,
        start_ticks: 1,
        inode: ProcessInode(2),
        uid: 1000,
        parent: 1,
        session: 1,
        start_stack: Seen::Seen(5),
        namespaces: Seen::Seen(Namespaces { user: 11, pid: 12 }),
        executable: Seen::Seen(executable),
        provenance: lychgate_core::provenance::Provenance::Unsigned(lychgate_core::provenance::Unsigned::NotPackaged),
        script: None,
        claimed_command: "agent".to_owned(),
        directory: None,
    };
    Subject::observed(vec![process], "kernel".to_owned()).unwrap()
}

fn approved(run: u64, approval: u8) -> Event {
    Event::SessionApproved {
        run: RunId(run),
        approval: ApprovalId([approval; 16]),
        channel: "github".parse().unwrap(),
        channel_version: 1,
        subject: subject(),
        signer: "unsigned".to_owned(),
        shown: Digest([1; 32]),
        covers_programs: false,
        nonce_digest: Digest([2; 32]),
        conversation: Some("evil\nline action_denied".to_owned()),
        boot: BootNo(1),
        vault: 5,
        ceremony: Ceremony::Presence,
    }
}

fn started(run: u64, approval: u8) -> Event {
    Event::HttpActionStarted {
        run: RunId(run),
        action: ActionNo(44),
        channel: "github".parse().unwrap(),
        digest: Digest([3; 32]),
        approval: ApprovalId([approval; 16]),
    }
}

fn requested(run: u64) -> Event {
    Event::ActionRequested {
        run: RunId(run),
        action: ActionNo(44),
        channel: "github".parse().unwrap(),
        method: "POST".to_owned(),
        target: "https://api.example.com/v1/x".to_owned(),
        digest: Digest([3; 32]),
        body_bytes: 12,
        peer: ProcessInode(9),
    }
}

/// A session with one action whose result was lost with the gateway, then a second boot.
fn story(bench: &Bench) {
    let journal = bench.open();
    let rows = [
        draft(
            RowKind::Event,
            0,
            0,
            0,
            Event::GatewayStarted { previous_boot: None, boot: BootNo(1), version: "0.1.0".to_owned() },
        ),
        draft(RowKind::Grant, 1, 0, 1, approved(31, 7)),
        draft(RowKind::Intent, 0, 8, 2, requested(31)),
        draft(RowKind::Dispatch, 1, 8, 3, started(31, 7)),
    ];
    for row in rows {
        journal.append(row).wait().unwrap();
    }
    drop(journal);
    let journal = bench.open();
    let rows = [
        draft(
            RowKind::Event,
            0,
            0,
            10,
            Event::GatewayStarted { previous_boot: Some(BootNo(1)), boot: BootNo(2), version: "0.1.0".to_owned() },
        ),
        draft(
            RowKind::Unobserved,
            1,
            8,
            10,
            Event::HttpResultNotObserved { run: None, action: None, detail: "the gateway stopped".to_owned() },
        ),
        draft(
            RowKind::Event,
            0,
            0,
            11,
            Event::ActionDenied {
                run: RunId(32),
                action: None,
                channel: "github".to_owned(),
                reasons: Reasons::new(vec![Reason::GatewayRestarted, Reason::VaultStateChanged]).unwrap(),
                differences: vec![],
            },
        ),
    ];
    for row in rows {
        journal.append(row).wait().unwrap();
    }
    journal.close(WallTime(AT + 12_000)).unwrap();
}

#[test]
fn rows_come_back_in_order_with_their_events() {
    let bench = Bench::new();
    story(&bench);
    let rows: Vec<ViewedRow> = bench.rows().into_iter().map(Result::unwrap).collect();
    assert_eq!(rows.iter().map(|row| row.seq).collect::<Vec<_>>(), (0..rows.len() as u64).collect::<Vec<_>>());
    let grant = rows.iter().find(|row| row.kind == RowKind::Grant).unwrap();
    assert_eq!(grant.event(), Some(&approved(31, 7)));
    assert_eq!((grant.at(), grant.grant, grant.boot), (Some(WallTime(AT + 1000)), GrantNo(1), BootNo(1)));
    assert!(rows.iter().all(|row| row.sealed.is_ok()));
    assert!(rows.iter().any(|row| row.kind == RowKind::Recovery));
}

#[test]
fn activity_lines_have_the_names_and_fields_of_the_contract() {
    let bench = Bench::new();
    story(&bench);
    let lines = bench.lines();
    assert_eq!(
        lines,
        [
            "2026-11-30",
            "14:23:06 gateway_started current_boot=B1",
            "14:23:07 session_approved run=R31 channel=github program=/opt/agent\\u{202e}exe pid=41 signer=unsigned \
             boot=B1 epoch=5 ceremony=presence claimed_conversation=\"evil\\nline action_denied\"",
            "14:23:08 action_requested run=R31 action=Q44 channel=github method=POST \
             target=https://api.example.com/v1/x body_bytes=12",
            "14:23:09 http_action_started run=R31 action=Q44 channel=github",
            "14:23:16 gateway_restarted previous_boot=B1 current_boot=B2",
            "14:23:16 http_result_not_observed detail=\"the gateway stopped\" ref=08080808080808080808080808080808",
            "14:23:17 action_denied run=R32 reason=gateway_restarted reasons=gateway_restarted,vault_state_changed \
             channel=github",
        ]
    );
}

#[test]
fn json_lines_carry_the_whole_row() {
    let bench = Bench::new();
    story(&bench);
    let lines = activity(bench.rows());
    let json: Vec<serde_json::Value> = lines.iter().map(|line| serde_json::to_value(line).unwrap()).collect();
    let dispatch = json.iter().find(|line| line["event"] == "http_action_started").unwrap();
    assert_eq!(dispatch["at"], "2026-11-30T14:23:09Z");
    assert_eq!((&dispatch["run"], &dispatch["action"]), (&"R31".into(), &"Q44".into()));
    assert_eq!(dispatch["row_kind"], "DISPATCH");
    assert_eq!(dispatch["row_grant"], "G1");
    assert_eq!(dispatch["action_id"], "08080808080808080808080808080808");
    assert_eq!(dispatch["digest"], "03".repeat(32));
}

#[test]
fn json_of_a_run_and_of_an_approval_carries_every_process_that_it_is_bound_to() {
    let agent = subject().agent().unwrap().clone();
    let mut peer = agent.clone();
    (peer.pid, peer.start_ticks, peer.inode) = (52, 77, ProcessInode(88));
    (peer.uid, peer.parent, peer.session) = (1001, 41, 40);
    peer.executable = Seen::Unseen(Why::NotReadable);
    peer.namespaces = Seen::Unseen(Why::NotReadable);
    peer.start_stack = Seen::Unseen(Why::NotReadable);
    peer.directory = Some("/home/a b".to_owned());
    let both = Subject::observed(vec![peer, agent], "kernel-boot".to_owned()).unwrap();
    let mut yes = approved(31, 7);
    if let Event::SessionApproved { subject, .. } = &mut yes {
        *subject = both.clone();
    }
    let bench = Bench::new();
    let journal = bench.open();
    let run = Event::RunStarted { run: RunId(31), subject: both, descent: None, conversation: None };
    journal.append(draft(RowKind::Event, 0, 0, 0, run)).wait().unwrap();
    journal.append(draft(RowKind::Grant, 1, 0, 1, yes)).wait().unwrap();

    let chain = serde_json::json!([
        {
            "pid": 52, "start_ticks": 77, "inode": 88, "uid": 1001, "parent": 41, "session": 40,
            "namespaces": { "unseen": "not_readable" },
            "executable": { "unseen": "not_readable" },
            "provenance": { "unsigned": "not_packaged" }, "script": null,
            "claimed_command": "agent", "directory": "/home/a b",
        },
        {
            "pid": 41, "start_ticks": 1, "inode": 2, "uid": 1000, "parent": 1, "session": 1,
            "namespaces": { "user": 11, "pid": 12 },
            "executable": {
                "path": "/opt/agent\u{202e}exe", "dev": 1, "ino": 2, "sha256": "06".repeat(32), "path_now": "same",
            },
            "provenance": { "unsigned": "not_packaged" }, "script": null,
            "claimed_command": "agent", "directory": null,
        },
    ]);
    let lines = activity(bench.rows());
    for name in ["run_started", "session_approved"] {
        let line = lines.iter().find(|line| line.name == name).unwrap();
        let json = serde_json::to_value(line).unwrap();
        assert_eq!(json["chain"], chain, "{name}");
        assert_eq!(json["kernel_boot"], "kernel-boot", "{name}");
        assert_eq!((&json["unverified"], &json["program"]), (&"program_unreadable".into(), &serde_json::Value::Null));
        let text = line.text(&TimeZone::UTC);
        assert!(!text.contains("chain=") && !text.contains("kernel"), "in a line it would hide the rest: {text}");
    }
    let approved = lines.iter().find(|line| line.name == "session_approved").unwrap();
    let json = serde_json::to_value(approved).unwrap();
    assert_eq!(json["approval"], "07".repeat(16));
    assert_eq!(json["channel_version"], 1);
    assert_eq!(json["shown"], "01".repeat(32));
    assert_eq!(json["nonce_digest"], "02".repeat(32));
}

#[test]
fn an_action_is_followed_by_its_number_to_rows_that_carry_its_ref_alone() {
    let bench = Bench::new();
    story(&bench);
    let filter = Filter { action: Some(ActionNo(44)), ..Filter::none() };
    let names: Vec<&str> = filter.apply(activity(bench.rows())).iter().map(|line| line.name).collect();
    assert_eq!(names, ["action_requested", "http_action_started", "http_result_not_observed"]);
    let filter = Filter { run: Some(RunId(32)), ..Filter::none() };
    let names: Vec<&str> = filter.apply(activity(bench.rows())).iter().map(|line| line.name).collect();
    assert_eq!(names, ["action_denied"]);
}

#[test]
fn a_session_without_an_end_row_ended_with_its_gateway() {
    let bench = Bench::new();
    story(&bench);
    let lines = sessions(&bench.rows());
    assert_eq!(lines.len(), 1);
    assert_eq!(lines[0].uses, 1);
    assert_eq!(lines[0].state, SessionState::Ended { ended_at: None, reason: EndReason::GatewayRestarted });
    assert_eq!(
        lines[0].text(&TimeZone::UTC),
        "14:23:07 R31 channel=github uses=1 ended=--:--:-- reason=gateway_restarted \
         program=/opt/agent\\u{202e}exe signer=unsigned claimed_conversation=\"evil\\nline action_denied\""
    );
    let json = serde_json::to_value(&lines[0]).unwrap();
    assert_eq!((&json["state"], &json["reason"]), (&"ended".into(), &"gateway_restarted".into()));
}

#[test]
fn a_session_ends_with_the_reason_of_its_row_and_is_open_without_one() {
    let bench = Bench::new();
    let journal = bench.open();
    journal.append(draft(RowKind::Grant, 1, 0, 1, approved(31, 7))).wait().unwrap();
    journal.append(draft(RowKind::Grant, 2, 0, 1, approved(32, 8))).wait().unwrap();
    let ended = Event::SessionEnded {
        run: RunId(31),
        approval: ApprovalId([7; 16]),
        channel: "github".parse().unwrap(),
        reason: EndReason::ManualRevoke,
    };
    journal.append(draft(RowKind::Revoke, 1, 0, 4, ended)).wait().unwrap();
    // A live log: the writer holds its lock, the viewer takes none.
    let lines = sessions(&bench.rows());
    let ended = SessionState::Ended { ended_at: Some(WallTime(AT + 4000)), reason: EndReason::ManualRevoke };
    assert_eq!([lines[0].state, lines[1].state], [ended, SessionState::Open]);
    journal
        .append(draft(RowKind::Revoke, 2, 0, 4, Event::Journal { note: "still writing".to_owned() }))
        .wait()
        .unwrap();
}

#[test]
fn more_rows_than_one_opening_takes_are_read_through_the_rekey() {
    let bench = Bench::new();
    let root = bench.root.path().join("large");
    let signer = vault();
    let params = CreateParams {
        log_origin: "lychgate.test/large".to_owned(),
        vault_signer: &signer,
        recipient: bench.key.public().clone(),
        segment_bytes: 4 * 1024 * 1024,
    };
    Journal::create(&root, params, &mut SystemRandom).unwrap();
    let (journal, _) = Journal::open(&root, WallTime(AT), None, Box::new(SystemRandom)).unwrap();
    for n in 0..2500 {
        journal.append_event(draft(RowKind::Event, 0, 0, 0, Event::Journal { note: n.to_string() }));
    }
    journal.close(WallTime(AT)).unwrap();
    let rows: Vec<ViewedRow> = read(&root, &bench.key).unwrap().map(Result::unwrap).collect();
    assert_eq!(rows.iter().filter(|row| row.kind == RowKind::Rekey).count(), 2);
    let notes: Vec<String> = rows
        .iter()
        .filter(|row| row.kind == RowKind::Event)
        .map(|row| match row.event() {
            Some(Event::Journal { note }) => note.clone(),
            other => unreachable!("{other:?}"),
        })
        .collect();
    assert_eq!(notes, (0..2500).map(|n| n.to_string()).collect::<Vec<_>>());
}

#[test]
fn another_audit_key_is_refused_and_a_wrong_passphrase_opens_nothing() {
    let bench = Bench::new();
    story(&bench);
    let path = bench.root.path().join("other.key");
    audit_key::create(&path, b"other", CHEAP).unwrap();
    let other = audit_key::open(&path, b"other").unwrap();
    assert!(matches!(read(&bench.dir, &other), Err(ViewError::OtherKey)));
    assert!(audit_key::open(&path, b"wrong").is_err());
    assert!(audit_key::create(&path, b"again", CHEAP).is_err(), "never overwritten");
}

#[test]
fn damage_is_a_line_of_its_own_and_later_segments_are_still_shown() {
    let bench = Bench::new();
    story(&bench);
    let first = bench.dir.join(format!("seg-{:020}.lgj", 0));
    let mut bytes = std::fs::read(&first).unwrap();
    let middle = bytes.len() / 2;
    bytes[middle] ^= 1;
    std::fs::write(&first, bytes).unwrap();
    let lines = Filter::none().apply(activity(bench.rows()));
    assert!(lines.iter().any(|line| line.name == "journal_damaged"), "{lines:?}");
    assert!(lines.iter().any(|line| line.name == "gateway_restarted"), "{lines:?}");
    let narrow = Filter { run: Some(RunId(999)), ..Filter::none() };
    assert!(narrow.apply(activity(bench.rows())).iter().any(|line| line.name == "journal_damaged"));
}

#[test]
fn a_row_that_does_not_open_says_why_in_a_word_and_in_a_sentence() {
    let bench = Bench::new();
    story(&bench);
    let mut row = bench.rows().into_iter().flatten().find(|row| !row.is_own()).unwrap();
    for why in [Unreadable::Opening, Unreadable::Seal, Unreadable::Payload] {
        row.sealed = Err(why);
        let lines = activity([Ok(row.clone())]);
        let said: Vec<_> = lines[0].fields.iter().map(|(name, value)| (*name, value.as_str().unwrap())).collect();
        assert!(lines[0].is_alarm() && said.contains(&("reason", why.word())), "{said:?}");
        assert!(said.contains(&("detail", &why.to_string())), "{said:?}");
        assert!(!why.word().contains(' '));
    }
}

#[test]
fn a_clock_that_was_set_back_is_told() {
    let bench = Bench::new();
    let journal = bench.open();
    let acted = || Event::OperatorActed {
        by: Requester { pid: 1, program: "/usr/bin/lych".to_owned() },
        command: "lock".to_owned(),
    };
    journal.append(draft(RowKind::Event, 0, 0, 3600, acted())).wait().unwrap();
    journal.append(draft(RowKind::Event, 0, 0, 0, acted())).wait().unwrap();
    let lines = bench.lines();
    assert_eq!(
        lines[1..],
        [
            "15:23:06 operator_acted command=lock program=/usr/bin/lych pid=1",
            "14:23:06 operator_acted command=lock program=/usr/bin/lych pid=1 clock_set_back=3600s",
        ]
    );
}

#[test]
fn debug_of_the_private_key_shows_nothing() {
    let bench = Bench::new();
    assert_eq!(format!("{:?}", bench.key), "AuditPrivateKey(..)");
}
