//! A vault, an audit key and a journal as `lych init` makes them, but for a low stored cost of the passphrase and small
//! segments. The product has no way to ask for either.

use super::place::User;
use lychgate_journal::{CreateParams, Journal, VaultSigner};
use lychgate_seal::Cost;
use lychgate_vault::{Files, Signer};
use std::path::Path;

pub const PASSPHRASE: &str = "a passphrase of the harness";
/// Long enough that it stands nowhere by chance.
pub const PIN: &str = "739154608217";

/// Quick. The file says so, and only throw-away files may.
const COST: Cost = Cost { memory_kib: 64, passes: 1, lanes: 1 };
/// Enough rows for a test.
const SEGMENT_BYTES: u64 = 256 * 1024;

/// Makes everything in `dir`, owned by `user`; gives the vault's public key.
pub fn create(dir: &Path, user: &User) -> String {
    let files = Files::in_dir(dir);
    drop(lychgate_seal::durable::private_dir(dir).unwrap());
    let recipient = lychgate_view::audit_key::create(&files.audit_key(), PASSPHRASE.as_bytes(), COST).unwrap();
    let vault = lychgate_vault::init(dir, PASSPHRASE.as_bytes(), PIN.as_bytes(), COST).unwrap();
    let public_key = hex::encode(vault.vault_public);
    let params = CreateParams {
        log_origin: format!("lychgate/{}", &public_key[..16]),
        vault_signer: &Signs(vault.signer),
        recipient,
        segment_bytes: SEGMENT_BYTES,
    };
    Journal::create(&files.audit(), params, &mut lychgate_journal::random::SystemRandom).unwrap();
    user.give(dir);
    public_key
}

struct Signs(Signer);

impl VaultSigner for Signs {
    fn sign(&self, message: &[u8]) -> [u8; 64] {
        self.0.sign(message)
    }

    fn public(&self) -> [u8; 32] {
        self.0.public()
    }
}
