//! The kinds of verdict on a log that is not sound.

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
