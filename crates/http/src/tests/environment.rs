//! Variables of the environment change nothing: no proxy, no trusted certificate, no key log.

use super::fixture::{get, observed, run, target};
use super::server::Server;
use super::tls::Authority;
use crate::{Connector, Target};
use lychgate_core::outcome::NotStarted;
use std::process::Command;

/// Runs in a child process of the next test, since a process must not change its own environment while others read it.
#[tokio::test]
#[ignore = "runs within the next test"]
async fn inside_a_poisoned_environment() {
    // The next test counts what arrives, so doing nothing here would fail there.
    let (Ok(plain), Ok(tls)) = (std::env::var("TEST_PLAIN"), std::env::var("TEST_TLS")) else { return };
    assert_eq!(observed(run(get(&plain)).await).status, 200);
    let trusting = Connector::new().unwrap();
    let refusal = trusting.connect(&Target { ca_pem: None, ..target(&tls) }).await.unwrap_err();
    assert_eq!(refusal.evidence, NotStarted::Tls);
    assert!(refusal.detail.contains("trusted list"), "{refusal}");
    let ca = std::fs::read_to_string(std::env::var("SSL_CERT_FILE").unwrap()).unwrap();
    trusting.connect(&Target { ca_pem: Some(ca), ..target(&tls) }).await.unwrap();
}

#[test]
fn proxies_and_certificates_of_the_environment_are_not_used() {
    let authority = Authority::new();
    let proxy = Server::answering("HTTP/1.1 502 Proxy\r\ncontent-length: 0\r\n\r\n");
    let plain = Server::answering("HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n");
    let tls = Server::tls(authority.server(&["127.0.0.1"], |_| {}), |peer| peer.wait_for_end());
    let directory = tempfile::tempdir().unwrap();
    let (ca, keys) = (directory.path().join("ca.pem"), directory.path().join("keys.log"));
    std::fs::write(&ca, authority.pem()).unwrap();

    let mut child = Command::new(std::env::current_exe().unwrap());
    child.args(["--exact", "--ignored", "tests::environment::inside_a_poisoned_environment"]);
    for name in ["HTTP_PROXY", "http_proxy", "HTTPS_PROXY", "https_proxy", "ALL_PROXY", "all_proxy"] {
        child.env(name, proxy.url("/"));
    }
    child.env("SSL_CERT_FILE", &ca).env("SSL_CERT_DIR", directory.path()).env("SSLKEYLOGFILE", &keys);
    child.env("TEST_PLAIN", plain.url("/")).env("TEST_TLS", tls.url("/"));
    let output = child.output().unwrap();
    let told = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success() && told.contains("1 passed"), "{told}");

    assert_eq!(proxy.stop().connections, 0);
    assert_eq!(plain.stop().requests.len(), 1);
    assert_eq!(tls.stop().connections, 2);
    assert!(!keys.exists());
}
