//! Sealing one row.

use crate::format::entry::{HEADER_BYTES, Header, TAG_BYTES};
use crate::format::ratchet::Chain;
use chacha20poly1305::aead::inout::InOutBuf;
use chacha20poly1305::aead::{AeadInOut as _, KeyInit as _};
use chacha20poly1305::{ChaCha20Poly1305, Key, Nonce};

/// Bytes of the entry of a row.
pub(crate) fn entry_len(clear_len: usize, payload_len: usize) -> usize {
    HEADER_BYTES + clear_len + payload_len + TAG_BYTES
}

/// Seals `payload` as the row `header`, whose commitment it fills in. `clear` gives the clear data once the header is
/// complete; its length must be `header.clear_len`. The chain steps before anything is written: a row that fails
/// afterwards is never sealed again.
///
/// # Errors
/// `None` where the cipher refuses, which needs a payload far over our limit, or where `clear` gave another length.
pub(crate) fn seal(
    chain: &mut Chain,
    mut header: Header,
    payload: &[u8],
    clear: impl FnOnce(&Header) -> Vec<u8>,
) -> Option<Vec<u8>> {
    let (key, kcommit) = chain.step(header.seq).with_salt(&header.salt);
    header.kcommit = kcommit;
    let clear = clear(&header);
    if clear.len() != header.clear_len as usize {
        return None;
    }
    let mut entry = header.encode();
    entry.reserve_exact(clear.len() + payload.len() + TAG_BYTES);
    entry.extend_from_slice(&clear);
    entry.extend_from_slice(payload);
    let (aad, text) = entry.split_at_mut_checked(HEADER_BYTES + clear.len())?;
    // One key per row, so the nonce is constant.
    let tag = ChaCha20Poly1305::new(&Key::from(*key))
        .encrypt_inout_detached(&Nonce::default(), aad, InOutBuf::from(text))
        .ok()?;
    entry.extend_from_slice(&tag);
    Some(entry)
}
