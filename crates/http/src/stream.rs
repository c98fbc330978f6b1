//! The byte stream below HTTP, and the watch that knows whether a byte of the request may have left.

use std::io::{self, IoSlice};
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::task::{Context, Poll};
use std::time::Duration;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::TcpStream;
use tokio::time::Instant;
use tokio_rustls::client::TlsStream;
use tokio_util::sync::CancellationToken;

/// A connection that stands.
pub(crate) enum Stream {
    /// To a loopback address, in the clear.
    Plain(TcpStream),
    /// After its handshake.
    Tls(Box<TlsStream<TcpStream>>),
}

/// What is known about the writing.
#[derive(Debug)]
pub(crate) struct Written {
    since: Instant,
    began: AtomicBool,
    last_ms: AtomicU64,
}

impl Written {
    pub(crate) fn nothing_yet() -> Arc<Self> {
        Arc::new(Self { since: Instant::now(), began: AtomicBool::new(false), last_ms: AtomicU64::new(0) })
    }

    /// True once a byte was offered to the connection, whether or not it was taken. False is proof: no byte left.
    pub(crate) fn began(&self) -> bool {
        self.began.load(Ordering::SeqCst)
    }

    /// Returns when nothing has been written for `limit`.
    pub(crate) async fn quiet_for(&self, limit: Duration) {
        loop {
            let last = Duration::from_millis(self.last_ms.load(Ordering::SeqCst));
            let due = self.since + last + limit;
            if Instant::now() >= due {
                return;
            }
            tokio::time::sleep_until(due).await;
        }
    }

    fn moved(&self) {
        let ms = u64::try_from(self.since.elapsed().as_millis()).unwrap_or(u64::MAX);
        self.last_ms.store(ms, Ordering::SeqCst);
    }
}

/// The stream with its watch. The first byte passes only while `cancel` is quiet.
pub(crate) struct Watched {
    stream: Stream,
    written: Arc<Written>,
    cancel: CancellationToken,
}

impl Watched {
    pub(crate) fn new(stream: Stream, written: Arc<Written>, cancel: CancellationToken) -> Self {
        Self { stream, written, cancel }
    }

    /// The last look before the first byte.
    fn gate(&self) -> io::Result<()> {
        if self.written.began() {
            return Ok(());
        }
        if self.cancel.is_cancelled() {
            return Err(io::ErrorKind::ConnectionAborted.into());
        }
        // INVARIANT: set before the byte is offered. A write that fails may still have moved something.
        self.written.began.store(true, Ordering::SeqCst);
        Ok(())
    }
}

impl AsyncWrite for Watched {
    fn poll_write(self: Pin<&mut Self>, cx: &mut Context<'_>, buf: &[u8]) -> Poll<io::Result<usize>> {
        let this = self.get_mut();
        if buf.is_empty() {
            return Poll::Ready(Ok(0));
        }
        this.gate()?;
        let result = match &mut this.stream {
            Stream::Plain(io) => Pin::new(io).poll_write(cx, buf),
            Stream::Tls(io) => Pin::new(io.as_mut()).poll_write(cx, buf),
        };
        if matches!(result, Poll::Ready(Ok(n)) if n > 0) {
            this.written.moved();
        }
        result
    }

    fn poll_write_vectored(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        bufs: &[IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let this = self.get_mut();
        if bufs.iter().all(|buf| buf.is_empty()) {
            return Poll::Ready(Ok(0));
        }
        this.gate()?;
        let result = match &mut this.stream {
            Stream::Plain(io) => Pin::new(io).poll_write_vectored(cx, bufs),
            Stream::Tls(io) => Pin::new(io.as_mut()).poll_write_vectored(cx, bufs),
        };
        if matches!(result, Poll::Ready(Ok(n)) if n > 0) {
            this.written.moved();
        }
        result
    }

    fn is_write_vectored(&self) -> bool {
        match &self.stream {
            Stream::Plain(io) => io.is_write_vectored(),
            Stream::Tls(io) => io.is_write_vectored(),
        }
    }

    fn poll_flush(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        match &mut self.get_mut().stream {
            Stream::Plain(io) => Pin::new(io).poll_flush(cx),
            Stream::Tls(io) => Pin::new(io.as_mut()).poll_flush(cx),
        }
    }

    fn poll_shutdown(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        match &mut self.get_mut().stream {
            Stream::Plain(io) => Pin::new(io).poll_shutdown(cx),
            Stream::Tls(io) => Pin::new(io.as_mut()).poll_shutdown(cx),
        }
    }
}

impl AsyncRead for Watched {
    fn poll_read(self: Pin<&mut Self>, cx: &mut Context<'_>, buf: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        match &mut self.get_mut().stream {
            Stream::Plain(io) => Pin::new(io).poll_read(cx, buf),
            Stream::Tls(io) => Pin::new(io.as_mut()).poll_read(cx, buf),
        }
    }
}

#[cfg(test)]
#[expect(clippy::unwrap_used, reason = "tests")]
mod tests {
    use super::*;
    use tokio::io::AsyncWriteExt;

    async fn pair(cancel: &CancellationToken) -> (Watched, Arc<Written>, std::net::TcpStream) {
        let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        let stream = TcpStream::connect(listener.local_addr().unwrap()).await.unwrap();
        let written = Written::nothing_yet();
        let watched = Watched::new(Stream::Plain(stream), written.clone(), cancel.clone());
        (watched, written, listener.accept().unwrap().0)
    }

    #[tokio::test]
    async fn no_byte_passes_once_authority_has_ended_before_the_first() {
        let cancel = CancellationToken::new();
        let (mut watched, written, mut peer) = pair(&cancel).await;
        cancel.cancel();
        assert!(watched.write(b"x").await.is_err());
        assert!(watched.write_vectored(&[IoSlice::new(b"x")]).await.is_err());
        assert!(!written.began());
        drop(watched);
        assert_eq!(std::io::Read::read(&mut peer, &mut [0]).unwrap(), 0);
    }

    #[tokio::test]
    async fn an_offer_of_nothing_is_no_beginning_and_an_offer_that_fails_is_one() {
        let (mut watched, written, peer) = pair(&CancellationToken::new()).await;
        assert_eq!(watched.write(b"").await.unwrap(), 0);
        assert_eq!(watched.write_vectored(&[IoSlice::new(b"")]).await.unwrap(), 0);
        assert!(!written.began());
        watched.shutdown().await.unwrap();
        assert!(watched.write(b"x").await.is_err());
        assert!(written.began());
        drop(peer);
    }

    #[tokio::test]
    async fn what_is_still_being_written_is_not_quiet() {
        let written = Written::nothing_yet();
        let limit = Duration::from_millis(200);
        let progress = async {
            tokio::time::sleep(limit / 2).await;
            written.moved();
        };
        let (at, ()) = tokio::join!(
            async {
                written.quiet_for(limit).await;
                written.since.elapsed()
            },
            progress
        );
        assert!(at >= limit * 3 / 2 - Duration::from_millis(2), "{at:?}");
    }
}
