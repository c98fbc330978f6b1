//! CBOR (RFC 8949) as the sealed files use it: exact lengths, nothing left over.

use cbor4ii::core::dec::Read;
use cbor4ii::core::utils::SliceReader;
use lychgate_text::words;
use serde::{Deserialize, Deserializer, Serialize, Serializer, de};
use std::fmt;
use std::io;
use zeroize::Zeroizing;

/// Bytes that are not one whole value of the expected type. Says nothing of the bytes, which may be secret.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum Malformed {
    /// Not of the type, or cut short.
    #[error("{}", words().seal().cbor_of_another_form)]
    Form,
    /// A value, and something after it.
    #[error("{}", words().seal().cbor_left_over)]
    LeftOver,
}

/// The bytes of `value`. They are wiped when dropped, and written into one allocation of the right size, so that no
/// copy stays behind from a growing buffer.
///
/// # Errors
/// [`Malformed`] where `value` has no CBOR form (a map without a known length, say).
pub fn encode<T: Serialize>(value: &T) -> Result<Zeroizing<Vec<u8>>, Malformed> {
    let mut length = Counter(0);
    cbor4ii::serde::to_writer(&mut length, value).map_err(malformed)?;
    let mut out = Zeroizing::new(Vec::with_capacity(length.0));
    cbor4ii::serde::to_writer(&mut *out, value).map_err(malformed)?;
    Ok(out)
}

/// The one value that `bytes` holds.
///
/// # Errors
/// [`Malformed`] for another type, an unknown field where the type denies them, or bytes left over.
pub fn decode<'a, T: Deserialize<'a>>(bytes: &'a [u8]) -> Result<T, Malformed> {
    let mut source = cbor4ii::serde::Deserializer::new(SliceReader::new(bytes));
    let value = T::deserialize(&mut source).map_err(malformed)?;
    let mut rest = source.into_inner();
    let left = rest.fill(1).map_err(malformed)?;
    if left.as_ref().is_empty() { Ok(value) } else { Err(Malformed::LeftOver) }
}

/// The decoder's own words may quote the bytes, so they end here.
fn malformed<E>(_: E) -> Malformed {
    Malformed::Form
}

struct Counter(usize);

impl io::Write for Counter {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0 = self.0.saturating_add(bytes.len());
        Ok(bytes.len())
    }
    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// `N` bytes that are no secret, written as a CBOR byte string of exactly that length.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Fixed<const N: usize>(pub [u8; N]);

impl<const N: usize> fmt::Debug for Fixed<N> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

impl<const N: usize> Serialize for Fixed<N> {
    fn serialize<S: Serializer>(&self, s: S) -> Result<S::Ok, S::Error> {
        s.serialize_bytes(&self.0)
    }
}

impl<'de, const N: usize> Deserialize<'de> for Fixed<N> {
    fn deserialize<D: Deserializer<'de>>(d: D) -> Result<Self, D::Error> {
        struct Exactly<const N: usize>;
        impl<const N: usize> de::Visitor<'_> for Exactly<N> {
            type Value = Fixed<N>;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                write!(f, "{N} bytes")
            }
            fn visit_bytes<E: de::Error>(self, bytes: &[u8]) -> Result<Fixed<N>, E> {
                bytes.try_into().map(Fixed).map_err(|_| E::invalid_length(bytes.len(), &self))
            }
        }
        d.deserialize_bytes(Exactly)
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests")]
    use super::*;

    #[derive(Debug, PartialEq, Serialize, Deserialize)]
    #[serde(deny_unknown_fields)]
    struct Pair {
        a: u32,
        b: Fixed<4>,
    }

    #[test]
    fn a_value_comes_back_and_nothing_may_follow_it() {
        let pair = Pair { a: 7, b: Fixed([1, 2, 3, 4]) };
        let bytes = encode(&pair).unwrap();
        assert_eq!(decode::<Pair>(&bytes), Ok(pair));
        let longer = [bytes.as_slice(), &[0]].concat();
        assert_eq!(decode::<Pair>(&longer), Err(Malformed::LeftOver));
        for end in 0..bytes.len() {
            assert_eq!(decode::<Pair>(bytes.get(..end).unwrap()), Err(Malformed::Form), "{end}");
        }
    }

    #[test]
    fn unknown_fields_and_other_lengths_are_refused() {
        #[derive(Serialize)]
        struct More {
            a: u32,
            b: Fixed<4>,
            c: bool,
        }
        #[derive(Serialize)]
        struct Longer {
            a: u32,
            b: Fixed<5>,
        }
        assert!(decode::<Pair>(&encode(&More { a: 1, b: Fixed([0; 4]), c: true }).unwrap()).is_err());
        assert!(decode::<Pair>(&encode(&Longer { a: 1, b: Fixed([0; 5]) }).unwrap()).is_err());
    }
}
