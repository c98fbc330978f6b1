//! Why the journal wrote a row of its own.

use lychgate_core::event::Event;

/// Stands sealed in the row, as a code: whoever shows the row finds the words in the reader's language.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Cause {
    /// OPEN: a gateway started.
    GatewayStarted,
    /// CLOSE, and the OPEN behind it: the segment has no room for another row.
    SegmentFull,
    /// OPEN: the segment before could not be written.
    SegmentFailed,
    /// CLOSE: the gateway stopped in order.
    GatewayStopped,
    /// RECOVERY: the segment before has no CLOSE.
    NotClosed,
    /// REKEY: a new opening was due.
    NewOpening,
    /// ANCHOR: the vault vouches for the rows before this one.
    VaultVouches,
}

impl Cause {
    fn code(self) -> &'static str {
        match self {
            Self::GatewayStarted => "gateway_started",
            Self::SegmentFull => "segment_full",
            Self::SegmentFailed => "segment_failed",
            Self::GatewayStopped => "gateway_stopped",
            Self::NotClosed => "not_closed",
            Self::NewOpening => "new_opening",
            Self::VaultVouches => "vault_vouches",
        }
    }

    /// The event of such a row.
    pub(super) fn event(self) -> Event {
        Event::Journal { note: self.code().to_owned() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use Cause::{GatewayStarted, GatewayStopped, NewOpening, NotClosed, SegmentFailed, SegmentFull, VaultVouches};

    #[test]
    fn what_is_stored_are_the_codes_that_the_description_lists() {
        let described = include_str!("../../../../docs/JOURNAL.md");
        for cause in [GatewayStarted, SegmentFull, SegmentFailed, GatewayStopped, NotClosed, NewOpening, VaultVouches] {
            let code = cause.code();
            assert!(code.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'_'), "{code}");
            assert!(described.contains(&format!("`{code}`")), "{code}");
        }
    }
}
