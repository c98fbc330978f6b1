//! The exchange itself: one request written, one response read, on one connection, in one task.

use crate::body::{Kept, More};
use crate::bounds::{RESPONSE_HEAD_BYTES, Times};
use crate::response::BodyEnd;
use crate::stream::{Watched, Written};
use http_body_util::{BodyExt, Full};
use hyper::body::Bytes;
use hyper::client::conn::http1;
use hyper::header::HeaderMap;
use hyper::{Request, StatusCode};
use hyper_util::rt::TokioIo;
use lychgate_core::limits::HEADER_COUNT;
use std::pin::pin;

/// What has been seen of the answer so far. It outlives an exchange that is cut.
pub(crate) struct Seen {
    /// Status and headers, once they were there.
    pub(crate) head: Option<(StatusCode, HeaderMap)>,
    /// The body so far.
    pub(crate) body: Kept,
}

/// Why there was no status, or no whole body.
#[derive(Debug)]
pub(crate) enum Broke {
    /// No status within its time.
    Silent,
    /// The connection or the protocol on it.
    Http(hyper::Error),
}

/// Sends `request` and reads the answer into `seen`.
///
/// Dropping the future drops the connection: nothing runs on in the background.
pub(crate) async fn exchange(
    stream: Watched,
    request: Request<Full<Bytes>>,
    written: &Written,
    times: Times,
    seen: &mut Seen,
) -> Result<BodyEnd, Broke> {
    let (mut sender, connection) = http1::Builder::new()
        .max_headers(HEADER_COUNT)
        .max_buf_size(RESPONSE_HEAD_BYTES)
        .handshake(TokioIo::new(stream))
        .await
        .map_err(Broke::Http)?;
    let talk = async {
        let response = tokio::select! {
            biased;
            response = sender.send_request(request) => response.map_err(Broke::Http)?,
            () = written.quiet_for(times.header) => return Err(Broke::Silent),
        };
        let (head, mut body) = response.into_parts();
        seen.head = Some((head.status, head.headers));
        while let Some(frame) = body.frame().await {
            let Ok(frame) = frame else { return Ok(BodyEnd::CutByPeer) };
            if let Some(piece) = frame.data_ref()
                && seen.body.take(piece) == More::Enough
            {
                return Ok(BodyEnd::CutByUs);
            }
        }
        Ok(BodyEnd::Complete)
    };
    drive(connection, talk).await
}

/// Runs `talk` to its end, and the connection below it as long as it lives.
async fn drive<T>(connection: impl Future, talk: impl Future<Output = T>) -> T {
    let mut connection = pin!(connection);
    let mut talk = pin!(talk);
    let mut alive = true;
    loop {
        tokio::select! {
            biased;
            out = &mut talk => return out,
            _ = &mut connection, if alive => alive = false,
        }
    }
}
