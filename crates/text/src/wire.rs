//! What the two local protocols say when a connection fails.
//!
//! A field with arguments is a function; text that comes in has been made visible by whoever shows the sentence.

use std::fmt::Display;

/// The sentences and phrases: why no frame came.
#[derive(Debug)]
pub struct WireTexts {
    /// The other side closed between frames.
    pub closed: &'static str,
    /// The other side closed within a frame.
    pub cut_off: &'static str,
    /// The kernel did not name the writer.
    pub no_sender: &'static str,
    /// Pieces of one frame came from different processes.
    pub mixed_senders: &'static str,
    /// A descriptor came with a frame.
    pub descriptor: &'static str,
    /// A frame over the limit of the moment. Bytes.
    pub too_large: fn(usize) -> String,
    /// A begun frame was not completed. Seconds.
    pub too_slow: fn(u64) -> String,
    /// Too many large frames at once.
    pub crowded: &'static str,
    /// The socket failed. The system's error.
    pub socket_failed: fn(&dyn Display) -> String,
}
