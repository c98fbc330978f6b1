//! Waiting for a descriptor without blocking a thread.

use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::task::{Context, Poll, ready};
use tokio::io::Interest;
use tokio::io::unix::AsyncFd;

/// A descriptor that the tokio runtime watches until this is dropped.
#[derive(Debug)]
pub struct Watched(AsyncFd<OwnedFd>);

impl Watched {
    /// Watches `descriptor` for being readable; a pidfd becomes so, for good, when its process ends.
    ///
    /// # Errors
    /// Where the kernel can't watch it (a regular file), or no more.
    ///
    /// # Panics
    /// Outside of a tokio runtime with I/O.
    pub fn readable(descriptor: OwnedFd) -> io::Result<Self> {
        // SAFETY: an OwnedFd is open and always the same descriptor. The field is private and is never lent mutably, so
        // it stays so until the registration is dropped, which AsyncFd does first.
        unsafe { AsyncFd::register_with_interest(descriptor, Interest::READABLE) }.map(Self).map_err(io::Error::from)
    }

    /// Ready once the descriptor was reported readable and `is_so`, asked of it then, agrees.
    ///
    /// # Errors
    /// Where the runtime shuts down.
    pub fn poll_until(
        &self,
        context: &mut Context<'_>,
        mut is_so: impl FnMut(BorrowedFd<'_>) -> bool,
    ) -> Poll<io::Result<()>> {
        loop {
            let mut reported = ready!(self.0.poll_read_ready(context))?;
            if is_so(self.0.get_ref().as_fd()) {
                reported.retain_ready();
                return Poll::Ready(Ok(()));
            }
            reported.clear_ready();
        }
    }
}
