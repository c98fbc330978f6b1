//! The other end of the journal's key schedule: from the audit private key to each row.

use crate::audit_key::AuditPrivateKey;
use crate::row::Unreadable;
use chacha20poly1305::aead::inout::InOutBuf;
use chacha20poly1305::aead::{AeadInOut as _, KeyInit as _};
use chacha20poly1305::{ChaCha20Poly1305, Key, Nonce, Tag};
use hpke::{Deserializable as _, OpModeR};
use lychgate_core::event::{Event, RowKind};
use lychgate_core::ids::WallTime;
use lychgate_journal::format::clear::{Open, Rekey};
use lychgate_journal::format::entry::Row;
use lychgate_journal::format::payload;
use lychgate_journal::format::ratchet::{Chain, Opening};
use lychgate_journal::format::recipient::{Aead, Kdf, Kem};
use zeroize::Zeroizing;

/// Follows the chain through one segment. Rows must come in order, all of them.
pub(crate) struct Unsealer<'a> {
    key: &'a AuditPrivateKey,
    log_id: [u8; 16],
    chain: Option<Chain>,
    segment: Option<(u64, [u8; 32])>,
}

impl<'a> Unsealer<'a> {
    pub(crate) fn new(key: &'a AuditPrivateKey, log_id: [u8; 16]) -> Self {
        Self { key, log_id, chain: None, segment: None }
    }

    /// Opens the next row.
    pub(crate) fn open(&mut self, row: &Row<'_>) -> Result<(WallTime, Event), Unreadable> {
        match row.header.kind {
            RowKind::SegmentOpen => self.begin(row),
            RowKind::Rekey => self.begin_again(row),
            _ => {}
        }
        let chain = self.chain.as_mut().ok_or(Unreadable::Opening)?;
        let (key, kcommit) = chain.step(row.header.seq).with_salt(&row.header.salt);
        if kcommit != row.header.kcommit {
            return Err(Unreadable::Seal);
        }
        let mut plain = Zeroizing::new(row.ciphertext.to_vec());
        ChaCha20Poly1305::new(&Key::from(*key))
            .decrypt_inout_detached(
                &Nonce::default(),
                row.aad,
                InOutBuf::from(plain.as_mut_slice()),
                &Tag::from(row.tag),
            )
            .map_err(|_| Unreadable::Seal)?;
        payload::decode(&plain).ok_or(Unreadable::Payload)
    }

    fn begin(&mut self, row: &Row<'_>) {
        self.chain = Open::parse(row.clear).and_then(|open| {
            self.segment = Some((open.segment, open.key));
            let opening = Opening {
                log_id: self.log_id,
                segment: open.segment,
                opening: 0,
                first_seq: row.header.seq,
                prev_root: open.prev_root,
                segment_key: open.key,
            };
            self.chain_of(&open.enc, opening)
        });
    }

    fn begin_again(&mut self, row: &Row<'_>) {
        self.chain = Rekey::parse(row.clear).zip(self.segment).and_then(|(rekey, (segment, segment_key))| {
            let opening = Opening {
                log_id: self.log_id,
                segment,
                opening: rekey.opening,
                first_seq: row.header.seq,
                prev_root: rekey.prev_root,
                segment_key,
            };
            self.chain_of(&rekey.enc, opening)
        });
    }

    fn chain_of(&self, enc: &[u8], opening: Opening) -> Option<Chain> {
        let enc = <Kem as hpke::Kem>::EncappedKey::from_bytes(enc).ok()?;
        let context =
            hpke::setup_receiver::<Aead, Kdf, Kem>(&OpModeR::Base, self.key.hpke(), &enc, &opening.info()).ok()?;
        let mut first = Zeroizing::new([0; 32]);
        context.export(&opening.exporter_context(), first.as_mut()).ok()?;
        Some(Chain::exported(first, opening))
    }
}
