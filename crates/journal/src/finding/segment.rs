//! Whole segments, and LOG, which is above them all.

use super::findings;

findings! {
    /// What is wrong with a whole segment, or where two of them meet.
    pub enum BadSegment in segment {
        /// Its first batch is durable before it has its name.
        Empty: Corrupt, "segment-empty", empty;
        /// Another segment follows, so this one was cut at its end.
        AfterEnd: Corrupt, "bytes-after-end", after_end;
        /// Behind a CLOSE nothing is written.
        AfterClose: Corrupt, "bytes-after-close", after_close;
        /// What it announced can't be known.
        OpenUnreadable: Corrupt, "open-unreadable", open_unreadable;
        /// LOG names the key of segment 0.
        GenesisKey: BadKey, "first-segment-key", genesis_key;
        /// Segment 0 begins with row 0, boot 1 and nothing open.
        NoBeginning: Corrupt, "first-segment-form", no_beginning;
        /// Numbers or rows overlap.
        Twice: Fork, "segment-twice", twice;
        /// The segment before announced another.
        OtherKey: BadKey, "segment-other-key", other_key;
        /// Root or leaf before it are others.
        OtherRows: Rewritten, "segment-other-rows", other_rows;
        /// It has a CLOSE and a RECOVERY.
        Recovered: Corrupt, "segment-recovered", recovered;
        /// It has neither.
        NoEnd: Corrupt, "segment-without-end", no_end;
        /// The RECOVERY names another segment or offset.
        OtherEnd: Corrupt, "recovery-other-end", other_end;
        /// Equal, or one more.
        Boot: Corrupt, "segment-boot", boot;
        /// An OPEN repeats what the segment before left.
        State: Protocol, "segment-state", state;
        /// The files end elsewhere than this process left them.
        NotAsWritten: Truncated, "log-not-as-written", not_as_written;
    }
}

findings! {
    /// Why a `LOG` is not believed.
    pub enum BadLog in log {
        /// Not the form.
        Form: Corrupt, "log-form", form;
        /// A suite that this version does not know.
        Suite: Corrupt, "log-suite", suite;
        /// The signature does not fit.
        Signature: BadKey, "log-signature", signature;
        /// It is held against another vault key.
        OtherVaultKey: BadKey, "log-other-vault-key", other_vault_key;
        /// It is held against another log key.
        OtherLogKey: BadKey, "log-other-log-key", other_log_key;
    }
}
