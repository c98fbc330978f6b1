//! What goes out: once, whole, to the place that was decided, and with nothing that was not.

use super::fixture::{CANARY, action, armed, canonical, get, post, ready, refused, run, send, unsent};
use super::server::Server;
use crate::{Connector, Outcome, Target, message};
use hyper::header::HeaderValue;
use lychgate_core::channel::CredentialKind;
use lychgate_core::ids::Ref;
use lychgate_core::outcome::NotStarted;
use lychgate_core::proof::Released;
use lychgate_core::secret::SecretBytes;
use tokio_util::sync::CancellationToken;

const OK: &str = "HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok";

#[tokio::test]
async fn the_first_request_carries_the_credential_and_it_is_the_only_one() {
    let server = Server::plain(|peer| {
        peer.read_request();
        peer.write(OK.as_bytes());
        peer.wait_for_end();
    });
    let port = server.port();
    let mut raw = get(&server.url("/v1/items?q=a%20b&x=%7e"));
    raw.headers.push(("X-Trace".to_owned(), "1".to_owned()));
    assert!(matches!(run(raw).await, Outcome::Observed { .. }));
    let log = server.stop();
    assert_eq!(log.connections, 1);
    assert_eq!(log.requests.len(), 1);
    let version = env!("CARGO_PKG_VERSION");
    assert_eq!(
        log.text(),
        format!(
            "GET /v1/items?q=a%20b&x=%7e HTTP/1.1\r\nhost: 127.0.0.1:{port}\r\nuser-agent: lychgate/{version}\r\n\
             authorization: Bearer {CANARY}\r\naccept-encoding: identity\r\nx-trace: 1\r\n\r\n"
        )
    );
}

#[tokio::test]
async fn a_large_body_goes_out_whole_with_the_credential_on_its_first_request() {
    let server = Server::answering(OK);
    let body = vec![b'b'; 5 * 1024 * 1024];
    assert!(matches!(run(post(&server.url("/push"), &body)).await, Outcome::Observed { .. }));
    let log = server.stop();
    assert_eq!(log.requests.len(), 1);
    assert!(log.requests[0].ends_with(&body));
    let text = log.text();
    assert!(text.contains("content-length: 5242880\r\n") && text.contains("authorization: Bearer "));
}

#[tokio::test]
async fn a_post_without_a_body_says_so() {
    let server = Server::answering(OK);
    assert!(matches!(run(post(&server.url("/"), b"")).await, Outcome::Observed { .. }));
    assert!(server.stop().text().contains("\r\ncontent-length: 0\r\n"));
}

#[tokio::test]
async fn the_callers_user_agent_stands_and_its_accept_encoding_does_not() {
    let server = Server::answering(OK);
    let mut raw = get(&server.url("/"));
    raw.headers = vec![("user-agent".into(), "mine/1".into()), ("accept-encoding".into(), "gzip, br".into())];
    assert!(matches!(run(raw).await, Outcome::Observed { .. }));
    let text = server.stop().text();
    assert!(text.contains("user-agent: mine/1\r\n") && !text.contains("lychgate/"), "{text}");
    assert!(text.contains("accept-encoding: identity\r\n") && !text.contains("gzip"), "{text}");
}

#[test]
fn the_host_header_names_a_port_only_where_it_is_not_the_schemes_own() {
    let host = |url: &str| {
        let request = message::build(&canonical(get(url)), HeaderValue::from_static("Bearer x")).unwrap();
        request.headers()["host"].to_str().unwrap().to_owned()
    };
    assert_eq!(host("https://h.example:443/"), "h.example");
    assert_eq!(host("https://h.example/"), "h.example");
    assert_eq!(host("https://h.example:8443/"), "h.example:8443");
    assert_eq!(host("http://127.0.0.1:80/"), "127.0.0.1");
    assert_eq!(host("http://[::1]:6666/"), "[::1]:6666");
}

#[test]
fn the_path_and_query_go_out_as_they_were_shown() {
    for target in ["/", "/a%20b/c;d=1/~x?y=%26&z=a+b'(){}|^`[]", "/v1/@me,$!*:?", "/?a=\"b\"", "/a?b=c?d/e"] {
        let request = canonical(get(&format!("https://h.example{target}")));
        if let Ok(built) = message::build(&request, HeaderValue::from_static("Bearer x")) {
            assert_eq!(built.uri().to_string(), request.target(), "{target}");
        } else {
            panic!("{target} can't be sent");
        }
    }
}

