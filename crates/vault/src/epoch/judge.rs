//! Whether the vault file and the mark outside it belong together. Pure.

use super::mark::MarkRead;
use crate::payload::Stamp;
use lychgate_text::words;

/// The vault file and the mark do not fit together. The epoch rose above both, so no old approval fits; the person is
/// to be told, and the journal.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum EpochWarning {
    /// The vault file is older than the last one that was saved.
    #[error("{}", (words().vault().epoch.older_vault)(*.file, *.mark))]
    OlderVault {
        /// Epoch in the vault file.
        file: u64,
        /// Epoch of the newest save, by the mark.
        mark: u64,
    },
    /// The mark is older than the vault file.
    #[error("{}", (words().vault().epoch.mark_behind)(*.file, *.mark))]
    MarkBehind {
        /// Epoch in the vault file.
        file: u64,
        /// Epoch by the mark.
        mark: u64,
    },
    /// There is no mark.
    #[error("{}", (words().vault().epoch.mark_lost)(*.file))]
    MarkLost {
        /// Epoch in the vault file.
        file: u64,
    },
    /// The mark can't be read.
    #[error("{}", (words().vault().epoch.mark_damaged)(*.file))]
    MarkDamaged {
        /// Epoch in the vault file.
        file: u64,
    },
    /// The mark is another vault's.
    #[error("{}", (words().vault().epoch.mark_foreign)(*.file, *.mark))]
    MarkForeign {
        /// Epoch in the vault file.
        file: u64,
        /// Epoch by the mark.
        mark: u64,
    },
}

impl EpochWarning {
    /// As it stands in the journal, the same in every language: a word, and the epochs that it is about.
    #[must_use]
    pub fn code(&self) -> String {
        match self {
            Self::OlderVault { file, mark } => format!("older_vault:file={file},mark={mark}"),
            Self::MarkBehind { file, mark } => format!("mark_behind:file={file},mark={mark}"),
            Self::MarkLost { file } => format!("mark_lost:file={file}"),
            Self::MarkDamaged { file } => format!("mark_damaged:file={file}"),
            Self::MarkForeign { file, mark } => format!("mark_foreign:file={file},mark={mark}"),
        }
    }
}

pub(super) fn judge(mark: &MarkRead, found: Stamp) -> Option<EpochWarning> {
    let file = found.epoch;
    let mark = match mark {
        MarkRead::Own(mark) => mark,
        MarkRead::Absent => return Some(EpochWarning::MarkLost { file }),
        MarkRead::Damaged => return Some(EpochWarning::MarkDamaged { file }),
        MarkRead::Foreign { epoch } => return Some(EpochWarning::MarkForeign { file, mark: *epoch }),
    };
    // A crash while saving leaves either of the two.
    if found == mark.sealed || Some(found) == mark.sealing {
        return (file > mark.epoch).then_some(EpochWarning::MarkBehind { file, mark: mark.epoch });
    }
    if found.generation < mark.newest_generation() {
        return Some(EpochWarning::OlderVault { file, mark: mark.sealed.epoch });
    }
    Some(EpochWarning::MarkBehind { file, mark: mark.epoch })
}

#[cfg(test)]
mod tests {
    use super::super::mark::Mark;
    use super::*;

    fn stamp(epoch: u64, generation: u64) -> Stamp {
        Stamp { epoch, generation }
    }

    #[test]
    fn what_fits_and_what_does_not() {
        let mark = Mark { vault: [1; 16], epoch: 9, sealed: stamp(7, 40), sealing: None };
        let torn = Mark { sealing: Some(stamp(9, 41)), ..mark };
        let older = Some(EpochWarning::OlderVault { file: 5, mark: 7 });
        for (mark, found, verdict) in [
            (mark, stamp(7, 40), None),
            (torn, stamp(7, 40), None),
            (torn, stamp(9, 41), None),
            (mark, stamp(5, 30), older),
            (torn, stamp(5, 30), older),
            // Saved twice in one epoch: the number alone would not tell.
            (mark, stamp(7, 39), Some(EpochWarning::OlderVault { file: 7, mark: 7 })),
            (mark, stamp(9, 41), Some(EpochWarning::MarkBehind { file: 9, mark: 9 })),
            (mark, stamp(12, 60), Some(EpochWarning::MarkBehind { file: 12, mark: 9 })),
            (mark, stamp(6, 40), Some(EpochWarning::MarkBehind { file: 6, mark: 9 })),
            (Mark { epoch: 3, ..mark }, stamp(7, 40), Some(EpochWarning::MarkBehind { file: 7, mark: 3 })),
        ] {
            assert_eq!(judge(&MarkRead::Own(mark), found), verdict, "{mark:?} {found:?}");
        }
        assert_eq!(judge(&MarkRead::Absent, stamp(7, 1)), Some(EpochWarning::MarkLost { file: 7 }));
        assert_eq!(judge(&MarkRead::Damaged, stamp(7, 1)), Some(EpochWarning::MarkDamaged { file: 7 }));
        let foreign = MarkRead::Foreign { epoch: 2 };
        assert_eq!(judge(&foreign, stamp(7, 1)), Some(EpochWarning::MarkForeign { file: 7, mark: 2 }));
    }

    #[test]
    fn a_warning_about_an_older_file_names_both_epochs() {
        let text = EpochWarning::OlderVault { file: 3, mark: 17 }.to_string();
        assert!(text.contains("epoch 3") && text.contains("epoch 17"), "{text}");
    }
}
