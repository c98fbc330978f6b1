//! The end of the process that started us: a helper of the demo or of a test does not outlive it.

use rustix::event::{PollFd, PollFlags, poll};
use rustix::io::Errno;
use rustix::process::{PidfdFlags, getppid, pidfd_open};
use tokio::sync::oneshot;

/// Completes when the parent that we have now ends; never where it can't be watched.
pub(super) async fn ended() {
    let (tell, told) = oneshot::channel();
    let parent = getppid().and_then(|parent| pidfd_open(parent, PidfdFlags::empty()).ok());
    if let Some(parent) = parent {
        // Ends with the parent or with this process.
        std::thread::spawn(move || {
            let mut watched = [PollFd::new(&parent, PollFlags::IN)];
            while poll(&mut watched, None) == Err(Errno::INTR) {}
            let _ = tell.send(());
        });
        if told.await.is_ok() {
            return;
        }
    }
    std::future::pending().await
}
