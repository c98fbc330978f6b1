//! What shows that an action store is not as it was written.

use lychgate_text::words;

/// What shows it. A number is how many records before it are whole.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum StoreDamage {
    /// The file is not ours alone, in the words of the refusal.
    #[error("{0}")]
    Refused(String),
    /// The system could not read it, in the system's words.
    #[error("{}", (words().vault().store.not_readable)(.0))]
    Unreadable(String),
    /// Shorter than what begins a store.
    #[error("{}", words().vault().store.shorter_than_head)]
    Short,
    /// It does not begin as a store of this version does.
    #[error("{}", words().vault().store.other_head)]
    OtherHead,
    /// The length of a record was changed.
    #[error("{}", (words().vault().store.length_changed)(*.0))]
    Length(usize),
    /// A record was changed, moved, or comes from another file.
    #[error("{}", (words().vault().store.record_changed)(*.0))]
    Record(usize),
    /// A record is whole, and of a kind that this program does not know.
    #[error("{}", (words().vault().store.record_of_other_version)(*.0))]
    OtherVersion(usize),
}
