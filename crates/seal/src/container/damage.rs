//! What shows that a sealed file was changed, cut or mixed with another.

use lychgate_text::words;
use std::fmt;

/// What shows it. Says nothing of what is inside.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Damage {
    /// The file has no bytes.
    Empty,
    /// The checksum over all bytes does not hold: an accident, or an end that is missing.
    Checksum,
    /// Less than a header and a payload.
    CutShort,
    /// The length of its header does not fit into it.
    Lengths,
    /// The header is not of this format.
    Header,
    /// No key slot, or more than a file can have.
    SlotCount,
    /// A slot asks for a derivation out of bounds.
    SlotCost,
    /// Two slots share a number.
    SlotTwice,
    /// The key is the slot's, and what the slot wraps does not open.
    Wrap,
    /// The payload does not open, or what stands before it was changed.
    Payload,
    /// Slots and payload have different master keys.
    Mixed,
}

impl fmt::Display for Damage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let words = &words().seal().damage;
        f.write_str(match self {
            Self::Empty => words.empty,
            Self::Checksum => words.checksum,
            Self::CutShort => words.cut_short,
            Self::Lengths => words.lengths,
            Self::Header => words.header,
            Self::SlotCount => words.slot_count,
            Self::SlotCost => words.slot_cost,
            Self::SlotTwice => words.slot_twice,
            Self::Wrap => words.wrap,
            Self::Payload => words.payload,
            Self::Mixed => words.mixed,
        })
    }
}
