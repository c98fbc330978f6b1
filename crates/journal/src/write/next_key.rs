//! `next.key`: what a writer needs to go on while the vault is locked. Whoever reads it can sign receipts and the
//! *next* segment, and until that is endorsed by an ANCHOR it is provisional. It can't read a row.

use crate::error::{BadNextKey, JournalError};
use crate::format::bytes::Cursor;
use crate::format::keys::KeyPair;
use crate::random::Random;
use lychgate_seal::durable;
use sha2::{Digest as _, Sha256};
use std::path::{Path, PathBuf};
use zeroize::Zeroizing;

const MAGIC: &[u8; 8] = b"LYCHKEY\0";
const VERSION: u8 = 1;
const MAX_BYTES: usize = 1024;

/// Content of `next.key`, and where it stands.
pub(crate) struct NextKey {
    path: PathBuf,
    log_id: [u8; 16],
    /// Signs receipts and checkpoints.
    pub(crate) log_key: KeyPair,
    /// Segment that `next` opens.
    pub(crate) segment: u64,
    /// Key of that segment.
    pub(crate) next: KeyPair,
    /// Key of the segment before it; on disk only until that segment's OPEN is durable.
    pub(crate) current: Option<KeyPair>,
}

/// A new key pair.
pub(crate) fn fresh(random: &mut dyn Random) -> Result<KeyPair, JournalError> {
    let mut seed = Zeroizing::new([0; 32]);
    random.fill(seed.as_mut()).map_err(|_| JournalError::Random)?;
    Ok(KeyPair::from_seed(&seed))
}

impl NextKey {
    /// The keys of a new log.
    pub(crate) fn new(path: PathBuf, log_id: [u8; 16], log_key: KeyPair, genesis: KeyPair) -> Self {
        Self { path, log_id, log_key, segment: 0, next: genesis, current: None }
    }

    /// Reads the file.
    pub(crate) fn load(path: &Path, log_id: [u8; 16], log_key: &[u8; 32]) -> Result<Self, JournalError> {
        let bytes =
            durable::read_owned(path, MAX_BYTES).map_err(|refused| BadNextKey::Unreadable(refused.to_string()))?;
        let (file_log, keys) = Self::parse(&bytes, path).ok_or(BadNextKey::Damaged)?;
        if file_log != log_id || keys.log_key.public() != *log_key {
            return Err(BadNextKey::OtherLog.into());
        }
        Ok(keys)
    }

    /// Writes the file durably.
    pub(crate) fn store(&self) -> Result<(), JournalError> {
        durable::replace(&self.path, &self.encode(), durable::PRIVATE_FILE)
            .map_err(|error| JournalError::NotDurable(error.to_string()))
    }

    /// Before segment `self.segment` is opened: its key becomes the current one, and the one after it is drawn.
    pub(crate) fn advance(&mut self, random: &mut dyn Random) -> Result<(), JournalError> {
        let after = fresh(random)?;
        self.current = Some(std::mem::replace(&mut self.next, after));
        self.segment += 1;
        self.store()
    }

    fn encode(&self) -> Zeroizing<Vec<u8>> {
        // Large enough, so that growing leaves no copy behind.
        let mut out = Zeroizing::new(Vec::with_capacity(MAX_BYTES));
        out.extend_from_slice(MAGIC);
        out.push(VERSION);
        out.extend_from_slice(&self.log_id);
        out.extend_from_slice(self.log_key.seed());
        out.extend_from_slice(&self.segment.to_le_bytes());
        out.extend_from_slice(self.next.seed());
        match &self.current {
            None => out.push(0),
            Some(current) => {
                out.push(1);
                out.extend_from_slice(current.seed());
            }
        }
        let checksum: [u8; 32] = Sha256::digest(out.as_slice()).into();
        out.extend_from_slice(&checksum);
        out
    }

    fn parse(bytes: &[u8], path: &Path) -> Option<([u8; 16], Self)> {
        let (body, checksum) = bytes.split_last_chunk::<32>()?;
        if *checksum != <[u8; 32]>::from(Sha256::digest(body)) {
            return None;
        }
        let mut from = Cursor::new(body);
        if from.take(MAGIC.len())? != MAGIC || from.u8()? != VERSION {
            return None;
        }
        let log_id = from.array()?;
        let keys = Self {
            path: path.to_owned(),
            log_id,
            log_key: take_key(&mut from)?,
            segment: from.u64()?,
            next: take_key(&mut from)?,
            current: match from.u8()? {
                0 => None,
                1 => Some(take_key(&mut from)?),
                _ => return None,
            },
        };
        from.end()?;
        Some((log_id, keys))
    }
}

fn take_key(from: &mut Cursor<'_>) -> Option<KeyPair> {
    let seed: Zeroizing<[u8; 32]> = Zeroizing::new(from.array()?);
    Some(KeyPair::from_seed(&seed))
}

#[cfg(test)]
#[expect(clippy::unwrap_used, clippy::indexing_slicing, reason = "tests")]
mod tests {
    use super::*;

    fn keys(current: Option<KeyPair>) -> NextKey {
        let mut keys = NextKey::new(
            PathBuf::from("next.key"),
            [1; 16],
            KeyPair::from_seed(&[2; 32]),
            KeyPair::from_seed(&[3; 32]),
        );
        keys.current = current;
        keys
    }

    #[test]
    fn it_comes_back_with_and_without_the_current_key() {
        for current in [None, Some(KeyPair::from_seed(&[4; 32]))] {
            let keys = keys(current);
            let (log_id, read) = NextKey::parse(&keys.encode(), Path::new("next.key")).unwrap();
            assert_eq!((log_id, read.segment), ([1; 16], 0));
            assert_eq!(read.next.public(), keys.next.public());
            assert_eq!(read.current.map(|key| key.public()), keys.current.map(|key| key.public()));
        }
    }

    #[test]
    fn any_flipped_byte_is_seen() {
        let bytes = keys(None).encode();
        for place in 0..bytes.len() {
            let mut flipped = bytes.to_vec();
            flipped[place] ^= 1;
            assert!(NextKey::parse(&flipped, Path::new("next.key")).is_none(), "byte {place}");
        }
    }
}
