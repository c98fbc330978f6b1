//! Reading a store from its beginning to the first byte that does not verify.

use super::StoreDamage;
use super::frame::{self, Chain, HEAD_BYTES, Head, Keys, NotOpened, PREFIX_BYTES};
use lychgate_core::record::Record;
use lychgate_seal::memory::NoLockedMemory;
use std::fs::File;
use std::io::{self, BufReader, Read};

/// How a file ended.
pub(super) enum End {
    Whole,
    /// Within a frame, or in zeros that a file system leaves after a power loss.
    Cut {
        bytes: u64,
    },
    Damaged {
        why: StoreDamage,
    },
}

pub(super) struct Found {
    pub(super) records: Vec<Record>,
    pub(super) end: End,
}

impl Found {
    pub(super) fn nothing() -> Self {
        Self { records: Vec::new(), end: End::Whole }
    }

    pub(super) fn damaged(why: StoreDamage) -> Self {
        Self { records: Vec::new(), end: End::Damaged { why } }
    }
}

/// Reads as far as everything verifies. The error says nothing about the file.
pub(super) fn read(file: &File, key: &[u8]) -> Result<Found, NoLockedMemory> {
    let unreadable = |error: io::Error| StoreDamage::Unreadable(error.to_string());
    let mut file = BufReader::with_capacity(1 << 16, file);
    let head = match read_head(&mut file).map_err(unreadable).and_then(|head| head) {
        Ok(head) => head,
        Err(why) => return Ok(Found::damaged(why)),
    };
    let keys = Keys::derive(key, &head)?;
    let mut found = Found::nothing();
    found.end = match read_frames(&mut file, &head, &keys, &mut found.records) {
        Ok(end) => end,
        Err(error) => End::Damaged { why: unreadable(error) },
    };
    Ok(found)
}

fn read_head(file: &mut impl Read) -> io::Result<Result<Head, StoreDamage>> {
    let mut head = [0; HEAD_BYTES];
    // The file is made whole and renamed, so a crash never cuts the head.
    if fill(file, &mut head)? < HEAD_BYTES { Ok(Err(StoreDamage::Short)) } else { Ok(Head::parse(head)) }
}

fn read_frames(file: &mut impl Read, head: &Head, keys: &Keys, records: &mut Vec<Record>) -> io::Result<End> {
    let mut chain = Chain::begin(head);
    loop {
        let mut prefix = [0; PREFIX_BYTES];
        match fill(file, &mut prefix)? {
            0 => return Ok(End::Whole),
            PREFIX_BYTES => {}
            got => return Ok(End::Cut { bytes: got as u64 }),
        }
        let Some(length) = frame::sealed_len(keys, &chain, &prefix) else {
            return match only_zeros(file, &prefix)? {
                Some(bytes) => Ok(End::Cut { bytes }),
                None => Ok(End::Damaged { why: StoreDamage::Length(records.len()) }),
            };
        };
        let mut sealed = vec![0; length];
        let got = fill(file, &mut sealed)?;
        if got < length {
            return Ok(End::Cut { bytes: (PREFIX_BYTES + got) as u64 });
        }
        match frame::open(keys, &chain, &prefix, &sealed) {
            Ok((record, next)) => {
                records.push(record);
                chain = next;
            }
            Err(NotOpened::Changed) => return Ok(End::Damaged { why: StoreDamage::Record(records.len()) }),
            Err(NotOpened::Unknown) => {
                return Ok(End::Damaged { why: StoreDamage::OtherVersion(records.len()) });
            }
        }
    }
}

/// As much of `place` as there is.
fn fill(file: &mut impl Read, place: &mut [u8]) -> io::Result<usize> {
    let mut filled = 0;
    while let Some(rest) = place.get_mut(filled..).filter(|rest| !rest.is_empty()) {
        match file.read(rest) {
            Ok(0) => break,
            Ok(got) => filled += got,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(filled)
}

/// How many bytes are left, where `first` and all of them are zero.
fn only_zeros(file: &mut impl Read, first: &[u8]) -> io::Result<Option<u64>> {
    let mut count = first.len() as u64;
    let mut zeros = first.iter().all(|byte| *byte == 0);
    let mut buffer = vec![0; 1 << 16];
    while zeros {
        let got = fill(file, &mut buffer)?;
        if got == 0 {
            return Ok(Some(count));
        }
        count = count.saturating_add(got as u64);
        zeros = buffer.iter().take(got).all(|byte| *byte == 0);
    }
    Ok(None)
}
