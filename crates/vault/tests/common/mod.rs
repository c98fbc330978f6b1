//! Throw-away vaults (made with a small stored cost) and what a decision about them takes.
#![allow(dead_code, clippy::unwrap_used, clippy::panic, clippy::indexing_slicing, reason = "tests")]

use lychgate_core::approval::{Approval, ApprovalFacts, Reach};
use lychgate_core::channel::{ApprovalMode, ApprovalSettings, Ceremony, Channel, CredentialKind, HttpBinding};
use lychgate_core::decide::{Authority, Decision, LiveEvidence, Question, VaultNow, decide};
use lychgate_core::event::RowKind;
use lychgate_core::evidence::{
    Executable, FileId, LiveChain, LiveProcess, Namespaces, ProcessFacts, ProcessInode, Seen, Subject,
};
use lychgate_core::ids::{ApprovalId, BootId, Digest, GrantNo, LaunchNonce, Moment, Ref, RunId, VaultEpoch};
use lychgate_core::proof::{Armed, JournalAck};
use lychgate_core::request::{CanonicalRequest, RawRequest};
use lychgate_core::secret::SecretBytes;
use lychgate_seal::{Cost, kdf};
use lychgate_vault::{Files, Locked, UnlockFailed, Unlocked, init};
use std::path::{Path, PathBuf};

pub(crate) const CHEAP: Cost = Cost { memory_kib: 8, passes: 1, lanes: 1 };
pub(crate) const PASSPHRASE: &[u8] = b"correct horse battery";
pub(crate) const PIN: &[u8] = b"2580";
pub(crate) const CANARY: &[u8] = b"canary-4711-sk_live_0123456789";

/// A state directory for one test, removed afterwards.
pub(crate) struct State {
    dir: PathBuf,
}

impl State {
    pub(crate) fn empty() -> Self {
        let name = format!("lychgate-test-{:032x}", u128::from_le_bytes(lychgate_seal::random::bytes().unwrap()));
        let dir = std::env::temp_dir().join(name);
        drop(lychgate_seal::durable::private_dir(&dir).unwrap());
        Self { dir }
    }

    pub(crate) fn with_vault() -> Self {
        let state = Self::empty();
        init(&state.dir, PASSPHRASE, PIN, CHEAP).unwrap();
        state
    }

    pub(crate) fn dir(&self) -> &Path {
        &self.dir
    }

    pub(crate) fn files(&self) -> Files {
        Files::in_dir(&self.dir)
    }

    pub(crate) fn load(&self) -> Locked {
        Locked::load(&self.dir).unwrap()
    }

    pub(crate) fn unlock(&self) -> Unlocked {
        unlock(self.load()).unwrap()
    }

    /// Every byte of every file in the directory.
    pub(crate) fn everything(&self) -> Vec<(PathBuf, Vec<u8>)> {
        let mut all = Vec::new();
        for entry in std::fs::read_dir(&self.dir).unwrap() {
            let path = entry.unwrap().path();
            if path.is_file() {
                all.push((path.clone(), std::fs::read(path).unwrap()));
            }
        }
        all
    }
}

impl Drop for State {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.dir);
    }
}

pub(crate) fn unlock(locked: Locked) -> Result<Unlocked, Box<UnlockFailed>> {
    unlock_with(locked, PASSPHRASE)
}

pub(crate) fn unlock_with(locked: Locked, passphrase: &[u8]) -> Result<Unlocked, Box<UnlockFailed>> {
    let slot = &locked.slots()[0];
    let (id, key) = (slot.id(), kdf::derive(passphrase, slot.salt(), slot.cost()).unwrap());
    locked.unlock(id, &key)
}

