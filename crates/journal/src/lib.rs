//! The write-blind, hash-chained journal: append, recover, verify. It cannot decrypt.
//!
//! ```text
//! format/   the bytes: frames, entries, tree, notes, key schedule. Shared by everything below
//! protocol  which row may follow which
//! finding/  what can be wrong with a log: verdict, code and words of each kind
//! write/    create, recover, append: one thread, one fdatasync per batch
//! read/     segments and the seams between them, without any key
//! verify/   the verdict on a whole log, for `audit verify`
//! ```
//! `docs/JOURNAL.md` is the byte-exact description.
#![forbid(unsafe_code)]

mod checkpoint;
mod error;
pub mod finding;
pub mod format;
mod journal;
pub mod protocol;
pub mod random;
pub mod read;
mod shared;
mod state;
pub mod verify;
mod write;

pub use checkpoint::checkpoint;
pub use error::{BadNextKey, BadParameters, JournalError};
pub use format::keys::VaultSigner;
pub use format::recipient::AuditPublicKey;
pub use journal::{Journal, Opened, Unfinished};
pub use state::{End, RefState};
pub use write::create::{CreateParams, Created, SEGMENT_BYTES_DEFAULT};
pub use write::pending::Pending;
pub use write::recover::Recovered;
pub use write::storage::{Disk, SegmentFile, Storage};
