//! What is wrong with a log, and where.

use crate::finding::{Fault, Finding};
use lychgate_text::words;
use std::borrow::Cow;
use std::fmt;

/// What a flaw is about.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum About {
    /// A file of the log, by its name within the directory.
    File(String),
    /// The directory.
    Directory,
    /// A checkpoint that was given, counted from 1.
    Checkpoint(usize),
    /// A receipt that was given, counted from 1.
    Receipt(usize),
}

impl About {
    /// The same in every language: a file's name, `.` for the directory, `checkpoint-1`, `receipt-1`.
    #[must_use]
    pub fn code(&self) -> Cow<'_, str> {
        match self {
            Self::File(name) => Cow::Borrowed(name),
            Self::Directory => Cow::Borrowed("."),
            Self::Checkpoint(number) => Cow::Owned(format!("checkpoint-{number}")),
            Self::Receipt(number) => Cow::Owned(format!("receipt-{number}")),
        }
    }
}

impl fmt::Display for About {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let words = &words().journal().report;
        match self {
            Self::File(name) => f.write_str(name),
            Self::Directory => f.write_str(words.the_directory),
            Self::Checkpoint(number) => f.write_str(&(words.the_checkpoint)(*number)),
            Self::Receipt(number) => f.write_str(&(words.the_receipt)(*number)),
        }
    }
}

/// One flaw, with its place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Flaw {
    /// The verdict that it leads to.
    pub fault: Fault,
    /// What it is about.
    pub about: About,
    /// Offset in that file, where there is one.
    pub offset: Option<u64>,
    /// Sequence number of the row, or of the first row that is missing.
    pub seq: Option<u64>,
    /// What was found.
    pub finding: Finding,
}

impl Flaw {
    /// A flaw with the verdict of its finding.
    pub fn new(about: About, offset: Option<u64>, seq: Option<u64>, finding: impl Into<Finding>) -> Self {
        let finding = finding.into();
        Self { fault: finding.fault(), about, offset, seq, finding }
    }

    /// A flaw of something as a whole.
    pub(crate) fn of(about: About, finding: impl Into<Finding>) -> Self {
        Self::new(about, None, None, finding)
    }

    /// A file or directory that can't be read.
    pub(crate) fn unreadable(about: About, error: &std::io::Error) -> Self {
        Self::of(about, Finding::Unreadable(error.to_string()))
    }

    /// The last batch is incomplete, as after a power loss, and nothing follows it.
    pub(crate) fn torn(self) -> Self {
        Self { fault: Fault::TornTail, ..self }
    }
}

impl fmt::Display for Flaw {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let words = &words().journal().report;
        let place = (words.place)(&self.about, self.offset, self.seq);
        f.write_str(&(words.flaw)(self.fault.word(), &place, &self.finding))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::finding::{BadFrame, BadRow};

    #[test]
    fn a_flaw_tells_its_verdict_its_place_and_what_was_found() {
        let at = |offset, seq, finding: Finding| {
            Flaw::new(About::File("seg-1.lgj".to_owned()), offset, seq, finding).to_string()
        };
        let chain = "a row does not follow the row before it";
        assert_eq!(at(None, None, BadRow::Chain.into()), format!("CORRUPT: seg-1.lgj: {chain}"));
        assert_eq!(at(Some(8), Some(2), BadRow::Chain.into()), format!("CORRUPT: seg-1.lgj at byte 8, row 2: {chain}"));
        let torn = Flaw::new(About::Checkpoint(2), None, Some(3), BadFrame::NoCommit).torn();
        assert_eq!(torn.to_string(), "TORN_TAIL: checkpoint 2, row 3: a batch has no COMMIT");
    }
}
