//! Clear data of the journal's own rows: what a verifier without any key has to see.

use super::bytes::Cursor;
use super::entry::Header;
use super::tree::Hash;
use crate::protocol::{Carry, OpenAction};
use lychgate_core::ids::{BootNo, GrantNo, Ref};
use std::collections::BTreeMap;

/// Label of what a segment's key signs in its OPEN.
const OPEN_LABEL: &[u8] = b"lychgate/journal/sign/open/1\0";
/// Label of what a segment's key signs in its CLOSE.
const CLOSE_LABEL: &[u8] = b"lychgate/journal/sign/close/1\0";
/// Label of what the vault's key signs in an ANCHOR.
const ANCHOR_LABEL: &[u8] = b"lychgate/journal/sign/anchor/1\0";

/// SEGMENT_OPEN: everything a reader needs to begin here, so that a start needs no history.
#[derive(Debug, Clone, PartialEq, Eq)]
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

impl Open {
    /// The bytes of the clear data.
    #[must_use]
    pub fn encode(&self) -> Vec<u8> {
        let mut out = self.encode_unsigned();
        out.extend_from_slice(&self.signature);
        out
    }

    fn encode_unsigned(&self) -> Vec<u8> {
        let mut out = Vec::new();
        out.extend_from_slice(&self.log_id);
        out.extend_from_slice(&self.segment.to_le_bytes());
        out.extend_from_slice(&self.key);
        out.extend_from_slice(&self.next_key);
        out.extend_from_slice(&self.recipient);
        out.extend_from_slice(&self.prev_root);
        put_range(&mut out, &self.range);
        put_carry(&mut out, &self.carry);
        put_bytes(&mut out, &self.enc);
        out
    }

    /// What the segment's key signs: label ‖ header of the row ‖ clear data before the signature.
    #[must_use]
    pub fn signed(&self, header: &Header) -> Vec<u8> {
        [OPEN_LABEL, &header.encode(), &self.encode_unsigned()].concat()
    }

    /// Reads the clear data of an OPEN.
    #[must_use]
    pub fn parse(clear: &[u8]) -> Option<Self> {
        let mut from = Cursor::new(clear);
        let open = Self {
            log_id: from.array()?,
            segment: from.u64()?,
            key: from.array()?,
            next_key: from.array()?,
            recipient: from.array()?,
            prev_root: from.array()?,
            range: take_range(&mut from)?,
            carry: take_carry(&mut from)?,
            enc: take_bytes(&mut from)?,
            signature: from.array()?,
        };
        from.end()?;
        Some(open)
    }
}

/// SEGMENT_CLOSE: the signed end of a segment.
#[derive(Debug, Clone, PartialEq, Eq)]
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

impl Close {
    /// The bytes of the clear data.
    #[must_use]
    pub fn encode(&self) -> Vec<u8> {
        let mut out = self.encode_unsigned();
        out.extend_from_slice(&self.signature);
        out
    }

    fn encode_unsigned(&self) -> Vec<u8> {
        let mut out = self.segment.to_le_bytes().to_vec();
        out.extend_from_slice(&self.root);
        put_range(&mut out, &self.range);
        out
    }

    /// What the segment's key signs: label ‖ header of the row ‖ clear data before the signature.
    #[must_use]
    pub fn signed(&self, header: &Header) -> Vec<u8> {
        [CLOSE_LABEL, &header.encode(), &self.encode_unsigned()].concat()
    }

    /// Reads the clear data of a CLOSE.
    #[must_use]
    pub fn parse(clear: &[u8]) -> Option<Self> {
        let mut from = Cursor::new(clear);
        let close =
            Self { segment: from.u64()?, root: from.array()?, range: take_range(&mut from)?, signature: from.array()? };
        from.end()?;
        Some(close)
    }
}

/// RECOVERY: stands right behind the OPEN of the segment that follows one without a CLOSE.
#[derive(Debug, Clone, PartialEq, Eq)]
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

