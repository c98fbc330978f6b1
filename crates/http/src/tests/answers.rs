//! What is told of an answer: its status, its headers, as much of its body as there was, and what was cut.

use super::fixture::{get, observed, post, ready, run, send};
use super::server::Server;
use crate::Response;
use crate::bounds::RESPONSE_READ_BYTES;
use lychgate_core::ids::Digest;
use lychgate_core::limits::RESPONSE_KEPT_BYTES;
use sha2::{Digest as _, Sha256};
use std::time::Duration;

async fn answer(bytes: impl Into<Vec<u8>>) -> Response {
    let server = Server::answering(bytes);
    let response = observed(run(get(&server.url("/"))).await);
    assert_eq!(server.stop().requests.len(), 1);
    response
}

#[tokio::test]
async fn a_whole_answer_is_told_as_it_is() {
    let response =
        answer(*b"HTTP/1.1 418 Teapot\r\nX-A: 1\r\nx-b: \xe9\r\nx-a: 2\r\ncontent-length: 5\r\n\r\nhello").await;
    assert_eq!((response.status, response.body.as_slice(), response.total_bytes), (418, &b"hello"[..], 5));
    assert!(!response.truncated && !response.cut_by_peer && !response.cut_by_us);
    assert_eq!(response.withheld, None);
    assert_eq!(response.body_sha256, Digest(Sha256::digest(b"hello").into()));
    let of =
        |name: &str| response.headers.iter().filter(|(n, _)| n == name).map(|(_, v)| v.clone()).collect::<Vec<_>>();
    assert_eq!(of("x-a"), ["1", "2"]);
    assert_eq!(of("x-b"), ["é"]);
}

#[tokio::test]
async fn chunks_are_put_together() {
    let response =
        answer("HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n3\r\nabc\r\n2\r\nde\r\n0\r\nx-t: 1\r\n\r\n").await;
    assert_eq!(response.body, b"abcde");
    assert!(!response.cut_by_peer);
    assert_eq!(response.withheld, None);
}

#[tokio::test]
async fn a_body_that_ends_early_is_said_to_be_incomplete() {
    for bytes in [
        "HTTP/1.1 200 OK\r\ncontent-length: 10\r\n\r\nabcd",
        "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n4\r\nabcd\r\n",
        "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n8\r\nabcd",
    ] {
        let response = answer(bytes).await;
        assert_eq!((response.status, response.body.as_slice()), (200, &b"abcd"[..]), "{bytes}");
        assert!(response.cut_by_peer, "{bytes}");
    }
}

#[tokio::test]
async fn answers_that_have_no_body_are_not_waited_for() {
    let server = Server::plain(|peer| {
        peer.read_request();
        peer.write(b"HTTP/1.1 200 OK\r\ncontent-length: 1000\r\n\r\n");
        peer.wait_for_end();
    });
    let mut raw = get(&server.url("/"));
    raw.method = "HEAD".to_owned();
    let response = observed(run(raw).await);
    assert!(response.body.is_empty() && !response.cut_by_peer);
    drop(server.stop());
    for head in ["204 No Content", "304 Not Modified", "101 Switching Protocols"] {
        let server = Server::plain(move |peer| {
            peer.read_request();
            peer.write(format!("HTTP/1.1 {head}\r\nupgrade: x\r\nconnection: upgrade\r\n\r\n").as_bytes());
            peer.wait_for_end();
        });
        let response = observed(run(get(&server.url("/"))).await);
        assert!(head.starts_with(&response.status.to_string()) && response.body.is_empty());
        assert_eq!(server.stop().requests.len(), 1);
    }
}

#[tokio::test]
async fn informational_answers_are_passed_over() {
    let response = answer("HTTP/1.1 103 Early\r\nx-a: 1\r\n\r\nHTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 201 Made\r\ncontent-length: 0\r\n\r\n").await;
    assert_eq!(response.status, 201);
}

