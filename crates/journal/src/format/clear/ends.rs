//! How a segment ends: SEGMENT_CLOSE in it, or RECOVERY in the one after it. Exactly one of the two.

use super::clear_data;
use super::fields::Field;
use crate::format::bytes::Cursor;
use crate::format::entry::Header;
use crate::format::tree::Hash;

/// Label of what a segment's key signs in its CLOSE.
const CLOSE_LABEL: &[u8] = b"lychgate/journal/sign/close/1\0";

clear_data! {
    /// SEGMENT_CLOSE: the signed end of a segment.
    pub struct Close {
        /// Number of the segment.
        pub segment: u64,
        /// Root over the rows before this one.
        pub root: Hash,
        /// Compact range over them.
        pub range: Vec<Hash>,
        /// The segment key's signature; see [`Close::signed`].
        pub signature: [u8; 64],
    }
}

impl Close {
    /// What the segment's key signs: label ‖ header of the row ‖ clear data before the signature.
    #[must_use]
    pub fn signed(&self, header: &Header) -> Vec<u8> {
        super::signed(CLOSE_LABEL, &header.encode(), self.encode())
    }
}

clear_data! {
    /// RECOVERY: stands right behind the OPEN of the segment that follows one without a CLOSE.
    pub struct Recovery {
        /// Number of the segment that was not closed.
        pub segment: u64,
        /// Rows up to and with its last good COMMIT.
        pub size: u64,
        /// Root over them.
        pub root: Hash,
        /// Offset in its file behind that COMMIT, where it was cut.
        pub offset: u64,
        /// Bytes that were set aside, without the zeroed rest.
        pub tail_len: u64,
        /// SHA-256 of them.
        pub tail_hash: Hash,
        /// A later COMMIT that may be on disk and was never acknowledged.
        pub failed: Option<FailedCommit>,
    }
}

/// A COMMIT whose write or fdatasync failed. Nothing that rests on it was released.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FailedCommit {
    /// Its size.
    pub size: u64,
    /// Its root.
    pub root: Hash,
}

impl Field for FailedCommit {
    fn put(&self, out: &mut Vec<u8>) {
        self.size.put(out);
        self.root.put(out);
    }
    fn take(from: &mut Cursor<'_>) -> Option<Self> {
        Some(Self { size: Field::take(from)?, root: Field::take(from)? })
    }
}
