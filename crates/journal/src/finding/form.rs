//! Frames and entries that have another form than they must.

use super::findings;

findings! {
    /// What stands where the next frame should, or behind the last one.
    pub enum BadFrame in frame {
        /// The file ends within it.
        CutOff: Corrupt, "frame-cut-off", cut_off;
        /// No entry has its length.
        Length: Corrupt, "frame-length", length;
        /// Its bytes are others.
        Checksum: Corrupt, "frame-checksum", checksum;
        /// Its pad is not zero.
        Pad: Corrupt, "frame-pad", pad;
        /// Behind the clean end something follows.
        Rest: Corrupt, "rest-not-zero", rest;
        /// The rows before it end without a COMMIT.
        NoCommit: Corrupt, "commit-missing", no_commit;
    }
}

findings! {
    /// Why an entry is none that this version writes.
    pub enum BadEntry in entry {
        /// A COMMIT has one length.
        CommitLength: Corrupt, "commit-length", commit_length;
        /// No flag is known.
        Flags: Corrupt, "row-flags", flags;
        /// One version is known.
        Version: Corrupt, "row-version", version;
        /// The kind has no known number.
        Kind: Corrupt, "row-kind", kind;
        /// Too short for a header.
        HeaderLength: Corrupt, "row-header-length", header_length;
        /// Too short for the clear data and the tag.
        Length: Corrupt, "row-length", length;
        /// Payloads have one of few lengths.
        SealedLength: Corrupt, "row-sealed-length", sealed_length;
    }
}
