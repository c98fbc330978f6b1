//! The sealed action store `actions.store`: an append-only file of sealed records beside the journal.
//!
//! It gives back what the write-blind journal can't: results, the mapping of refs, and why runs ended. It widens nothing;
//! losing it costs words and results. So damage never stops a gateway: what verifies is kept, the file is put aside.

mod damage;
mod frame;
mod keep;
mod read;

pub use damage::StoreDamage;

use frame::Keys;
use lychgate_core::ids::WallTime;
use lychgate_core::record::Record;
use lychgate_seal::durable::{self, Access, PRIVATE_FILE, ReadRefused};
use lychgate_seal::memory::NoLockedMemory;
use lychgate_seal::random;
use lychgate_sys::LockedBytes;
use lychgate_text::words;
use std::fs::File;
use std::io::{self, Write};
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The key of the action store, from the vault's payload.
pub struct StoreKey(Arc<LockedBytes>);

impl StoreKey {
    pub(crate) fn new(key: Arc<LockedBytes>) -> Self {
        Self(key)
    }

    pub(crate) fn share(&self) -> Self {
        Self(Arc::clone(&self.0))
    }
}

impl std::fmt::Debug for StoreKey {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("StoreKey(..)")
    }
}

/// Why a record was not kept, or the store not opened.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// The system's error.
    #[error("{path}: {error}")]
    Io {
        /// The store.
        path: PathBuf,
        /// What the system says.
        error: io::Error,
    },
    /// An earlier write or sync failed, so nobody knows what is on the disk. Open it again.
    #[error("{}", (words().vault().store.not_used_any_more)(&.0.display()))]
    Poisoned(PathBuf),
    /// The record has no sealed form.
    #[error("{}", (words().vault().store.record_not_sealed)(&.0.display()))]
    Record(PathBuf),
    /// No randomness.
    #[error(transparent)]
    Random(#[from] random::NoRandomness),
    /// No memory for its keys. The file is as it was.
    #[error(transparent)]
    Memory(#[from] NoLockedMemory),
}

/// What was found on opening, where that was not a whole store.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum StoreNotice {
    /// The last record was not written to its end: a crash or a power loss.
    #[error("{}", (words().vault().store.cut_tail)(*.bytes))]
    CutTail {
        /// Bytes that were dropped.
        bytes: u64,
    },
    /// Something in it does not verify. What came before is kept.
    #[error("{}", (words().vault().store.damaged)(.why, &.aside.display()))]
    Damaged {
        /// Where the damaged file is now.
        aside: PathBuf,
        /// What shows it.
        why: StoreDamage,
    },
}

/// An opened store and what was in it.
#[derive(Debug)]
pub struct Opened {
    /// The store, to append to.
    pub store: Store,
    /// What it holds, oldest first. The first is a [`Record::Counter`].
    pub records: Vec<Record>,
    /// What was wrong with it.
    pub notice: Option<StoreNotice>,
    /// There was none.
    pub made: bool,
}

/// The store, open for appending. One at a time for a file: the vault's lock sees to that.
pub struct Store {
    path: PathBuf,
    file: File,
    keys: Keys,
    chain: frame::Chain,
    len: u64,
    poisoned: bool,
}

impl std::fmt::Debug for Store {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Store").field("path", &self.path).field("len", &self.len).finish_non_exhaustive()
    }
}

impl Store {
    /// Above this size of the file, in bytes, results are kept without their bodies until the store is opened again.
    pub const MOST_BYTES: u64 = 128 * 1024 * 1024;

