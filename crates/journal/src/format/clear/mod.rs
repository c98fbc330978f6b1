//! Clear data of the journal's own rows: what a verifier without any key has to see.
//!
//! Each struct lists its fields once, in the order in which they stand; the module `fields` says how a field of a type stands.

mod anchor;
mod carry;
mod ends;
mod fields;
mod open;
mod rekey;

pub use anchor::Anchor;
pub use ends::{Close, FailedCommit, Recovery};
pub use open::Open;
pub use rekey::Rekey;

/// A struct whose bytes are its fields, one behind the other, with nothing left over.
macro_rules! clear_data {
    (
        $(#[$meta:meta])*
        pub struct $name:ident { $($(#[$doc:meta])* pub $field:ident: $type:ty,)* }
    ) => {
        $(#[$meta])*
        #[derive(Debug, Clone, PartialEq, Eq)]
        pub struct $name {
            $($(#[$doc])* pub $field: $type,)*
        }

        impl $name {
            /// The bytes of the clear data.
            #[must_use]
            pub fn encode(&self) -> Vec<u8> {
                let mut out = Vec::new();
                $($crate::format::clear::fields::Field::put(&self.$field, &mut out);)*
                out
            }

            /// Reads the clear data; `None` where it has another form, or a byte is left over.
            #[must_use]
            pub fn parse(clear: &[u8]) -> Option<Self> {
                let mut from = $crate::format::bytes::Cursor::new(clear);
                // Fields of a struct expression are evaluated as they are written.
                let read = Self { $($field: $crate::format::clear::fields::Field::take(&mut from)?,)* };
                from.end()?;
                Some(read)
            }
        }
    };
}
use clear_data;

/// What a key signs: label ‖ what the row is bound to ‖ clear data before the signature, which is its last field.
fn signed(label: &[u8], bound_to: &[u8], mut clear: Vec<u8>) -> Vec<u8> {
    clear.truncate(clear.len().saturating_sub(size_of::<[u8; 64]>()));
    [label, bound_to, &clear].concat()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_signed_ends_before_the_signature() {
        assert_eq!(signed(b"label", b"header", [&b"clear"[..], &[9; 64]].concat()), b"labelheaderclear");
    }

    #[test]
    fn recovery_rekey_close_and_anchor_come_back() {
        let failed = Some(FailedCommit { size: 12, root: [3; 32] });
        for failed in [None, failed] {
            let recovery =
                Recovery { segment: 1, size: 10, root: [1; 32], offset: 4096, tail_len: 7, tail_hash: [2; 32], failed };
            assert_eq!(Recovery::parse(&recovery.encode()), Some(recovery));
        }
        let rekey = Rekey { opening: 1, prev_root: [1; 32], enc: vec![2; 9] };
        assert_eq!(Rekey::parse(&rekey.encode()), Some(rekey));
        let close = Close { segment: 1, root: [1; 32], range: vec![[2; 32]], signature: [3; 64] };
        assert_eq!(Close::parse(&close.encode()), Some(close));
        let anchor =
            Anchor { log_id: [1; 16], segment: 2, size: 3, root: [4; 32], open_leaf: [5; 32], signature: [6; 64] };
        assert_eq!(Anchor::parse(&anchor.encode()), Some(anchor));
    }

    #[test]
    fn the_bytes_are_those_of_the_description() {
        let close = Close { segment: 0x0102, root: [1; 32], range: vec![[2; 32], [3; 32]], signature: [4; 64] };
        let by_hand = [&[2, 1, 0, 0, 0, 0, 0, 0][..], &[1; 32], &[2], &[2; 32], &[3; 32], &[4; 64]].concat();
        assert_eq!(close.encode(), by_hand);
        let rekey = Rekey { opening: 7, prev_root: [1; 32], enc: vec![9; 3] };
        assert_eq!(rekey.encode(), [&[7, 0, 0, 0][..], &[1; 32], &[3, 0], &[9; 3]].concat());
        let failed = Some(FailedCommit { size: 5, root: [6; 32] });
        let recovery =
            Recovery { segment: 1, size: 2, root: [1; 32], offset: 3, tail_len: 4, tail_hash: [2; 32], failed };
        let number = |n: u64| n.to_le_bytes();
        let by_hand =
            [&number(1)[..], &number(2), &[1; 32], &number(3), &number(4), &[2; 32], &[1], &number(5), &[6; 32]];
        assert_eq!(recovery.encode(), by_hand.concat());
    }
}
