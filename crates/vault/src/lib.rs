//! The sealed vault: channels, credentials, epoch, action store. `docs/VAULT.md` has the formats and the rules.
//!
//! ```text
//! init ------------------------------> vault.lych
//! Locked::load --unlock(slot key)--> Unlocked --lock--> Locked
//!   reads slots, takes the lock       channels, PIN, signer, release(&Armed) -> Released
//! ```
//! A locked vault has no method that writes: what can't be read can't be lost. The only way to a credential is
//! [`Unlocked::release`]. No sockets, no tasks, no clock: files, and values.
#![forbid(unsafe_code)]

mod agents;
mod channels;
mod counters;
mod epoch;
mod error;
mod files;
mod idempotency;
mod init;
mod locked;
mod payload;
mod pin;
mod rekey;
mod release;
mod restore;
mod rules;
mod signer;
mod store;
mod unlocked;

pub use channels::BindingList;
pub use counters::{Counters, CountersDamaged};
pub use epoch::EpochWarning;
pub use error::VaultError;
pub use files::Files;
pub use idempotency::ActionName;
pub use init::{Initialised, init};
pub use locked::{Locked, UnlockFailed, slots};
pub use payload::Settings;
pub use pin::PinVerdict;
pub use release::ReleaseRefused;
pub use restore::restore;
pub use rules::{Factor, PASSPHRASE_CHARS, PIN_CHARS, RuleBroken, check_passphrase, check_pin_rules};
pub use signer::Signer;
pub use store::{Opened, Store, StoreDamage, StoreError, StoreKey, StoreNotice};
pub use unlocked::Unlocked;

use lychgate_seal::FileKind;
use lychgate_text::words;

/// What `vault.lych` is among sealed files.
pub const VAULT_KIND: FileKind =
    FileKind { purpose: "lychgate/vault/1", remedy: || words().vault().remedy, max_bytes: 16 * 1024 * 1024 };
