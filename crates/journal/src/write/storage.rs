//! The three things a writer does to a segment's file. An interface of its own, so that tests can let the disk fail.

use rustix::fs::{FallocateFlags, fallocate, ftruncate};
use std::fs::{File, OpenOptions};
use std::io;
use std::os::unix::fs::{FileExt, OpenOptionsExt};
use std::path::Path;

/// Where segment files come from.
pub trait Storage: Send {
    /// Makes a new file of `bytes` zeros, with its space allocated. An older one of that name is replaced.
    ///
    /// # Errors
    /// No space, or what the system says. The file must not be used then.
    fn create(&self, path: &Path, bytes: u64) -> io::Result<Box<dyn SegmentFile>>;
    /// Opens an existing file.
    ///
    /// # Errors
    /// What the system says.
    fn open(&self, path: &Path) -> io::Result<Box<dyn SegmentFile>>;
    /// Gives a file that is durable its final name, durably.
    ///
    /// # Errors
    /// What the system says. Either name may be there then.
    fn publish(&self, from: &Path, to: &Path) -> io::Result<()>;
}

/// A segment's file.
pub trait SegmentFile: Send {
    /// Writes all of `bytes` at `at`.
    ///
    /// # Errors
    /// Some of it may have been written.
    fn write_at(&self, bytes: &[u8], at: u64) -> io::Result<()>;
    /// Makes what was written durable (`fdatasync`). After an error it must not be called again for the same bytes:
    /// the kernel may have dropped them and say yes the second time.
    ///
    /// # Errors
    /// Nothing is known about the bytes since the last success.
    fn sync(&self) -> io::Result<()>;
    /// Cuts the file at `at`, durably.
    ///
    /// # Errors
    /// What the system says.
    fn cut(&self, at: u64) -> io::Result<()>;
}

/// Files on a disk.
#[derive(Debug, Clone, Copy)]
pub struct Disk;

impl Storage for Disk {
    fn create(&self, path: &Path, bytes: u64) -> io::Result<Box<dyn SegmentFile>> {
        let mut options = OpenOptions::new();
        options.write(true).create(true).truncate(true).mode(lychgate_seal::durable::PRIVATE_FILE);
        let file = options.open(path)?;
        match fallocate(&file, FallocateFlags::empty(), 0, bytes) {
            // A file system without preallocation is slower, not wrong.
            Err(rustix::io::Errno::OPNOTSUPP | rustix::io::Errno::NOSYS) => ftruncate(&file, bytes)?,
            other => other?,
        }
        Ok(Box::new(file))
    }

    fn open(&self, path: &Path) -> io::Result<Box<dyn SegmentFile>> {
        Ok(Box::new(OpenOptions::new().write(true).open(path)?))
    }

    fn publish(&self, from: &Path, to: &Path) -> io::Result<()> {
        std::fs::rename(from, to)?;
        match to.parent() {
            Some(dir) => File::open(dir)?.sync_all(),
            None => Ok(()),
        }
    }
}

impl SegmentFile for File {
    fn write_at(&self, bytes: &[u8], at: u64) -> io::Result<()> {
        self.write_all_at(bytes, at)
    }

    fn sync(&self) -> io::Result<()> {
        self.sync_data()
    }

    fn cut(&self, at: u64) -> io::Result<()> {
        self.set_len(at)?;
        self.sync_all()
    }
}
