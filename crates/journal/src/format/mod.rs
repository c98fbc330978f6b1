//! The bytes of a journal, without any file: codecs, tree, signed notes, key schedule. Shared by writer and readers.
//! `docs/JOURNAL.md` draws every structure.

pub(crate) mod bytes;
pub mod clear;
pub mod entry;
pub mod frame;
pub mod keys;
pub mod log;
pub mod note;
pub mod payload;
pub mod ratchet;
pub mod recipient;
pub mod tree;
