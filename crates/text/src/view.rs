//! What reading the journal says.
//!
//! A field with arguments is a function; text that comes in has been made visible by whoever shows the sentence.

use std::fmt::Display;

/// The sentences and phrases.
#[derive(Debug)]
#[expect(missing_docs, reason = "the names say it; the English is beside")]
pub struct ViewTexts {
    /// What to do about a damaged audit key; ends a sentence of [`crate::SealTexts`].
    pub remedy: &'static str,
    /// Where an audit key is already.
    pub key_exists: fn(path: &dyn Display) -> String,
    /// Why it could not be written.
    pub key_not_written: fn(error: &dyn Display) -> String,
    /// The file.
    pub not_a_key: fn(path: &dyn Display) -> String,
    pub other_key: &'static str,
    pub row_opening: &'static str,
    pub row_seal: &'static str,
    pub row_payload: &'static str,
    /// What the system says.
    pub not_readable: fn(error: &dyn Display) -> String,
    /// What is wrong with LOG.
    pub log_not_believed: fn(why: &dyn Display) -> String,
    /// What is wrong, and where.
    pub damaged: fn(flaw: &dyn Display) -> String,
}
