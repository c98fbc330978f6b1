//! How one field stands in clear data: by its type, so that writing and reading can't differ.

use crate::format::bytes::Cursor;
use crate::format::tree::Hash;
use lychgate_core::ids::{BootNo, GrantNo, Ref};
use std::collections::BTreeMap;

/// A compact range has one hash per set bit of a 64-bit size.
const RANGE_MAX: u8 = 64;

/// A type that stands in clear data in exactly one form.
pub(super) trait Field: Sized {
    /// Appends it.
    fn put(&self, out: &mut Vec<u8>);
    /// Reads it; `None` where it has another form.
    fn take(from: &mut Cursor<'_>) -> Option<Self>;
}

impl Field for u32 {
    fn put(&self, out: &mut Vec<u8>) {
        out.extend_from_slice(&self.to_le_bytes());
    }
    fn take(from: &mut Cursor<'_>) -> Option<Self> {
        from.u32()
    }
}

impl Field for u64 {
    fn put(&self, out: &mut Vec<u8>) {
        out.extend_from_slice(&self.to_le_bytes());
    }
    fn take(from: &mut Cursor<'_>) -> Option<Self> {
        from.u64()
    }
}

impl<const N: usize> Field for [u8; N] {
    fn put(&self, out: &mut Vec<u8>) {
        out.extend_from_slice(self);
    }
    fn take(from: &mut Cursor<'_>) -> Option<Self> {
        from.array()
    }
}

/// One byte, 0 or 1.
impl Field for bool {
    fn put(&self, out: &mut Vec<u8>) {
        out.push(u8::from(*self));
    }
    fn take(from: &mut Cursor<'_>) -> Option<Self> {
        match from.u8()? {
            0 => Some(false),
            1 => Some(true),
            _ => None,
        }
    }
}

/// 0, or 1 and the value.
impl<T: Field> Field for Option<T> {
    fn put(&self, out: &mut Vec<u8>) {
        self.is_some().put(out);
        if let Some(value) = self {
            value.put(out);
        }
    }
    fn take(from: &mut Cursor<'_>) -> Option<Self> {
        if bool::take(from)? { T::take(from).map(Some) } else { Some(None) }
    }
}

/// `bytes16`: a 16-bit length and the bytes.
impl Field for Vec<u8> {
    fn put(&self, out: &mut Vec<u8>) {
        out.extend_from_slice(&u16::try_from(self.len()).unwrap_or(u16::MAX).to_le_bytes());
        out.extend_from_slice(self);
    }
    fn take(from: &mut Cursor<'_>) -> Option<Self> {
        let len = from.u16()?;
        from.take(usize::from(len)).map(<[u8]>::to_vec)
    }
}

/// A compact range: an 8-bit number of hashes and the hashes.
impl Field for Vec<Hash> {
    fn put(&self, out: &mut Vec<u8>) {
        out.push(u8::try_from(self.len()).unwrap_or(u8::MAX));
        out.extend(self.iter().flatten());
    }
    fn take(from: &mut Cursor<'_>) -> Option<Self> {
        let len = Some(from.u8()?).filter(|len| *len <= RANGE_MAX)?;
        (0..len).map(|_| from.array()).collect()
    }
}

/// A list that rises strictly by its first field, so that one map has one form.
impl<K: Field + Ord, V: Field> Field for BTreeMap<K, V> {
    fn put(&self, out: &mut Vec<u8>) {
        u32::try_from(self.len()).unwrap_or(u32::MAX).put(out);
        for (key, value) in self {
            key.put(out);
            value.put(out);
        }
    }
    fn take(from: &mut Cursor<'_>) -> Option<Self> {
        let mut map = Self::new();
        for _ in 0..u32::take(from)? {
            let (key, value) = (K::take(from)?, V::take(from)?);
            let rising = map.last_key_value().is_none_or(|(last, _)| *last < key);
            rising.then(|| map.insert(key, value))?;
        }
        Some(map)
    }
}

impl Field for GrantNo {
    fn put(&self, out: &mut Vec<u8>) {
        self.0.put(out);
    }
    fn take(from: &mut Cursor<'_>) -> Option<Self> {
        Field::take(from).map(Self)
    }
}

impl Field for BootNo {
    fn put(&self, out: &mut Vec<u8>) {
        self.0.put(out);
    }
    fn take(from: &mut Cursor<'_>) -> Option<Self> {
        Field::take(from).map(Self)
    }
}

impl Field for Ref {
    fn put(&self, out: &mut Vec<u8>) {
        self.0.put(out);
    }
    fn take(from: &mut Cursor<'_>) -> Option<Self> {
        Field::take(from).map(Self)
    }
}
