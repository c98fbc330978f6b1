//! What vouches from outside, and contradicts the log or itself.

use super::findings;

findings! {
    /// What a receipt or checkpoint shows: about itself, or about the log.
    pub enum BadNote in note {
        /// It is no signed note.
        Form: BadKey, "note-form", form;
        /// Its first line names another log.
        OtherOrigin: BadKey, "note-other-origin", other_origin;
        /// The log key's line does not fit.
        Signature: BadKey, "note-signature", signature;
        /// There is no line by the log key.
        Unsigned: BadKey, "note-unsigned", unsigned;
        /// The segment key's line does not fit.
        SegmentSignature: BadKey, "note-segment-signature", segment_signature;
        /// A receipt says another size, root or row than its note.
        Contradiction: BadKey, "receipt-contradicts-note", contradiction;
        /// Two notes of one size and different roots.
        TwoHistories: Fork, "note-two-histories", two_histories;
        /// The log is shorter.
        LogEnds: Truncated, "log-ends-before-note", log_ends;
        /// Damage hides whether the rows are those.
        RowsUnreadable: Corrupt, "noted-rows-unreadable", rows_unreadable;
        /// The root is another.
        OtherRows: Rewritten, "noted-rows-differ", other_rows;
        /// The leaf is another.
        OtherRow: Rewritten, "noted-row-differs", other_row;
        /// The log has no such row.
        NoRow: Rewritten, "noted-row-absent", no_row;
    }
}
