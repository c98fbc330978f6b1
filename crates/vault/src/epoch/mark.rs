//! The file `epoch.mark`: text that a person can read, with a checksum against accidents.
//!
//! Nothing in it is secret, and nothing in it widens anything: it can only raise the epoch or cause a warning.

use crate::payload::Stamp;
use lychgate_seal::durable::{self, PRIVATE_FILE, ReadRefused};
use sha2::{Digest as _, Sha256};
use std::io;
use std::path::Path;

const TITLE: &str = "lychgate epoch mark 1";
const MOST_BYTES: usize = 4096;
/// No vault reaches this; a larger number was put there to make the epoch overflow.
const MOST_EPOCH: u64 = 1 << 53;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Mark {
    pub(super) vault: [u8; 16],
    /// The epoch now.
    pub(super) epoch: u64,
    /// The newest save that is known to be complete.
    pub(super) sealed: Stamp,
    /// A save that was begun and may be complete.
    pub(super) sealing: Option<Stamp>,
}

impl Mark {
    pub(super) fn newest_generation(&self) -> u64 {
        self.sealing.map_or(0, |stamp| stamp.generation).max(self.sealed.generation)
    }
}

/// What stands in the mark's place.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum MarkRead {
    Own(Mark),
    Absent,
    /// The mark of another vault.
    Foreign {
        epoch: u64,
    },
    Damaged,
}

impl MarkRead {
    /// The epoch that it says, where it says one.
    pub(super) fn number(&self) -> Option<u64> {
        match self {
            Self::Own(mark) => Some(mark.epoch),
            Self::Foreign { epoch } => Some(*epoch),
            Self::Absent | Self::Damaged => None,
        }
    }
}

pub(super) fn read(path: &Path, vault: [u8; 16]) -> MarkRead {
    match durable::read_owned(path, MOST_BYTES) {
        Err(ReadRefused::Absent(_)) => MarkRead::Absent,
        // A mark that others could have written is as good as one that they wrote.
        Err(_) => MarkRead::Damaged,
        Ok(bytes) => match parse(&bytes) {
            None => MarkRead::Damaged,
            Some(mark) if mark.vault != vault => MarkRead::Foreign { epoch: mark.epoch },
            Some(mark) => MarkRead::Own(mark),
        },
    }
}

pub(super) fn write(path: &Path, mark: &Mark) -> io::Result<()> {
    durable::replace(path, encode(mark).as_bytes(), PRIVATE_FILE)
}

fn encode(mark: &Mark) -> String {
    use std::fmt::Write;
    let mut text = format!("{TITLE}\nvault {}\nepoch {}\n", hex::encode(mark.vault), mark.epoch);
    let mut stamp = |word: &str, stamp: Stamp| {
        let _ = writeln!(text, "{word} epoch {} save {}", stamp.epoch, stamp.generation);
    };
    stamp("sealed", mark.sealed);
    if let Some(sealing) = mark.sealing {
        stamp("sealing", sealing);
    }
    let sum = hex::encode(Sha256::digest(&text));
    text + "sum " + &sum + "\n"
}

fn parse(bytes: &[u8]) -> Option<Mark> {
    let text = std::str::from_utf8(bytes).ok()?;
    let mut lines = text.lines().skip(1);
    let mut vault = [0; 16];
    hex::decode_to_slice(lines.next()?.strip_prefix("vault ")?, &mut vault).ok()?;
    let epoch = number(lines.next()?.strip_prefix("epoch ")?)?;
    let sealed = stamp("sealed", lines.next()?)?;
    let sealing = stamp("sealing", lines.next()?);
    let mark = Mark { vault, epoch, sealed, sealing };
    // One text for one mark: title, order, spelling and sum are checked in one stroke.
    (encode(&mark) == text).then_some(mark)
}

fn stamp(word: &str, line: &str) -> Option<Stamp> {
    let (epoch, generation) = line.strip_prefix(word)?.strip_prefix(" epoch ")?.split_once(" save ")?;
    Some(Stamp { epoch: number(epoch)?, generation: number(generation)? })
}

fn number(text: &str) -> Option<u64> {
    text.parse().ok().filter(|number| *number <= MOST_EPOCH)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "tests")]
    use super::*;

    fn marks() -> [Mark; 2] {
        let sealed = Stamp { epoch: 11, generation: 4 };
        let mark = Mark { vault: [0xab; 16], epoch: 12, sealed, sealing: None };
        [mark, Mark { sealing: Some(Stamp { epoch: 12, generation: 5 }), ..mark }]
    }

    #[test]
    fn a_mark_comes_back_and_no_other_text_is_one() {
        for mark in marks() {
            let text = encode(&mark).into_bytes();
            assert_eq!(parse(&text), Some(mark));
            for at in 0..text.len() {
                for bit in 0..8 {
                    let mut other = text.clone();
                    other[at] ^= 1 << bit;
                    assert_eq!(parse(&other), None, "{at}.{bit}");
                }
                assert_eq!(parse(&text[..at]), None, "cut at {at}");
            }
            assert_eq!(parse(&[text.as_slice(), b"\n"].concat()), None);
        }
    }

    #[test]
    fn a_number_that_would_overflow_is_damage() {
        let [mark, _] = marks();
        assert_eq!(parse(encode(&Mark { epoch: u64::MAX, ..mark }).as_bytes()), None);
        assert!(parse(encode(&Mark { epoch: MOST_EPOCH, ..mark }).as_bytes()).is_some());
    }
}
