//! Whether a process runs code that a program of its user could have written.

use crate::linux::held::{Held, read_all};
use crate::linux::image::Bound;
use crate::linux::text::{Mapping, executable_mappings};
use lychgate_core::evidence::Executable;
use rustix::fs::FileType;
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
/// so in it, and is then not found. The kernel writes a line break in a name as `\012`, so a name with a backslash may
/// be another file's; and a path that the kernel tells leads over no link.
pub(crate) fn trustworthy(mapping: &Mapping<'_>, held: &Held, user: u32) -> bool {
    let Some(path) = mapping.name.strip_prefix(b"/").filter(|path| !path.contains(&b'\\')) else { return false };
    let Ok(stat) = held.file_at(path) else { return false };
    let regular = FileType::from_raw_mode(stat.st_mode) == FileType::RegularFile;
    // Root can write everything; what its own files hold is its own word.
    let of_the_user = stat.st_uid == user && user != 0;
    regular && stat.st_ino == mapping.inode && !of_the_user && stat.st_mode & 0o022 == 0
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests")]
    use super::*;
    use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};

    /// A file of root's in place of the library that a process really runs: the same number, and found by its name.
    #[test]
    fn a_name_that_leads_elsewhere_vouches_for_nothing() {
        let dir = tempfile::tempdir().unwrap();
        std::fs::set_permissions(dir.path(), PermissionsExt::from_mode(0o755)).unwrap();
        let path = dir.path().canonicalize().unwrap();
        let held = Held::open(std::process::id()).unwrap();
        let of = |path: &std::path::Path, inode: u64| {
            // A user of whom nothing here is.
            trustworthy(&Mapping { inode, name: path.to_str().unwrap().as_bytes() }, &held, u32::MAX - 1)
        };
        let library = path.join("lib.so");
        std::fs::write(&library, b"x").unwrap();
        std::fs::set_permissions(&library, PermissionsExt::from_mode(0o644)).unwrap();
        let inode = std::fs::metadata(&library).unwrap().ino();
        assert!(of(&library, inode));
        assert!(!of(&library, inode + 1), "another file");

        symlink(&library, path.join("link.so")).unwrap();
        assert!(!of(&path.join("link.so"), inode), "a link");
        symlink(&path, path.join("dir")).unwrap();
        assert!(!of(&path.join("dir/lib.so"), inode), "a link on the way");
        std::fs::hard_link(&library, path.join("e\\012.so")).unwrap();
        assert!(!of(&path.join("e\\012.so"), inode), "the name of a file with a line break in it");
        let own = std::fs::metadata(&path).unwrap().ino();
        assert!(!of(&path, own), "a directory");
        std::fs::set_permissions(&library, PermissionsExt::from_mode(0o664)).unwrap();
        assert!(!of(&library, inode), "others may write it");
    }
}
