//! Sealed files: passphrase derivation, key-committing wraps, durable replace.
//!
//! Both the vault and `audit.key` are one file of this format; `docs/VAULT.md` draws it. Nothing here opens a socket
//! or knows what a payload means. Randomness for keys, salts and file names comes from the kernel ([`random`]),
//! never from an argument: a caller can't pass the same nonce twice.
#![forbid(unsafe_code)]

pub mod aead;
pub mod cbor;
pub mod container;
pub mod durable;
pub mod kdf;
pub mod keys;
pub mod memory;
pub mod random;

pub use container::{Damage, FileId, FileKind, MasterKey, NewSlot, SealError, Sealed, Slot, SlotId, SlotKind};
pub use kdf::{Cost, CostError, SlotKey};
