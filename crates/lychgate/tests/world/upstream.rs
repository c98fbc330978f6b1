//! The service that a channel leads to: HTTPS on loopback, and it remembers every request that it received.
//!
//! The path chooses what it does: `/v1/drop` takes the whole request and closes without an answer, `/v1/slow` takes it
//! and answers never, `/v1/mirror` sends the credential back, anything else gets `{"ok":true}`. [`Upstream::hold`]
//! makes it take connections and say nothing on them.

use super::{PATIENCE, until};
use rustls::pki_types::{CertificateDer, PrivateKeyDer, PrivatePkcs8KeyDer};
use rustls::{ServerConfig, ServerConnection, StreamOwned};
use std::io::{self, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Condvar, Mutex};

/// One request as it arrived.
#[derive(Debug, Clone)]
pub struct Request {
    pub method: String,
    /// Path and query.
    pub target: String,
    pub headers: Vec<(String, String)>,
    pub body: Vec<u8>,
}

impl Request {
    /// All values of a header.
    pub fn header(&self, name: &str) -> Vec<&str> {
        self.headers.iter().filter(|(has, _)| has.eq_ignore_ascii_case(name)).map(|(_, value)| value.as_str()).collect()
    }
}

/// See the module.
pub struct Upstream {
    port: u16,
    pub ca_pem: String,
    seen: Arc<Seen>,
}

#[derive(Default)]
struct Seen {
    requests: Mutex<Vec<Request>>,
    arrived: Condvar,
    connections: AtomicUsize,
    /// Connections on which the other side went away while it waited for an answer.
    cut: AtomicUsize,
    /// New connections are taken and get no TLS.
    held: Mutex<bool>,
    let_go: Condvar,
    stop: AtomicBool,
}

impl Upstream {
    pub fn start() -> Self {
        let made = rcgen::generate_simple_self_signed(["127.0.0.1".to_owned()]).unwrap();
        let key = PrivateKeyDer::from(PrivatePkcs8KeyDer::from(made.signing_key.serialize_der()));
        let tls = tls(made.cert.der().clone(), key);
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        let seen = Arc::new(Seen::default());
        let serving = Arc::clone(&seen);
        std::thread::spawn(move || {
            while let Ok((stream, _)) = listener.accept() {
                if serving.stop.load(Ordering::SeqCst) {
                    return;
                }
                serving.connections.fetch_add(1, Ordering::SeqCst);
                let (seen, tls) = (Arc::clone(&serving), Arc::clone(&tls));
                // A client that breaks off is what some tests are about.
                std::thread::spawn(move || drop(serve(stream, tls, &seen)));
            }
        });
        Self { port, ca_pem: made.cert.pem(), seen }
    }

    pub fn origin(&self) -> String {
        format!("https://127.0.0.1:{}", self.port)
    }

    pub fn url(&self, path: &str) -> String {
        format!("{}{path}", self.origin())
    }

    /// Every request so far.
    pub fn requests(&self) -> Vec<Request> {
        self.seen.requests.lock().unwrap().clone()
    }

    /// How many requests came, which is how often something took effect.
    pub fn count(&self) -> usize {
        self.requests().len()
    }

    /// Connections, with or without a request.
    pub fn connections(&self) -> usize {
        self.seen.connections.load(Ordering::SeqCst)
    }

    /// Waits for the `count`th request.
    #[track_caller]
    pub fn wait_for(&self, count: usize) -> Request {
        let requests = self.seen.requests.lock().unwrap();
        let waited = self.seen.arrived.wait_timeout_while(requests, PATIENCE, |all| all.len() < count).unwrap();
        assert!(waited.0.len() >= count, "only {} requests arrived", waited.0.len());
        waited.0[count - 1].clone()
    }

    /// From here on a connection gets no TLS until [`Upstream::let_go`].
    pub fn hold(&self) {
        *self.seen.held.lock().unwrap() = true;
    }

