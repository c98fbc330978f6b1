//! How many descriptors are left, and for whom.

use lychgate_core::limits;
use rustix::process::{Resource, getrlimit};
use std::os::fd::{AsFd, AsRawFd, OwnedFd};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// What the limit of this process leaves to agents; the rest is for the person, the journal, and requests under way.
pub(crate) struct ForAgents {
    most: u64,
    /// Agents in their handshake: each takes some more in a moment.
    expected: Arc<AtomicU64>,
}

/// The descriptors that an agent takes in its handshake, spoken for until this is dropped.
pub(crate) struct SpokenFor(Arc<AtomicU64>);

impl ForAgents {
    /// Of the limit as it is now: ask after it was raised.
    pub(crate) fn of_limit() -> Self {
        Self::of(getrlimit(Resource::Nofile).current.unwrap_or(u64::MAX))
    }

    fn of(limit: u64) -> Self {
        let kept = (limit / 4).clamp(limits::DESCRIPTORS_KEPT_LEAST, limits::DESCRIPTORS_KEPT_MOST);
        Self { most: limit.saturating_sub(kept), expected: Arc::default() }
    }

    /// Room for the handshake of an agent that has just connected, where it may stay; `newest` is the last descriptor that
    /// it took. The kernel gives the lowest number that is free, so at least as many are in use.
    pub(crate) fn begin(&self, newest: &OwnedFd) -> Option<SpokenFor> {
        let before = self.expected.fetch_add(limits::HANDSHAKE_DESCRIPTORS, Ordering::Relaxed);
        // From here on it is given back whatever becomes of it.
        let spoken_for = SpokenFor(Arc::clone(&self.expected));
        let in_use = u64::try_from(newest.as_raw_fd()).ok()?;
        (in_use.saturating_add(before) < self.most).then_some(spoken_for)
    }

    /// Whether there is room now for whoever holds `own` and has taken what was spoken for.
    pub(crate) fn still_allow(&self, own: impl AsFd) -> bool {
        let newest = rustix::io::fcntl_dupfd_cloexec(own, 0);
        newest.is_ok_and(|newest| u64::try_from(newest.as_raw_fd()).is_ok_and(|in_use| in_use < self.most))
    }
}

impl Drop for SpokenFor {
    fn drop(&mut self) {
        self.0.fetch_sub(limits::HANDSHAKE_DESCRIPTORS, Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "tests")]

    use super::*;
    use std::fs::File;

    #[test]
    fn those_in_their_handshake_count_with_what_they_will_take() {
        let newest: OwnedFd = File::open("/dev/null").unwrap().into();
        let in_use = u64::try_from(newest.as_raw_fd()).unwrap();
        let agents = ForAgents { most: in_use + 1 + 2 * limits::HANDSHAKE_DESCRIPTORS, expected: Arc::default() };
        let mut there: Vec<Option<SpokenFor>> = (0..4).map(|_| agents.begin(&newest)).collect();
        assert_eq!(there.iter().map(Option::is_some).collect::<Vec<_>>(), [true, true, true, false]);
        there.truncate(2);
        assert!(agents.begin(&newest).is_some());
    }

    #[test]
    fn a_quarter_is_kept_from_agents_within_bounds() {
        let most = |limit| ForAgents::of(limit).most;
        assert_eq!([most(10), most(160), most(1_024), most(1_048_576)], [0, 96, 768, 1_047_552]);
    }
}
