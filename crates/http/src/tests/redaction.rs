//! A server that sends the credential back: the agent does not get it.

use super::fixture::{CANARY, get, observed, run};
use super::server::Server;
use crate::{BodyWithheld, Response};
use base64::Engine as _;
use base64::engine::general_purpose::{STANDARD, URL_SAFE_NO_PAD};
use lychgate_core::ids::Digest;
use lychgate_core::limits::RESPONSE_KEPT_BYTES;
use sha2::{Digest as _, Sha256};

async fn answer(bytes: Vec<u8>) -> Response {
    let server = Server::answering(bytes);
    let response = observed(run(get(&server.url("/"))).await);
    drop(server.stop());
    let everything = format!("{response:?} {:?} {}", response.headers, String::from_utf8_lossy(&response.body));
    assert!(!everything.contains("canary") && !everything.contains(&STANDARD.encode(CANARY)[..12]), "{everything}");
    response
}

fn with_body(headers: &str, body: &[u8]) -> Vec<u8> {
    let mut bytes = format!("HTTP/1.1 200 OK\r\n{headers}content-length: {}\r\n\r\n", body.len()).into_bytes();
    bytes.extend_from_slice(body);
    bytes
}

fn assert_body_withheld(response: &Response, why: BodyWithheld) {
    let withheld = response.withheld.as_ref().expect("withheld");
    assert_eq!(withheld.body, Some(why));
    assert!(response.body.is_empty());
    assert_eq!(response.body_sha256, Digest(Sha256::digest(b"").into()));
}

#[tokio::test]
async fn an_echo_in_the_body_is_withheld_in_every_form() {
    let percent: String = CANARY.bytes().map(|byte| format!("%{byte:02x}")).collect();
    let unicode: String = CANARY.bytes().map(|byte| format!("\\u{byte:04X}")).collect();
    let json = CANARY.replace('"', "\\\"").replace('/', "\\/");
    for form in [
        CANARY.to_owned(),
        format!("Bearer {CANARY}"),
        json,
        unicode,
        percent,
        STANDARD.encode(CANARY),
        STANDARD.encode(format!("x{CANARY}yz")),
        URL_SAFE_NO_PAD.encode(format!("Bearer {CANARY}")),
    ] {
        let response = answer(with_body("", format!("{{\"authorization\": \"{form}\"}}").as_bytes())).await;
        assert_body_withheld(&response, BodyWithheld::HoldsCredential);
        assert!(response.withheld.is_some_and(|withheld| withheld.holds_credential()));
        assert_eq!(response.status, 200);
    }
}

#[tokio::test]
async fn an_echo_that_is_split_over_chunks_is_found_at_every_offset() {
    for split in 1..CANARY.len() {
        let (first, second) = CANARY.split_at(split);
        let chunk = |text: &str| format!("{:x}\r\n{text}\r\n", text.len());
        let bytes = format!(
            "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n{}{}0\r\n\r\n",
            chunk(&format!("<{first}")),
            chunk(&format!("{second}>"))
        );
        assert_body_withheld(&answer(bytes.into_bytes()).await, BodyWithheld::HoldsCredential);
    }
}

#[tokio::test]
async fn an_echo_across_the_limit_is_withheld() {
    for inside in [1, CANARY.len() / 2, CANARY.len() - 1] {
        let mut body = vec![b'.'; RESPONSE_KEPT_BYTES - inside];
        body.extend_from_slice(CANARY.as_bytes());
        body.extend_from_slice(&[b'.'; 4096]);
        assert_body_withheld(&answer(with_body("", &body)).await, BodyWithheld::HoldsCredential);
    }
}

#[tokio::test]
async fn a_body_that_was_cut_within_the_credential_is_withheld() {
    let bytes = format!("HTTP/1.1 200 OK\r\ncontent-length: 500\r\n\r\nauthorization: {}", &CANARY[..10]);
    let response = answer(bytes.into_bytes()).await;
    assert!(response.cut_by_peer);
    assert_body_withheld(&response, BodyWithheld::HoldsCredential);
}

#[tokio::test]
async fn a_header_that_holds_it_is_withheld_and_the_rest_stays() {
    let headers = format!(
        "x-echo: Bearer {CANARY}\r\nlocation: https://a.example/?t={}\r\nx-{}: 1\r\nset-cookie: t={}\r\nx-kept: 1\r\n",
        CANARY.replace('/', "%2F").replace('"', "%22"),
        "canary",
        STANDARD.encode(CANARY),
    );
    let server = Server::answering(with_body(&headers, b"hello"));
    let response = observed(run(get(&server.url("/"))).await);
    drop(server.stop());
    let withheld = response.withheld.clone().expect("withheld");
    assert_eq!(withheld.headers, ["x-echo", "location", "set-cookie"]);
    assert_eq!(withheld.body, None);
    assert!(withheld.holds_credential());
    assert_eq!(response.body, b"hello");
    let names: Vec<_> = response.headers.iter().map(|(name, _)| name.as_str()).collect();
    assert_eq!(names, ["x-canary", "x-kept", "content-length"]);
    assert!(!format!("{:?}", response.headers).contains(CANARY));
}

#[tokio::test]
async fn what_is_compressed_all_the_same_is_withheld_since_nobody_looked_into_it() {
    for headers in ["content-encoding: gzip\r\n", "Content-Encoding: identity, BR\r\n", "content-encoding: zstd\r\n"] {
        let response = answer(with_body(headers, b"\x1f\x8b not really")).await;
        assert_body_withheld(&response, BodyWithheld::Encoded);
        assert!(!response.withheld.is_some_and(|withheld| withheld.holds_credential()));
        assert_eq!(response.total_bytes, 13);
    }
    let transfer = b"HTTP/1.1 200 OK\r\ntransfer-encoding: gzip, chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n";
    assert_body_withheld(&answer(transfer.to_vec()).await, BodyWithheld::Encoded);
    let plain = answer(with_body("content-encoding: identity\r\n", b"abc")).await;
    assert_eq!((plain.body.as_slice(), plain.withheld), (&b"abc"[..], None));
    let empty = answer(with_body("content-encoding: gzip\r\n", b"")).await;
    assert_eq!(empty.withheld, None);
}
