//! The vault epoch: a number that rises, a nonce that no two epochs share, and the mark outside the vault file.
//!
//! It rises at gateway start, unlock and lock. The number is for people; approvals compare the nonce too, which lives in
//! memory alone, so a mark or a vault file that was put back can never make an old approval fit.

mod judge;
mod mark;

pub use judge::EpochWarning;

use crate::error::VaultError;
use crate::payload::Stamp;
use lychgate_core::ids::VaultEpoch;
use lychgate_seal::random;
use mark::{Mark, MarkRead};
use std::path::PathBuf;

/// Writes the mark, and knows the current epoch.
pub(crate) struct EpochState {
    path: PathBuf,
    vault: [u8; 16],
    mark: MarkRead,
    current: VaultEpoch,
}

impl EpochState {
    /// A gateway starts. Raises the mark where there is one of this vault; one that is lost, damaged or another vault's
    /// is left as it is until the vault is unlocked, since it is what the warning then rests on.
    pub(crate) fn at_start(path: PathBuf, vault: [u8; 16]) -> Result<Self, VaultError> {
        let mark = mark::read(&path, vault);
        let mut state = Self { path, vault, mark, current: VaultEpoch { number: 0, nonce: random::bytes()? } };
        if let MarkRead::Own(mark) = &state.mark {
            let raised = Mark { epoch: mark.epoch.saturating_add(1), ..*mark };
            state.rise(raised)?;
        }
        Ok(state)
    }

    /// A vault is made: the first epoch, above whatever an older mark in its place says.
    pub(crate) fn first(path: PathBuf, vault: [u8; 16]) -> Result<Self, VaultError> {
        let number = mark::read(&path, vault).number().unwrap_or(0).saturating_add(1);
        let current = VaultEpoch { number, nonce: random::bytes()? };
        Ok(Self { path, vault, mark: MarkRead::Absent, current })
    }

    pub(crate) fn current(&self) -> VaultEpoch {
        self.current
    }

    /// The vault is unlocked and its payload says `found`: rises above both, and says whether they fit together.
    pub(crate) fn at_unlock(&mut self, found: Stamp) -> Result<Option<EpochWarning>, VaultError> {
        let warning = judge::judge(&self.mark, found);
        let epoch = self.mark.number().unwrap_or(0).max(found.epoch).max(self.current.number).saturating_add(1);
        let raised = match &self.mark {
            MarkRead::Own(mark) => Mark { epoch, ..*mark },
            _ => Mark { vault: self.vault, epoch, sealed: found, sealing: None },
        };
        self.rise(raised)?;
        Ok(warning)
    }

    /// The vault is being locked. Rises in memory whatever happens; the error says that the mark on disk did not.
    pub(crate) fn at_lock(&mut self) -> Result<(), VaultError> {
        let number = self.current.number.saturating_add(1);
        match &self.mark {
            MarkRead::Own(mark) => {
                let raised = Mark { epoch: number, ..*mark };
                self.rise(raised)
            }
            // Not reached: an unlocked vault has a mark. Nothing to write is no reason to stay in the old epoch.
            MarkRead::Absent | MarkRead::Foreign { .. } | MarkRead::Damaged => self.renew(number),
        }
    }

    /// The stamp for the save that comes, above all that were.
    pub(crate) fn next_stamp(&self, last: Stamp) -> Stamp {
        let marked = match &self.mark {
            MarkRead::Own(mark) => mark.newest_generation(),
            MarkRead::Absent | MarkRead::Foreign { .. } | MarkRead::Damaged => 0,
        };
        Stamp { epoch: self.current.number, generation: marked.max(last.generation).saturating_add(1) }
    }

    /// Says on disk that `stamp` is about to be saved. A crash between this and [`Self::saved`] raises no alarm.
    pub(crate) fn saving(&mut self, stamp: Stamp) -> Result<(), VaultError> {
        let mark = match &self.mark {
            MarkRead::Own(mark) => Mark { sealing: Some(stamp), ..*mark },
            MarkRead::Absent | MarkRead::Foreign { .. } | MarkRead::Damaged => {
                Mark { vault: self.vault, epoch: self.current.number, sealed: stamp, sealing: Some(stamp) }
            }
        };
        self.write(mark)
    }

    /// Says on disk that `stamp` was saved.
    pub(crate) fn saved(&mut self, stamp: Stamp) -> Result<(), VaultError> {
        let mark = Mark { vault: self.vault, epoch: self.current.number, sealed: stamp, sealing: None };
        self.write(mark)
    }

    fn rise(&mut self, raised: Mark) -> Result<(), VaultError> {
        self.renew(raised.epoch)?;
        self.write(raised)
    }

    /// The nonce before the disk: whoever asks after this is in another epoch, even where the disk refuses.
    fn renew(&mut self, number: u64) -> Result<(), VaultError> {
        // Where there is no randomness, a counter-like change still parts the two epochs.
        self.current = VaultEpoch { number, nonce: self.current.nonce.map(|byte| !byte) };
        self.current.nonce = random::bytes()?;
        Ok(())
    }

    fn write(&mut self, mark: Mark) -> Result<(), VaultError> {
        mark::write(&self.path, &mark).map_err(VaultError::Write)?;
        self.mark = MarkRead::Own(mark);
        Ok(())
    }
}
