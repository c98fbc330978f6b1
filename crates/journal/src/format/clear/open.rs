//! SEGMENT_OPEN: the first row of a segment.

use super::clear_data;
use crate::format::entry::Header;
use crate::format::tree::Hash;
use crate::protocol::Carry;

/// Label of what a segment's key signs in its OPEN.
const LABEL: &[u8] = b"lychgate/journal/sign/open/1\0";

clear_data! {
    /// SEGMENT_OPEN: everything a reader needs to begin here, so that a start needs no history.
    pub struct Open {
        /// Log that it belongs to.
        pub log_id: [u8; 16],
        /// Number of the segment, from 0. Also the generation: two writers can't both make the next one.
        pub segment: u64,
        /// Public key that signs this segment's commits.
        pub key: [u8; 32],
        /// Public key of the next segment.
        pub next_key: [u8; 32],
        /// SHA-256 of the recipient's public key.
        pub recipient: Hash,
        /// Root over the rows before this one.
        pub prev_root: Hash,
        /// Compact range over the rows before this one.
        pub range: Vec<Hash>,
        /// Protocol state before this row.
        pub carry: Carry,
        /// HPKE encapsulated key of the first opening.
        pub enc: Vec<u8>,
        /// The segment key's signature; see [`Open::signed`].
        pub signature: [u8; 64],
    }
}

impl Open {
    /// What the segment's key signs: label ‖ header of the row ‖ clear data before the signature.
    #[must_use]
    pub fn signed(&self, header: &Header) -> Vec<u8> {
        super::signed(LABEL, &header.encode(), self.encode())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::protocol::OpenAction;
    use lychgate_core::ids::{BootNo, GrantNo, Ref};
    use std::collections::BTreeMap;

    fn open() -> Open {
        let action = OpenAction { boot: BootNo(2), epoch: 4, grant: GrantNo(1), dispatched: true };
        Open {
            log_id: [1; 16],
            segment: 3,
            key: [2; 32],
            next_key: [3; 32],
            recipient: [4; 32],
            prev_root: [5; 32],
            range: vec![[6; 32], [7; 32]],
            carry: Carry {
                last_grant: 9,
                grants: BTreeMap::from([(GrantNo(1), 4), (GrantNo(9), 5)]),
                actions: BTreeMap::from([(Ref([8; 16]), action)]),
            },
            enc: vec![9; 1120],
            signature: [10; 64],
        }
    }

    #[test]
    fn an_open_comes_back_and_a_missing_or_added_byte_refuses() {
        let open = open();
        let mut bytes = open.encode();
        assert_eq!(Open::parse(&bytes), Some(open));
        bytes.push(0);
        assert_eq!(Open::parse(&bytes), None);
        bytes.truncate(bytes.len() - 2);
        assert_eq!(Open::parse(&bytes), None);
    }

    #[test]
    fn the_bytes_are_those_of_the_description() {
        let by_hand: &[&[u8]] = &[
            &[1; 16],
            &[3, 0, 0, 0, 0, 0, 0, 0],
            &[2; 32],
            &[3; 32],
            &[4; 32],
            &[5; 32],
            &[2],
            &[6; 32],
            &[7; 32],
            // Carry: last grant, two grants, one action.
            &[9, 0, 0, 0],
            &[2, 0, 0, 0],
            &[1, 0, 0, 0, 4, 0, 0, 0, 0, 0, 0, 0],
            &[9, 0, 0, 0, 5, 0, 0, 0, 0, 0, 0, 0],
            &[1, 0, 0, 0],
            &[8; 16],
            &[2, 0, 0, 0, 4, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 1],
            &[96, 4],
            &[9; 1120],
            &[10; 64],
        ];
        assert_eq!(open().encode(), by_hand.concat());
    }
}
