//! What the journal says: why it can't be written, what verification found, what a verdict is.
//!
//! A field with arguments is a function; text that comes in has been made visible by whoever shows the sentence.

/// The sentences and phrases.
#[derive(Debug)]
pub struct JournalTexts {}
