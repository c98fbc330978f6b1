//! The walk through one segment: state after each frame, and what it is worth at the end.

use super::directory::SegmentName;
use super::flaw::Flaw;
use super::rows::{self, Own, Place};
use super::segment::{AnchorAt, Committed, Life, Reading, Segment, about};
use super::tail;
use crate::finding::{BadCommit, BadFrame, BadSegment, Finding};
use crate::format::clear::{Open, Recovery};
use crate::format::entry::{self, Commit, Entry, Header, Row};
use crate::format::keys::verifies;
use crate::format::note::{Point, checkpoint_text, key_id};
use crate::format::tree::{Hash, Tree};
use crate::protocol::{Carry, Violation};
use lychgate_core::event::RowKind;
use lychgate_core::ids::Ref;
use std::collections::{BTreeMap, HashMap};

/// What stopped the walk.
pub(super) enum End {
    Clean(u64),
    Damaged(u64, BadFrame),
    Refused(u64, Finding),
}

/// A row of a batch whose COMMIT has not been seen yet.
struct Uncommitted {
    at: u64,
    header: Header,
    own: Own,
}

/// The OPEN and what it brings.
struct Opened {
    header: Header,
    open: Open,
    leaf: Hash,
    key_id: [u8; 4],
}

/// State after the frames so far.
pub(super) struct Walk<'a> {
    name: &'a SegmentName,
    reading: &'a Reading<'a>,
    opened: Option<Opened>,
    /// Including rows that are not committed yet.
    tree: Tree,
    last_leaf: Hash,
    opening: u32,
    closed: bool,
    pending: Vec<Uncommitted>,
    carry: Carry,
    committed: Option<Committed>,
    recovery: Option<Recovery>,
    anchors: Vec<AnchorAt>,
    lives: HashMap<Ref, Life>,
    roots: BTreeMap<u64, Hash>,
    leaves: BTreeMap<u64, Hash>,
    flaws: Vec<Flaw>,
}

impl<'a> Walk<'a> {
    pub(super) fn new(name: &'a SegmentName, reading: &'a Reading<'a>) -> Self {
        Self {
            name,
            reading,
            opened: None,
            tree: Tree::empty(),
            last_leaf: [0; 32],
            opening: 0,
            closed: false,
            pending: Vec::new(),
            carry: Carry::empty(),
            committed: None,
            recovery: None,
            anchors: Vec::new(),
            lives: HashMap::new(),
            roots: BTreeMap::new(),
            leaves: BTreeMap::new(),
            flaws: Vec::new(),
        }
    }

    /// Takes the next frame in, which stands from `at` to `end`.
    pub(super) fn take(&mut self, at: u64, end: u64, bytes: &[u8]) -> Result<(), Finding> {
        match entry::parse(bytes)? {
            Entry::Row(row) => self.take_row(at, &row),
            Entry::Commit(commit) => Ok(self.take_commit(end, *commit)?),
        }
    }

    /// What the segment is worth, and what is wrong with it.
    pub(super) fn end(mut self, end: End) -> std::io::Result<Result<Segment, Flaw>> {
        match end {
            End::Clean(at) if !self.pending.is_empty() => self.judge_incomplete(at, BadFrame::NoCommit)?,
            End::Clean(_) => {}
            End::Damaged(at, why) => self.judge_incomplete(at, why)?,
            End::Refused(at, refusal) => self.refuse(at, refusal),
        }
        Ok(self.finish())
    }

    fn take_row(&mut self, at: u64, row: &Row<'_>) -> Result<(), Finding> {
        let own = match &self.opened {
            None => {
                let (open, before) = rows::check_open(self.reading.log, self.name.first_seq, row)?;
                self.note_root(&before);
                let key_id = key_id(&self.reading.log.origin.segment_name(), &open.key);
                self.tree = before;
                self.carry = open.carry.clone();
                self.opened = Some(Opened { header: row.header.clone(), open, leaf: row.leaf, key_id });
                Own::Nothing
            }
            Some(opened) => rows::check_row(
                &Place {
                    log: self.reading.log,
                    open: &opened.open,
                    open_leaf: opened.leaf,
                    boot: opened.header.boot,
                    tree: &self.tree,
                    position: self.tree.size() - opened.header.seq,
                    prev_leaf: self.last_leaf,
                    opening: self.opening,
                    closed: self.closed,
                },
                row,
            )?,
        };
        match own {
            Own::Rekey => self.opening += 1,
            Own::Close => self.closed = true,
            Own::Nothing | Own::Recovery(_) | Own::Anchor(_) => {}
        }
        if self.reading.leaves.contains(&row.header.seq) {
            self.leaves.insert(row.header.seq, row.leaf);
        }
        self.tree.push(row.leaf);
        self.last_leaf = row.leaf;
        if self.reading.roots.contains(&self.tree.size()) {
            let (size, root) = (self.tree.size(), self.tree.root());
            self.roots.insert(size, root);
        }
        self.pending.push(Uncommitted { at, header: row.header.clone(), own });
        Ok(())
    }

    fn note_root(&mut self, tree: &Tree) {
        if self.reading.roots.contains(&tree.size()) {
            self.roots.insert(tree.size(), tree.root());
        }
    }