    /// Opens the store at `path`, or makes it, and drops what is too old at `now`: bodies of results after 24 hours,
    /// records after a week. The action counter is never dropped.
    ///
    /// # Errors
    /// It could be neither read, nor put aside, nor written.
    pub fn open(path: &Path, key: &StoreKey, now: WallTime) -> Result<Opened, StoreError> {
        let io = |error| StoreError::Io { path: path.to_owned(), error };
        // What a crash left of a rewrite.
        let _ = durable::remove_leftovers(path);
        let opened = durable::open_owned(path, Access::ReadWrite);
        let made = matches!(opened, Err(ReadRefused::Absent(_)));
        let found = match opened {
            Ok(file) => read::read(&file, &key.0)?,
            Err(ReadRefused::Absent(_)) => read::Found::nothing(),
            Err(refused) => read::Found::damaged(StoreDamage::Refused(refused.to_string())),
        };
        let notice = match found.end {
            read::End::Whole => None,
            read::End::Cut { bytes } => Some(StoreNotice::CutTail { bytes }),
            read::End::Damaged { why } => {
                let aside = path.with_extension("store.damaged");
                std::fs::rename(path, &aside).map_err(io)?;
                Some(StoreNotice::Damaged { aside, why })
            }
        };
        let records = keep::keep(found.records, now);
        let store = Self::write_anew(path, key, &records)?;
        Ok(Opened { store, records, notice, made })
    }

    /// Appends a record. With `durable`, it survives a power loss once this has returned; else after the next durable one
    /// or [`Store::sync`].
    ///
    /// # Errors
    /// The record is not in the store. After an error that leaves the file in doubt every later call refuses too.
    pub fn append(&mut self, record: &Record, durable: bool) -> Result<(), StoreError> {
        if self.poisoned {
            return Err(StoreError::Poisoned(self.path.clone()));
        }
        let slim = (self.len > Self::MOST_BYTES).then(|| keep::without_body(record)).flatten();
        let sealed = frame::seal(&self.keys, &self.chain, slim.as_ref().unwrap_or(record))
            .map_err(|failed| failed.named(&self.path))?;
        if let Err(error) = self.file.write_all_at(&sealed.bytes, self.len) {
            // Half a frame must not stand before the next one.
            self.poisoned = self.file.set_len(self.len).is_err();
            return Err(StoreError::Io { path: self.path.clone(), error });
        }
        self.len = self.len.saturating_add(sealed.bytes.len() as u64);
        self.chain = sealed.next;
        if durable { self.sync() } else { Ok(()) }
    }

    /// Makes everything that was appended durable: one sync for any number of records.
    ///
    /// # Errors
    /// Nobody knows what is on the disk. The store refuses from now on: a sync that failed is never tried again, since the
    /// kernel may then say yes to what it has thrown away.
    pub fn sync(&mut self) -> Result<(), StoreError> {
        if self.poisoned {
            return Err(StoreError::Poisoned(self.path.clone()));
        }
        self.file.sync_data().map_err(|error| {
            self.poisoned = true;
            StoreError::Io { path: self.path.clone(), error }
        })
    }

    /// A new file with a key of its own, in the place of the old one: whole, or not at all.
    fn write_anew(path: &Path, key: &StoreKey, records: &[Record]) -> Result<Self, StoreError> {
        let head = frame::Head::new()?;
        let keys = Keys::derive(&key.0, &head)?;
        let mut chain = frame::Chain::begin(&head);
        let mut len = head.bytes().len() as u64;
        let mut failed = None;
        durable::replace_with(path, PRIVATE_FILE, |file| {
            let mut out = io::BufWriter::new(file);
            out.write_all(head.bytes())?;
            for record in records {
                let sealed = match frame::seal(&keys, &chain, record) {
                    Ok(sealed) => sealed,
                    Err(error) => {
                        failed = Some(error);
                        // Never shown: what is in `failed` is.
                        return Err(io::ErrorKind::Other.into());
                    }
                };
                out.write_all(&sealed.bytes)?;
                len = len.saturating_add(sealed.bytes.len() as u64);
                chain = sealed.next;
            }
            out.flush()
        })
        .map_err(|error| match failed.take() {
            Some(failed) => failed.named(path),
            None => StoreError::Io { path: path.to_owned(), error },
        })?;
        let file = durable::open_owned(path, Access::ReadWrite)
            .map_err(|refused| StoreError::Io { path: path.to_owned(), error: io::Error::other(refused) })?;
        Ok(Self { path: path.to_owned(), file, keys, chain, len, poisoned: false })
    }
}
