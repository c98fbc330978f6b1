//! The end of the process that started us.
//!
//! Usually it shows as the end of standard input. It does not where another process still holds the other end of that
//! pipe, such as a launcher's grandchild; an orphaned shim must not stay for that.

use rustix::process::{Pid, PidfdFlags, getppid, pidfd_open};
use std::future::pending;
use std::os::fd::OwnedFd;
use std::time::Duration;
use tokio::io::Interest;
use tokio::io::unix::AsyncFd;

/// Between two looks where the kernel gives no handle to the parent.
const LOOK_AGAIN: Duration = Duration::from_secs(1);

/// Completes when the parent that we have now ends. Call it early: a parent that ended before goes unseen until its
/// successor ends.
pub(crate) fn watch() -> impl Future<Output = ()> + Send {
    let parent = getppid();
    let handle = parent.and_then(|parent| pidfd_open(parent, PidfdFlags::NONBLOCK).ok());
    wait(parent, handle)
}

async fn wait(parent: Option<Pid>, handle: Option<OwnedFd>) {
    // A parent in an outer pid namespace has no number here and can't be watched.
    let Some(parent) = parent else { return pending().await };
    if getppid() != Some(parent) {
        return; // It ended while we opened the handle, which may name a stranger with its number.
    }
    if let Some(handle) = handle {
        #[expect(deprecated, reason = "the sound constructor is unsafe; an OwnedFd stays open as long as it is owned")]
        let watched = AsyncFd::with_interest(handle, Interest::READABLE);
        if let Ok(watched) = watched
            && watched.readable().await.is_ok()
        {
            return;
        }
    }
    while getppid() == Some(parent) {
        tokio::time::sleep(LOOK_AGAIN).await;
    }
}