#[tokio::test]
async fn a_body_over_the_limit_is_cut_and_its_size_told() {
    let size = RESPONSE_KEPT_BYTES + 1024 * 1024;
    let mut bytes = format!("HTTP/1.1 200 OK\r\ncontent-length: {size}\r\n\r\n").into_bytes();
    bytes.resize(bytes.len() + size, b'x');
    let response = answer(bytes).await;
    assert_eq!((response.body.len(), response.total_bytes), (RESPONSE_KEPT_BYTES, size as u64));
    assert!(response.truncated && !response.cut_by_peer && !response.cut_by_us);
    assert_eq!(response.body_sha256, Digest(Sha256::digest(&response.body).into()));
}

#[tokio::test]
async fn a_body_exactly_at_the_limit_is_whole() {
    let mut bytes = format!("HTTP/1.1 200 OK\r\ncontent-length: {RESPONSE_KEPT_BYTES}\r\n\r\n").into_bytes();
    bytes.resize(bytes.len() + RESPONSE_KEPT_BYTES, b'x');
    let response = answer(bytes).await;
    assert_eq!(response.body.len(), RESPONSE_KEPT_BYTES);
    assert!(!response.truncated);
}

#[tokio::test]
async fn a_body_without_end_is_ended_by_us() {
    let server = Server::plain(|peer| {
        peer.read_request();
        peer.write(b"HTTP/1.1 200 OK\r\n\r\n");
        for _ in 0..RESPONSE_READ_BYTES / (1 << 20) + 64 {
            peer.write(&vec![b'x'; 1 << 20]);
        }
    });
    let response = observed(run(get(&server.url("/"))).await);
    assert!(response.truncated && response.cut_by_us && !response.cut_by_peer);
    assert!(response.total_bytes > RESPONSE_READ_BYTES && response.total_bytes < RESPONSE_READ_BYTES + (2 << 20));
    drop(server.stop());
}

#[tokio::test]
async fn a_status_whose_body_takes_too_long_is_still_told() {
    let server = Server::plain(|peer| {
        peer.read_request();
        peer.write(b"HTTP/1.1 200 OK\r\n\r\ndata: 1\n\n");
        peer.wait_for_end();
    });
    let mut connection = ready(&server.url("/")).await;
    connection.times.total = Duration::from_millis(300);
    let response = observed(send(connection, get(&server.url("/"))).await);
    assert_eq!((response.status, response.body.as_slice()), (200, &b"data: 1\n\n"[..]));
    assert!(response.cut_by_us && response.truncated && !response.cut_by_peer);
    assert_eq!(server.stop().requests.len(), 1);
}

#[tokio::test]
async fn cookies_and_what_belongs_to_the_connection_stay_here() {
    let response = answer(
        "HTTP/1.1 200 OK\r\nSet-Cookie: a=1\r\nset-cookie: b=2\r\nConnection: close, X-Hop\r\nX-Hop: 1\r\n\
         Keep-Alive: timeout=5\r\nProxy-Authenticate: Basic\r\nUpgrade: h2c\r\nX-Kept: 1\r\ncontent-length: 0\r\n\r\n",
    )
    .await;
    let names: Vec<_> = response.headers.iter().map(|(name, _)| name.as_str()).collect();
    assert_eq!(names, ["x-kept", "content-length"]);
    let mut kept_back = response.kept_back.clone();
    kept_back.sort();
    assert_eq!(kept_back, ["connection", "keep-alive", "proxy-authenticate", "set-cookie", "upgrade", "x-hop"]);
    assert_eq!(response.withheld, None);
}

#[tokio::test]
async fn an_early_answer_to_a_body_that_is_still_going_out_is_an_answer() {
    let server = Server::plain(|peer| {
        peer.read_some();
        peer.write(b"HTTP/1.1 413 Too Large\r\ncontent-length: 0\r\n\r\n");
        peer.wait_for_end();
    });
    let body = vec![b'x'; 8 * 1024 * 1024];
    let response = observed(run(post(&server.url("/"), &body)).await);
    assert_eq!(response.status, 413);
    drop(server.stop());
}
