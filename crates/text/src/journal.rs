//! What the journal says: why it can't be written, what verification found, what a verdict is.
//!
//! A field with arguments is a function; text that comes in has been made visible by whoever shows the sentence. OPEN,
//! CLOSE, COMMIT, RECOVERY, REKEY, ANCHOR and LOG are names and stay as they are.

use std::fmt::Display;

/// The sentences and phrases. The groups are named for what they are about.
#[derive(Debug)]
#[expect(missing_docs, reason = "the names say it; the English is beside")]
pub struct JournalTexts {
    pub error: JournalErrorTexts,
    pub next_key: NextKeyTexts,
    pub finding: FindingTexts,
    pub frame: FrameTexts,
    pub entry: EntryTexts,
    pub row: RowTexts,
    pub commit: CommitTexts,
    pub segment: SegmentTexts,
    pub log: LogTexts,
    pub note: NoteTexts,
    pub protocol: ProtocolTexts,
    pub report: ReportTexts,
}

/// What can go wrong with a journal. Whole sentences without their ends.
#[derive(Debug)]
pub struct JournalErrorTexts {
    /// Why.
    pub parameters: fn(&dyn Display) -> String,
    /// The directory.
    pub exists: fn(&dyn Display) -> String,
    /// The directory.
    pub held: fn(&dyn Display) -> String,
    /// Why.
    pub files: fn(&dyn Display) -> String,
    /// Why.
    pub log: fn(&dyn Display) -> String,
    /// Why.
    pub next_key: fn(&dyn Display) -> String,
    /// What was found.
    pub quarantine: fn(&dyn Display) -> String,
    /// Why.
    pub not_durable: fn(&dyn Display) -> String,
    /// A reason for `not_durable`.
    pub segment_failed: &'static str,
    /// Why.
    pub row_refused: fn(&dyn Display) -> String,
    pub row_too_large: &'static str,
    pub other_vault: &'static str,
    /// The vault did not sign.
    pub not_signed: &'static str,
    pub no_randomness: &'static str,
    pub encapsulation: &'static str,
    pub boots_used_up: &'static str,
    pub no_row_yet: &'static str,
    pub archived: &'static str,
    pub closed: &'static str,
    /// A reason for `parameters`: the text that was given.
    pub log_origin: fn(&dyn Display) -> String,
    /// A reason for `parameters`.
    pub segment_size: &'static str,
    /// Bytes of the largest event.
    pub event_too_large: fn(usize) -> String,
    pub event_not_encoded: &'static str,
}

/// Why `next.key` does not fit. "It" is the file.
#[derive(Debug)]
pub struct NextKeyTexts {
    pub damaged: &'static str,
    pub other_log: &'static str,
    /// The segment that it is for, and the one that is wanted.
    pub other_segment: fn(u64, u64) -> String,
}

/// Findings with values of their own.
#[derive(Debug)]
pub struct FindingTexts {
    /// Why a file can't be read, in the system's words.
    pub unreadable: fn(&dyn Display) -> String,
    /// What is wrong with the batch.
    pub before_later_batch: fn(&dyn Display) -> String,
    /// The action.
    pub intent_again: fn(&dyn Display) -> String,
    /// First and last row that is missing.
    pub rows_missing: fn(u64, u64) -> String,
    /// Last row that is missing, from 0 on.
    pub beginning_missing: fn(u64) -> String,
}

/// What stands where the next frame should.
#[derive(Debug)]
pub struct FrameTexts {
    pub cut_off: &'static str,
    pub length: &'static str,
    pub checksum: &'static str,
    pub pad: &'static str,
    pub rest: &'static str,
    pub no_commit: &'static str,
}

/// Why an entry is none.
#[derive(Debug)]
pub struct EntryTexts {
    pub commit_length: &'static str,
    pub flags: &'static str,
    pub version: &'static str,
    pub kind: &'static str,
    pub header_length: &'static str,
    pub length: &'static str,
    pub sealed_length: &'static str,
}

