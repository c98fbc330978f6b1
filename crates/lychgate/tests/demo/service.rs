//! `lych demo-service`, the recording upstream of other tests.

use super::user::{Shared, belongs_to_an_ordinary_user, place};
use rustls::pki_types::{CertificateDer, ServerName, pem::PemObject};
use rustls::{ClientConfig, ClientConnection, RootCertStore, StreamOwned};
use serde_json::{Value, json};
use std::io::{Read, Write};
use std::net::TcpStream;
use std::process::{Child, Stdio};
use std::sync::Arc;
use std::time::{Duration, Instant};

struct Service {
    _shared: Shared,
    place: tempfile::TempDir,
    child: Child,
    port: u16,
    config: Arc<ClientConfig>,
}

impl Service {
    fn start() -> Self {
        let (shared, place) = (Shared::new(), place());
        let dir = place.path().join("service");
        let child = shared.command().args(["demo-service", "--dir"]).arg(&dir).stdin(Stdio::null()).spawn().unwrap();
        let until = Instant::now() + Duration::from_secs(20);
        let ready: Value = loop {
            // It appears whole, so what can be read is complete.
            match std::fs::read(dir.join("service.json")) {
                Ok(text) => break serde_json::from_slice(&text).unwrap(),
                Err(_) if Instant::now() < until => std::thread::sleep(Duration::from_millis(10)),
                Err(error) => panic!("not ready: {error}"),
            }
        };
        belongs_to_an_ordinary_user(&dir.join("service.json"));
        let mut roots = RootCertStore::empty();
        roots.add(CertificateDer::from_pem_file(ready["ca_pem"].as_str().unwrap()).unwrap()).unwrap();
        let provider = Arc::new(rustls::crypto::ring::default_provider());
        let config = ClientConfig::builder_with_provider(provider)
            .with_safe_default_protocol_versions()
            .unwrap()
            .with_root_certificates(roots)
            .with_no_client_auth();
        let port = ready["port"].as_u64().unwrap().try_into().unwrap();
        Self { _shared: shared, place, child, port, config: Arc::new(config) }
    }

    /// Sends a request and reads to the end: what came, head and body.
    fn ask(&self, request: &str) -> String {
        let name = ServerName::try_from("127.0.0.1").unwrap();
        let tls = ClientConnection::new(Arc::clone(&self.config), name).unwrap();
        let tcp = TcpStream::connect(("127.0.0.1", self.port)).unwrap();
        tcp.set_read_timeout(Some(Duration::from_secs(20))).unwrap();
        let mut stream = StreamOwned::new(tls, tcp);
        stream.write_all(request.as_bytes()).unwrap();
        let mut answer = Vec::new();
        // A connection that is closed without farewell is one of the things it is for.
        let _ = stream.read_to_end(&mut answer);
        String::from_utf8(answer).unwrap()
    }

    fn records(&self) -> Vec<Value> {
        let text = std::fs::read_to_string(self.place.path().join("service/requests.jsonl")).unwrap();
        text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
    }
}

impl Drop for Service {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

#[test]
fn each_request_is_recorded_and_each_path_answers_in_its_way() {
    let service = Service::start();
    let answer = service
        .ask("POST /v1/items?a=1 HTTP/1.1\r\nhost: x\r\nauthorization: Bearer one\r\ncontent-length: 2\r\n\r\nhi");
    assert!(answer.starts_with("HTTP/1.1 201"), "{answer}");
    assert!(answer.contains("connection: close") && answer.ends_with(r#"{"bytes":2,"created":true}"#), "{answer}");
    assert!(
        service
            .ask("GET /v1/echo-auth HTTP/1.1\r\nhost: x\r\nauthorization: Bearer two\r\n\r\n")
            .contains("Bearer two")
    );
    assert_eq!(service.ask("POST /v1/drop HTTP/1.1\r\nhost: x\r\ncontent-length: 1\r\n\r\nz"), "");
    assert!(service.ask("GET /else HTTP/1.1\r\nhost: x\r\n\r\n").starts_with("HTTP/1.1 404"));

    let records = service.records();
    let paths: Vec<&Value> = records.iter().map(|record| &record["path"]).collect();
    assert_eq!(paths, ["/v1/items?a=1", "/v1/echo-auth", "/v1/drop", "/else"]);
    assert_eq!(records[0]["method"], "POST");
    assert_eq!(records[0]["body"], "hi");
    assert!(records[0]["headers"].as_array().unwrap().contains(&json!(["authorization", "Bearer one"])));
    assert!(records[0]["time"].as_u64().unwrap() > 1_700_000_000_000);
    assert_eq!(records[2]["body"], "z", "the whole request was read before the connection was dropped");
}

#[test]
fn a_header_that_comes_twice_shows_twice() {
    let service = Service::start();
    service.ask("GET /v1/items HTTP/1.1\r\nhost: x\r\nauthorization: Bearer 1\r\nauthorization: Bearer 1\r\n\r\n");
    let records = service.records();
    let twice = records[0]["headers"].as_array().unwrap().iter().filter(|pair| pair[0] == "authorization").count();
    assert_eq!(twice, 2);
}

#[test]
fn a_slow_answer_is_recorded_before_it_is_given() {
    let service = Service::start();
    let start = Instant::now();
    assert!(service.ask("GET /v1/slow?ms=300 HTTP/1.1\r\nhost: x\r\n\r\n").contains(r#"{"waited_ms":300}"#));
    assert!(start.elapsed() >= Duration::from_millis(300));
    let records = service.records();
    assert_eq!(records.len(), 1);
}

#[test]
fn no_other_authority_is_behind_its_certificate() {
    let (one, other) = (Service::start(), Service::start());
    let name = ServerName::try_from("127.0.0.1").unwrap();
    let mut tls = ClientConnection::new(Arc::clone(&one.config), name).unwrap();
    let mut tcp = TcpStream::connect(("127.0.0.1", other.port)).unwrap();
    assert!(tls.complete_io(&mut tcp).is_err());
}
