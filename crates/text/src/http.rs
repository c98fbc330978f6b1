//! What the HTTP executor says: why a request was not sent, why no answer came.
//!
//! A field with arguments is a function; text that comes in has been made visible by whoever shows the sentence.

/// The sentences and phrases.
#[derive(Debug)]
pub struct HttpTexts {}
