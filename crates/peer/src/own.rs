//! What this process is.

use crate::ancestry::{Ancestor, ancestry};
use crate::held::{Held, unseen};
use lychgate_core::evidence::{FileId, Namespaces, Why};
use lychgate_text::{OwnTexts, words};
use std::io;
use std::os::fd::AsFd;
use std::sync::OnceLock;

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
    let all = ancestry(this.pidfd(), this.pid).map_err(|why| cannot(|own| own.ancestors, why))?;
    Ok(all.into_iter().skip(1).collect())
}

/// The kernel's boot id; `None` where it can't be read, and then nothing is pinned.
pub(crate) fn kernel_boot() -> Option<&'static str> {
    static BOOT: OnceLock<Option<String>> = OnceLock::new();
    BOOT.get_or_init(|| {
        let file = std::fs::File::open("/proc/sys/kernel/random/boot_id").ok()?;
        let bytes = crate::held::read_all(file.as_fd(), 64).ok()?;
        let text = String::from_utf8(bytes).ok()?;
        let boot = text.trim_end();
        (boot.len() == 36).then(|| boot.to_owned())
    })
    .as_deref()
}

fn this() -> io::Result<Held> {
    Held::open(std::process::id()).map_err(|why| cannot(|own| own.proc_entry, why))
}

fn cannot(what: fn(&OwnTexts) -> &'static str, why: Why) -> io::Error {
    let say = words().peer();
    io::Error::other((say.cannot_see)(&what(&say.own), &unseen(why)))
}
