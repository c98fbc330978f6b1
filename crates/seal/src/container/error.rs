//! What can be wrong with a sealed file, in words that name it and say what to do.

use super::FileKind;
use super::damage::Damage;
use super::slot::{MOST_SLOTS, SlotId, SlotKind};
use crate::kdf::CostError;
use crate::memory::NoLockedMemory;
use crate::random::NoRandomness;
use lychgate_text::words;
use std::fmt::Display;
use std::path::{Path, PathBuf};

/// Why a sealed file was not made or not opened.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum SealError {
    /// It does not begin as a sealed file does.
    #[error("{}", (words().seal().sealed.not_sealed)(&.file.display(), .remedy))]
    NotSealed {
        /// The file.
        file: PathBuf,
        /// What to do.
        remedy: &'static str,
    },
    /// It has another format version.
    #[error("{}", (words().seal().sealed.other_format)(&.file.display(), *.found, *.known, .remedy))]
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
    #[error("{}", (words().seal().sealed.damaged)(&.file.display(), .what, .remedy))]
    Damaged {
        /// The file.
        file: PathBuf,
        /// What shows it.
        what: Damage,
        /// What to do.
        remedy: &'static str,
    },
    /// A sealed file for another purpose stands there.
    #[error("{}", (words().seal().sealed.other_purpose)(&.file.display(), .found, .expected, .remedy))]
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
    #[error("{}", wrong_key(*.kind)(&.file.display()))]
    WrongKey {
        /// The file.
        file: PathBuf,
        /// What the slot takes.
        kind: SlotKind,
    },
    /// There is no such slot.
    #[error("{}", (words().seal().sealed.no_such_slot)(&.file.display(), .slot.0))]
    NoSuchSlot {
        /// The file.
        file: PathBuf,
        /// As asked.
        slot: SlotId,
    },
    /// No slot, or too many.
    #[error("{}", (words().seal().sealed.slot_count)(&.file.display(), *.found, MOST_SLOTS))]
    Slots {
        /// The file.
        file: PathBuf,
        /// As asked.
        found: usize,
    },
    /// Over the limit of its kind.
    #[error("{}", (words().seal().sealed.too_large)(&.file.display(), *.most))]
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
    /// No locked memory.
    #[error(transparent)]
    Memory(#[from] NoLockedMemory),
}

fn wrong_key(kind: SlotKind) -> fn(&dyn Display) -> String {
    let words = &words().seal().sealed;
    match kind {
        SlotKind::Passphrase => words.wrong_passphrase,
        SlotKind::Recovery => words.wrong_recovery_code,
    }
}

/// Makes errors about one file.
pub(super) struct Names<'a> {
    path: &'a Path,
    remedy: &'static str,
}

impl<'a> Names<'a> {
    pub(super) fn of(kind: &FileKind, path: &'a Path) -> Self {
        Self { path, remedy: (kind.remedy)() }
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
    pub(super) fn damaged(&self, what: Damage) -> SealError {
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
