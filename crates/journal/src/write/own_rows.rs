//! The rows that the journal writes about itself within a segment.

use super::batch::{Batch, Unsealed};
use super::cause::Cause;
use super::head::{Head, Tools, boottime_ms};
use super::pending::Promise;
use crate::error::JournalError;
use crate::format::clear::{Anchor, Close, Rekey};
use crate::format::keys::{VaultSigner, verifies};
use crate::format::ratchet::{Opening, open_to};
use lychgate_core::event::RowKind;
use lychgate_core::ids::WallTime;

/// A new opening of the ratchet after so many rows.
const REKEY_ROWS: u32 = 1024;
/// A new opening at the first row after so long, on the clock that counts suspend.
const REKEY_MS: u64 = 60_000;

impl Head {
    /// Adds an ANCHOR over the rows before it.
    pub(crate) fn stage_anchor(
        &mut self,
        tools: &mut Tools<'_>,
        batch: &mut Batch,
        signer: &dyn VaultSigner,
        at: WallTime,
        promise: &mut Option<Promise>,
    ) -> Result<(), JournalError> {
        let mut anchor = Anchor {
            log_id: tools.log.id,
            segment: self.segment,
            size: batch.tree.size(),
            root: batch.tree.root(),
            open_leaf: self.open_leaf,
            signature: [0; 64],
        };
        let signed = anchor.signed();
        anchor.signature = signer.sign(&signed);
        // The vault may have been locked since it was asked; and what nobody can verify must not enter the log.
        if !verifies(&tools.log.vault_key, &signed, &anchor.signature) {
            return Err(JournalError::NotSigned);
        }
        let clear = anchor.encode();
        let row = Unsealed::own(RowKind::Anchor, at, Cause::VaultVouches)?;
        self.stage(tools, batch, row, Some(promise), clear.len(), |_, _| clear)
    }

    /// Adds the CLOSE.
    pub(crate) fn stage_close(
        &mut self,
        tools: &mut Tools<'_>,
        batch: &mut Batch,
        at: WallTime,
        cause: Cause,
        promise: Option<&mut Option<Promise>>,
    ) -> Result<(), JournalError> {
        let mut close = Close {
            segment: self.segment,
            root: batch.tree.root(),
            range: batch.tree.range().to_vec(),
            signature: [0; 64],
        };
        let row = Unsealed::own(RowKind::SegmentClose, at, cause)?;
        self.stage(tools, batch, row, promise, close.encode().len(), |header, key| {
            close.signature = key.sign(&close.signed(header));
            close.encode()
        })
    }

    /// Begins a new opening of the ratchet where it is due.
    pub(crate) fn rekey_if_due(
        &mut self,
        tools: &mut Tools<'_>,
        batch: &mut Batch,
        at: WallTime,
    ) -> Result<(), JournalError> {
        let now = boottime_ms();
        if self.rows_in_opening < REKEY_ROWS && now.saturating_sub(self.opened_ms) < REKEY_MS {
            return Ok(());
        }
        let opening = Opening {
            opening: self.chain.opening().opening + 1,
            first_seq: batch.tree.size(),
            prev_root: batch.tree.root(),
            ..*self.chain.opening()
        };
        let (enc, chain) = open_to(&tools.log.recipient, opening, tools.random).map_err(|_| JournalError::Random)?;
        (self.chain, self.rows_in_opening, self.opened_ms) = (chain, 0, now);
        let clear = Rekey { opening: opening.opening, prev_root: opening.prev_root, enc }.encode();
        let row = Unsealed::own(RowKind::Rekey, at, Cause::NewOpening)?;
        self.stage(tools, batch, row, None, clear.len(), |_, _| clear)
    }
}
