//! The key schedule of sealed rows: one chain per opening, one step per row, no way back.
//!
//! ```text
//! ck_0            = HPKE.Export("lychgate/journal/chain/1" ‖ opening)
//! rk ‖ ck_next    = HKDF-Expand(ck, "lychgate/journal/next/1" ‖ opening ‖ seq)
//! mk ‖ kcommit    = HKDF-Expand(rk, "lychgate/journal/row/1" ‖ log id ‖ opening ‖ seq ‖ salt)
//! ```
//! The writer has `ck` in memory alone and steps it *before* it writes; the reader derives the same chain from the
//! audit private key. After a step nothing in memory opens an earlier row.

use super::recipient::{Aead, AuditPublicKey, ENC_BYTES, Kdf, Kem};
use super::tree::Hash;
use crate::random::{NoRandomness, Random};
use hkdf::Hkdf;
use hpke::{OpModeS, Serializable as _};
use lychgate_text::words;
use sha2::Sha256;
use zeroize::Zeroizing;

/// The suite's number as it stands in LOG: X-Wing, HKDF-SHA256, ChaCha20-Poly1305.
pub const SUITE_XWING: u8 = 2;

const OPEN_INFO: &[u8] = b"lychgate/journal/open/1";
const CHAIN_LABEL: &[u8] = b"lychgate/journal/chain/1";
const NEXT_LABEL: &[u8] = b"lychgate/journal/next/1";
const ROW_LABEL: &[u8] = b"lychgate/journal/row/1";

/// What an opening is bound to. Every field has a fixed width.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Opening {
    /// Log.
    pub log_id: [u8; 16],
    /// Segment.
    pub segment: u64,
    /// Number of the opening within the segment.
    pub opening: u32,
    /// Sequence number of its first row.
    pub first_seq: u64,
    /// Root over the rows before it.
    pub prev_root: Hash,
    /// Public key of the segment.
    pub segment_key: [u8; 32],
}

impl Opening {
    /// HPKE's `info`.
    #[must_use]
    pub fn info(&self) -> Vec<u8> {
        [
            OPEN_INFO,
            &[SUITE_XWING],
            &self.log_id,
            &self.id(),
            &self.first_seq.to_le_bytes(),
            &self.prev_root,
            &self.segment_key,
        ]
        .concat()
    }

    /// HPKE's exporter context for the first chain key.
    #[must_use]
    pub fn exporter_context(&self) -> Vec<u8> {
        [CHAIN_LABEL, &self.id()].concat()
    }

    /// Segment and opening, as they stand in every label.
    fn id(&self) -> [u8; 12] {
        let mut id = [0; 12];
        let (segment, opening) = id.split_at_mut(8);
        segment.copy_from_slice(&self.segment.to_le_bytes());
        opening.copy_from_slice(&self.opening.to_le_bytes());
        id
    }
}

/// An opening failed. Nothing can be sealed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum OpeningError {
    /// No random bytes.
    #[error(transparent)]
    Random(#[from] NoRandomness),
    /// The encapsulation failed, or drew more randomness than it may.
    #[error("{}", words().journal().error.encapsulation)]
    Encapsulation,
}

/// Makes a new opening to `recipient`: the encapsulated key, and the chain that begins with it.
///
/// # Errors
/// [`OpeningError`]; the chain is never begun with less than full randomness.
pub fn open_to(
    recipient: &AuditPublicKey,
    opening: Opening,
    random: &mut dyn Random,
) -> Result<(Vec<u8>, Chain), OpeningError> {
    let mut drawn = Drawn::from(random)?;
    let (enc, context) =
        hpke::setup_sender_with_rng::<Aead, Kdf, Kem>(&OpModeS::Base, recipient.hpke(), &opening.info(), &mut drawn)
            .map_err(|_| OpeningError::Encapsulation)?;
    if drawn.exhausted {
        return Err(OpeningError::Encapsulation);
    }
    let mut key = Zeroizing::new([0; 32]);
    context.export(&opening.exporter_context(), key.as_mut()).map_err(|_| OpeningError::Encapsulation)?;
    let enc = enc.to_bytes().to_vec();
    if enc.len() != ENC_BYTES {
        return Err(OpeningError::Encapsulation);
    }
    Ok((enc, Chain { key, opening }))
}

/// The chain key of the next row. Lives in memory alone.
pub struct Chain {
    key: Zeroizing<[u8; 32]>,
    opening: Opening,
}

impl Chain {
    /// The chain of an opening whose first key the reader exported.
    #[must_use]
    pub fn exported(key: Zeroizing<[u8; 32]>, opening: Opening) -> Self {
        Self { key, opening }
    }

    /// The opening.
    #[must_use]
    pub fn opening(&self) -> &Opening {
        &self.opening
    }

    /// Steps the chain and gives the key of row `seq`. The chain key that it came from is gone.
    pub fn step(&mut self, seq: u64) -> RowKey {
        let info = [NEXT_LABEL, &self.opening.id(), &seq.to_le_bytes()].concat();
        let (row, next) = expand(&self.key, &info);
        self.key = next;
        RowKey { key: row, opening: self.opening, seq }
    }
}

