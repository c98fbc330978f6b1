//! XChaCha20-Poly1305 (draft-irtf-cfrg-xchacha-03), the one cipher of everything that is sealed.

use chacha20poly1305::aead::{Aead, KeyInit, Payload};
use chacha20poly1305::{Key, XChaCha20Poly1305, XNonce};
use lychgate_text::words;
use zeroize::Zeroizing;

/// Bytes of a key.
pub const KEY_BYTES: usize = 32;
/// Bytes of a nonce.
pub const NONCE_BYTES: usize = 24;
/// Bytes that sealing adds.
pub const TAG_BYTES: usize = 16;

/// The plaintext is longer than the cipher allows (256 GiB).
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("{}", words().seal().too_long_to_seal)]
pub struct TooLong;

/// Seals `plain`. The result ends with the tag.
///
/// The same key and nonce must never seal two plaintexts: draw the nonce with [`crate::random::bytes`], or derive
/// key and nonce from a fresh salt.
///
/// # Errors
/// [`TooLong`].
pub fn seal(key: &[u8; KEY_BYTES], nonce: &[u8; NONCE_BYTES], aad: &[u8], plain: &[u8]) -> Result<Vec<u8>, TooLong> {
    cipher(key).encrypt(&XNonce::from(*nonce), Payload { msg: plain, aad }).map_err(|_| TooLong)
}

/// Opens what [`seal`] made. `None` where key, nonce, `aad` or a bit of `sealed` is another: the cipher can't say which.
#[must_use]
pub fn open(key: &[u8; KEY_BYTES], nonce: &[u8; NONCE_BYTES], aad: &[u8], sealed: &[u8]) -> Option<Zeroizing<Vec<u8>>> {
    cipher(key).decrypt(&XNonce::from(*nonce), Payload { msg: sealed, aad }).ok().map(Zeroizing::new)
}

fn cipher(key: &[u8; KEY_BYTES]) -> XChaCha20Poly1305 {
    // The cipher's own copy is wiped by its `zeroize` feature.
    XChaCha20Poly1305::new(<&Key>::from(key))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "tests")]
    use super::*;

    #[test]
    fn what_was_sealed_opens_with_the_same_key_nonce_and_aad_only() {
        let sealed = seal(&[1; 32], &[2; 24], b"aad", b"plain").unwrap();
        assert_eq!(open(&[1; 32], &[2; 24], b"aad", &sealed).unwrap().as_slice(), b"plain");
        assert!(open(&[9; 32], &[2; 24], b"aad", &sealed).is_none());
        assert!(open(&[1; 32], &[9; 24], b"aad", &sealed).is_none());
        assert!(open(&[1; 32], &[2; 24], b"other", &sealed).is_none());
        assert!(open(&[1; 32], &[2; 24], b"aad", &sealed[1..]).is_none());
    }

    /// Appendix A.3.1 of draft-irtf-cfrg-xchacha-03.
    #[test]
    fn the_cipher_is_the_one_of_the_draft() {
        let plain = b"Ladies and Gentlemen of the class of '99: If I could offer you only one tip for the future, sunscreen would be it.";
        let key: [u8; 32] = std::array::from_fn(|i| 0x80 + i as u8);
        let nonce: [u8; 24] = std::array::from_fn(|i| 0x40 + i as u8);
        let aad = [0x50, 0x51, 0x52, 0x53, 0xc0, 0xc1, 0xc2, 0xc3, 0xc4, 0xc5, 0xc6, 0xc7];
        let sealed = seal(&key, &nonce, &aad, plain).unwrap();
        assert_eq!(sealed[..4], [0xbd, 0x6d, 0x17, 0x9d]);
        let tag = [0xc0, 0x87, 0x59, 0x24, 0xc1, 0xc7, 0x98, 0x79, 0x47, 0xde, 0xaf, 0xd8, 0x78, 0x0a, 0xcf, 0x49];
        assert_eq!(sealed[sealed.len() - 16..], tag);
    }
}
