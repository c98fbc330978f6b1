//! What process evidence says: consoles, the kernel, the own process, refused requesters.
//!
//! A field with arguments is a function; text that comes in has been made visible by whoever shows the sentence.

/// The sentences and phrases.
#[derive(Debug)]
pub struct PeerTexts {}
