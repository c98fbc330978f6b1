//! The file `LOG`: what never changes about a log, signed by the vault.

use super::bytes::Cursor;
use super::keys::{VaultSigner, verifies};
use super::note::LogOrigin;
use super::ratchet::SUITE_XWING;
use super::recipient::{AuditPublicKey, PUBLIC_KEY_BYTES};
use crate::finding::BadLog;

const MAGIC: &[u8; 8] = b"LYCHLOG\0";
const VERSION: u8 = 1;
const LABEL: &[u8] = b"lychgate/journal/sign/log/1\0";

/// Smallest size of a segment file, in bytes. An OPEN and a few rows fit.
pub const SEGMENT_BYTES_MIN: u64 = 16 * 1024;
/// Largest size of a segment file, in bytes. A reader may hold a damaged one in memory.
pub const SEGMENT_BYTES_MAX: u64 = 1024 * 1024 * 1024;
/// Segment files begin at multiples of a page.
pub const SEGMENT_BYTES_STEP: u64 = 4096;

/// Content of `LOG`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Log {
    /// Random name of this log.
    pub id: [u8; 16],
    /// Size to which a segment file is preallocated, in bytes.
    pub segment_bytes: u64,
    /// Stable public key that signs receipts and checkpoints.
    pub log_key: [u8; 32],
    /// Public key of segment 0.
    pub genesis_key: [u8; 32],
    /// The vault's public key, which signs this file and ANCHOR rows.
    pub vault_key: [u8; 32],
    /// To whom rows are sealed.
    pub recipient: AuditPublicKey,
    /// Name of the log in checkpoints.
    pub origin: LogOrigin,
}

impl Log {
    /// The signed bytes of the file.
    #[must_use]
    pub fn encode_signed(&self, signer: &dyn VaultSigner) -> Vec<u8> {
        let mut out = self.encode_unsigned();
        let signature = signer.sign(&[LABEL, &out].concat());
        out.extend_from_slice(&signature);
        out
    }

    fn encode_unsigned(&self) -> Vec<u8> {
        let mut out = MAGIC.to_vec();
        out.extend_from_slice(&[VERSION, SUITE_XWING, 0, 0]);
        out.extend_from_slice(&self.id);
        out.extend_from_slice(&self.segment_bytes.to_le_bytes());
        out.extend_from_slice(&self.log_key);
        out.extend_from_slice(&self.genesis_key);
        out.extend_from_slice(&self.vault_key);
        out.extend_from_slice(self.recipient.as_bytes());
        let origin = self.origin.as_str().as_bytes();
        out.extend_from_slice(&u16::try_from(origin.len()).unwrap_or(u16::MAX).to_le_bytes());
        out.extend_from_slice(origin);
        out
    }

    /// Reads the file and checks its signature against the vault key *in it*. Whether that key is the right one is the
    /// caller's question: with no key from outside, a wholly replaced directory passes.
    ///
    /// # Errors
    /// [`BadLog`].
    pub fn parse(bytes: &[u8]) -> Result<Self, BadLog> {
        let (signed, signature) = bytes.split_last_chunk().ok_or(BadLog::Form)?;
        let (suite, log) = Self::parse_unsigned(signed).ok_or(BadLog::Form)?;
        if suite != SUITE_XWING {
            return Err(BadLog::Suite);
        }
        if !verifies(&log.vault_key, &[LABEL, signed].concat(), signature) {
            return Err(BadLog::Signature);
        }
        Ok(log)
    }

    fn parse_unsigned(bytes: &[u8]) -> Option<(u8, Self)> {
        let mut from = Cursor::new(bytes);
        if from.take(MAGIC.len())? != MAGIC || from.u8()? != VERSION {
            return None;
        }
        let suite = from.u8()?;
        if from.u16()? != 0 {
            return None;
        }
        let log = Self {
            id: from.array()?,
            segment_bytes: Some(from.u64()?).filter(|bytes| segment_bytes_allowed(*bytes))?,
            log_key: from.array()?,
            genesis_key: from.array()?,
            vault_key: from.array()?,
            recipient: AuditPublicKey::from_bytes(from.take(PUBLIC_KEY_BYTES)?)?,
            origin: {
                let len = from.u16()?;
                std::str::from_utf8(from.take(usize::from(len))?).ok()?.parse().ok()?
            },
        };
        from.end()?;
        Some((suite, log))
    }
}

/// True where a segment file can have this size.
#[must_use]
pub fn segment_bytes_allowed(bytes: u64) -> bool {
    (SEGMENT_BYTES_MIN..=SEGMENT_BYTES_MAX).contains(&bytes) && bytes.is_multiple_of(SEGMENT_BYTES_STEP)
}