    fn take_commit(&mut self, end: u64, commit: Commit) -> Result<(), BadCommit> {
        let Some(opened) = &self.opened else {
            return Err(BadCommit::NoRows);
        };
        let first = self.committed.as_ref().map_or(opened.header.seq, |committed| committed.tree.size());
        if self.pending.is_empty() || commit.first != first || commit.size != self.tree.size() {
            return Err(BadCommit::Count);
        }
        if commit.root != self.tree.root() {
            return Err(BadCommit::Root);
        }
        if commit.key_id != opened.key_id {
            return Err(BadCommit::OtherKey);
        }
        if self.reading.all_commits && !self.is_signed(&commit) {
            return Err(BadCommit::Signature);
        }
        for row in std::mem::take(&mut self.pending) {
            self.settle(row);
        }
        self.committed = Some(Committed {
            commit,
            offset: end,
            tree: self.tree.clone(),
            last_leaf: self.last_leaf,
            carry: self.carry.clone(),
            closed: self.closed,
        });
        Ok(())
    }

    /// Takes a committed row into the state.
    fn settle(&mut self, row: Uncommitted) {
        let Uncommitted { at, header, own } = row;
        match own {
            Own::Recovery(recovery) => self.recovery = Some(recovery),
            Own::Anchor(anchor) => self.anchors.push(AnchorAt { seq: header.seq, anchor }),
            Own::Nothing | Own::Close | Own::Rekey => {}
        }
        let ended = self.lives.get(&header.reference).is_some_and(|life| life.end.is_some());
        let verdict = match header.kind {
            RowKind::Intent if ended => Err(Violation::IntentAgain),
            _ => self.carry.apply(&header).map(|_| ()),
        };
        match verdict {
            Ok(()) => note_life(&mut self.lives, &header),
            Err(violation) => {
                let flaw = self.flaw(Some(at), Some(header.seq), violation);
                self.flaws.push(flaw);
            }
        }
    }

    fn is_signed(&self, commit: &Commit) -> bool {
        let point = Point { size: commit.size, root: commit.root };
        let text = checkpoint_text(&self.reading.log.origin, &point);
        self.opened.as_ref().is_some_and(|opened| verifies(&opened.open.key, text.as_bytes(), &commit.signature))
    }

    fn flaw(&self, offset: Option<u64>, seq: Option<u64>, finding: impl Into<Finding>) -> Flaw {
        Flaw::new(about(self.name), offset, seq, finding)
    }

    fn refuse(&mut self, at: u64, finding: impl Into<Finding>) {
        let seq = self.opened.as_ref().map_or(self.name.first_seq, |_| self.tree.size());
        let flaw = self.flaw(Some(at), Some(seq), finding);
        self.flaws.push(flaw);
    }

    /// Bytes behind the last good COMMIT: a torn last batch, or damage?
    fn judge_incomplete(&mut self, at: u64, why: BadFrame) -> std::io::Result<()> {
        let (Some(committed), Some(opened)) = (&self.committed, &self.opened) else {
            // The first batch is durable before the file gets its name: it can't be torn.
            self.refuse(at, why);
            return Ok(());
        };
        let seq = Some(committed.tree.size());
        let flaw = if !self.reading.last {
            self.flaw(Some(at), seq, BadSegment::AfterEnd)
        } else if committed.closed {
            self.flaw(Some(at), seq, BadSegment::AfterClose)
        } else {
            let later = tail::later_commit(&self.name.path, committed.offset, committed.tree.size(), |commit| {
                commit.key_id == opened.key_id && self.is_signed(commit)
            })?;
            match later {
                Some(_) => self.flaw(Some(at), seq, Finding::BeforeLaterBatch(why)),
                None => self.flaw(Some(committed.offset), seq, why).torn(),
            }
        };
        self.flaws.push(flaw);
        Ok(())
    }

    fn finish(mut self) -> Result<Segment, Flaw> {
        let first_flaw = self.flaws.first().cloned();
        let empty = self.flaw(Some(0), Some(self.name.first_seq), BadSegment::Empty);
        let (Some(opened), Some(committed)) = (self.opened.take(), self.committed.take()) else {
            return Err(first_flaw.unwrap_or(empty));
        };
        let mut segment = Segment {
            name: self.name.clone(),
            header: opened.header,
            open: opened.open,
            open_leaf: opened.leaf,
            recovery: self.recovery,
            anchors: self.anchors,
            lives: self.lives,
            roots: self.roots,
            leaves: self.leaves,
            flaws: self.flaws,
            committed,
        };
        let size = segment.committed.tree.size();
        segment.roots.retain(|at, _| *at <= size);
        segment.leaves.retain(|seq, _| *seq < size);
        let point = Point { size, root: segment.committed.commit.root };
        let text = checkpoint_text(&self.reading.log.origin, &point);
        if !verifies(&segment.open.key, text.as_bytes(), &segment.committed.commit.signature) {
            let flaw = segment.flaw(Some(segment.committed.offset), Some(size), BadCommit::LastSignature);
            segment.flaws.push(flaw);
        }
        Ok(segment)
    }
}

fn note_life(lives: &mut HashMap<Ref, Life>, header: &Header) {
    let of_action = matches!(
        header.kind,
        RowKind::Intent | RowKind::Dispatch | RowKind::Final | RowKind::Abort | RowKind::Unobserved
    );
    if !of_action {
        return;
    }
    let life = lives.entry(header.reference).or_insert(Life {
        intent: false,
        dispatch: false,
        end: None,
        boot: header.boot,
        epoch: header.epoch,
        grant: header.grant,
    });
    (life.boot, life.epoch, life.grant) = (header.boot, header.epoch, header.grant);
    match header.kind {
        RowKind::Intent => life.intent = true,
        RowKind::Dispatch => life.dispatch = true,
        _ => life.end = Some(header.kind),
    }
}
