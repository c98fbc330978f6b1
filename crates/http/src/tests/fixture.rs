//! A permitted action, made the way the product makes one.

use crate::{Connector, NotConnected, Outcome, Ready, Response, Target};
use lychgate_core::approval::{Approval, ApprovalFacts, Reach};
use lychgate_core::channel::{ApprovalMode, ApprovalSettings, Ceremony, Channel, CredentialKind, HttpBinding, Origin};
use lychgate_core::decide::{Authority, Decision, LiveEvidence, Question, VaultNow, decide};
use lychgate_core::event::RowKind;
use lychgate_core::evidence::{
    Executable, FileId, LiveChain, LiveProcess, Namespaces, ProcessFacts, ProcessInode, Seen, Subject,
};
use lychgate_core::ids::{ApprovalId, BootId, Digest, GrantNo, LaunchNonce, Moment, Ref, RunId, VaultEpoch};
use lychgate_core::proof::{Armed, JournalAck, Released};
use lychgate_core::request::{CanonicalRequest, RawRequest};
use lychgate_core::secret::SecretBytes;
use tokio_util::sync::CancellationToken;

/// The secret of every test. Whatever prints it has failed.
pub(super) const CANARY: &str = "sk-canary/4711+x\"y";

pub(super) fn get(url: &str) -> RawRequest {
    RawRequest { method: "GET".to_owned(), url: url.to_owned(), headers: Vec::new(), body: Vec::new() }
}

pub(super) fn post(url: &str, body: &[u8]) -> RawRequest {
    RawRequest { method: "POST".to_owned(), body: body.to_vec(), ..get(url) }
}

pub(super) fn canonical(raw: RawRequest) -> CanonicalRequest {
    CanonicalRequest::new(&channel(&raw.url), raw).unwrap()
}

/// The request, armed, with the canary released for it.
pub(super) fn action(raw: RawRequest) -> (Armed, Released) {
    let armed = armed(raw, Ref([7; 16]));
    let released = Released::against(&armed, SecretBytes::new(CANARY.as_bytes().to_vec()));
    (armed, released)
}

pub(super) fn armed(raw: RawRequest, reference: Ref) -> Armed {
    let (boot, nonce, epoch) = (BootId([1; 16]), LaunchNonce([2; 16]), VaultEpoch { number: 5, nonce: [3; 16] });
    let channel = channel(&raw.url);
    let request = CanonicalRequest::new(&channel, raw).unwrap();
    let (subject, chain) = process();
    let facts = ApprovalFacts {
        id: ApprovalId([4; 16]),
        reach: Reach::Run,
        grant: GrantNo(1),
        run: RunId(31),
        nonce,
        subject: subject.digest(),
        boot,
        epoch,
        channel: channel.name.clone(),
        channel_version: channel.version,
        conversation: None,
        shown: Digest([0; 32]),
        approved_at: Moment(1_000),
        ceremony: Ceremony::Presence,
        covers_programs: false,
        max_uses: None,
        ends_at: None,
    };
    let ack = |kind, reference| JournalAck::synced(kind, 1, Digest([0; 32]), reference, GrantNo(1), epoch.number);
    let session = Approval::activate(facts, ack(RowKind::Grant, Ref::NONE)).unwrap();
    let live = LiveEvidence {
        run: RunId(31),
        subject: &subject,
        nonce,
        chain: &chain,
        run_ended: None,
        boot,
        vault: VaultNow::Unlocked(epoch),
        channel: Some(&channel),
        conversation: None,
        now: Moment(2_000),
    };
    let authority = Authority { session: Some(&session), cover: None, alone: None, call: None };
    match decide(Question { reference, request }, authority, &live) {
        Decision::Allow(permit) => Armed::join(permit, ack(RowKind::Dispatch, reference)).unwrap(),
        Decision::Deny(denied) => panic!("fixture: {:?}", denied.reasons),
    }
}

