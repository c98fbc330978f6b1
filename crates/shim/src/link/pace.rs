//! When to try to connect without being asked.

use std::time::Duration;
use tokio::time::Instant;

const FIRST: Duration = Duration::from_millis(500);
const LAST: Duration = Duration::from_secs(30);
/// A connection that held this long was a good one.
const GOOD: Duration = Duration::from_secs(30);

/// Doubles from try to try, so that a gateway that refuses or falls over is left in peace.
pub(super) struct Pace {
    wait: Duration,
    next: Option<Instant>,
    since: Option<Instant>,
}

impl Pace {
    /// The first try is due now.
    pub(super) fn new() -> Self {
        Self { wait: FIRST, next: Some(Instant::now()), since: None }
    }

    /// Completes when a try is due.
    pub(super) async fn due(&self) {
        match self.next {
            Some(at) => tokio::time::sleep_until(at).await,
            None => std::future::pending().await,
        }
    }

    pub(super) fn connected(&mut self) {
        self.since = Some(Instant::now());
    }

    /// A try failed, or the connection ended: another one later.
    pub(super) fn later(&mut self) {
        if self.since.take().is_some_and(|since| since.elapsed() >= GOOD) {
            self.wait = FIRST;
        }
        self.next = Some(Instant::now() + self.wait);
        self.wait = (self.wait * 2).min(LAST);
    }

    /// A refusal does not get better by itself: the next call tries.
    pub(super) fn when_asked(&mut self) {
        self.next = None;
    }
}
