//! One segment, read from its first byte to its end: CRC, strict parse, sequence, chain, tree, commits, protocol.

use super::directory::SegmentName;
use super::flaw::{About, Flaw};
use super::walk::{End, Walk};
use crate::finding::{BadFrame, Fault, Finding};
use crate::format::clear::{Anchor, Open, Recovery};
use crate::format::entry::{Commit, Header};
use crate::format::frame::{Frames, Step};
use crate::format::log::Log;
use crate::format::tree::{Hash, Tree};
use crate::protocol::Carry;
use lychgate_core::event::RowKind;
use lychgate_core::ids::{BootNo, GrantNo, Ref};
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::fs::File;
use std::io::{BufReader, Read};
use std::time::Duration;

/// How often an incomplete last batch is looked at again: a live gateway may be writing it.
const LOOKS: u32 = 10;
/// A batch that looks the same so often is not being written.
const LOOKS_STILL: u32 = 4;
/// Time between two looks.
const LOOK_AGAIN: Duration = Duration::from_millis(20);

/// How a segment is to be read.
#[derive(Debug, Clone)]
pub struct Reading<'a> {
    /// The log that it belongs to.
    pub log: &'a Log,
    /// No segment follows: an incomplete last batch is a torn tail. Elsewhere it is corruption.
    pub last: bool,
    /// Read only so far, and believe that what follows is being written now.
    pub limit: Option<u64>,
    /// Check the signature of every COMMIT, not of the last one alone.
    pub all_commits: bool,
    /// Sizes whose roots are wanted.
    pub roots: &'a BTreeSet<u64>,
    /// Rows whose leaves are wanted.
    pub leaves: &'a BTreeSet<u64>,
}

/// What the rows of one segment say of an action.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Life {
    /// It has an INTENT here.
    pub intent: bool,
    /// It has a DISPATCH here.
    pub dispatch: bool,
    /// Kind of its end, where that is here.
    pub end: Option<RowKind>,
    /// Boot of its last row here.
    pub boot: BootNo,
    /// Epoch of its last row here.
    pub epoch: u64,
    /// Grant of its last row here.
    pub grant: GrantNo,
}

/// The last good COMMIT, and the state as of it.
#[derive(Debug, Clone)]
pub struct Committed {
    /// The COMMIT.
    pub commit: Commit,
    /// Offset behind it.
    pub offset: u64,
    /// Tree over all rows up to it.
    pub tree: Tree,
    /// Leaf of the last row.
    pub last_leaf: Hash,
    /// Protocol state.
    pub carry: Carry,
    /// It follows a CLOSE.
    pub closed: bool,
}

/// An ANCHOR and where it stands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AnchorAt {
    /// Sequence number of the row.
    pub seq: u64,
    /// What it says.
    pub anchor: Anchor,
}

/// Everything about one segment that others need.
#[derive(Debug, Clone)]
pub struct Segment {
    /// Its file.
    pub name: SegmentName,
    /// Header of its OPEN.
    pub header: Header,
    /// Clear data of its OPEN.
    pub open: Open,
    /// Leaf of its OPEN.
    pub open_leaf: Hash,
    /// Its RECOVERY, where the segment before was not closed.
    pub recovery: Option<Recovery>,
    /// Its good end.
    pub committed: Committed,
    /// Its anchors.
    pub anchors: Vec<AnchorAt>,
    /// Actions with rows here.
    pub lives: HashMap<Ref, Life>,
    /// Wanted roots that lie within it.
    pub roots: BTreeMap<u64, Hash>,
    /// Wanted leaves that lie within it.
    pub leaves: BTreeMap<u64, Hash>,
    /// What is wrong with it.
    pub flaws: Vec<Flaw>,
}

impl Segment {
    /// Boot of all its rows.
    #[must_use]
    pub fn boot(&self) -> BootNo {
        self.header.boot
    }

    /// A flaw of this segment.
    pub(crate) fn flaw(&self, offset: Option<u64>, seq: Option<u64>, finding: impl Into<Finding>) -> Flaw {
        Flaw::new(about(&self.name), offset, seq, finding)
    }
}

pub(crate) fn file_name(name: &SegmentName) -> String {
    name.path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default()
}

/// A segment's file, where a flaw is about it.
pub(crate) fn about(name: &SegmentName) -> About {
    About::File(file_name(name))
}

/// Reads one segment.
///
/// # Errors
/// The flaw, where not even its first batch can be believed. Later flaws are in the result.
pub fn read(name: &SegmentName, reading: &Reading<'_>) -> Result<Segment, Flaw> {
    let io = |error: std::io::Error| Flaw::unreadable(about(name), &error);
    let file = File::open(&name.path).map_err(io)?;
    let bytes: Box<dyn Read> = match reading.limit {
        Some(limit) => Box::new(file.take(limit)),
        None => Box::new(file),
    };
    let mut frames = Frames::new(BufReader::with_capacity(256 * 1024, bytes));
    let mut entry = Vec::new();
    let mut walk = Walk::new(name, reading);
    let end = loop {
        match frames.next(&mut entry).map_err(io)? {
            Step::Frame { at, end } => match walk.take(at, end, &entry) {
                Ok(()) => {}
                Err(refusal) => break End::Refused(at, refusal),
            },
            Step::Bad { at, why } => break End::Damaged(at, why),
            Step::End { at } => match frames.first_nonzero().map_err(io)? {
                None => break End::Clean(at),
                Some(nonzero) => break End::Damaged(nonzero, BadFrame::Rest),
            },
        }
    };
    walk.end(end).map_err(io)?
}

/// Reads the last segment. A batch that a live gateway is writing looks torn for a moment; one that stays so is.
///
/// # Errors
/// As [`read`].
pub fn read_settled(name: &SegmentName, reading: &Reading<'_>) -> Result<Segment, Flaw> {
    // Read piece by piece while it grows, a tail can also look damaged where two pieces meet. What is damaged stays so.
    let passing = |fault| matches!(fault, Fault::TornTail | Fault::Corrupt);
    let unsettled = |segment: &Segment| segment.flaws.iter().any(|flaw| passing(flaw.fault));
    let mut found = read(name, reading)?;
    let (mut looks, mut still) = (0, 0);
    while unsettled(&found) && still < LOOKS_STILL && looks < LOOKS {
        std::thread::sleep(LOOK_AGAIN);
        let again = read(name, reading)?;
        let moved = again.committed.offset != found.committed.offset;
        still = if moved { 0 } else { still + 1 };
        looks += 1;
        found = again;
    }
    if still < LOOKS_STILL {
        // Each time a batch that had looked torn was whole the next time: it is being written right now.
        found.flaws.retain(|flaw| flaw.fault != Fault::TornTail);
    }
    Ok(found)
}
