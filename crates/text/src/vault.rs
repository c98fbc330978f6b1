//! What the vault says: its file, its epoch, its rules, its action store.
//!
//! A field with arguments is a function; text that comes in has been made visible by whoever shows the sentence.

/// The sentences and phrases.
#[derive(Debug)]
pub struct VaultTexts {}