    /// Serves what was held.
    pub fn let_go(&self) {
        *self.seen.held.lock().unwrap() = false;
        self.seen.let_go.notify_all();
    }

    /// Waits for the `count`th connection, with or without a request.
    #[track_caller]
    pub fn wait_for_connections(&self, count: usize) {
        until("a connection", || (self.connections() >= count).then_some(()));
    }

    /// Waits until a client has cut a connection on which it got no answer.
    #[track_caller]
    pub fn wait_for_cut(&self) {
        until("a cut connection", || (self.seen.cut.load(Ordering::SeqCst) > 0).then_some(()));
    }
}

impl Drop for Upstream {
    fn drop(&mut self) {
        self.seen.stop.store(true, Ordering::SeqCst);
        self.let_go();
        // Wakes the listener.
        let _ = TcpStream::connect(("127.0.0.1", self.port));
    }
}

/// A port of this machine where nobody listens.
pub fn closed_origin() -> String {
    let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    format!("https://127.0.0.1:{port}")
}

fn tls(certificate: CertificateDer<'static>, key: PrivateKeyDer<'static>) -> Arc<ServerConfig> {
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let config = ServerConfig::builder_with_provider(provider).with_safe_default_protocol_versions().unwrap();
    Arc::new(config.with_no_client_auth().with_single_cert(vec![certificate], key).unwrap())
}

fn serve(stream: TcpStream, tls: Arc<ServerConfig>, seen: &Seen) -> io::Result<()> {
    drop(seen.let_go.wait_while(seen.held.lock().unwrap(), |held| *held).unwrap());
    let connection = ServerConnection::new(tls).map_err(io::Error::other)?;
    let mut stream = StreamOwned::new(connection, stream);
    let request = read(&mut stream)?;
    let path = request.target.split('?').next().unwrap_or_default().to_owned();
    let credential = request.header("authorization").join("\n");
    seen.requests.lock().unwrap().push(request);
    seen.arrived.notify_all();
    let body = match path.as_str() {
        "/v1/drop" => return Ok(()),
        "/v1/slow" => {
            // Returns when the other side is gone.
            let _ = stream.read(&mut [0]);
            seen.cut.fetch_add(1, Ordering::SeqCst);
            return Ok(());
        }
        "/v1/mirror" => serde_json::json!({ "you_sent": credential }).to_string(),
        _ => serde_json::json!({ "ok": true }).to_string(),
    };
    let head = "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\nconnection: close\r\ncontent-length:";
    write!(stream, "{head} {}\r\n\r\n{body}", body.len())?;
    stream.conn.send_close_notify();
    stream.flush()
}

fn read(stream: &mut impl Read) -> io::Result<Request> {
    let mut bytes = Vec::new();
    let end = loop {
        if let Some(end) = bytes.windows(4).position(|window| window == b"\r\n\r\n") {
            break end;
        }
        more(stream, &mut bytes)?;
    };
    let head = String::from_utf8_lossy(&bytes[..end]).into_owned();
    let mut lines = head.lines();
    let mut first = lines.next().unwrap_or_default().split(' ');
    let (method, target) = (first.next().unwrap_or_default().to_owned(), first.next().unwrap_or_default().to_owned());
    let headers: Vec<(String, String)> = lines
        .filter_map(|line| line.split_once(':'))
        .map(|(name, value)| (name.to_owned(), value.trim().to_owned()))
        .collect();
    let mut request = Request { method, target, headers, body: bytes.split_off(end + 4) };
    let length = request.header("content-length").first().and_then(|length| length.parse().ok()).unwrap_or(0);
    while request.body.len() < length {
        more(stream, &mut request.body)?;
    }
    Ok(request)
}

fn more(stream: &mut impl Read, bytes: &mut Vec<u8>) -> io::Result<()> {
    let mut piece = [0; 4096];
    match stream.read(&mut piece)? {
        0 => Err(io::ErrorKind::UnexpectedEof.into()),
        got => {
            bytes.extend_from_slice(&piece[..got]);
            Ok(())
        }
    }
}
