//! What can be wrong with a log, each kind with its verdict, its code and its words.
//!
//! A code names the kind of a finding in JSON and in statistics. Codes never change their meaning; `docs/JOURNAL.md`
//! lists them.

mod fault;
mod form;
mod note;
mod row;
mod segment;

pub use fault::Fault;
pub use form::{BadEntry, BadFrame};
pub use note::BadNote;
pub use row::{BadCommit, BadRow};
pub use segment::{BadLog, BadSegment};

use crate::protocol::Violation;
use lychgate_core::ids::Ref;
use lychgate_text::words;

/// An enum of findings: per kind its verdict, its code, and the field of its words in the catalogue.
macro_rules! findings {
    (
        $(#[$meta:meta])*
        pub enum $name:ident in $family:ident {
            $($(#[$doc:meta])* $kind:ident: $fault:ident, $code:literal, $words:ident;)*
        }
    ) => {
        $(#[$meta])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
        pub enum $name {
            $($(#[$doc])* $kind,)*
        }

        impl $name {
            /// All kinds.
            pub const ALL: &[Self] = &[$(Self::$kind),*];

            /// The verdict that it leads to.
            #[must_use]
            pub fn fault(self) -> $crate::finding::Fault {
                match self {
                    $(Self::$kind => $crate::finding::Fault::$fault,)*
                }
            }

            /// Its code.
            #[must_use]
            pub fn code(self) -> &'static str {
                match self {
                    $(Self::$kind => $code,)*
                }
            }
        }

        impl std::fmt::Display for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                let words = &lychgate_text::words().journal().$family;
                f.write_str(match self {
                    $(Self::$kind => words.$words,)*
                })
            }
        }

        impl std::error::Error for $name {}
    };
}
pub(crate) use findings;

/// One finding of reading or verification. Shows itself in the language of the process.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Finding {
    /// At a frame.
    #[error(transparent)]
    Frame(#[from] BadFrame),
    /// The last batch is damaged, and something behind it shows that it had been durable.
    #[error("{}", (words().journal().finding.before_later_batch)(.0))]
    BeforeLaterBatch(BadFrame),
    /// At an entry.
    #[error(transparent)]
    Entry(#[from] BadEntry),
    /// At a row.
    #[error(transparent)]
    Row(#[from] BadRow),
    /// At a COMMIT.
    #[error(transparent)]
    Commit(#[from] BadCommit),
    /// At a segment.
    #[error(transparent)]
    Segment(#[from] BadSegment),
    /// At LOG.
    #[error(transparent)]
    Log(#[from] BadLog),
    /// At a receipt or checkpoint.
    #[error(transparent)]
    Note(#[from] BadNote),
    /// A row breaks the protocol.
    #[error(transparent)]
    Protocol(#[from] Violation),
    /// [`Violation::IntentAgain`], in another segment than the first time.
    #[error("{}", (words().journal().finding.intent_again)(.0))]
    IntentAgain(Ref),
    /// Rows between two segments.
    #[error("{}", (words().journal().finding.rows_missing)(*first, *last))]
    RowsMissing {
        /// First of them.
        first: u64,
        /// Last of them.
        last: u64,
    },
    /// Rows from 0 on, and nothing vouches for what follows them.
    #[error("{}", (words().journal().finding.beginning_missing)(*last))]
    BeginningMissing {
        /// Last of them.
        last: u64,
    },
    /// A file or directory can't be read; why, in the system's words.
    #[error("{}", (words().journal().finding.unreadable)(.0))]
    Unreadable(String),
}

impl Finding {
    /// The verdict that it leads to. At the end of the last segment a [`Finding::Frame`] can also be a torn tail.
    #[must_use]
    pub fn fault(&self) -> Fault {
        match self {
            Self::Frame(kind) | Self::BeforeLaterBatch(kind) => kind.fault(),
            Self::Entry(kind) => kind.fault(),
            Self::Row(kind) => kind.fault(),
            Self::Commit(kind) => kind.fault(),
            Self::Segment(kind) => kind.fault(),
            Self::Log(kind) => kind.fault(),
            Self::Note(kind) => kind.fault(),
            Self::Protocol(violation) => violation.fault(),
            Self::IntentAgain(_) => Violation::IntentAgain.fault(),
            Self::RowsMissing { .. } | Self::BeginningMissing { .. } => Fault::Gap,
            Self::Unreadable(_) => Fault::Corrupt,
        }
    }

    /// Its code: lower-case words with hyphens.
    #[must_use]
    pub fn code(&self) -> &'static str {
        match self {
            Self::Frame(kind) => kind.code(),
            Self::BeforeLaterBatch(_) => "damage-before-later-batch",
            Self::Entry(kind) => kind.code(),
            Self::Row(kind) => kind.code(),
            Self::Commit(kind) => kind.code(),
            Self::Segment(kind) => kind.code(),
            Self::Log(kind) => kind.code(),
            Self::Note(kind) => kind.code(),
            Self::Protocol(violation) => violation.code(),
            Self::IntentAgain(_) => Violation::IntentAgain.code(),
            Self::RowsMissing { .. } => "rows-missing",
            Self::BeginningMissing { .. } => "beginning-missing",
            Self::Unreadable(_) => "unreadable",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::{BTreeMap, BTreeSet};

    /// Every kind once.
    fn all() -> Vec<Finding> {
        fn of<T: Copy + Into<Finding>>(kinds: &[T]) -> impl Iterator<Item = Finding> {
            kinds.iter().map(|kind| (*kind).into())
        }
        let with_values = [
            Finding::BeforeLaterBatch(BadFrame::Checksum),
            Finding::RowsMissing { first: 1, last: 2 },
            Finding::BeginningMissing { last: 3 },
            Finding::Unreadable("no such file".to_owned()),
        ];
        of(BadFrame::ALL)
            .chain(of(BadEntry::ALL))
            .chain(of(BadRow::ALL))
            .chain(of(BadCommit::ALL))
            .chain(of(BadSegment::ALL))
            .chain(of(BadLog::ALL))
            .chain(of(BadNote::ALL))
            .chain(of(Violation::ALL))
            .chain(with_values)
            .collect()
    }

    #[test]
    fn each_kind_has_a_code_and_words_of_its_own() {
        let all = all();
        let codes: BTreeSet<&str> = all.iter().map(Finding::code).collect();
        assert_eq!(codes.len(), all.len());
        let plain = |code: &str| code.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'-');
        assert!(codes.iter().all(|code| plain(code)), "{codes:?}");
        let mut words = BTreeMap::new();
        for finding in &all {
            assert_eq!(words.insert(finding.to_string(), finding.code()), None, "{finding}");
        }
    }

    #[test]
    fn the_description_lists_each_code_under_its_verdict() {
        let described = include_str!("../../../../docs/JOURNAL.md");
        // Items of lists, each on one line.
        let joined = described.replace("\n  ", " ");
        let lists: Vec<&str> = joined.lines().filter(|line| line.starts_with("- `")).collect();
        for finding in all() {
            let list = format!("- `{}`: ", finding.fault().word());
            let code = format!("`{}`", finding.code());
            let holds = lists.iter().any(|line| line.starts_with(&list) && line.contains(&code));
            assert!(holds, "{list}{code}");
        }
    }

    #[test]
    fn an_action_announced_again_is_one_kind_in_whichever_segment() {
        let again = Finding::IntentAgain(Ref([7; 16]));
        assert_eq!(again.code(), Finding::from(Violation::IntentAgain).code());
        assert_eq!(again.fault(), Fault::Protocol);
    }
}
