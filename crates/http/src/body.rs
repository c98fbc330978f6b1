//! The part of a response's body that is kept, and the count of the rest.

use crate::bounds::RESPONSE_READ_BYTES;
use lychgate_core::limits::RESPONSE_KEPT_BYTES;

/// Collects a body. What lies beyond the kept part, plus what the search for the credential must see across the cut,
/// is counted and dropped.
#[derive(Debug)]
pub(crate) struct Kept {
    bytes: Vec<u8>,
    most: usize,
    total: u64,
}

/// Whether more of the body is wanted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum More {
    /// Go on.
    Wanted,
    /// The bound for reading was passed: cut the connection.
    Enough,
}

impl Kept {
    /// `reach` bytes beyond the limit are kept for the search alone.
    pub(crate) fn new(reach: usize) -> Self {
        Self { bytes: Vec::new(), most: RESPONSE_KEPT_BYTES + reach, total: 0 }
    }

    /// Takes the next piece.
    pub(crate) fn take(&mut self, piece: &[u8]) -> More {
        self.total = self.total.saturating_add(piece.len() as u64);
        let room = self.most.saturating_sub(self.bytes.len()).min(piece.len());
        self.bytes.extend_from_slice(piece.get(..room).unwrap_or_default());
        if self.total > RESPONSE_READ_BYTES { More::Enough } else { More::Wanted }
    }

    /// All that was kept, the reach included, and how many bytes came in.
    pub(crate) fn into_parts(self) -> (Vec<u8>, u64) {
        (self.bytes, self.total)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn beyond_the_limit_bytes_are_counted_and_dropped() {
        let mut kept = Kept::new(10);
        for _ in 0..3 {
            assert_eq!(kept.take(&vec![b'x'; RESPONSE_KEPT_BYTES / 2]), More::Wanted);
        }
        let (bytes, total) = kept.into_parts();
        assert_eq!(bytes.len(), RESPONSE_KEPT_BYTES + 10);
        assert_eq!(total, RESPONSE_KEPT_BYTES as u64 / 2 * 3);
    }

    #[test]
    fn reading_ends_where_the_bound_is_passed() {
        let mut kept = Kept::new(0);
        let piece = vec![0; RESPONSE_READ_BYTES as usize / 4];
        for _ in 0..4 {
            assert_eq!(kept.take(&piece), More::Wanted);
        }
        assert_eq!(kept.take(b"x"), More::Enough);
    }
}