/// A COMMIT whose write or fdatasync failed. Nothing that rests on it was released.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FailedCommit {
    /// Its size.
    pub size: u64,
    /// Its root.
    pub root: Hash,
}

impl Recovery {
    /// The bytes of the clear data.
    #[must_use]
    pub fn encode(&self) -> Vec<u8> {
        let mut out = Vec::new();
        out.extend_from_slice(&self.segment.to_le_bytes());
        out.extend_from_slice(&self.size.to_le_bytes());
        out.extend_from_slice(&self.root);
        out.extend_from_slice(&self.offset.to_le_bytes());
        out.extend_from_slice(&self.tail_len.to_le_bytes());
        out.extend_from_slice(&self.tail_hash);
        match &self.failed {
            None => out.push(0),
            Some(failed) => {
                out.push(1);
                out.extend_from_slice(&failed.size.to_le_bytes());
                out.extend_from_slice(&failed.root);
            }
        }
        out
    }

    /// Reads the clear data of a RECOVERY.
    #[must_use]
    pub fn parse(clear: &[u8]) -> Option<Self> {
        let mut from = Cursor::new(clear);
        let recovery = Self {
            segment: from.u64()?,
            size: from.u64()?,
            root: from.array()?,
            offset: from.u64()?,
            tail_len: from.u64()?,
            tail_hash: from.array()?,
            failed: match from.u8()? {
                0 => None,
                1 => Some(FailedCommit { size: from.u64()?, root: from.array()? }),
                _ => return None,
            },
        };
        from.end()?;
        Some(recovery)
    }
}

/// REKEY: a new opening of the ratchet within a segment. The row itself is the first one sealed under it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Rekey {
    /// Number of the opening within its segment; the OPEN's is 0.
    pub opening: u32,
    /// Root over the rows before this one.
    pub prev_root: Hash,
    /// HPKE encapsulated key.
    pub enc: Vec<u8>,
}

impl Rekey {
    /// The bytes of the clear data.
    #[must_use]
    pub fn encode(&self) -> Vec<u8> {
        let mut out = self.opening.to_le_bytes().to_vec();
        out.extend_from_slice(&self.prev_root);
        put_bytes(&mut out, &self.enc);
        out
    }

    /// Reads the clear data of a REKEY.
    #[must_use]
    pub fn parse(clear: &[u8]) -> Option<Self> {
        let mut from = Cursor::new(clear);
        let rekey = Self { opening: from.u32()?, prev_root: from.array()?, enc: take_bytes(&mut from)? };
        from.end()?;
        Some(rekey)
    }
}

/// ANCHOR: the vault's signature over the log so far and over the OPEN of the segment it stands in.
#[derive(Debug, Clone, PartialEq, Eq)]
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

impl Anchor {
    /// The bytes of the clear data.
    #[must_use]
    pub fn encode(&self) -> Vec<u8> {
        let mut out = self.encode_unsigned();
        out.extend_from_slice(&self.signature);
        out
    }

    fn encode_unsigned(&self) -> Vec<u8> {
        let mut out = self.log_id.to_vec();
        out.extend_from_slice(&self.segment.to_le_bytes());
        out.extend_from_slice(&self.size.to_le_bytes());
        out.extend_from_slice(&self.root);
        out.extend_from_slice(&self.open_leaf);
        out
    }

    /// What the vault's key signs: label ‖ the fields before the signature.
    #[must_use]
    pub fn signed(&self) -> Vec<u8> {
        [ANCHOR_LABEL, &self.encode_unsigned()].concat()
    }

    /// Reads the clear data of an ANCHOR.
    #[must_use]
    pub fn parse(clear: &[u8]) -> Option<Self> {
        let mut from = Cursor::new(clear);
        let anchor = Self {
            log_id: from.array()?,
            segment: from.u64()?,
            size: from.u64()?,
            root: from.array()?,
            open_leaf: from.array()?,
            signature: from.array()?,
        };
        from.end()?;
        Some(anchor)
    }
}

