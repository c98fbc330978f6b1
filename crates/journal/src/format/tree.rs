//! The Merkle tree of RFC 6962 section 2.1 over the rows, as a compact range: the roots of its full subtrees.

use lychgate_core::ids::Digest;
use sha2::{Digest as _, Sha256};

/// A SHA-256 value.
pub type Hash = [u8; 32];

/// Hash of one row: SHA-256(0x00 ‖ entry). The frame around the entry is not part of it.
#[must_use]
pub fn leaf_hash(entry: &[u8]) -> Hash {
    let mut hash = Sha256::new();
    hash.update([0x00]);
    hash.update(entry);
    hash.finalize().into()
}

fn node_hash(left: &Hash, right: &Hash) -> Hash {
    let mut hash = Sha256::new();
    hash.update([0x01]);
    hash.update(left);
    hash.update(right);
    hash.finalize().into()
}

/// A tree that can grow and tell its root. Holds at most 64 hashes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Tree {
    size: u64,
    // INVARIANT: one hash per set bit of `size`, for the largest subtree first.
    peaks: Vec<Hash>,
}

impl Tree {
    /// The tree of no rows.
    #[must_use]
    pub fn empty() -> Self {
        Self { size: 0, peaks: Vec::new() }
    }

    /// A tree from its compact range; `None` where the number of hashes does not fit the size.
    #[must_use]
    pub fn from_range(size: u64, peaks: Vec<Hash>) -> Option<Self> {
        (peaks.len() == size.count_ones() as usize).then_some(Self { size, peaks })
    }

    /// Number of rows.
    #[must_use]
    pub fn size(&self) -> u64 {
        self.size
    }

    /// The compact range.
    #[must_use]
    pub fn range(&self) -> &[Hash] {
        &self.peaks
    }

    /// Adds one leaf.
    pub fn push(&mut self, leaf: Hash) {
        let mut merged = leaf;
        let mut bits = self.size;
        while bits & 1 == 1 {
            let Some(left) = self.peaks.pop() else { break };
            merged = node_hash(&left, &merged);
            bits >>= 1;
        }
        self.peaks.push(merged);
        self.size += 1;
    }

    /// The root; SHA-256 of nothing for the empty tree.
    #[must_use]
    pub fn root(&self) -> Hash {
        let mut from_right = self.peaks.iter().rev();
        let Some(last) = from_right.next() else { return Sha256::digest([]).into() };
        from_right.fold(*last, |right, left| node_hash(left, &right))
    }

    /// The root in the type that leaves this crate.
    #[must_use]
    pub fn root_digest(&self) -> Digest {
        Digest(self.root())
    }
}

#[cfg(test)]
#[expect(clippy::unwrap_used, clippy::indexing_slicing, reason = "tests")]
mod tests {
    use super::*;

    /// The definition in RFC 6962 section 2.1, word for word, as an oracle.
    fn root_by_definition(leaves: &[Hash]) -> Hash {
        match leaves {
            [] => Sha256::digest([]).into(),
            [one] => *one,
            many => {
                let mut split = 1;
                while split * 2 < many.len() {
                    split *= 2;
                }
                node_hash(&root_by_definition(&many[..split]), &root_by_definition(&many[split..]))
            }
        }
    }

    #[test]
    fn the_compact_range_gives_the_root_of_the_definition_at_every_size() {
        let leaves: Vec<Hash> = (0..70u8).map(|n| leaf_hash(&[n])).collect();
        let mut tree = Tree::empty();
        for n in 0..leaves.len() {
            assert_eq!(tree.root(), root_by_definition(&leaves[..n]), "size {n}");
            tree.push(leaves[n]);
        }
    }

    #[test]
    fn roots_are_those_of_the_certificate_transparency_reference_vectors() {
        // Leaves "", 00, 10, 2021: the reference vectors of the certificate-transparency project.
        let mut tree = Tree::empty();
        for leaf in [&b""[..], &[0x00], &[0x10], &[0x20, 0x21]] {
            tree.push(leaf_hash(leaf));
        }
        assert_eq!(hex::encode(tree.root()), "d37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7");
        let mut one = Tree::empty();
        one.push(leaf_hash(b""));
        assert_eq!(hex::encode(one.root()), "6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d");
    }

    #[test]
    fn a_range_of_the_wrong_length_is_no_tree() {
        assert!(Tree::from_range(5, vec![[0; 32]]).is_none());
        assert!(Tree::from_range(0, vec![[0; 32]]).is_none());
        assert_eq!(Tree::from_range(0, vec![]).unwrap(), Tree::empty());
    }
}
