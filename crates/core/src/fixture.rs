//! What this crate's tests decide about, and its bench, which reads this file too.
#![allow(clippy::unwrap_used, reason = "tests")]

use crate::approval::{ApprovalFacts, Reach};
use crate::channel::{ApprovalMode, ApprovalSettings, Ceremony, Channel, CredentialKind, HttpBinding};
use crate::evidence::{
    Executable, FileId, LiveProcess, Namespaces, PathNow, ProcessFacts, ProcessInode, Seen, Subject,
};
use crate::ids::{ApprovalId, BootId, Digest, GrantNo, LaunchNonce, Moment, RunId, VaultEpoch};
use crate::provenance::{Provenance, Unsigned};
use crate::request::{CanonicalRequest, RawRequest};

/// A session channel without limits: GET and POST below `/v1/`. Tests change what they are about.
pub(crate) fn channel(name: &str) -> Channel {
    Channel {
        name: name.parse().unwrap(),
        version: 1,
        binding: HttpBinding {
            origins: vec!["https://api.example.com".parse().unwrap()],
            paths: vec!["/v1/".parse().unwrap()],
            methods: vec!["GET".parse().unwrap(), "POST".parse().unwrap()],
            allow_private: false,
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

pub(crate) const EPOCH: VaultEpoch = VaultEpoch { number: 17, nonce: [9; 16] };

pub(crate) fn request(channel: &Channel) -> CanonicalRequest {
    let raw = RawRequest {
        method: "GET".into(),
        url: "https://api.example.com/v1/?q=1".into(),
        headers: vec![("Accept".into(), "*/*".into())],
        body: Vec::new(),
    };
    CanonicalRequest::new(channel, raw).unwrap()
}

pub(crate) fn process(pid: u32, parent: u32) -> ProcessFacts {
    ProcessFacts {
        pid,
        start_ticks: 5,
        inode: ProcessInode(u64::from(pid) + 1000),
        uid: 1000,
        parent,
        session: 1,
        start_stack: Seen::Seen(77),
        namespaces: Seen::Seen(Namespaces { user: 1, pid: 2 }),
        executable: Seen::Seen(Executable {
            file: FileId { dev: 1, ino: u64::from(pid) },
            size: 10,
            mtime_ns: 0,
            ctime_ns: 0,
            sha256: Digest([1; 32]),
            path: "/usr/bin/agent".into(),
            path_now: PathNow::Same,
        }),
        provenance: Provenance::Unsigned(Unsigned::NotPackaged),
        script: None,
        claimed_command: "agent".into(),
        directory: None,
    }
}

pub(crate) fn alive(facts: &ProcessFacts) -> LiveProcess {
    LiveProcess {
        alive: true,
        inode: Seen::Seen(facts.inode),
        parent: Seen::Seen(facts.parent),
        executable: Seen::Seen(facts.executable.value().unwrap().file),
        same_image: Seen::Seen(true),
        start_stack: facts.start_stack,
        namespaces: facts.namespaces,
    }
}

/// The session approval of this subject for this channel.
pub(crate) fn approval(channel: &Channel, subject: &Subject) -> ApprovalFacts {
    ApprovalFacts {
        id: ApprovalId([4; 16]),
        reach: Reach::Run,
        grant: GrantNo(1),
        run: RunId(31),
        nonce: LaunchNonce([2; 16]),
        subject: subject.digest(),
        boot: BootId([8; 16]),
        epoch: EPOCH,
        channel: channel.name.clone(),
        channel_version: channel.version,
        conversation: Some("c".into()),
        shown: Digest([0; 32]),
        approved_at: Moment(1_000),
        ceremony: Ceremony::Presence,
        covers_programs: false,
        max_uses: Some(5),
        ends_at: Some(Moment(900_000)),
    }
}
