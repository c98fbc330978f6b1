//! A new log: its directory, its keys, its LOG.

use super::next_key::{NextKey, fresh};
use crate::error::{BadParameters, JournalError};
use crate::format::keys::VaultSigner;
use crate::format::log::{self, Log};
use crate::format::note::{LogOrigin, verifier_key};
use crate::format::recipient::AuditPublicKey;
use crate::random::Random;
use crate::read::directory::{LOG, NEXT_KEY};
use lychgate_seal::durable;
use std::path::Path;

/// Size of a segment file unless `init` says otherwise, in bytes.
pub const SEGMENT_BYTES_DEFAULT: u64 = 64 * 1024 * 1024;

/// What a new log is made from.
pub struct CreateParams<'a> {
    /// Name of the log in checkpoints, such as `lychgate.example/laptop`.
    pub log_origin: String,
    /// The vault's signing key. Its public half is pinned in LOG.
    pub vault_signer: &'a dyn VaultSigner,
    /// To whom rows are sealed. Whoever holds the private half reads everything.
    pub recipient: AuditPublicKey,
    /// Size of a segment file, in bytes: a multiple of 4096 from 16 KiB to 1 GiB.
    pub segment_bytes: u64,
}

/// A log that was made. Print these: they are what a later verification is held against.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Created {
    /// Random name of the log.
    pub log_id: [u8; 16],
    /// The vault's public key.
    pub vault_key: [u8; 32],
    /// The log key as a C2SP verifier key.
    pub log_verifier_key: String,
}

/// Makes the directory (0700), `next.key` (0600) and, last, `LOG`: a crash before leaves no log.
///
/// # Errors
/// [`JournalError`]; an existing log is never overwritten.
pub(crate) fn create(dir: &Path, params: CreateParams<'_>, random: &mut dyn Random) -> Result<Created, JournalError> {
    let origin: LogOrigin = params.log_origin.parse().map_err(BadParameters::Origin)?;
    if !log::segment_bytes_allowed(params.segment_bytes) {
        return Err(BadParameters::SegmentSize.into());
    }
    durable::private_dir(dir).map_err(|refused| JournalError::Files(refused.to_string()))?;
    let path = dir.join(LOG);
    if path.symlink_metadata().is_ok() {
        return Err(JournalError::Exists(dir.display().to_string()));
    }
    let mut id = [0; 16];
    random.fill(&mut id).map_err(|_| JournalError::Random)?;
    let (log_key, genesis) = (fresh(random)?, fresh(random)?);
    let log = Log {
        id,
        segment_bytes: params.segment_bytes,
        log_key: log_key.public(),
        genesis_key: genesis.public(),
        vault_key: params.vault_signer.public(),
        recipient: params.recipient,
        origin,
    };
    let bytes = log.encode_signed(params.vault_signer);
    // A signer that signs with another key than it names would make a log that nobody can open.
    Log::parse(&bytes).map_err(BadParameters::Signer)?;
    let created = Created {
        log_id: id,
        vault_key: log.vault_key,
        log_verifier_key: verifier_key(log.origin.as_str(), &log.log_key),
    };
    NextKey::new(dir.join(NEXT_KEY), id, log_key, genesis).store()?;
    durable::replace(&path, &bytes, durable::PRIVATE_FILE).map_err(|error| JournalError::Files(error.to_string()))?;
    Ok(created)
}
