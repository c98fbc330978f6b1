//! SHA-256 of program images, remembered.
//!
//! A large image takes tens of milliseconds, and the same few programs come again and again.

use lychgate_core::evidence::{FileId, Why};
use lychgate_core::ids::Digest;
use lychgate_core::limits::IMAGE_BYTES;
use rustix::fs::{Stat, fstat};
use rustix::io::Errno;
use rustix::time::{ClockId, clock_gettime};
use sha2::{Digest as _, Sha256};
use std::collections::VecDeque;
use std::os::fd::{AsFd, BorrowedFd};
use std::sync::{Mutex, PoisonError};

/// What must be equal for two looks at a file to have seen the same content.
///
/// Not covered: a store through a shared mapping that was dirty before does not move the times. So only images that run
/// are remembered: while one runs, nobody can have it open for writing (but see docs/THREAT-MODEL.md on Linux 6.11).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Version {
    pub(crate) file: FileId,
    pub(crate) size: u64,
    pub(crate) mtime_ns: i128,
    pub(crate) ctime_ns: i128,
}

impl Version {
    pub(crate) fn of(stat: &Stat) -> Option<Self> {
        Some(Self {
            file: crate::linux::held::file_id(stat),
            size: u64::try_from(stat.st_size).ok()?,
            mtime_ns: nanoseconds(stat.st_mtime, stat.st_mtime_nsec),
            ctime_ns: nanoseconds(stat.st_ctime, stat.st_ctime_nsec),
        })
    }
}

/// The digest of an open image, and the version that it is of.
///
/// Reads the whole file where it is not remembered: call it where blocking is allowed.
pub(crate) fn image(file: BorrowedFd<'_>) -> Result<(Version, Digest), Why> {
    let version = version(file)?;
    if let Some(digest) = remembered(&version) {
        return Ok((version, digest));
    }
    if version.size > IMAGE_BYTES {
        return Err(Why::Unclear);
    }
    let digest = read_as(file, &version)?;
    if settled(&version) {
        remember(version, digest);
    }
    Ok((version, digest))
}

/// The digest of an open file that no process runs as its image. Neither looked up nor remembered: nothing keeps such a
/// file from being mapped for writing, and a store through a mapping that was dirty before moves no time.
pub(crate) fn content(file: BorrowedFd<'_>) -> Result<Digest, Why> {
    read_as(file, &version(file)?)
}

/// Reads a file that is of this version before and after.
fn read_as(file: BorrowedFd<'_>, version: &Version) -> Result<Digest, Why> {
    let digest = read(file)?;
    if self::version(file)? == *version { Ok(digest) } else { Err(Why::Unclear) }
}

fn version(file: BorrowedFd<'_>) -> Result<Version, Why> {
    let stat = fstat(file).map_err(crate::linux::held::why)?;
    Version::of(&stat).ok_or(Why::Unclear)
}

fn read(file: BorrowedFd<'_>) -> Result<Digest, Why> {
    let mut hash = Sha256::new();
    let mut piece = vec![0; 256 * 1024];
    let mut offset = 0;
    loop {
        match rustix::io::pread(file.as_fd(), piece.as_mut_slice(), offset) {
            Ok(0) => return Ok(Digest(hash.finalize().into())),
            Ok(length) => {
                hash.update(piece.get(..length).unwrap_or_default());
                offset += length as u64;
                if offset > IMAGE_BYTES {
                    return Err(Why::Unclear);
                }
            }
            Err(Errno::INTR) => {}
            Err(error) => return Err(crate::linux::held::why(error)),
        }
    }
}

/// Programs remembered at once. A machine runs a few dozen.
const REMEMBERED: usize = 256;

/// File times move in steps of some milliseconds, so a file that changed just now may change again and keep them.
const SETTLED_NS: i128 = 2_000_000_000;

static CACHE: Mutex<VecDeque<(Version, Digest)>> = Mutex::new(VecDeque::new());

fn remembered(version: &Version) -> Option<Digest> {
    let cache = CACHE.lock().unwrap_or_else(PoisonError::into_inner);
    cache.iter().find(|(known, _)| known == version).map(|(_, digest)| *digest)
}

fn remember(version: Version, digest: Digest) {
    let mut cache = CACHE.lock().unwrap_or_else(PoisonError::into_inner);
    if cache.len() >= REMEMBERED {
        cache.pop_front();
    }
    cache.push_back((version, digest));
}

fn settled(version: &Version) -> bool {
    let now = clock_gettime(ClockId::Realtime);
    nanoseconds(now.tv_sec, now.tv_nsec as u64).saturating_sub(version.ctime_ns) > SETTLED_NS
}

fn nanoseconds(seconds: i64, part: u64) -> i128 {
    i128::from(seconds) * 1_000_000_000 + i128::from(part)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests")]
    use super::*;
    use std::fs::File;
    use std::io::Write;

    fn scratch(name: &str) -> std::path::PathBuf {
        std::env::temp_dir().join(format!("lychgate-hash-{}-{name}", std::process::id()))
    }

    #[test]
    fn a_digest_is_of_the_whole_content() {
        let path = scratch("content");
        std::fs::write(&path, b"abc").unwrap();
        let (version, digest) = image(File::open(&path).unwrap().as_fd()).unwrap();
        std::fs::remove_file(&path).unwrap();
        assert_eq!(version.size, 3);
        assert_eq!(digest.to_string(), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    }

    #[test]
    fn a_file_that_changed_just_now_is_not_remembered() {
        let path = scratch("fresh");
        let mut file = File::options().create(true).truncate(true).read(true).write(true).open(&path).unwrap();
        file.write_all(b"one").unwrap();
        let (version, first) = image(file.as_fd()).unwrap();
        assert_eq!(remembered(&version), None);
        rustix::io::pwrite(&file, b"two", 0).unwrap();
        let (_, second) = image(file.as_fd()).unwrap();
        std::fs::remove_file(&path).unwrap();
        assert_ne!(first, second, "same size, and perhaps the same times");
    }

    #[test]
    fn a_file_at_rest_is_read_once() {
        let file = File::open("/proc/self/exe").unwrap();
        let (version, digest) = image(file.as_fd()).unwrap();
        if settled(&version) {
            assert_eq!(remembered(&version), Some(digest));
        }
        assert_eq!(image(file.as_fd()).unwrap(), (version, digest));
    }

    #[test]
    fn a_file_that_nobody_runs_is_neither_remembered_nor_looked_up() {
        // At rest for long, and run by nobody as long as this test runs.
        let file = File::open("/etc/debian_version").unwrap();
        let version = version(file.as_fd()).unwrap();
        assert!(settled(&version));
        let digest = content(file.as_fd()).unwrap();
        assert_eq!(remembered(&version), None);
        remember(version, Digest([7; 32]));
        assert_eq!(content(file.as_fd()).unwrap(), digest, "read anew");
    }

    #[test]
    fn the_memory_of_digests_is_bounded() {
        for ino in 0..2 * REMEMBERED as u64 {
            let file = FileId { dev: u64::MAX, ino };
            remember(Version { file, size: 0, mtime_ns: 0, ctime_ns: 0 }, Digest([0; 32]));
        }
        assert!(CACHE.lock().unwrap().len() <= REMEMBERED);
    }
}
