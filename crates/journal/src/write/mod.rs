//! Writing a log: creating it, recovering it, appending to it. Nothing here can decrypt.

pub(crate) mod batch;
pub(crate) mod cause;
pub(crate) mod create;
pub(crate) mod head;
pub(crate) mod next_key;
mod open;
mod own_rows;
pub(crate) mod pending;
pub(crate) mod recover;
pub(crate) mod rows;
pub(crate) mod storage;
pub(crate) mod writer;