#[tokio::test]
async fn a_redirect_is_returned_and_its_target_sees_nothing() {
    let other = Server::answering(OK);
    let location = other.url("/steal");
    for status in ["301 Moved", "302 Found", "303 See Other", "307 Temporary", "308 Permanent"] {
        let server =
            Server::answering(format!("HTTP/1.1 {status}\r\nlocation: {location}\r\ncontent-length: 0\r\n\r\n"));
        let response = super::fixture::observed(run(get(&server.url("/"))).await);
        assert_eq!(response.redirect_not_followed(), Some(location.as_str()));
        assert_eq!(server.stop().requests.len(), 1);
    }
    assert_eq!(other.stop().connections, 0);
}

#[tokio::test]
async fn without_the_channels_word_this_machine_is_not_dialled() {
    let server = Server::answering(OK);
    let refusal = refused(&server.url("/"), false).await;
    assert_eq!(refusal.evidence, NotStarted::Connect);
    assert!(refusal.detail.contains("--allow-private"), "{refusal}");
    let by_name = refused(&format!("https://localhost:{}/", server.port()), false).await;
    assert_eq!(by_name.evidence, NotStarted::Connect);
    assert_eq!(server.stop().connections, 0);
}

#[tokio::test]
async fn a_closed_port_is_evidence_that_nothing_started() {
    let port = {
        let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        listener.local_addr().unwrap().port()
    };
    for url in [format!("http://127.0.0.1:{port}/"), format!("https://127.0.0.1:{port}/")] {
        let refusal = refused(&url, true).await;
        assert_eq!(refusal.evidence, NotStarted::Connect);
        assert!(refusal.detail.contains("nothing accepts connections there"), "{refusal}");
    }
}

#[tokio::test]
async fn a_connection_to_one_place_carries_no_request_for_another() {
    let (server, other) = (Server::plain(|peer| peer.wait_for_end()), Server::answering(OK));
    let connection = ready(&server.url("/")).await;
    let detail = unsent(send(connection, get(&other.url("/"))).await);
    assert!(detail.contains("start over"), "{detail}");
    assert!(server.stop().requests.is_empty());
    assert_eq!(other.stop().connections, 0);
}

#[tokio::test]
async fn a_credential_of_another_action_is_not_sent() {
    let server = Server::plain(|peer| peer.wait_for_end());
    let connection = ready(&server.url("/")).await;
    let (_, foreign) = action(get(&server.url("/")));
    let armed = armed(get(&server.url("/")), Ref([8; 16]));
    let outcome = connection.send(armed, foreign, CredentialKind::Bearer, &CancellationToken::new()).await;
    assert!(matches!(outcome, Outcome::NotSent { spent: None, .. }), "{outcome:?}");
    assert!(server.stop().requests.is_empty());
}

#[tokio::test]
async fn a_credential_with_a_line_end_is_not_sent() {
    let server = Server::plain(|peer| peer.wait_for_end());
    let connection = ready(&server.url("/")).await;
    let armed = armed(get(&server.url("/")), Ref([7; 16]));
    let released = Released::against(&armed, SecretBytes::new(b"canary\r\nX-Admin: 1".to_vec()));
    let outcome = connection.send(armed, released, CredentialKind::Bearer, &CancellationToken::new()).await;
    assert!(!format!("{outcome:?}").contains("canary"));
    assert!(unsent(outcome).contains("remove the channel and add it again"));
    assert!(server.stop().requests.is_empty());
}

#[tokio::test]
async fn every_action_has_a_connection_of_its_own() {
    let server = Server::answering(OK);
    for _ in 0..3 {
        assert!(matches!(run(get(&server.url("/"))).await, Outcome::Observed { .. }));
    }
    let log = server.stop();
    assert_eq!((log.connections, log.requests.len()), (3, 3));
}

#[tokio::test]
async fn plain_http_by_name_stays_on_this_machine() {
    let origin = lychgate_core::channel::Origin::of(&url::Url::parse("http://8.8.8.8/").unwrap()).unwrap();
    let target = Target { origin, allow_private: true, ca_pem: None };
    let refusal = Connector::new().unwrap().connect(&target).await.unwrap_err();
    assert!(refusal.detail.contains("plain http"), "{refusal}");
}
