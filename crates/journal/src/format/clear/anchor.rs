//! ANCHOR: the vault vouches.

use super::clear_data;
use crate::format::tree::Hash;

/// Label of what the vault's key signs in an ANCHOR.
const LABEL: &[u8] = b"lychgate/journal/sign/anchor/1\0";

clear_data! {
    /// ANCHOR: the vault's signature over the log so far and over the OPEN of the segment it stands in.
    pub struct Anchor {
        /// Log.
        pub log_id: [u8; 16],
        /// Number of the segment.
        pub segment: u64,
        /// Rows before this one.
        pub size: u64,
        /// Root over them.
        pub root: Hash,
        /// Leaf hash of the segment's OPEN.
        pub open_leaf: Hash,
        /// The vault key's signature; see [`Anchor::signed`].
        pub signature: [u8; 64],
    }
}

impl Anchor {
    /// What the vault's key signs: label ‖ the fields before the signature.
    #[must_use]
    pub fn signed(&self) -> Vec<u8> {
        super::signed(LABEL, &[], self.encode())
    }
}
