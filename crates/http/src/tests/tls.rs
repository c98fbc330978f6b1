//! TLS: who is believed, and that nothing of a request goes to anyone else.

use super::fixture::{get, observed, send, target};
use super::server::Server;
use crate::{Connector, NotConnected, Ready, Target};
use lychgate_core::outcome::NotStarted;
use rcgen::{BasicConstraints, CertificateParams, CertifiedIssuer, DnType, IsCa, KeyPair, date_time_ymd};
use rustls::{HandshakeKind, ServerConfig};
use rustls_pki_types::{PrivateKeyDer, PrivatePkcs8KeyDer};
use std::sync::Arc;
use std::time::Duration;

pub(super) struct Authority(CertifiedIssuer<'static, KeyPair>);

impl Authority {
    pub(super) fn new() -> Self {
        Self::named("Test Authority")
    }

    fn named(name: &str) -> Self {
        let mut params = CertificateParams::new(Vec::new()).unwrap();
        params.distinguished_name.push(DnType::CommonName, name);
        params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        Self(CertifiedIssuer::self_signed(params, KeyPair::generate().unwrap()).unwrap())
    }

    pub(super) fn pem(&self) -> String {
        self.0.pem()
    }

    pub(super) fn server(&self, names: &[&str], change: impl FnOnce(&mut CertificateParams)) -> ServerConfig {
        let key = KeyPair::generate().unwrap();
        let mut params =
            CertificateParams::new(names.iter().map(|name| (*name).to_owned()).collect::<Vec<_>>()).unwrap();
        change(&mut params);
        let certificate = params.signed_by(&key, &self.0).unwrap();
        let key = PrivateKeyDer::from(PrivatePkcs8KeyDer::from(key.serialize_der()));
        let provider = Arc::new(rustls::crypto::ring::default_provider());
        let mut config = ServerConfig::builder_with_provider(provider)
            .with_safe_default_protocol_versions()
            .unwrap()
            .with_no_client_auth()
            .with_single_cert(vec![certificate.der().clone()], key)
            .unwrap();
        // It would resume and take early data if it were asked to.
        config.max_early_data_size = 1024;
        config
    }
}

fn answering(config: ServerConfig) -> Server {
    Server::tls(config, |peer| {
        peer.read_request();
        peer.write(b"HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok");
        peer.wait_for_end();
    })
}

async fn connect(url: &str, ca: Option<String>) -> Result<Ready, NotConnected> {
    Connector::new().unwrap().connect(&Target { ca_pem: ca, ..target(url) }).await
}

#[tokio::test]
async fn the_channels_own_authority_is_believed_and_each_connection_is_new() {
    let authority = Authority::new();
    let server = answering(authority.server(&["127.0.0.1"], |_| {}));
    let connector = Connector::new().unwrap();
    let target = Target { ca_pem: Some(authority.pem()), ..target(&server.url("/")) };
    for _ in 0..3 {
        let ready = connector.connect(&target).await.unwrap();
        assert_eq!(observed(send(ready, get(&server.url("/"))).await).body, b"ok");
    }
    let log = server.stop();
    assert_eq!(log.requests.len(), 3);
    // Full or, where the server asks for other key shares, full with a retry; never resumed.
    assert!(log.handshakes.iter().all(|kind| *kind != HandshakeKind::Resumed), "{:?}", log.handshakes);
    assert_eq!(log.handshakes.len(), 3);
}

#[tokio::test]
async fn the_name_in_the_certificate_must_be_the_origins() {
    let authority = Authority::new();
    let server = answering(authority.server(&["localhost"], |_| {}));
    let by_name = format!("https://localhost:{}/", server.port());
    let ready = connect(&by_name, Some(authority.pem())).await.unwrap();
    assert_eq!(observed(send(ready, get(&by_name)).await).status, 200);
    let refusal = connect(&server.url("/"), Some(authority.pem())).await.unwrap_err();
    assert_eq!(refusal.evidence, NotStarted::Tls);
    assert!(refusal.detail.contains("for another name"), "{refusal}");
    assert_eq!(server.stop().requests.len(), 1);
}

#[tokio::test]
async fn a_server_that_is_not_believed_gets_no_byte_of_a_request() {
    let (authority, other, same_name) = (Authority::new(), Authority::named("Other"), Authority::new());
    let server = answering(authority.server(&["127.0.0.1"], |_| {}));
    for (ca, word) in
        [(Some(other.pem()), "trusted list"), (None, "trusted list"), (Some(same_name.pem()), "signature is false")]
    {
        let refusal = connect(&server.url("/"), ca).await.unwrap_err();
        assert_eq!(refusal.evidence, NotStarted::Tls);
        assert!(refusal.detail.contains(word) && refusal.detail.contains("tls phase"), "{refusal}");
    }
    let log = server.stop();
    assert_eq!(log.connections, 3);
    assert!(log.requests.iter().all(Vec::is_empty), "{:?}", log.text());
}

#[tokio::test]
async fn an_expired_certificate_and_one_from_the_future_are_not_believed() {
    let authority = Authority::new();
    for (from, to, word) in [(2001, 2002, "expired"), (2090, 2091, "not valid yet")] {
        let server = answering(authority.server(&["127.0.0.1"], |params| {
            params.not_before = date_time_ymd(from, 1, 1);
            params.not_after = date_time_ymd(to, 1, 1);
        }));
        let refusal = connect(&server.url("/"), Some(authority.pem())).await.unwrap_err();
        assert_eq!(refusal.evidence, NotStarted::Tls);
        assert!(refusal.detail.contains(word), "{refusal}");
        drop(server.stop());
    }
}

#[tokio::test]
async fn a_server_without_tls_or_without_http_1_fails_in_the_tls_phase() {
    let authority = Authority::new();
    let plain = Server::plain(|peer| {
        peer.write(b"220 mail.example ESMTP\r\n");
        peer.wait_for_end();
    });
    let url = format!("https://127.0.0.1:{}/", plain.port());
    let refusal = connect(&url, Some(authority.pem())).await.unwrap_err();
    assert_eq!(refusal.evidence, NotStarted::Tls);
    assert!(refusal.detail.contains("does not answer with TLS"), "{refusal}");
    drop(plain.stop());

    let mut config = authority.server(&["127.0.0.1"], |_| {});
    config.alpn_protocols = vec![b"h2".to_vec()];
    let modern = answering(config);
    let refusal = connect(&modern.url("/"), Some(authority.pem())).await.unwrap_err();
    assert_eq!(refusal.evidence, NotStarted::Tls);
    assert!(refusal.detail.contains("HTTP/1.1"), "{refusal}");
    assert!(modern.stop().requests.is_empty());
}

#[tokio::test]
async fn a_handshake_that_is_cut_or_takes_too_long_is_evidence_that_nothing_was_sent() {
    let pem = Authority::new().pem();
    let closing = Server::plain(|_| {});
    let url = format!("https://127.0.0.1:{}/", closing.port());
    let refusal = connect(&url, Some(pem.clone())).await.unwrap_err();
    assert_eq!(refusal.evidence, NotStarted::Tls);
    drop(closing.stop());

    let silent = Server::plain(|peer| peer.wait_for_end());
    let url = format!("https://127.0.0.1:{}/", silent.port());
    let mut connector = Connector::new().unwrap();
    connector.times.tls = Duration::from_millis(100);
    let target = Target { ca_pem: Some(pem), ..target(&url) };
    let refusal = connector.connect(&target).await.unwrap_err();
    assert_eq!(refusal.evidence, NotStarted::Tls);
    assert!(refusal.detail.contains("took longer"), "{refusal}");
    drop(silent.stop());
}

#[tokio::test]
async fn a_stream_that_ends_without_a_farewell_is_a_cut_body() {
    let authority = Authority::new();
    let server = Server::tls(authority.server(&["127.0.0.1"], |_| {}), |peer| {
        peer.read_request();
        // No length: only the end of the stream says that it is complete, and anyone on the way could have ended it.
        peer.write(b"HTTP/1.1 200 OK\r\n\r\nhalf");
    });
    let ready = connect(&server.url("/"), Some(authority.pem())).await.unwrap();
    let response = observed(send(ready, get(&server.url("/"))).await);
    assert_eq!((response.status, response.body.as_slice()), (200, &b"half"[..]));
    assert!(response.cut_by_peer);
    drop(server.stop());
}

#[tokio::test]
async fn an_authority_file_that_can_not_be_read_is_refused_before_anything_is_dialled() {
    let server = Server::plain(|peer| peer.wait_for_end());
    let url = format!("https://127.0.0.1:{}/", server.port());
    let refusal = connect(&url, Some("no certificate".to_owned())).await.unwrap_err();
    assert_eq!(refusal.evidence, NotStarted::Connect);
    assert!(refusal.detail.contains("--ca"), "{refusal}");
    assert_eq!(server.stop().connections, 0);
}
