//! Entries: the clear header of a row with its sealed part, and the COMMIT that ends a batch.

use super::bytes::Cursor;
use super::payload;
use super::tree::{Hash, leaf_hash};
use crate::finding::BadEntry;
use lychgate_core::event::RowKind;
use lychgate_core::ids::{BootNo, GrantNo, Ref};

/// Format version, the first byte of every entry.
pub const VERSION: u8 = 1;
/// Bytes of the header of a row, up to and with `clear_len`.
pub const HEADER_BYTES: usize = 128;
/// Bytes of the tag behind the sealed part.
pub const TAG_BYTES: usize = 16;
/// Second byte of a COMMIT. Far from the numbers of row kinds, so that one flipped bit can't turn a row into one.
pub const COMMIT_KIND: u8 = 0xc0;
/// Bytes of a COMMIT entry.
pub const COMMIT_BYTES: usize = 120;

/// The clear header of a row.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Header {
    /// Kind.
    pub kind: RowKind,
    /// Sequence number, from 0 over the whole log.
    pub seq: u64,
    /// Leaf hash of the row before; zeros before row 0.
    pub prev_leaf: Hash,
    /// Gateway lifetime.
    pub boot: BootNo,
    /// Vault epoch, 0 in the journal's own rows.
    pub epoch: u64,
    /// Grant or 0.
    pub grant: GrantNo,
    /// Action or zeros.
    pub reference: Ref,
    /// Fresh per row.
    pub salt: [u8; 16],
    /// Commitment to the row key.
    pub kcommit: [u8; 32],
    /// Length of the clear data of the journal's own rows; 0 in the others.
    pub clear_len: u32,
}

impl Header {
    /// The header's bytes.
    #[must_use]
    pub fn encode(&self) -> Vec<u8> {
        let mut out = Vec::with_capacity(HEADER_BYTES);
        out.extend_from_slice(&[VERSION, self.kind as u8, 0, 0]);
        out.extend_from_slice(&self.seq.to_le_bytes());
        out.extend_from_slice(&self.prev_leaf);
        out.extend_from_slice(&self.boot.0.to_le_bytes());
        out.extend_from_slice(&self.epoch.to_le_bytes());
        out.extend_from_slice(&self.grant.0.to_le_bytes());
        out.extend_from_slice(&self.reference.0);
        out.extend_from_slice(&self.salt);
        out.extend_from_slice(&self.kcommit);
        out.extend_from_slice(&self.clear_len.to_le_bytes());
        out
    }
}

/// A row as it stands in a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Row<'a> {
    /// Its header.
    pub header: Header,
    /// Clear data of the journal's own rows.
    pub clear: &'a [u8],
    /// What the seal authenticates beside the payload: header and clear data.
    pub aad: &'a [u8],
    /// The sealed payload.
    pub ciphertext: &'a [u8],
    /// Its tag.
    pub tag: [u8; TAG_BYTES],
    /// Leaf hash.
    pub leaf: Hash,
}

/// The end of a batch.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Commit {
    /// Number of rows that were committed before this batch.
    pub first: u64,
    /// Number of rows up to and with this batch.
    pub size: u64,
    /// Root over them.
    pub root: Hash,
    /// C2SP key id of the segment's key.
    pub key_id: [u8; 4],
    /// The segment key's signature over the checkpoint text of (log origin, size, root).
    pub signature: [u8; 64],
}

impl Commit {
    /// The entry's bytes.
    #[must_use]
    pub fn encode(&self) -> Vec<u8> {
        let mut out = Vec::with_capacity(COMMIT_BYTES);
        out.extend_from_slice(&[VERSION, COMMIT_KIND, 0, 0]);
        out.extend_from_slice(&self.first.to_le_bytes());
        out.extend_from_slice(&self.size.to_le_bytes());
        out.extend_from_slice(&self.root);
        out.extend_from_slice(&self.key_id);
        out.extend_from_slice(&self.signature);
        out
    }
}

/// One entry, taken apart.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Entry<'a> {
    /// A row, which is a leaf of the tree.
    Row(Box<Row<'a>>),
    /// A COMMIT, which is not.
    Commit(Box<Commit>),
}

/// Takes an entry apart. Unknown versions, kinds and flags, lengths that fit no payload, and leftovers refuse.
///
/// # Errors
/// What is wrong.
pub fn parse(entry: &[u8]) -> Result<Entry<'_>, BadEntry> {
    match entry {
        [VERSION, COMMIT_KIND, 0, 0, ..] => {
            parse_commit(entry).map(|commit| Entry::Commit(Box::new(commit))).ok_or(BadEntry::CommitLength)
        }
        [VERSION, _, 0, 0, ..] => parse_row(entry).map(|row| Entry::Row(Box::new(row))),
        [VERSION, ..] => Err(BadEntry::Flags),
        _ => Err(BadEntry::Version),
    }
}