/// Why a row can't stand where it stands.
#[derive(Debug)]
pub struct RowTexts {
    pub no_open: &'static str,
    pub open_place: &'static str,
    pub open_form: &'static str,
    pub open_log: &'static str,
    pub open_recipient: &'static str,
    pub open_signature: &'static str,
    pub open_range: &'static str,
    pub open_within: &'static str,
    pub out_of_order: &'static str,
    pub chain: &'static str,
    pub other_boot: &'static str,
    pub after_close: &'static str,
    pub clear_data: &'static str,
    pub close_form: &'static str,
    pub close_rows: &'static str,
    pub close_signature: &'static str,
    pub recovery_form: &'static str,
    pub recovery_place: &'static str,
    pub rekey_form: &'static str,
    pub rekey_place: &'static str,
    pub anchor_form: &'static str,
    pub anchor_signature: &'static str,
    pub anchor_rows: &'static str,
}

/// Why a COMMIT does not end the batch before it.
#[derive(Debug)]
pub struct CommitTexts {
    pub no_rows: &'static str,
    pub count: &'static str,
    pub root: &'static str,
    pub other_key: &'static str,
    pub signature: &'static str,
    pub last_signature: &'static str,
}

/// What is wrong with a whole segment, or where two meet.
#[derive(Debug)]
pub struct SegmentTexts {
    pub empty: &'static str,
    pub after_end: &'static str,
    pub after_close: &'static str,
    pub open_unreadable: &'static str,
    pub genesis_key: &'static str,
    pub no_beginning: &'static str,
    pub twice: &'static str,
    pub other_key: &'static str,
    pub other_rows: &'static str,
    pub recovered: &'static str,
    pub no_end: &'static str,
    pub other_end: &'static str,
    pub boot: &'static str,
    pub state: &'static str,
    pub not_as_written: &'static str,
}

/// Why LOG is not believed. "It" is LOG.
#[derive(Debug)]
pub struct LogTexts {
    pub form: &'static str,
    pub suite: &'static str,
    pub signature: &'static str,
    pub other_vault_key: &'static str,
    pub other_log_key: &'static str,
}

/// What a receipt or checkpoint shows. "It" is the receipt or checkpoint.
#[derive(Debug)]
pub struct NoteTexts {
    pub form: &'static str,
    pub other_origin: &'static str,
    pub signature: &'static str,
    pub unsigned: &'static str,
    pub segment_signature: &'static str,
    pub contradiction: &'static str,
    pub two_histories: &'static str,
    pub log_ends: &'static str,
    pub rows_unreadable: &'static str,
    pub other_rows: &'static str,
    pub other_row: &'static str,
    pub no_row: &'static str,
}

/// Why a row breaks the protocol.
#[derive(Debug)]
pub struct ProtocolTexts {
    pub no_ref: &'static str,
    pub intent_again: &'static str,
    pub not_open: &'static str,
    pub dispatch_again: &'static str,
    pub other_boot: &'static str,
    pub no_grant: &'static str,
    pub other_epoch: &'static str,
    pub not_dispatched: &'static str,
    pub no_grant_number: &'static str,
    pub grant_not_rising: &'static str,
    pub own_row: &'static str,
}

/// A report of `audit verify`, line by line. Verdicts begin with their code, which stays as it is.
#[derive(Debug)]
pub struct ReportTexts {
    /// Rows that an ANCHOR covers, rows that a receipt or checkpoint covers.
    pub ok: fn(u64, u64) -> String,
    /// First row that nothing vouches for.
    pub unanchored: fn(u64) -> String,
    pub no_rows: &'static str,
    /// Number of rows, first, last.
    pub rows: fn(u64, u64, u64) -> String,
    /// Last row that is elsewhere, from 0 on.
    pub rows_elsewhere: fn(u64) -> String,
    /// The key; true where it was found in LOG and held against nothing.
    pub vault_key: fn(&str, bool) -> String,
    /// As for `ok`.
    pub covered: fn(u64, u64) -> String,
    /// The action.
    pub unknown: fn(&dyn Display) -> String,
    /// Its code, where it is, and what it is.
    pub flaw: fn(&str, &dyn Display, &dyn Display) -> String,
    /// What a flaw is about, offset in it in bytes, row.
    pub place: fn(&dyn Display, Option<u64>, Option<u64>) -> String,
    /// What a flaw can be about beside a file.
    pub the_directory: &'static str,
    /// Its number.
    pub the_checkpoint: fn(usize) -> String,
    /// Its number.
    pub the_receipt: fn(usize) -> String,
}
