//! What can be wrong with a log, and where.

use std::fmt;

/// Kinds of flaws, the worst first. One of them names the verdict.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Fault {
    /// A signature or key is not the one that it must be.
    BadKey,
    /// Two histories claim the same place.
    Fork,
    /// Bytes are not what was written.
    Corrupt,
    /// Rows are missing between others, or before them.
    Gap,
    /// The log contradicts a receipt, checkpoint or anchor.
    Rewritten,
    /// The log ends before a receipt or checkpoint.
    Truncated,
    /// Rows stand in an order that the protocol forbids.
    Protocol,
    /// The last batch is incomplete, as after a power loss.
    TornTail,
}

impl Fault {
    /// As it stands in reports.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::BadKey => "BAD_KEY",
            Self::Fork => "FORK",
            Self::Corrupt => "CORRUPT",
            Self::Gap => "GAP",
            Self::Rewritten => "REWRITTEN",
            Self::Truncated => "TRUNCATED",
            Self::Protocol => "PROTOCOL",
            Self::TornTail => "TORN_TAIL",
        }
    }
}

/// One flaw, with its place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Flaw {
    /// Kind.
    pub fault: Fault,
    /// File name within the directory, or what it is about.
    pub file: String,
    /// Offset in that file, where there is one.
    pub offset: Option<u64>,
    /// Sequence number of the row, or of the first row that is missing.
    pub seq: Option<u64>,
    /// What is wrong, in words.
    pub why: String,
}

impl fmt::Display for Flaw {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.fault.word(), self.file)?;
        if let Some(offset) = self.offset {
            write!(f, " at byte {offset}")?;
        }
        if let Some(seq) = self.seq {
            write!(f, ", row {seq}")?;
        }
        write!(f, ": {}", self.why)
    }
}
