//! What this process is.

use crate::ancestry::{Ancestor, ancestry};
use crate::linux::Linux;
use crate::linux::held::{Held, unseen};
use lychgate_core::evidence::{FileId, Namespaces, Why};
use lychgate_text::{OwnTexts, words};
use std::io;

/// The program file that this process runs.
///
/// # Errors
/// Where `/proc` is not mounted, or this process may not look at itself.
pub fn own_file() -> io::Result<FileId> {
    this()?.program_file().map_err(|why| cannot(|own| own.program_file, why))
}

/// The user and pid namespace of this process.
///
/// # Errors
/// As [`own_file`].
pub fn own_namespaces() -> io::Result<Namespaces> {
    this()?.namespaces().map_err(|why| cannot(|own| own.namespaces, why))
}

/// The processes above this one, nearest first, without this one: none of them is ever an agent.
///
/// Ask at the start: a process whose parents ended has others later.
///
/// # Errors
/// Where one of them could not be held. Do not serve then, or an ancestor could pass as an agent.
pub fn own_ancestry() -> io::Result<Vec<Ancestor>> {
    let this = this()?;
    let all = ancestry(&Linux, this.pidfd(), this.pid).map_err(|why| cannot(|own| own.ancestors, why))?;
    Ok(all.into_iter().skip(1).collect())
}

fn this() -> io::Result<Held> {
    Held::open(std::process::id()).map_err(|why| cannot(|own| own.proc_entry, why))
}

fn cannot(what: fn(&OwnTexts) -> &'static str, why: Why) -> io::Error {
    let say = words().peer();
    io::Error::other((say.cannot_see)(&what(&say.own), &unseen(why)))
}