impl std::fmt::Debug for Chain {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Chain(..)")
    }
}

/// The key of one row. Disclosing it lets anyone read that row and check its `kcommit`, and no other row.
pub struct RowKey {
    key: Zeroizing<[u8; 32]>,
    opening: Opening,
    seq: u64,
}

impl RowKey {
    /// The message key, and the commitment to it that stands in the header. Consumes the row key: a row is sealed once.
    #[must_use]
    pub fn with_salt(self, salt: &[u8; 16]) -> (Zeroizing<[u8; 32]>, [u8; 32]) {
        let info = [ROW_LABEL, &self.opening.log_id, &self.opening.id(), &self.seq.to_le_bytes(), salt].concat();
        let (message, commitment) = expand(&self.key, &info);
        (message, *commitment)
    }
}

impl std::fmt::Debug for RowKey {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("RowKey(..)")
    }
}

/// HKDF-Expand with SHA-256 to 64 bytes, in two halves.
fn expand(key: &[u8; 32], info: &[u8]) -> (Zeroizing<[u8; 32]>, Zeroizing<[u8; 32]>) {
    let mut both = Zeroizing::new([0; 64]);
    #[expect(clippy::expect_used, reason = "HKDF-Expand fails only beyond 255 * 32 bytes, a PRK only below 32")]
    Hkdf::<Sha256>::from_prk(key)
        .expect("a 32-byte key is a PRK")
        .expand(info, both.as_mut())
        .expect("64 bytes are within HKDF's limit");
    let (mut first, mut second) = (Zeroizing::new([0; 32]), Zeroizing::new([0; 32]));
    let (left, right) = both.split_at(32);
    first.copy_from_slice(left);
    second.copy_from_slice(right);
    (first, second)
}

/// Random bytes drawn beforehand, because HPKE's interface can't report a failing source.
struct Drawn {
    bytes: Zeroizing<[u8; 256]>,
    used: usize,
    exhausted: bool,
}

impl Drawn {
    fn from(random: &mut dyn Random) -> Result<Self, NoRandomness> {
        let mut bytes = Zeroizing::new([0; 256]);
        random.fill(bytes.as_mut())?;
        Ok(Self { bytes, used: 0, exhausted: false })
    }
}

impl hpke::rand_core::TryRng for Drawn {
    type Error = std::convert::Infallible;

    fn try_next_u32(&mut self) -> Result<u32, Self::Error> {
        let mut word = [0; 4];
        self.try_fill_bytes(&mut word)?;
        Ok(u32::from_le_bytes(word))
    }

    fn try_next_u64(&mut self) -> Result<u64, Self::Error> {
        let mut word = [0; 8];
        self.try_fill_bytes(&mut word)?;
        Ok(u64::from_le_bytes(word))
    }

    fn try_fill_bytes(&mut self, into: &mut [u8]) -> Result<(), Self::Error> {
        match self.bytes.get(self.used..self.used + into.len()) {
            Some(fresh) => into.copy_from_slice(fresh),
            None => self.exhausted = true,
        }
        self.used += into.len();
        Ok(())
    }
}

impl hpke::rand_core::TryCryptoRng for Drawn {}

#[cfg(test)]
mod tests {
    use super::*;

    fn opening() -> Opening {
        Opening { log_id: [1; 16], segment: 2, opening: 0, first_seq: 3, prev_root: [4; 32], segment_key: [5; 32] }
    }

    fn chain() -> Chain {
        Chain::exported(Zeroizing::new([7; 32]), opening())
    }

    #[test]
    fn a_step_replaces_the_chain_key_and_no_two_rows_share_a_key() {
        let mut chain = chain();
        let before = *chain.key;
        let (first, _) = chain.step(3).with_salt(&[0; 16]);
        assert_ne!(*chain.key, before);
        let (second, _) = chain.step(4).with_salt(&[0; 16]);
        assert_ne!(*first, *second);
    }

    #[test]
    fn key_and_commitment_depend_on_salt_seq_opening_and_log() {
        let base = chain().step(3).with_salt(&[0; 16]);
        let other_salt = chain().step(3).with_salt(&[1; 16]);
        let other_seq = chain().step(4).with_salt(&[0; 16]);
        let mut rekeyed = opening();
        rekeyed.opening = 1;
        let other_opening = Chain::exported(Zeroizing::new([7; 32]), rekeyed).step(3).with_salt(&[0; 16]);
        let mut foreign = opening();
        foreign.log_id = [2; 16];
        let other_log = Chain::exported(Zeroizing::new([7; 32]), foreign).step(3).with_salt(&[0; 16]);
        for other in [other_salt, other_seq, other_opening, other_log] {
            assert_ne!(*base.0, *other.0);
            assert_ne!(base.1, other.1);
        }
    }

    #[test]
    fn debug_shows_no_key() {
        let mut chain = chain();
        assert_eq!(format!("{chain:?} {:?}", chain.step(3)), "Chain(..) RowKey(..)");
    }
}