pub(crate) fn channel(name: &str) -> Channel {
    Channel {
        name: name.parse().unwrap(),
        version: 0,
        binding: HttpBinding {
            origins: vec!["https://api.example.com".parse().unwrap()],
            paths: vec!["/".parse().unwrap()],
            methods: vec!["GET".parse().unwrap()],
            allow_private: false,
            ca_pem: None,
        },
        kind: CredentialKind::Bearer,
        approval: ApprovalSettings {
            mode: ApprovalMode::Session,
            per_call_methods: vec![],
            ceremony: Ceremony::Presence,
            max_uses: None,
            max_minutes: None,
            allow_unverified: false,
            allow_unreadable: false,
        },
    }
}

pub(crate) fn canary() -> SecretBytes {
    SecretBytes::new(CANARY.to_vec())
}

/// What `decide` and the journal make of a request on `channel` in `epoch`, where everything else is as it should be.
pub(crate) fn armed(channel: &Channel, epoch: VaultEpoch) -> Armed {
    let (reference, grant) = (Ref([7; 16]), GrantNo(1));
    let (nonce, boot) = (LaunchNonce([1; 16]), BootId([2; 16]));
    let facts = ProcessFacts {
        pid: 10,
        start_ticks: 5,
        inode: ProcessInode(99),
        uid: 1000,
        parent: 1,
        session: 10,
        start_stack: Seen::Seen(0x7fff),
        namespaces: Seen::Seen(Namespaces { user: 1, pid: 2 }),
        executable: Seen::Seen(Executable {
            file: FileId { dev: 1, ino: 2 },
            size: 3,
            mtime_ns: 4,
            ctime_ns: 5,
            sha256: Digest([3; 32]),
            path: "/usr/bin/agent".into(),
            path_now: lychgate_core::evidence::PathNow::Same,
        }),
        provenance: lychgate_core::provenance::Provenance::Unsigned(lychgate_core::provenance::Unsigned::NotPackaged),
        script: None,
        claimed_command: "agent".into(),
        directory: None,
    };
    let subject = Subject::observed(vec![facts], "kernel".into()).unwrap();
    let chain = LiveChain {
        sender: Seen::Seen(ProcessInode(99)),
        processes: vec![LiveProcess {
            alive: true,
            inode: Seen::Seen(ProcessInode(99)),
            parent: Seen::Seen(1),
            executable: Seen::Seen(FileId { dev: 1, ino: 2 }),
            same_image: Seen::Seen(true),
            start_stack: Seen::Seen(0x7fff),
            namespaces: Seen::Seen(Namespaces { user: 1, pid: 2 }),
        }],
    };
    let approval = ApprovalFacts {
        id: ApprovalId([4; 16]),
        reach: Reach::Run,
        grant,
        run: RunId(1),
        nonce,
        subject: subject.digest(),
        boot,
        epoch,
        channel: channel.name.clone(),
        channel_version: channel.version,
        conversation: None,
        shown: Digest([5; 32]),
        approved_at: Moment(0),
        ceremony: Ceremony::Presence,
        covers_programs: false,
        max_uses: None,
        ends_at: None,
    };
    let granted = JournalAck::synced(RowKind::Grant, 1, Digest([0; 32]), Ref::NONE, grant, epoch.number);
    let session = Approval::activate(approval, granted).unwrap();
    let raw =
        RawRequest { method: "GET".into(), url: "https://api.example.com/v1".into(), headers: vec![], body: vec![] };
    let question = Question { reference, request: CanonicalRequest::new(channel, raw).unwrap() };
    let live = LiveEvidence {
        run: RunId(1),
        subject: &subject,
        nonce,
        chain: &chain,
        run_ended: None,
        boot,
        vault: VaultNow::Unlocked(epoch),
        channel: Some(channel),
        conversation: None,
        now: Moment(1),
    };
    let permit =
        match decide(question, Authority { session: Some(&session), cover: None, alone: None, call: None }, &live) {
            Decision::Allow(permit) => permit,
            Decision::Deny(denied) => panic!("the fixture was refused: {:?}", denied.reasons),
        };
    let dispatch = JournalAck::synced(RowKind::Dispatch, 2, Digest([0; 32]), reference, grant, epoch.number);
    Armed::join(permit, dispatch).unwrap()
}
