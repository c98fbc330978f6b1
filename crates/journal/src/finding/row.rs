//! Rows in the wrong place, and COMMITs that do not fit them.

use super::findings;

findings! {
    /// Why a row can't stand where it stands, or say what it says.
    pub enum BadRow in row {
        /// The first row of a segment is of another kind.
        NoOpen: Corrupt, "open-missing", no_open;
        /// The first row has another number than the file's name.
        OpenPlace: Corrupt, "open-other-row", open_place;
        /// Clear data of an OPEN.
        OpenForm: Corrupt, "open-form", open_form;
        /// The OPEN names another log id than LOG.
        OpenLog: BadKey, "open-other-log", open_log;
        /// The OPEN names another audit key than LOG.
        OpenRecipient: BadKey, "open-other-recipient", open_recipient;
        /// The OPEN's signature.
        OpenSignature: BadKey, "open-signature", open_signature;
        /// The OPEN contradicts itself.
        OpenRange: Corrupt, "open-range", open_range;
        /// An OPEN that is no first row.
        OpenWithin: Corrupt, "open-within", open_within;
        /// Sequence numbers count by one.
        OutOfOrder: Corrupt, "row-out-of-order", out_of_order;
        /// It names another leaf than that of the row before.
        Chain: Corrupt, "row-chain", chain;
        /// All rows of a segment are of one boot.
        OtherBoot: Corrupt, "row-other-boot", other_boot;
        /// A CLOSE is the last row.
        AfterClose: Corrupt, "row-after-close", after_close;
        /// Only the journal's own rows have clear data.
        ClearData: Corrupt, "row-clear-data", clear_data;
        /// Clear data of a CLOSE.
        CloseForm: Corrupt, "close-form", close_form;
        /// The CLOSE has another root, range or segment.
        CloseRows: Corrupt, "close-other-rows", close_rows;
        /// The CLOSE's signature.
        CloseSignature: BadKey, "close-signature", close_signature;
        /// Clear data of a RECOVERY.
        RecoveryForm: Corrupt, "recovery-form", recovery_form;
        /// A RECOVERY is the second row, and about the segment before.
        RecoveryPlace: Corrupt, "recovery-place", recovery_place;
        /// Clear data of a REKEY.
        RekeyForm: Corrupt, "rekey-form", rekey_form;
        /// The REKEY has another number or root.
        RekeyPlace: Corrupt, "rekey-place", rekey_place;
        /// Clear data of an ANCHOR.
        AnchorForm: Corrupt, "anchor-form", anchor_form;
        /// The ANCHOR's signature, or its log id.
        AnchorSignature: BadKey, "anchor-signature", anchor_signature;
        /// What the vault vouched for is not what is here.
        AnchorRows: Rewritten, "anchor-other-rows", anchor_rows;
    }
}

findings! {
    /// Why a COMMIT does not end the batch before it.
    pub enum BadCommit in commit {
        /// It stands before any row.
        NoRows: Corrupt, "commit-first", no_rows;
        /// It counts more, fewer, or none.
        Count: Corrupt, "commit-count", count;
        /// Its root is another.
        Root: Corrupt, "commit-root", root;
        /// It names another key.
        OtherKey: BadKey, "commit-other-key", other_key;
        /// Found where every COMMIT is checked.
        Signature: BadKey, "commit-signature", signature;
        /// Found always.
        LastSignature: BadKey, "commit-last-signature", last_signature;
    }
}
