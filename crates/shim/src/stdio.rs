//! Standard input, with its end noticed by everybody.

use std::io;
use std::pin::Pin;
use std::task::{Context, Poll};
use tokio::io::{AsyncRead, ReadBuf};
use tokio_util::sync::CancellationToken;

/// A reader whose end, or failure, cancels a token.
///
/// The end of standard input means that the client is gone: open calls are withdrawn at once, so that an action does
/// not run for nobody.
pub(crate) struct Watched<R> {
    inner: R,
    closing: CancellationToken,
}

impl<R> Watched<R> {
    pub(crate) fn new(inner: R, closing: CancellationToken) -> Self {
        Self { inner, closing }
    }
}

impl<R: AsyncRead + Unpin> AsyncRead for Watched<R> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let before = buffer.filled().len();
        let wanted = buffer.remaining() > 0;
        let polled = Pin::new(&mut self.inner).poll_read(context, buffer);
        match &polled {
            Poll::Ready(Ok(())) if wanted && buffer.filled().len() == before => self.closing.cancel(),
            Poll::Ready(Err(_)) => self.closing.cancel(),
            Poll::Ready(Ok(())) | Poll::Pending => {}
        }
        polled
    }
}
