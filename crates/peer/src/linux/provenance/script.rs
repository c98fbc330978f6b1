//! The script that an interpreter says it runs.

use super::served_by_others;
use crate::linux::hash;
use crate::linux::held::Held;
use crate::tables;
use lychgate_core::provenance::Script;
use std::os::fd::{AsFd, OwnedFd};

/// Scripts larger than this are named and not read, in bytes: an agent's bundle has some tens of megabytes.
const SCRIPT_BYTES: i64 = 64 * 1024 * 1024;

/// The script that the command line of an interpreter names, and the digest of the file that is there now; `None`
/// where `program` is no interpreter, or it runs no file.
///
/// Claimed, all of it: a process can write another command line over its own.
pub(crate) fn script(held: &Held, program: &str, arguments: &[String]) -> Option<Script> {
    let path = tables::script_of(program, arguments)?;
    let seen_from = match path.strip_prefix('/') {
        Some(absolute) => format!("root/{absolute}"),
        None => format!("cwd/{path}"),
    };
    // Whoever serves a file system can let a reader wait for ever, and show each one something else.
    let readable = |file: &OwnedFd, size| size <= SCRIPT_BYTES && !served_by_others(file.as_fd());
    let file = held.regular_file(&seen_from).ok().filter(|(file, stat)| readable(file, stat.st_size));
    let sha256 = file.and_then(|(file, _)| hash::content(file.as_fd()).ok());
    Some(Script { path: path.to_owned(), sha256 })
}
