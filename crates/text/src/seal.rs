//! What sealed files and careful file handling say.
//!
//! A field with arguments is a function; text that comes in has been made visible by whoever shows the sentence.

use std::fmt::Display;

/// The sentences and phrases.
#[derive(Debug)]
#[expect(missing_docs, reason = "the names say it; the English is beside")]
pub struct SealTexts {
    /// A sealed file is not what it must be.
    pub sealed: SealedFileTexts,
    /// What shows that a sealed file is damaged.
    pub damage: DamageTexts,
    /// A file is not read.
    pub read: FileTexts,
    /// A directory is not used.
    pub dir: DirTexts,
    /// A file is not written.
    pub write: WriteTexts,
    /// Another process has the lock. The lock file.
    pub lock_held: fn(path: &dyn Display) -> String,
    /// The lock file, and what the system says.
    pub lock_failed: fn(path: &dyn Display, error: &dyn Display) -> String,
    /// The cost of a passphrase as it was given, and the most of each: KiB, passes, lanes.
    pub cost_out_of_bounds: fn(given: [u32; 3], most: [u32; 3]) -> String,
    /// Memory that could not be had, in KiB.
    pub no_memory: fn(kib: u32) -> String,
    pub no_randomness: &'static str,
    /// What the system said.
    pub no_locked_memory: fn(&dyn Display) -> String,
    pub too_long_to_seal: &'static str,
    pub cbor_of_another_form: &'static str,
    pub cbor_left_over: &'static str,
}

/// Why a sealed file is not made or not opened. `remedy` is what to do about this kind of file, in words of its owner.
#[derive(Debug)]
pub struct SealedFileTexts {
    /// The file; what to do.
    pub not_sealed: fn(file: &dyn Display, remedy: &str) -> String,
    /// The file; the format that it says, the one that is read here; what to do.
    pub other_format: fn(file: &dyn Display, found: u16, known: u16, remedy: &str) -> String,
    /// The file; what shows it, of [`DamageTexts`]; what to do.
    pub damaged: fn(file: &dyn Display, what: &dyn Display, remedy: &str) -> String,
    /// The file; the label that it says, escaped, and the one that belongs there; what to do.
    pub other_purpose: fn(file: &dyn Display, found: &str, expected: &str, remedy: &str) -> String,
    /// The file.
    pub wrong_passphrase: fn(file: &dyn Display) -> String,
    /// The file.
    pub wrong_recovery_code: fn(file: &dyn Display) -> String,
    /// The file, and the number of the slot.
    pub no_such_slot: fn(file: &dyn Display, slot: u32) -> String,
    /// The file; how many slots were asked for, and the most.
    pub slot_count: fn(file: &dyn Display, found: usize, most: usize) -> String,
    /// The file, and the most bytes.
    pub too_large: fn(file: &dyn Display, most: usize) -> String,
}

/// What shows that a sealed file is damaged; stands in the middle of a sentence.
#[derive(Debug)]
#[expect(missing_docs, reason = "the names say it; the English is beside")]
pub struct DamageTexts {
    pub empty: &'static str,
    pub checksum: &'static str,
    pub cut_short: &'static str,
    pub lengths: &'static str,
    pub header: &'static str,
    pub slot_count: &'static str,
    pub slot_cost: &'static str,
    pub slot_twice: &'static str,
    pub wrap: &'static str,
    pub payload: &'static str,
    pub mixed: &'static str,
}

/// Why a file that must be ours alone is not read.
#[derive(Debug)]
pub struct FileTexts {
    /// The file.
    pub absent: fn(path: &dyn Display) -> String,
    /// The file.
    pub is_link: fn(path: &dyn Display) -> String,
    /// The file.
    pub not_regular: fn(path: &dyn Display) -> String,
    /// The file; its owner's user id, and ours.
    pub foreign: fn(path: &dyn Display, owner: u32, ours: u32) -> String,
    /// The file.
    pub second_name: fn(path: &dyn Display) -> String,
    /// The file, and its permission bits.
    pub open_to_others: fn(path: &dyn Display, mode: u32) -> String,
    /// The file, and the most bytes.
    pub too_large: fn(path: &dyn Display, most: usize) -> String,
    /// The file, and what the system says.
    pub failed: fn(path: &dyn Display, error: &dyn Display) -> String,
}

/// Why a directory that must be ours alone is not used.
#[derive(Debug)]
pub struct DirTexts {
    /// The directory.
    pub is_link: fn(path: &dyn Display) -> String,
    /// The directory.
    pub not_a_directory: fn(path: &dyn Display) -> String,
    /// The directory; its owner's user id, and ours.
    pub foreign: fn(path: &dyn Display, owner: u32, ours: u32) -> String,
    /// The directory, and its permission bits.
    pub open_to_others: fn(path: &dyn Display, mode: u32) -> String,
    /// The directory, and what the system says.
    pub failed: fn(path: &dyn Display, error: &dyn Display) -> String,
}

/// Why a file is not replaced.
#[derive(Debug)]
#[expect(missing_docs, reason = "the names say it; the English is beside")]
pub struct WriteTexts {
    /// The file; one of the steps below; what the system says.
    pub failed: fn(path: &dyn Display, step: &str, error: &dyn Display) -> String,
    pub no_file_name: &'static str,
    pub step_name: &'static str,
    pub step_open_directory: &'static str,
    pub step_random_name: &'static str,
    pub step_write: &'static str,
    pub step_rename: &'static str,
    pub step_sync_directory: &'static str,
}
