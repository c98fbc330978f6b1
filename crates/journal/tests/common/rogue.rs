//! Somebody who has the segment keys and writes whatever they like, in perfect form.

use super::{ORIGIN, SMALL, Vault, recipient};
use ed25519_dalek::{Signer as _, SigningKey};
use lychgate_core::event::RowKind;
use lychgate_core::ids::{BootNo, GrantNo, Ref};
use lychgate_journal::VaultSigner as _;
use lychgate_journal::format::clear::{Anchor, Close, Open, Recovery};
use lychgate_journal::format::entry::{Commit, Header};
use lychgate_journal::format::frame::write_frame;
use lychgate_journal::format::log::Log;
use lychgate_journal::format::note::{Point, checkpoint_text, key_id};
use lychgate_journal::format::tree::{Tree, leaf_hash};
use lychgate_journal::protocol::Carry;
use std::path::Path;

const LOG_ID: [u8; 16] = [3; 16];

fn segment_key(segment: u64) -> SigningKey {
    SigningKey::from_bytes(&[100 + u8::try_from(segment).unwrap(); 32])
}

fn log() -> Log {
    Log {
        id: LOG_ID,
        segment_bytes: SMALL,
        log_key: SigningKey::from_bytes(&[99; 32]).verifying_key().to_bytes(),
        genesis_key: segment_key(0).verifying_key().to_bytes(),
        vault_key: Vault::new(1).public(),
        recipient: recipient(),
        origin: ORIGIN.parse().unwrap(),
    }
}

/// A log under construction. Fields are public so that each test can bend one of them.
pub(crate) struct Rogue {
    pub(crate) tree: Tree,
    pub(crate) last_leaf: [u8; 32],
    pub(crate) committed: u64,
    pub(crate) carry: Carry,
    pub(crate) boot: u32,
    pub(crate) segment: u64,
    pub(crate) key: SigningKey,
    pub(crate) next_key: SigningKey,
    open_leaf: [u8; 32],
    before: [u8; 32],
    bytes: Vec<u8>,
    first: u64,
    files: Vec<(u64, Vec<u8>)>,
}

impl Rogue {
    /// Nothing yet; call [`Self::open`].
    pub(crate) fn new() -> Self {
        Self {
            tree: Tree::empty(),
            last_leaf: [0; 32],
            committed: 0,
            carry: Carry::empty(),
            boot: 1,
            segment: 0,
            key: segment_key(0),
            next_key: segment_key(1),
            open_leaf: [0; 32],
            before: [0; 32],
            bytes: Vec::new(),
            first: 0,
            files: Vec::new(),
        }
    }

    /// A log with its first OPEN.
    pub(crate) fn begun() -> Self {
        let mut rogue = Self::new();
        rogue.open();
        rogue
    }

    /// Makes the next segment the current one, with the keys that were announced. Call [`Self::open`] then.
    pub(crate) fn next_segment(&mut self) {
        self.files.push((self.first, std::mem::take(&mut self.bytes)));
        self.segment += 1;
        self.key = segment_key(self.segment);
        self.next_key = segment_key(self.segment + 1);
        self.first = self.tree.size();
        self.before = self.tree.root();
    }

    /// Root over the rows before this segment.
    pub(crate) fn recovered_root(&self) -> [u8; 32] {
        self.before
    }

    pub(crate) fn open(&mut self) {
        let mut open = Open {
            log_id: LOG_ID,
            segment: self.segment,
            key: self.key.verifying_key().to_bytes(),
            next_key: self.next_key.verifying_key().to_bytes(),
            recipient: recipient().digest(),
            prev_root: self.tree.root(),
            range: self.tree.range().to_vec(),
            carry: self.carry.clone(),
            enc: vec![7; 1120],
            signature: [0; 64],
        };
        let mut header = self.header(RowKind::SegmentOpen, 0, 0, 0);
        header.clear_len = u32::try_from(open.encode().len()).unwrap();
        open.signature = self.key.sign(&open.signed(&header)).to_bytes();
        self.push(header, &open.encode());
        self.open_leaf = self.last_leaf;
    }

