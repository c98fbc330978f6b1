//! What can be wrong with a sealed file, in words that name it and say what to do.

use super::FileKind;
use super::slot::{MOST_SLOTS, SlotId, SlotKind};
use crate::kdf::CostError;
use crate::random::NoRandomness;
use std::path::{Path, PathBuf};

/// Why a sealed file was not made or not opened.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum SealError {
    /// It does not begin as a sealed file does.
    #[error("{file}: this is not a sealed lychgate file, or its beginning was overwritten; {remedy}")]
    NotSealed {
        /// The file.
        file: PathBuf,
        /// What to do.
        remedy: &'static str,
    },
    /// It has another format version.
    #[error(
        "{file}: it says that its format is {found} and this program reads {known}; use the newer lychgate, or where there was none, {remedy}"
    )]
    Version {
        /// The file.
        file: PathBuf,
        /// As it says.
        found: u16,
        /// What is read here.
        known: u16,
        /// What to do.
        remedy: &'static str,
    },
    /// It was changed, cut or mixed with another.
    #[error("{file}: damaged, {what}; {remedy}")]
    Damaged {
        /// The file.
        file: PathBuf,
        /// What shows it.
        what: &'static str,
        /// What to do.
        remedy: &'static str,
    },
    /// A sealed file for another purpose stands there.
    #[error("{file}: this is sealed for `{found}`, not for `{expected}`; {remedy}")]
    Purpose {
        /// The file.
        file: PathBuf,
        /// As it says, escaped.
        found: String,
        /// What belongs there.
        expected: &'static str,
        /// What to do.
        remedy: &'static str,
    },
    /// The passphrase or code is not the slot's.
    #[error("{file}: wrong {}; try again", kind.word())]
    WrongKey {
        /// The file.
        file: PathBuf,
        /// What the slot takes.
        kind: SlotKind,
    },
    /// There is no such slot.
    #[error("{file}: it has no key slot {slot}; read its slots again")]
    NoSuchSlot {
        /// The file.
        file: PathBuf,
        /// As asked.
        slot: SlotId,
    },
    /// No slot, or too many.
    #[error("{file}: a sealed file has 1 to {MOST_SLOTS} key slots, not {found}")]
    Slots {
        /// The file.
        file: PathBuf,
        /// As asked.
        found: usize,
    },
    /// Over the limit of its kind.
    #[error("{file}: more than {most} bytes; nothing was written")]
    TooLarge {
        /// The file.
        file: PathBuf,
        /// The limit.
        most: usize,
    },
    /// The derivation can't be done.
    #[error(transparent)]
    Cost(#[from] CostError),
    /// No randomness.
    #[error(transparent)]
    Random(#[from] NoRandomness),
}

/// Makes errors about one file.
pub(super) struct Names<'a> {
    path: &'a Path,
    remedy: &'static str,
}

impl<'a> Names<'a> {
    pub(super) fn of(kind: &FileKind, path: &'a Path) -> Self {
        Self { path, remedy: kind.remedy }
    }
    fn file(&self) -> PathBuf {
        self.path.to_owned()
    }
    pub(super) fn not_sealed(&self) -> SealError {
        SealError::NotSealed { file: self.file(), remedy: self.remedy }
    }
    pub(super) fn version(&self, found: u16, known: u16) -> SealError {
        SealError::Version { file: self.file(), found, known, remedy: self.remedy }
    }
    pub(super) fn damaged(&self, what: &'static str) -> SealError {
        SealError::Damaged { file: self.file(), what, remedy: self.remedy }
    }
    pub(super) fn purpose(&self, found: &str, expected: &'static str) -> SealError {
        let found = found.chars().take(80).flat_map(char::escape_default).collect();
        SealError::Purpose { file: self.file(), found, expected, remedy: self.remedy }
    }
    pub(super) fn wrong_key(&self, kind: SlotKind) -> SealError {
        SealError::WrongKey { file: self.file(), kind }
    }
    pub(super) fn no_slot(&self, slot: SlotId) -> SealError {
        SealError::NoSuchSlot { file: self.file(), slot }
    }
    pub(super) fn slots(&self, found: usize) -> SealError {
        SealError::Slots { file: self.file(), found }
    }
    pub(super) fn too_large(&self, most: usize) -> SealError {
        SealError::TooLarge { file: self.file(), most }
    }
}
