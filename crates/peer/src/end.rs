//! Waiting for the end of any process of a chain.

use crate::linux::held::alive;
use crate::pin::Pinned;
use lychgate_sys::Watched;
use std::future::poll_fn;
use std::io;
use std::os::fd::OwnedFd;
use std::task::Poll;

impl Pinned {
    /// Resolves once any process of the chain has ended; at once where that can't be watched for.
    ///
    /// Owns what it needs, so that a task of its own can await it after this value is gone.
    ///
    /// # Panics
    /// Where it is awaited outside of a tokio runtime with I/O.
    pub fn ended(&self) -> impl Future<Output = ()> + Send + 'static + use<> {
        let pidfds: io::Result<Vec<OwnedFd>> = self.processes().iter().map(|image| image.ending()).collect();
        async move {
            let watched: io::Result<Vec<Watched>> =
                pidfds.and_then(|pidfds| pidfds.into_iter().map(Watched::readable).collect());
            // Otherwise (no descriptors left) it is over: a run whose end would go unseen must not go on.
            if let Ok(watched) = watched {
                any_ended(&watched).await;
            }
        }
    }
}

/// An error ends the wait as well: the runtime shuts down, and nobody would watch any more.
async fn any_ended(watched: &[Watched]) {
    poll_fn(|context| {
        let over = |one: &Watched| one.poll_until(context, |pidfd| alive([pidfd]) != [true]).is_ready();
        if watched.iter().any(over) { Poll::Ready(()) } else { Poll::Pending }
    })
    .await;
}
