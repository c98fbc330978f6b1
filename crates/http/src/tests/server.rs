//! A server that does one thing per connection and writes down every byte of the requests that it got.

use rustls::{ServerConfig, ServerConnection, StreamOwned};
use std::io::{Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex};
use std::thread::JoinHandle;
use std::time::Duration;

/// What a server saw.
#[derive(Debug, Default, Clone)]
pub(super) struct Log {
    pub(super) connections: usize,
    /// TLS handshakes that succeeded.
    pub(super) handshakes: Vec<rustls::HandshakeKind>,
    /// Every request, head and body.
    pub(super) requests: Vec<Vec<u8>>,
}

impl Log {
    pub(super) fn text(&self) -> String {
        self.requests.iter().map(|request| String::from_utf8_lossy(request).into_owned()).collect()
    }
}

pub(super) struct Server {
    address: SocketAddr,
    tls: bool,
    log: Arc<Mutex<Log>>,
    stopping: Arc<AtomicBool>,
    last: Sender<SocketAddr>,
    thread: JoinHandle<()>,
}

/// One connection, as the script of a server sees it.
pub(super) struct Peer {
    io: Io,
    log: Arc<Mutex<Log>>,
}

enum Io {
    Plain(TcpStream),
    Tls(Box<StreamOwned<ServerConnection, TcpStream>>),
}

impl Server {
    /// Plain, and `script` for each connection.
    pub(super) fn plain(script: impl FnMut(&mut Peer) + Send + 'static) -> Self {
        Self::start(None, script)
    }

    /// Plain: reads one request and answers with these bytes, then closes.
    pub(super) fn answering(answer: impl Into<Vec<u8>>) -> Self {
        let answer = answer.into();
        Self::plain(move |peer| {
            peer.read_request();
            peer.write(&answer);
        })
    }

    pub(super) fn tls(config: ServerConfig, script: impl FnMut(&mut Peer) + Send + 'static) -> Self {
        Self::start(Some(Arc::new(config)), script)
    }

    fn start(tls: Option<Arc<ServerConfig>>, mut script: impl FnMut(&mut Peer) + Send + 'static) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        let (log, stopping) = (Arc::new(Mutex::new(Log::default())), Arc::new(AtomicBool::new(false)));
        let (last, end) = channel();
        let secure = tls.is_some();
        let (own_log, own_stopping) = (log.clone(), stopping.clone());
        let thread = std::thread::spawn(move || {
            let mut farewell = None;
            while let Some(tcp) = next(&listener, &own_stopping, &end, &mut farewell) {
                own_log.lock().unwrap().connections += 1;
                if let Some(io) = Io::open(tcp, tls.as_ref(), &own_log) {
                    script(&mut Peer { io, log: own_log.clone() });
                }
            }
        });
        Self { address, tls: secure, log, stopping, last, thread }
    }

    pub(super) fn port(&self) -> u16 {
        self.address.port()
    }

    pub(super) fn url(&self, path: &str) -> String {
        let scheme = if self.tls { "https" } else { "http" };
        format!("{scheme}://{}{path}", self.address)
    }

    /// Everything that arrived up to now: connections are accepted in order, and this one is the last.
    pub(super) fn stop(self) -> Log {
        self.stopping.store(true, Ordering::SeqCst);
        let farewell = TcpStream::connect(self.address).unwrap();
        self.last.send(farewell.local_addr().unwrap()).unwrap();
        self.thread.join().unwrap();
        Arc::try_unwrap(self.log).unwrap().into_inner().unwrap()
    }
}

fn next(
    listener: &TcpListener,
    stopping: &AtomicBool,
    end: &Receiver<SocketAddr>,
    farewell: &mut Option<SocketAddr>,
) -> Option<TcpStream> {
    let (tcp, from) = listener.accept().unwrap();
    // Once it is stopping, the farewell's address comes; connections that stood in line before it still count.
    if stopping.load(Ordering::SeqCst) && farewell.is_none() {
        *farewell = Some(end.recv_timeout(Duration::from_secs(10)).unwrap());
    }
    tcp.set_read_timeout(Some(Duration::from_secs(20))).unwrap();
    (*farewell != Some(from)).then_some(tcp)
}

impl Io {
    fn open(mut tcp: TcpStream, tls: Option<&Arc<ServerConfig>>, log: &Mutex<Log>) -> Option<Self> {
        let Some(config) = tls else { return Some(Self::Plain(tcp)) };
        let mut session = ServerConnection::new(config.clone()).unwrap();
        while session.is_handshaking() {
            session.complete_io(&mut tcp).ok()?;
        }
        log.lock().unwrap().handshakes.push(session.handshake_kind().unwrap());
        Some(Self::Tls(Box::new(StreamOwned::new(session, tcp))))
    }

    fn read(&mut self, into: &mut [u8]) -> std::io::Result<usize> {
        match self {
            Self::Plain(io) => io.read(into),
            Self::Tls(io) => io.read(into),
        }
    }

    fn tcp(&self) -> &TcpStream {
        match self {
            Self::Plain(io) => io,
            Self::Tls(io) => io.get_ref(),
        }
    }
}

impl Peer {
    /// Reads and records one request, as far as it comes.
    pub(super) fn read_request(&mut self) -> Vec<u8> {
        let mut request = Vec::new();
        let mut piece = [0; 16 * 1024];
        while !is_whole(&request) {
            match self.io.read(&mut piece) {
                Ok(0) | Err(_) => break,
                Ok(n) => request.extend_from_slice(&piece[..n]),
            }
        }
        self.log.lock().unwrap().requests.push(request.clone());
        request
    }

    /// Reads and records the first bytes of a request.
    pub(super) fn read_some(&mut self) {
        let mut piece = vec![0; 1024];
        let n = self.io.read(&mut piece).unwrap();
        piece.truncate(n);
        self.log.lock().unwrap().requests.push(piece);
    }

    /// Writes what the client still takes.
    pub(super) fn write(&mut self, bytes: &[u8]) {
        let _gone = match &mut self.io {
            Io::Plain(io) => io.write_all(bytes).and_then(|()| io.flush()),
            Io::Tls(io) => io.write_all(bytes).and_then(|()| io.flush()),
        };
    }

    /// Waits until the client is gone; what it still sends is recorded as a request of its own.
    pub(super) fn wait_for_end(&mut self) {
        let mut more = Vec::new();
        let mut piece = [0; 1024];
        while let Ok(n) = self.io.read(&mut piece) {
            if n == 0 {
                break;
            }
            more.extend_from_slice(&piece[..n]);
        }
        if !more.is_empty() {
            self.log.lock().unwrap().requests.push(more);
        }
    }

    /// Closing sends a reset then.
    pub(super) fn reset_on_close(&self) {
        rustix::net::sockopt::set_socket_linger(self.io.tcp(), Some(Duration::ZERO)).unwrap();
    }
}

fn is_whole(request: &[u8]) -> bool {
    let Some(end) = request.windows(4).position(|window| window == b"\r\n\r\n") else { return false };
    let (head, body) = (std::str::from_utf8(&request[..end]).unwrap(), &request[end + 4..]);
    let length = head.lines().find_map(|line| line.strip_prefix("content-length: "));
    length.is_none_or(|length| body.len() >= length.parse().unwrap())
}
