//! Frames: `len:u32le | crc32c(len ‖ entry):u32le | entry | zero pad to 8 bytes`. A zero length is the clean end.

use crate::finding::BadFrame;
use std::io::{self, Read};

/// Frames begin at multiples of this many bytes.
pub const ALIGN: usize = 8;
/// Bytes before the entry.
pub const HEAD_BYTES: usize = 8;
/// No entry is longer; a larger length is damage, found before any allocation.
pub const MAX_ENTRY_BYTES: usize = 4 * 1024 * 1024;

/// Bytes that an entry of `len` bytes takes in the file.
#[must_use]
pub fn framed_len(len: usize) -> usize {
    (HEAD_BYTES + len).next_multiple_of(ALIGN)
}

/// Appends the frame of `entry`.
pub fn write_frame(out: &mut Vec<u8>, entry: &[u8]) {
    // Callers keep entries below MAX_ENTRY_BYTES; a longer one would be refused by every reader.
    let len = u32::try_from(entry.len()).unwrap_or(u32::MAX).to_le_bytes();
    out.extend_from_slice(&len);
    out.extend_from_slice(&crc(&len, entry).to_le_bytes());
    out.extend_from_slice(entry);
    out.resize(out.len().next_multiple_of(ALIGN), 0);
}

fn crc(len: &[u8; 4], entry: &[u8]) -> u32 {
    crc32c::crc32c_append(crc32c::crc32c(len), entry)
}

/// What stands at a place in a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Step {
    /// A whole frame; its entry is in the buffer.
    Frame {
        /// Offset of its first byte.
        at: u64,
        /// Offset behind its pad.
        end: u64,
    },
    /// A zero length, or the end of the file between two frames.
    End {
        /// Offset.
        at: u64,
    },
    /// Neither.
    Bad {
        /// Offset of the frame.
        at: u64,
        /// What is wrong.
        why: BadFrame,
    },
}

/// Reads frames one after another. `offset` must count from the start of the file.
pub struct Frames<R> {
    from: R,
    offset: u64,
}

impl<R: Read> Frames<R> {
    /// Reads from the start of a file.
    pub fn new(from: R) -> Self {
        Self { from, offset: 0 }
    }

    /// The next frame; its entry replaces the content of `entry`. After anything but a frame only
    /// [`Self::first_nonzero`] may be called.
    ///
    /// # Errors
    /// What reading the file gave.
    pub fn next(&mut self, entry: &mut Vec<u8>) -> io::Result<Step> {
        entry.clear();
        let at = self.offset;
        let bad = |why| Ok(Step::Bad { at, why });
        let mut head = [0; HEAD_BYTES];
        match self.fill(&mut head)? {
            0 => return Ok(Step::End { at }),
            HEAD_BYTES => {}
            _ => return bad(BadFrame::CutOff),
        }
        let (len_bytes, crc_bytes) = split(head);
        let len = u32::from_le_bytes(len_bytes) as usize;
        if head == [0; HEAD_BYTES] {
            return Ok(Step::End { at });
        }
        if len == 0 || len > MAX_ENTRY_BYTES {
            return bad(BadFrame::Length);
        }
        entry.resize(framed_len(len) - HEAD_BYTES, 0);
        if self.fill(entry)? != entry.len() {
            return bad(BadFrame::CutOff);
        }
        let pad_is_zero = entry.iter().skip(len).all(|byte| *byte == 0);
        entry.truncate(len);
        if crc(&len_bytes, entry) != u32::from_le_bytes(crc_bytes) {
            return bad(BadFrame::Checksum);
        }
        if !pad_is_zero {
            return bad(BadFrame::Pad);
        }
        Ok(Step::Frame { at, end: self.offset })
    }

    /// Offset of the first byte from here on that is not zero. Reads to the end of the file.
    ///
    /// # Errors
    /// What reading the file gave.
    pub fn first_nonzero(&mut self) -> io::Result<Option<u64>> {
        // The rest of a segment is megabytes of zeros at each start: whole blocks are compared at once.
        let zeros = vec![0; 64 * 1024];
        let mut buffer = zeros.clone();
        loop {
            let start = self.offset;
            let got = self.fill(&mut buffer)?;
            if buffer.get(..got) != zeros.get(..got) {
                let position = buffer.iter().position(|byte| *byte != 0).unwrap_or(0);
                return Ok(Some(start + position as u64));
            }
            if got < buffer.len() {
                return Ok(None);
            }
        }
    }

    /// Fills `into` as far as the file goes.
    fn fill(&mut self, into: &mut [u8]) -> io::Result<usize> {
        let mut done = 0;
        while let Some(rest) = into.get_mut(done..).filter(|rest| !rest.is_empty()) {
            match self.from.read(rest) {
                Ok(0) => break,
                Ok(n) => done += n,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
        self.offset += done as u64;
        Ok(done)
    }
}

fn split(head: [u8; HEAD_BYTES]) -> ([u8; 4], [u8; 4]) {
    let [a, b, c, d, e, f, g, h] = head;
    ([a, b, c, d], [e, f, g, h])
}

/// The entry of the frame that begins `bytes`, where there is a whole and sound one.
#[must_use]
pub fn frame_at(bytes: &[u8]) -> Option<Vec<u8>> {
    let mut entry = Vec::new();
    match Frames::new(bytes).next(&mut entry) {
        Ok(Step::Frame { .. }) => Some(entry),
        Ok(Step::End { .. } | Step::Bad { .. }) | Err(_) => None,
    }
}

#[cfg(test)]
#[expect(clippy::unwrap_used, clippy::indexing_slicing, reason = "tests")]
mod tests {
    use super::*;

    #[test]
    fn frames_come_back_and_the_zeroed_rest_is_the_end() {
        let mut file = Vec::new();
        write_frame(&mut file, b"first");
        write_frame(&mut file, b"second row");
        let used = file.len() as u64;
        file.resize(file.len() + 64, 0);
        let (mut frames, mut entry) = (Frames::new(&file[..]), Vec::new());
        assert_eq!(frames.next(&mut entry).unwrap(), Step::Frame { at: 0, end: 16 });
        assert_eq!(entry, b"first");
        assert!(matches!(frames.next(&mut entry).unwrap(), Step::Frame { at: 16, .. }));
        assert_eq!(entry, b"second row");
        assert_eq!(frames.next(&mut entry).unwrap(), Step::End { at: used });
        assert_eq!(frames.first_nonzero().unwrap(), None);
    }

    #[test]
    fn every_flipped_bit_of_a_frame_is_seen() {
        let mut file = Vec::new();
        write_frame(&mut file, b"twelve bytes");
        for bit in 0..file.len() * 8 {
            let mut flipped = file.clone();
            flipped[bit / 8] ^= 1 << (bit % 8);
            assert!(frame_at(&flipped).is_none(), "bit {bit}");
        }
        assert!(frame_at(&file).is_some());
    }

    #[test]
    fn a_huge_length_is_refused_before_memory_is_taken() {
        let mut entry = Vec::new();
        let step = Frames::new(&[0xff; 64][..]).next(&mut entry).unwrap();
        assert!(matches!(step, Step::Bad { at: 0, .. }));
        assert!(entry.capacity() < 1024);
    }
}
