//! Who vouches for the program that a process runs.

mod code;
mod dpkg;
mod script;

pub(crate) use code::trustworthy;
pub(crate) use script::script;

use crate::linux::image::Bound;
use crate::tables;
use dpkg::Dpkg;
use lychgate_core::evidence::Executable;
use lychgate_core::provenance::{Provenance, Unsigned};
use rustix::fs::fstatfs;
use std::os::fd::BorrowedFd;

/// What the system knows of `executable`, which `bound` runs from the open file `image`.
///
/// May read the whole image and the package database: call it where blocking is allowed.
pub(crate) fn provenance(bound: &Bound, executable: &Executable, image: BorrowedFd<'_>, uid: u32) -> Provenance {
    let unsigned = tables::unsigned_whatever_the_file(executable.name())
        .or_else(|| served_by_others(image).then_some(Unsigned::ForeignFileSystem))
        .or_else(|| code::of_the_user(bound, executable, uid).then_some(Unsigned::UserCode));
    match unsigned {
        Some(why) => Provenance::Unsigned(why),
        None => Dpkg::SYSTEM.provenance(executable, image),
    }
}

/// File systems whose content a program or another machine serves (`statfs(2)`). It may differ from one reader to the
/// next, so a digest says nothing of what was executed.
const SERVED: &[i64] = &[
    0x6573_5546, // FUSE
    0x0102_1997, // 9P
    0x6969,      // NFS
    0xFE53_4D42, // SMB2
    0xFF53_4D42, // CIFS
    0x00C3_6400, // Ceph
    0x5346_414F, // AFS
];

fn served_by_others(file: BorrowedFd<'_>) -> bool {
    // One that can't be asked is not trusted either.
    fstatfs(file).map_or(true, |system| SERVED.contains(&system.f_type))
}