fn put_bytes(out: &mut Vec<u8>, bytes: &[u8]) {
    out.extend_from_slice(&u16::try_from(bytes.len()).unwrap_or(u16::MAX).to_le_bytes());
    out.extend_from_slice(bytes);
}

fn take_bytes(from: &mut Cursor<'_>) -> Option<Vec<u8>> {
    let len = from.u16()?;
    from.take(usize::from(len)).map(<[u8]>::to_vec)
}

fn put_range(out: &mut Vec<u8>, range: &[Hash]) {
    out.push(u8::try_from(range.len()).unwrap_or(u8::MAX));
    out.extend(range.iter().flatten());
}

fn take_range(from: &mut Cursor<'_>) -> Option<Vec<Hash>> {
    let len = from.u8()?;
    if len > 64 {
        return None;
    }
    (0..len).map(|_| from.array()).collect()
}

fn put_carry(out: &mut Vec<u8>, carry: &Carry) {
    out.extend_from_slice(&carry.last_grant.to_le_bytes());
    out.extend_from_slice(&u32::try_from(carry.grants.len()).unwrap_or(u32::MAX).to_le_bytes());
    for (grant, epoch) in &carry.grants {
        out.extend_from_slice(&grant.0.to_le_bytes());
        out.extend_from_slice(&epoch.to_le_bytes());
    }
    out.extend_from_slice(&u32::try_from(carry.actions.len()).unwrap_or(u32::MAX).to_le_bytes());
    for (reference, action) in &carry.actions {
        out.extend_from_slice(&reference.0);
        out.extend_from_slice(&action.boot.0.to_le_bytes());
        out.extend_from_slice(&action.epoch.to_le_bytes());
        out.extend_from_slice(&action.grant.0.to_le_bytes());
        out.push(u8::from(action.dispatched));
    }
}

/// Reads both maps; entries that are not in rising order refuse, so that one state has one encoding.
fn take_carry(from: &mut Cursor<'_>) -> Option<Carry> {
    let last_grant = from.u32()?;
    let mut grants = BTreeMap::new();
    for _ in 0..from.u32()? {
        let (grant, epoch) = (GrantNo(from.u32()?), from.u64()?);
        push_rising(&mut grants, grant, epoch)?;
    }
    let mut actions = BTreeMap::new();
    for _ in 0..from.u32()? {
        let reference = Ref(from.array()?);
        let action = OpenAction {
            boot: BootNo(from.u32()?),
            epoch: from.u64()?,
            grant: GrantNo(from.u32()?),
            dispatched: match from.u8()? {
                0 => false,
                1 => true,
                _ => return None,
            },
        };
        push_rising(&mut actions, reference, action)?;
    }
    Some(Carry { last_grant, grants, actions })
}

fn push_rising<K: Ord, V>(map: &mut BTreeMap<K, V>, key: K, value: V) -> Option<()> {
    let rising = map.last_key_value().is_none_or(|(last, _)| *last < key);
    rising.then(|| map.insert(key, value)).map(|_| ())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_open_comes_back_and_a_missing_or_added_byte_refuses() {
        let action = OpenAction { boot: BootNo(2), epoch: 4, grant: GrantNo(1), dispatched: true };
        let open = Open {
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
        };
        let mut bytes = open.encode();
        assert_eq!(Open::parse(&bytes), Some(open));
        bytes.push(0);
        assert_eq!(Open::parse(&bytes), None);
        bytes.truncate(bytes.len() - 2);
        assert_eq!(Open::parse(&bytes), None);
    }

    #[test]
    fn carried_entries_out_of_order_are_refused() {
        let mut bytes = Vec::new();
        bytes.extend_from_slice(&5u32.to_le_bytes());
        bytes.extend_from_slice(&2u32.to_le_bytes());
        for grant in [2u32, 1] {
            bytes.extend_from_slice(&grant.to_le_bytes());
            bytes.extend_from_slice(&1u64.to_le_bytes());
        }
        bytes.extend_from_slice(&0u32.to_le_bytes());
        assert_eq!(take_carry(&mut Cursor::new(&bytes)), None);
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
}
