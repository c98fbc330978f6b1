//! How many descriptors are left, and for whom.

use lychgate_core::limits;
use rustix::process::{Resource, getrlimit};
use std::os::fd::{AsFd, AsRawFd, RawFd};

/// What the limit of this process leaves to agents; the rest is for the person, the journal, and requests under way.
pub(crate) struct ForAgents(u64);

impl ForAgents {
    /// Of the limit as it is now: ask after it was raised.
    pub(crate) fn of_limit() -> Self {
        let limit = getrlimit(Resource::Nofile).current.unwrap_or(u64::MAX);
        let kept = (limit / 4).clamp(limits::DESCRIPTORS_KEPT_LEAST, limits::DESCRIPTORS_KEPT_MOST);
        Self(limit.saturating_sub(kept))
    }

    /// Whether an agent that has just connected with this descriptor may stay. The kernel gives the lowest number that is
    /// free, so at least as many are in use.
    pub(crate) fn allow(&self, newest: RawFd) -> bool {
        u64::try_from(newest).is_ok_and(|in_use| in_use < self.0)
    }

    /// The same at a later moment, for whoever holds `own`.
    pub(crate) fn still_allow(&self, own: impl AsFd) -> bool {
        rustix::io::fcntl_dupfd_cloexec(own, 0).is_ok_and(|newest| self.allow(newest.as_raw_fd()))
    }
}