fn parse_commit(entry: &[u8]) -> Option<Commit> {
    let mut from = Cursor::new(entry);
    from.take(4)?;
    let commit = Commit {
        first: from.u64()?,
        size: from.u64()?,
        root: from.array()?,
        key_id: from.array()?,
        signature: from.array()?,
    };
    from.end()?;
    Some(commit)
}

fn parse_row(entry: &[u8]) -> Result<Row<'_>, BadEntry> {
    let header = parse_header(entry)?;
    let mut from = Cursor::new(entry);
    let row = (|| {
        let aad = from.take(HEADER_BYTES + header.clear_len as usize)?;
        let (_, clear) = aad.split_at_checked(HEADER_BYTES)?;
        let ciphertext = from.take(from.left().checked_sub(TAG_BYTES)?)?;
        let tag = from.array()?;
        Some((aad, clear, ciphertext, tag))
    })();
    let (aad, clear, ciphertext, tag) = row.ok_or(BadEntry::Length)?;
    if !payload::is_padded_len(ciphertext.len()) {
        return Err(BadEntry::SealedLength);
    }
    Ok(Row { header, clear, aad, ciphertext, tag, leaf: leaf_hash(entry) })
}

fn parse_header(entry: &[u8]) -> Result<Header, BadEntry> {
    let mut from = Cursor::new(entry);
    let read = (|| {
        from.u8()?;
        let kind = from.u8()?;
        from.u16()?;
        let header = Header {
            kind: RowKind::Event,
            seq: from.u64()?,
            prev_leaf: from.array()?,
            boot: BootNo(from.u32()?),
            epoch: from.u64()?,
            grant: GrantNo(from.u32()?),
            reference: Ref(from.array()?),
            salt: from.array()?,
            kcommit: from.array()?,
            clear_len: from.u32()?,
        };
        Some((kind, header))
    })();
    let (kind, header) = read.ok_or(BadEntry::HeaderLength)?;
    let kind = RowKind::from_number(kind).ok_or(BadEntry::Kind)?;
    Ok(Header { kind, ..header })
}

#[cfg(test)]
#[expect(clippy::unwrap_used, clippy::indexing_slicing, clippy::panic, reason = "tests")]
mod tests {
    use super::*;

    fn header() -> Header {
        Header {
            kind: RowKind::Dispatch,
            seq: 7,
            prev_leaf: [1; 32],
            boot: BootNo(3),
            epoch: 9,
            grant: GrantNo(2),
            reference: Ref([5; 16]),
            salt: [6; 16],
            kcommit: [7; 32],
            clear_len: 3,
        }
    }

    #[test]
    fn a_row_comes_back_with_its_parts() {
        let mut entry = header().encode();
        assert_eq!(entry.len(), HEADER_BYTES);
        entry.extend_from_slice(b"abc");
        entry.extend_from_slice(&[8; 64]);
        entry.extend_from_slice(&[9; 16]);
        let Entry::Row(row) = parse(&entry).unwrap() else { panic!("a row") };
        assert_eq!(row.header, header());
        assert_eq!((row.clear, row.ciphertext, row.tag), (&b"abc"[..], &[8; 64][..], [9; 16]));
        assert_eq!(row.aad, &entry[..131]);
    }

    #[test]
    fn unknown_versions_kinds_flags_and_lengths_are_refused() {
        let mut entry = header().encode();
        entry.extend_from_slice(b"abc");
        entry.extend_from_slice(&[0; 80]);
        assert!(parse(&entry).is_ok());
        for (place, value) in [(0, 2), (1, 99), (2, 1), (3, 1), (124, 4)] {
            let mut wrong = entry.clone();
            wrong[place] = value;
            assert!(parse(&wrong).is_err(), "byte {place}");
        }
        assert!(parse(&entry[..entry.len() - 1]).is_err());
        assert!(parse(&[]).is_err());
    }

    #[test]
    fn a_commit_comes_back_and_no_byte_may_follow_it() {
        let commit = Commit { first: 1, size: 2, root: [3; 32], key_id: [4; 4], signature: [5; 64] };
        let mut entry = commit.encode();
        assert_eq!(entry.len(), COMMIT_BYTES);
        assert_eq!(parse(&entry), Ok(Entry::Commit(Box::new(commit))));
        entry.push(0);
        assert!(parse(&entry).is_err());
    }
}
