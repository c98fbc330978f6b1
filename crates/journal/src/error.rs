//! What can go wrong with a journal. Every one of these means: do not do what needed the row.

use crate::finding::BadLog;
use crate::format::note::NotAnOrigin;
use crate::protocol::Violation;
use crate::read::flaw::Flaw;
use lychgate_text::words;

/// An error of the journal. Says what, why, and what to do.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum JournalError {
    /// Parameters of a new log are not allowed.
    #[error("{}", (words().journal().error.parameters)(.0))]
    Parameters(#[from] BadParameters),
    /// A journal stands there already.
    #[error("{}", (words().journal().error.exists)(.0))]
    Exists(String),
    /// Another gateway holds the log.
    #[error("{}", (words().journal().error.held)(.0))]
    Held(String),
    /// A file or directory can't be used.
    #[error("{}", (words().journal().error.files)(.0))]
    Files(String),
    /// `LOG` is damaged or not signed by the vault key that was given.
    #[error("{}", (words().journal().error.log)(.0))]
    Log(#[from] BadLog),
    /// `next.key` is missing, damaged, or belongs to another state of the log.
    #[error("{}", (words().journal().error.next_key)(.0))]
    NextKey(#[from] BadNextKey),
    /// The log is damaged or was altered. Nothing was changed; nothing may run.
    #[error("{}", (words().journal().error.quarantine)(.0))]
    Quarantine(Flaw),
    /// No number is left for another gateway lifetime.
    #[error("{}", words().journal().error.boots_used_up)]
    BootsUsedUp,
    /// There is nothing to make a checkpoint of.
    #[error("{}", words().journal().error.no_row_yet)]
    NoRowYet,
    /// Rows of the action may be in segments that are not here. The answer about it is UNKNOWN.
    #[error("{}", words().journal().error.archived)]
    Archived,
    /// The row is not durable, and what is on the disk is not known. Treat what needed it as UNKNOWN.
    #[error("{}", (words().journal().error.not_durable)(.0))]
    NotDurable(String),
    /// The row would break the protocol. It was not written.
    #[error("{}", (words().journal().error.row_refused)(.0))]
    Protocol(#[from] Violation),
    /// The row is larger than a row may be. It was not written.
    #[error("{}", words().journal().error.row_too_large)]
    TooLarge,
    /// The vault key that is to anchor the log is not the one that LOG names.
    #[error("{}", words().journal().error.other_vault)]
    OtherVault,
    /// The vault gave no signature of its own for an anchor, as one that was locked meanwhile does. It was not written.
    #[error("{}", words().journal().error.not_signed)]
    NotSigned,
    /// No random bytes.
    #[error("{}", words().journal().error.no_randomness)]
    Random,
    /// The writer has ended.
    #[error("{}", words().journal().error.closed)]
    Closed,
}

impl JournalError {
    /// An earlier write failed, and no new segment could be begun.
    pub(crate) fn segment_failed() -> Self {
        Self::NotDurable(words().journal().error.segment_failed.to_owned())
    }
}

/// What of the parameters of a new log is not allowed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum BadParameters {
    /// Its name.
    #[error(transparent)]
    Origin(NotAnOrigin),
    /// The size of its segments.
    #[error("{}", words().journal().error.segment_size)]
    SegmentSize,
    /// The signer signs with another key than it names, so that nobody could open the log.
    #[error(transparent)]
    Signer(BadLog),
}

/// Why `next.key` does not fit.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum BadNextKey {
    /// It is missing or can't be read.
    #[error("{0}")]
    Unreadable(String),
    /// It has another form.
    #[error("{}", words().journal().next_key.damaged)]
    Damaged,
    /// It names another log, or has another log key than LOG.
    #[error("{}", words().journal().next_key.other_log)]
    OtherLog,
    /// Another writer was here, or an older copy was put back.
    #[error("{}", (words().journal().next_key.other_segment)(*of, *wanted))]
    OtherSegment {
        /// Segment that it opens.
        of: u64,
        /// Segment that is to be opened.
        wanted: u64,
    },
}
