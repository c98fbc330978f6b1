//! All rows of a log, in order, with what is wrong with it told among them.

use crate::audit_key::AuditPrivateKey;
use crate::row::ViewedRow;
use crate::unseal::Unsealer;
use lychgate_core::ids::Digest;
use lychgate_journal::finding::Finding;
use lychgate_journal::format::entry::{Entry, parse};
use lychgate_journal::format::frame::{Frames, Step};
use lychgate_journal::format::log::Log;
use lychgate_journal::read::directory::{self, LOG, SegmentName};
use lychgate_journal::read::flaw::{About, Flaw};
use lychgate_journal::read::seams;
use lychgate_journal::read::segment::{self, Reading, Segment};
use lychgate_text::words;
use std::collections::{BTreeSet, VecDeque};
use std::fs::File;
use std::io::{BufReader, Read, Take};
use std::path::Path;

/// Why rows can't be shown.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ViewError {
    /// Files can't be read.
    #[error("{}", (words().view().not_readable)(.0))]
    Files(String),
    /// LOG is not one.
    #[error("{}", (words().view().log_not_believed)(.0))]
    Log(String),
    /// The log is sealed to another key.
    #[error("{}", words().view().other_key)]
    OtherKey,
    /// Part of the log is damaged. Rows of the damaged part are missing from the view.
    #[error("{}", (words().view().damaged)(.0))]
    Damaged(Flaw),
}

/// Reads the log in `dir`. Takes no lock: a gateway may be writing it, and what it has committed is shown.
///
/// Each segment's signatures, chain and tree are checked before its rows are shown. Whether the log is the right one is
/// not: that needs the vault's public key, and is what `audit verify` tells.
///
/// # Errors
/// [`ViewError`], where nothing can be shown. Later errors stand among the rows.
pub fn read<'a>(dir: &Path, key: &'a AuditPrivateKey) -> Result<Rows<'a>, ViewError> {
    let files = |error: std::io::Error| ViewError::Files(error.to_string());
    let log =
        Log::parse(&std::fs::read(dir.join(LOG)).map_err(files)?).map_err(|error| ViewError::Log(error.to_string()))?;
    if log.recipient != *key.public() {
        return Err(ViewError::OtherKey);
    }
    let names = directory::segments(dir).map_err(files)?.into();
    Ok(Rows { key, log, names, before: None, current: None, errors: VecDeque::new() })
}

/// The rows, in order.
pub struct Rows<'a> {
    key: &'a AuditPrivateKey,
    log: Log,
    names: VecDeque<SegmentName>,
    before: Option<Segment>,
    current: Option<Current<'a>>,
    errors: VecDeque<ViewError>,
}

/// The segment whose rows are being shown.
struct Current<'a> {
    frames: Frames<Take<BufReader<File>>>,
    unsealer: Unsealer<'a>,
    file: String,
    entry: Vec<u8>,
}

impl Iterator for Rows<'_> {
    type Item = Result<ViewedRow, ViewError>;

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            if let Some(error) = self.errors.pop_front() {
                return Some(Err(error));
            }
            if let Some(current) = &mut self.current {
                match current.next_row() {
                    Some(item) => return Some(item),
                    None => self.current = None,
                }
                continue;
            }
            let name = self.names.pop_front()?;
            self.begin(&name);
        }
    }
}

impl Rows<'_> {
    /// Verifies a segment, and gets ready to show what it holds up to its last good COMMIT.
    fn begin(&mut self, name: &SegmentName) {
        let none = BTreeSet::new();
        let last = self.names.is_empty();
        let reading = Reading { log: &self.log, last, limit: None, all_commits: false, roots: &none, leaves: &none };
        let found = if last { segment::read_settled(name, &reading) } else { segment::read(name, &reading) };
        let segment = match found {
            Ok(segment) => segment,
            Err(flaw) => {
                self.before = None;
                self.errors.push_back(ViewError::Damaged(flaw));
                return;
            }
        };
        let pair: Vec<&Segment> = self.before.iter().chain([&segment]).collect();
        let seams = seams::check(&self.log, &pair);
        self.errors.extend(segment.flaws.iter().cloned().chain(seams).map(ViewError::Damaged));
        match File::open(&name.path) {
            Ok(file) => {
                self.current = Some(Current {
                    frames: Frames::new(BufReader::new(file).take(segment.committed.offset)),
                    unsealer: Unsealer::new(self.key, self.log.id),
                    file: name.path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default(),
                    entry: Vec::new(),
                });
            }
            Err(error) => self.errors.push_back(ViewError::Files(error.to_string())),
        }
        self.before = Some(segment);
    }
}

impl Current<'_> {
    fn next_row(&mut self) -> Option<Result<ViewedRow, ViewError>> {
        loop {
            let damaged = |at: u64, finding: Finding| {
                let about = About::File(self.file.clone());
                Some(Err(ViewError::Damaged(Flaw::new(about, Some(at), None, finding))))
            };
            match self.frames.next(&mut self.entry) {
                Ok(Step::Frame { at, .. }) => match parse(&self.entry) {
                    Ok(Entry::Row(row)) => {
                        return Some(Ok(ViewedRow {
                            seq: row.header.seq,
                            kind: row.header.kind,
                            boot: row.header.boot,
                            epoch: row.header.epoch,
                            grant: row.header.grant,
                            reference: row.header.reference,
                            leaf: Digest(row.leaf),
                            sealed: self.unsealer.open(&row),
                        }));
                    }
                    Ok(Entry::Commit(_)) => {}
                    Err(why) => return damaged(at, why.into()),
                },
                Ok(Step::End { .. }) => return None,
                // It was whole a moment ago, when the segment was verified.
                Ok(Step::Bad { at, why }) => return damaged(at, why.into()),
                Err(error) => return Some(Err(ViewError::Files(error.to_string()))),
            }
        }
    }
}