    pub(crate) fn close(&mut self) {
        let mut close = Close {
            segment: self.segment,
            root: self.tree.root(),
            range: self.tree.range().to_vec(),
            signature: [0; 64],
        };
        let mut header = self.header(RowKind::SegmentClose, 0, 0, 0);
        header.clear_len = u32::try_from(close.encode().len()).unwrap();
        close.signature = self.key.sign(&close.signed(&header)).to_bytes();
        self.push(header, &close.encode());
    }

    /// A RECOVERY of the segment before, right behind the OPEN.
    pub(crate) fn recovery(&mut self, root: [u8; 32]) {
        let (_, before) = self.files.last().unwrap();
        let recovery = Recovery {
            segment: self.segment - 1,
            size: self.first,
            root,
            offset: before.len() as u64,
            tail_len: 0,
            tail_hash: [0; 32],
            failed: None,
        };
        self.own(RowKind::Recovery, &recovery.encode());
    }

    /// An ANCHOR, signed by the vault with this seed, over this root.
    pub(crate) fn anchor(&mut self, vault: u8, root: [u8; 32]) {
        let mut anchor = Anchor {
            log_id: LOG_ID,
            segment: self.segment,
            size: self.tree.size(),
            root,
            open_leaf: self.open_leaf,
            signature: [0; 64],
        };
        anchor.signature = Vault::new(vault).sign(&anchor.signed());
        self.own(RowKind::Anchor, &anchor.encode());
    }

    fn own(&mut self, kind: RowKind, clear: &[u8]) {
        let mut header = self.header(kind, 0, 0, 0);
        header.clear_len = u32::try_from(clear.len()).unwrap();
        self.push(header, clear);
    }

    pub(crate) fn row(&mut self, kind: RowKind, epoch: u64, grant: u32, reference: u8) {
        let header = self.header(kind, epoch, grant, reference);
        self.push(header, &[]);
    }

    pub(crate) fn header(&self, kind: RowKind, epoch: u64, grant: u32, reference: u8) -> Header {
        Header {
            kind,
            seq: self.tree.size(),
            prev_leaf: self.last_leaf,
            boot: BootNo(self.boot),
            epoch,
            grant: GrantNo(grant),
            reference: Ref([reference; 16]),
            salt: [5; 16],
            kcommit: [6; 32],
            clear_len: 0,
        }
    }

    /// Any row, with a sealed part that nobody can open: a verifier does not try.
    pub(crate) fn push(&mut self, header: Header, clear: &[u8]) {
        let mut entry = header.encode();
        entry.extend_from_slice(clear);
        entry.extend_from_slice(&[8; 64 + 16]);
        self.last_leaf = leaf_hash(&entry);
        self.tree.push(self.last_leaf);
        write_frame(&mut self.bytes, &entry);
    }

    pub(crate) fn commit(&mut self) {
        let point = Point { size: self.tree.size(), root: self.tree.root() };
        let text = checkpoint_text(&ORIGIN.parse().unwrap(), &point);
        let commit = Commit {
            first: self.committed,
            size: point.size,
            root: point.root,
            key_id: key_id(&format!("{ORIGIN}/seg"), &self.key.verifying_key().to_bytes()),
            signature: self.key.sign(text.as_bytes()).to_bytes(),
        };
        write_frame(&mut self.bytes, &commit.encode());
        self.committed = point.size;
    }

    pub(crate) fn write(mut self, dir: &Path) {
        std::fs::create_dir(dir).unwrap();
        std::fs::write(dir.join("LOG"), log().encode_signed(&Vault::new(1))).unwrap();
        self.files.push((self.first, std::mem::take(&mut self.bytes)));
        for (first, bytes) in self.files {
            std::fs::write(dir.join(format!("seg-{first:020}.lgj")), bytes).unwrap();
        }
    }
}
