//! What vouches from outside the log: receipts and saved checkpoints, signed by the stable log key.

use super::VerifyOptions;
use crate::finding::BadNote;
use crate::format::log::Log;
use crate::format::note::{Note, Point};
use crate::format::tree::Hash;
use crate::read::flaw::{About, Flaw};
use crate::read::segment::Segment;
use lychgate_core::receipt::{Receipt, ReceiptRow};
use std::collections::{BTreeMap, BTreeSet};

/// Everything that was given, with good signatures.
pub(super) struct Outside {
    points: Vec<(About, Note)>,
    rows: Vec<(About, ReceiptRow)>,
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
            let about = About::Checkpoint(number + 1);
            let note = believe(log, text).map_err(|kind| Flaw::of(about.clone(), kind))?;
            points.push((about, note));
        }
        for (number, receipt) in options.receipts.iter().enumerate() {
            let about = About::Receipt(number + 1);
            let note = believe_receipt(log, receipt).map_err(|kind| Flaw::of(about.clone(), kind))?;
            if let Some(row) = receipt.row {
                rows.push((about.clone(), row));
            }
            points.push((about, note));
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
        let points = self.points.iter().filter_map(|(about, note)| {
            let kind = compare_point(log, segments, note)?;
            Some(Flaw::new(about.clone(), None, Some(note.point().size), kind))
        });
        let rows = self.rows.iter().filter_map(|(about, row)| {
            let kind = compare_row(segments, row)?;
            Some(Flaw::new(about.clone(), None, Some(row.seq), kind))
        });
        points.chain(rows).collect()
    }

    /// Two notes of one size and different roots, both signed: the log has two histories.
    fn contradiction(&self) -> Option<Flaw> {
        let mut seen: BTreeMap<u64, Hash> = BTreeMap::new();
        self.points.iter().find_map(|(about, note)| {
            let Point { size, root } = note.point();
            let other = seen.insert(size, root).is_some_and(|earlier| earlier != root);
            other.then(|| Flaw::new(about.clone(), None, Some(size), BadNote::TwoHistories))
        })
    }
}

fn believe(log: &Log, text: &str) -> Result<Note, BadNote> {
    let note = Note::parse(text).ok_or(BadNote::Form)?;
    if *note.origin() != log.origin {
        return Err(BadNote::OtherOrigin);
    }
    match note.signed_by(log.origin.as_str(), &log.log_key) {
        Some(true) => Ok(note),
        Some(false) => Err(BadNote::Signature),
        None => Err(BadNote::Unsigned),
    }
}

fn believe_receipt(log: &Log, receipt: &Receipt) -> Result<Note, BadNote> {
    let note = believe(log, &receipt.note)?;
    let Point { size, root } = note.point();
    let consistent =
        size == receipt.size && root == receipt.root.0 && receipt.row.is_none_or(|row| row.seq < receipt.size);
    consistent.then_some(note).ok_or(BadNote::Contradiction)
}

fn compare_point(log: &Log, segments: &[&Segment], note: &Note) -> Option<BadNote> {
    let Point { size, root } = note.point();
    let end = segments.last().map_or(0, |last| last.committed.tree.size());
    if size > end {
        return Some(BadNote::LogEnds);
    }
    if size == 0 || segments.first().is_some_and(|first| size < first.header.seq) {
        // Nothing to compare with: no rows, or rows that were archived.
        return None;
    }
    let Some(holder) = segments.iter().find(|segment| segment.roots.contains_key(&size)) else {
        return Some(BadNote::RowsUnreadable);
    };
    if holder.roots.get(&size) != Some(&root) {
        return Some(BadNote::OtherRows);
    }
    // The second line is by the segment in which the size lies.
    let spoiled = segments
        .iter()
        .filter(|segment| segment.header.seq < size && size <= segment.committed.tree.size())
        .any(|segment| note.signed_by(&log.origin.segment_name(), &segment.open.key) == Some(false));
    spoiled.then_some(BadNote::SegmentSignature)
}

fn compare_row(segments: &[&Segment], row: &ReceiptRow) -> Option<BadNote> {
    let archived = segments.first().is_some_and(|first| row.seq < first.header.seq);
    let found = segments.iter().find_map(|segment| segment.leaves.get(&row.seq));
    match found {
        Some(leaf) if *leaf == row.leaf.0 => None,
        Some(_) => Some(BadNote::OtherRow),
        None if archived => None,
        None => Some(BadNote::NoRow),
    }
}
