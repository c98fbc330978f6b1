//! A log in a temporary directory, with a vault of its own.
#![allow(
    dead_code,
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "shared by several test programs"
)]

pub(crate) mod rogue;

use ed25519_dalek::{Signer as _, SigningKey};
use hpke::kem::{Kem as _, XWing};
use lychgate_core::event::{Event, RowDraft, RowKind};
use lychgate_core::ids::{GrantNo, Ref, WallTime};
use lychgate_journal::random::SystemRandom;
use lychgate_journal::verify::{Report, VerifyOptions, verify};
use lychgate_journal::{AuditPublicKey, CreateParams, Created, Journal, JournalError, Opened, VaultSigner};
use std::path::{Path, PathBuf};

pub(crate) const ORIGIN: &str = "lychgate.test/log";
pub(crate) const NOW: WallTime = WallTime(1_700_000_000_000);
pub(crate) const SMALL: u64 = 16 * 1024;

/// The vault of the tests.
pub(crate) struct Vault(SigningKey);

impl Vault {
    pub(crate) fn new(seed: u8) -> Self {
        Self(SigningKey::from_bytes(&[seed; 32]))
    }
}

impl VaultSigner for Vault {
    fn sign(&self, message: &[u8]) -> [u8; 64] {
        self.0.sign(message).to_bytes()
    }
    fn public(&self) -> [u8; 32] {
        self.0.verifying_key().to_bytes()
    }
}

pub(crate) struct Bench {
    pub(crate) root: tempfile::TempDir,
    pub(crate) dir: PathBuf,
    pub(crate) created: Created,
}

pub(crate) fn recipient() -> AuditPublicKey {
    let (_, public) = XWing::derive_keypair(&[9; 32]);
    use hpke::Serializable as _;
    AuditPublicKey::from_bytes(&public.to_bytes()).unwrap()
}

pub(crate) fn create(dir: &Path, vault: u8, segment_bytes: u64) -> Created {
    let signer = Vault::new(vault);
    let params =
        CreateParams { log_origin: ORIGIN.to_owned(), vault_signer: &signer, recipient: recipient(), segment_bytes };
    Journal::create(dir, params, &mut SystemRandom).unwrap()
}

impl Bench {
    pub(crate) fn new(segment_bytes: u64) -> Self {
        let root = tempfile::tempdir().unwrap();
        let dir = root.path().join("audit");
        let created = create(&dir, 1, segment_bytes);
        Self { root, dir, created }
    }

    pub(crate) fn try_open(&self) -> Result<(Journal, Opened), JournalError> {
        Journal::open(&self.dir, NOW, Some(self.created.vault_key), Box::new(SystemRandom))
    }

    pub(crate) fn open(&self) -> (Journal, Opened) {
        self.try_open().unwrap()
    }

    pub(crate) fn pinned(&self) -> VerifyOptions {
        VerifyOptions { vault_key: Some(self.created.vault_key), ..VerifyOptions::default() }
    }

    pub(crate) fn verify(&self) -> Report {
        verify(&self.dir, &self.pinned())
    }

    pub(crate) fn copy(&self, name: &str) -> PathBuf {
        let to = self.root.path().join(name);
        copy_dir(&self.dir, &to);
        to
    }

    pub(crate) fn segments(&self) -> Vec<PathBuf> {
        segments(&self.dir)
    }
}

pub(crate) fn segments(dir: &Path) -> Vec<PathBuf> {
    let mut found: Vec<PathBuf> = std::fs::read_dir(dir)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|ext| ext == "lgj"))
        .collect();
    found.sort();
    found
}

pub(crate) fn copy_dir(from: &Path, to: &Path) {
    use std::os::unix::fs::DirBuilderExt;
    std::fs::DirBuilder::new().mode(0o700).create(to).unwrap();
    for entry in std::fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        let target = to.join(entry.file_name());
        if entry.file_type().unwrap().is_dir() {
            copy_dir(&entry.path(), &target);
        } else {
            std::fs::copy(entry.path(), target).unwrap();
        }
    }
}

pub(crate) fn row(kind: RowKind, epoch: u64, grant: u32, reference: u8) -> RowDraft {
    RowDraft {
        kind,
        epoch,
        grant: GrantNo(grant),
        reference: Ref([reference; 16]),
        at: NOW,
        event: Event::Journal { note: "canary-plaintext-0815".to_owned() },
    }
}

/// One whole action under grant 1 of epoch 5.
pub(crate) fn one_action(journal: &Journal, grant: u32, reference: u8) {
    for kind in [RowKind::Intent, RowKind::Dispatch, RowKind::Final] {
        journal.append(row(kind, 5, grant, reference)).wait().unwrap();
    }
}

pub(crate) fn granted(journal: &Journal, grant: u32) {
    journal.append(row(RowKind::Grant, 5, grant, 0)).wait().unwrap();
}
