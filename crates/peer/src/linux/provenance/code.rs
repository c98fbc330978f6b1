//! Whether a process runs code that a program of its user could have written.

use crate::linux::held::{Held, read_all};
use crate::linux::image::Bound;
use crate::linux::text::{Mapping, executable_mappings};
use lychgate_core::evidence::Executable;
use std::os::fd::AsFd;

/// A list of mappings longer than this is not understood, in bytes. An interpreter with many libraries has 200 KB.
const MAPS_BYTES: usize = 8 * 1024 * 1024;

/// True where an executable mapping is of a file that the process's user can write, or of one that can't be found; or
/// where the mappings can't be read.
///
/// The image itself is not asked: it is known by its digest, and a running image can't be written. Code that was made in
/// memory is not asked either, since every just-in-time compiler has some; and code that is loaded later is not seen.
pub(crate) fn of_the_user(bound: &Bound, executable: &Executable, uid: u32) -> bool {
    let Ok(text) = read_all(bound.maps.as_fd(), MAPS_BYTES) else { return true };
    let Some(mappings) = executable_mappings(&text) else { return true };
    let own = (executable.path.as_bytes(), executable.file.ino);
    let mut files = mappings.iter().filter(|mapping| mapping.inode != 0 && (mapping.name, mapping.inode) != own);
    files.any(|mapping| !trustworthy(mapping, &bound.held, uid))
}

/// The file behind the mapping can be written by nobody but its owner, who is not `user`.
///
/// The name is where the mapped file is now, as the process sees the file system; a file without a name any more says
/// so in it, and is then not found.
pub(crate) fn trustworthy(mapping: &Mapping<'_>, held: &Held, user: u32) -> bool {
    let Some(path) = mapping.name.strip_prefix(b"/") else { return false };
    let behind_root = [b"root/".as_slice(), path].concat();
    let Ok(stat) = held.follow(behind_root) else { return false };
    // Root can write everything; what its own files hold is its own word.
    let of_the_user = stat.st_uid == user && user != 0;
    stat.st_ino == mapping.inode && !of_the_user && stat.st_mode & 0o022 == 0
}
