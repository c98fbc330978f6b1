//! What vouches from outside the log: receipts and saved checkpoints, signed by the stable log key.

use super::{VerifyOptions, flaw_of_file};
use crate::format::log::Log;
use crate::format::note::{Note, Point};
use crate::format::tree::Hash;
use crate::read::flaw::{Fault, Flaw};
use crate::read::segment::Segment;
use lychgate_core::receipt::{Receipt, ReceiptRow};
use std::collections::{BTreeMap, BTreeSet};

/// Everything that was given, with good signatures.
pub(super) struct Outside {
    points: Vec<(String, Note)>,
    rows: Vec<(String, ReceiptRow)>,
    sizes: BTreeSet<u64>,
    seqs: BTreeSet<u64>,
}

impl Outside {
    /// Reads and checks what was given. A note that this log did not sign refuses the whole verification: it is about
    /// another log, or forged, and either way the caller must know.
    pub(super) fn read(log: &Log, options: &VerifyOptions) -> Result<Self, Flaw> {
        let mut points = Vec::new();
        let mut rows = Vec::new();
        for (number, text) in options.checkpoints.iter().enumerate() {
            let name = format!("checkpoint {}", number + 1);
            points.push((name.clone(), believe(log, &name, text)?));
        }
        for (number, receipt) in options.receipts.iter().enumerate() {
            let name = format!("receipt {}", number + 1);
            let note = believe_receipt(log, &name, receipt)?;
            if let Some(row) = receipt.row {
                rows.push((name.clone(), row));
            }
            points.push((name, note));
        }
        let sizes = points.iter().map(|(_, note)| note.point().size).collect();
        let seqs = rows.iter().map(|(_, row)| row.seq).collect();
        let outside = Self { points, rows, sizes, seqs };
        match outside.contradiction() {
            Some(flaw) => Err(flaw),
            None => Ok(outside),
        }
    }

    /// Sizes at which roots are needed.
    pub(super) fn sizes(&self) -> &BTreeSet<u64> {
        &self.sizes
    }

    /// Rows whose leaves are needed.
    pub(super) fn seqs(&self) -> &BTreeSet<u64> {
        &self.seqs
    }

    /// The largest size that is vouched for.
    pub(super) fn newest(&self) -> Option<u64> {
        self.sizes.last().copied()
    }

    /// Holds the log against what was given.
    pub(super) fn compare(&self, log: &Log, segments: &[&Segment]) -> Vec<Flaw> {
        let points = self.points.iter().filter_map(|(name, note)| compare_point(log, segments, name, note));
        let rows = self.rows.iter().filter_map(|(name, row)| compare_row(segments, name, row));
        points.chain(rows).collect()
    }

    /// Two notes of one size and different roots, both signed: the log has two histories.
    fn contradiction(&self) -> Option<Flaw> {
        let mut seen: BTreeMap<u64, Hash> = BTreeMap::new();
        self.points.iter().find_map(|(name, note)| {
            let Point { size, root } = note.point();
            let other = seen.insert(size, root).is_some_and(|earlier| earlier != root);
            other.then(|| Flaw {
                seq: Some(size),
                ..flaw_of_file(Fault::Fork, name, "the log key signed two histories of this size")
            })
        })
    }
}

fn believe(log: &Log, name: &str, text: &str) -> Result<Note, Flaw> {
    let refuse = |why| flaw_of_file(Fault::BadKey, name, why);
    let note = Note::parse(text).ok_or_else(|| refuse("it is not a checkpoint"))?;
    if *note.origin() != log.origin {
        return Err(refuse("it is about a log of another name"));
    }
    match note.signed_by(log.origin.as_str(), &log.log_key) {
        Some(true) => Ok(note),
        Some(false) => Err(refuse("its signature by the log key is wrong")),
        None => Err(refuse("it is not signed by this log's key")),
    }
}

fn believe_receipt(log: &Log, name: &str, receipt: &Receipt) -> Result<Note, Flaw> {
    let note = believe(log, name, &receipt.note)?;
    let Point { size, root } = note.point();
    let consistent =
        size == receipt.size && root == receipt.root.0 && receipt.row.is_none_or(|row| row.seq < receipt.size);
    consistent.then_some(note).ok_or_else(|| flaw_of_file(Fault::BadKey, name, "it contradicts its own note"))
}

fn compare_point(log: &Log, segments: &[&Segment], name: &str, note: &Note) -> Option<Flaw> {
    let Point { size, root } = note.point();
    let flaw = |fault, why: &str| Some(Flaw { seq: Some(size), ..flaw_of_file(fault, name, why) });
    let end = segments.last().map_or(0, |last| last.committed.tree.size());
    if size > end {
        return flaw(Fault::Truncated, "the log ends before what it vouches for");
    }
    if size == 0 || segments.first().is_some_and(|first| size < first.header.seq) {
        // Nothing to compare with: no rows, or rows that were archived.
        return None;
    }
    let Some(holder) = segments.iter().find(|segment| segment.roots.contains_key(&size)) else {
        return flaw(Fault::Corrupt, "the rows that it vouches for could not be read");
    };
    if holder.roots.get(&size) != Some(&root) {
        return flaw(Fault::Rewritten, "the log has other rows than it vouches for");
    }
    // The second line is by the segment in which the size lies.
    let spoiled = segments
        .iter()
        .filter(|segment| segment.header.seq < size && size <= segment.committed.tree.size())
        .any(|segment| note.signed_by(&log.origin.segment_name(), &segment.open.key) == Some(false));
    if spoiled { flaw(Fault::BadKey, "its signature by the segment's key is wrong") } else { None }
}

fn compare_row(segments: &[&Segment], name: &str, row: &ReceiptRow) -> Option<Flaw> {
    let archived = segments.first().is_some_and(|first| row.seq < first.header.seq);
    let found = segments.iter().find_map(|segment| segment.leaves.get(&row.seq));
    let why = match found {
        Some(leaf) if *leaf == row.leaf.0 => return None,
        Some(_) => "the log has another row than the one it names",
        None if archived => return None,
        None => "the row that it names is not in the log",
    };
    Some(Flaw { seq: Some(row.seq), ..flaw_of_file(Fault::Rewritten, name, why) })
}