fn channel(url: &str) -> Channel {
    let origin = Origin::of(&url::Url::parse(url).unwrap()).unwrap();
    let methods = ["GET", "HEAD", "POST", "PUT", "DELETE"];
    Channel {
        name: "api".parse().unwrap(),
        version: 1,
        binding: HttpBinding {
            origins: vec![origin],
            paths: vec!["/".parse().unwrap()],
            methods: methods.iter().map(|method| method.parse().unwrap()).collect(),
            allow_private: true,
            ca_pem: None,
        },
        kind: CredentialKind::Bearer,
        approval: ApprovalSettings {
            mode: ApprovalMode::Session,
            per_call_methods: Vec::new(),
            ceremony: Ceremony::Presence,
            max_uses: None,
            max_minutes: None,
            allow_unverified: false,
            allow_unreadable: false,
        },
    }
}

fn process() -> (Subject, LiveChain) {
    let (file, namespaces) = (FileId { dev: 1, ino: 2 }, Namespaces { user: 1, pid: 2 });
    let facts = ProcessFacts {
        pid: 100,
        start_ticks: 1,
        inode: ProcessInode(9),
        uid: 1000,
        parent: 1,
        session: 1,
        start_stack: Seen::Seen(0x7fff),
        namespaces: Seen::Seen(namespaces),
        executable: Seen::Seen(Executable {
            file,
            size: 1,
            mtime_ns: 0,
            ctime_ns: 0,
            sha256: Digest([0; 32]),
            path: "/usr/bin/agent".to_owned(),
            path_now: lychgate_core::evidence::PathNow::Same,
        }),
        provenance: lychgate_core::provenance::Provenance::Unsigned(lychgate_core::provenance::Unsigned::NotPackaged),
        script: None,
        claimed_command: String::new(),
        directory: None,
    };
    let live = LiveProcess {
        alive: true,
        inode: Seen::Seen(facts.inode),
        parent: Seen::Seen(1),
        executable: Seen::Seen(file),
        same_image: Seen::Seen(true),
        start_stack: Seen::Seen(0x7fff),
        namespaces: Seen::Seen(namespaces),
    };
    let chain = LiveChain { sender: Seen::Seen(facts.inode), processes: vec![live] };
    (Subject::observed(vec![facts], "boot".to_owned()).unwrap(), chain)
}

pub(super) fn target(url: &str) -> Target {
    let origin = Origin::of(&url::Url::parse(url).unwrap()).unwrap();
    Target { origin, allow_private: true, ca_pem: None }
}

pub(super) async fn ready(url: &str) -> Ready {
    Connector::new().unwrap().connect(&target(url)).await.unwrap()
}

/// Connects and sends, with a token that stays quiet.
pub(super) async fn run(raw: RawRequest) -> Outcome {
    let ready = ready(&raw.url).await;
    send(ready, raw).await
}

pub(super) async fn send(ready: Ready, raw: RawRequest) -> Outcome {
    let (armed, released) = action(raw);
    let outcome = ready.send(armed, released, CredentialKind::Bearer, &CancellationToken::new()).await;
    assert!(!format!("{outcome:?}").contains("canary"), "an outcome printed the secret");
    outcome
}

pub(super) async fn refused(url: &str, allow_private: bool) -> NotConnected {
    let target = Target { allow_private, ..target(url) };
    Connector::new().unwrap().connect(&target).await.unwrap_err()
}

pub(super) fn observed(outcome: Outcome) -> Response {
    match outcome {
        Outcome::Observed { response, spent } => {
            assert_eq!(spent.reference(), Ref([7; 16]));
            response
        }
        other => panic!("not observed: {other:?}"),
    }
}

pub(super) fn unobserved(outcome: Outcome) -> String {
    match outcome {
        Outcome::NotObserved { what, spent } => {
            assert_eq!(spent.reference(), Ref([7; 16]));
            what
        }
        other => panic!("neither sent nor lost: {other:?}"),
    }
}

pub(super) fn unsent(outcome: Outcome) -> String {
    match outcome {
        Outcome::NotSent { evidence, detail, .. } => {
            assert_eq!(evidence, lychgate_core::outcome::NotStarted::ZeroBytes);
            detail
        }
        other => panic!("sent: {other:?}"),
    }
}
