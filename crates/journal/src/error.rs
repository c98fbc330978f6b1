//! What can go wrong with a journal. Every one of these means: do not do what needed the row.

use crate::protocol::Violation;
use crate::read::flaw::Flaw;

/// An error of the journal. Says what, why, and what to do.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum JournalError {
    /// Parameters of a new log are not allowed.
    #[error("the journal can't be created: {0}")]
    Parameters(String),
    /// A journal stands there already.
    #[error("a journal exists already in {0}; it is never overwritten")]
    Exists(String),
    /// Another gateway holds the log.
    #[error("another gateway is writing the journal in {0}; stop it first (`lych stop`)")]
    Held(String),
    /// A file or directory can't be used.
    #[error("the journal can't be used: {0}")]
    Files(String),
    /// `LOG` is damaged or not signed by the vault key that was given.
    #[error("the journal's LOG is not believed: {0}; run `lych audit verify`")]
    Log(String),
    /// `next.key` is missing, damaged, or belongs to another state of the log.
    #[error("the journal's next.key does not fit: {0}; run `lych audit verify`")]
    NextKey(String),
    /// The log is damaged or was altered. Nothing was changed; nothing may run.
    #[error("the journal is quarantined: {0}; run `lych audit verify`")]
    Quarantine(Flaw),
    /// The row is not durable, and what is on the disk is not known. Treat what needed it as UNKNOWN.
    #[error("the journal could not be written: {0}")]
    NotDurable(String),
    /// The row would break the protocol. It was not written.
    #[error("the journal refuses the row: {0}")]
    Protocol(#[from] Violation),
    /// The row is larger than a row may be. It was not written.
    #[error("the journal refuses the row: it is larger than a segment of this log can hold")]
    TooLarge,
    /// The vault key that is to anchor the log is not the one that LOG names.
    #[error("the journal is anchored by another vault key than this one")]
    OtherVault,
    /// No random bytes.
    #[error("the system gave no random bytes; nothing was written")]
    Random,
    /// The writer has ended.
    #[error("the journal is closed")]
    Closed,
}
