//! The two clocks.

use lychgate_core::ids::{Moment, WallTime};
use std::time::{SystemTime, UNIX_EPOCH};

/// Now, on the clock that counts suspend. Everything that decides uses this one.
pub(crate) fn now() -> Moment {
    Moment(lychgate_sys::boottime_ms())
}

/// Now, by the wall. Recorded and shown, never compared.
pub(crate) fn wall() -> WallTime {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    WallTime(u64::try_from(since.as_millis()).unwrap_or(u64::MAX))
}
