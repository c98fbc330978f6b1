//! What the service answers, by path.

use super::record::Records;
use http_body_util::{BodyExt, Full, Limited};
use hyper::body::{Bytes, Incoming};
use hyper::header::{AUTHORIZATION, CONTENT_TYPE};
use hyper::{Request, Response, StatusCode};
use serde_json::{Value, json};
use std::io;
use std::time::Duration;

/// The longest body, in bytes: what the gateway sends at most.
const BODY_BYTES: usize = lychgate_core::limits::REQUEST_BODY_BYTES;
/// The longest wait that a path can ask for, in milliseconds.
const SLOW_MS: u64 = 120_000;

/// An error ends the connection without an answer.
pub(super) type Answered = io::Result<Response<Full<Bytes>>>;

pub(super) async fn answer(request: Request<Incoming>, records: &Records) -> Answered {
    let (head, body) = request.into_parts();
    let body = Limited::new(body, BODY_BYTES).collect().await;
    let body = body.map_err(|error| io::Error::other(error.to_string()))?.to_bytes();
    records.add(&head, &body)?;
    match head.uri.path() {
        "/v1/items" => json_answer(StatusCode::CREATED, &json!({ "created": true, "bytes": body.len() })),
        "/v1/drop" => Err(io::ErrorKind::ConnectionAborted.into()),
        "/v1/slow" => {
            let ms = wait_ms(head.uri.query().unwrap_or_default());
            tokio::time::sleep(Duration::from_millis(ms)).await;
            json_answer(StatusCode::OK, &json!({ "waited_ms": ms }))
        }
        "/v1/echo-auth" => {
            let value = head.headers.get(AUTHORIZATION).map(|value| String::from_utf8_lossy(value.as_bytes()));
            json_answer(StatusCode::OK, &json!({ "authorization": value }))
        }
        _ => json_answer(StatusCode::NOT_FOUND, &json!({ "error": "not_found" })),
    }
}

fn wait_ms(query: &str) -> u64 {
    query
        .split('&')
        .find_map(|pair| pair.strip_prefix("ms="))
        .and_then(|ms| ms.parse().ok())
        .map_or(0, |ms: u64| ms.min(SLOW_MS))
}

fn json_answer(status: StatusCode, body: &Value) -> Answered {
    let answer = Response::builder().status(status).header(CONTENT_TYPE, "application/json");
    answer.body(Full::new(Bytes::from(body.to_string()))).map_err(io::Error::other)
}

#[cfg(test)]
mod tests {
    use super::wait_ms;

    #[test]
    fn a_wait_is_a_number_within_bounds() {
        assert_eq!(wait_ms("ms=20"), 20);
        assert_eq!(wait_ms("a=1&ms=20"), 20);
        assert_eq!(wait_ms("ms=999999999"), 120_000);
        for none in ["", "ms=", "ms=-1", "xms=5"] {
            assert_eq!(wait_ms(none), 0, "{none}");
        }
    }
}
