//! Opening the one connection: resolve, judge, pin, dial, shake hands. No byte of a request is involved.

use crate::bounds::{NEXT_ADDRESS_AFTER, Times};
use crate::explain;
use crate::resolve::{self, Pinned};
use crate::stream::Stream;
use crate::trust::{self, SetupError};
use lychgate_core::channel::Origin;
use lychgate_core::outcome::NotStarted;
use lychgate_text::words;
use rustls::ClientConfig;
use rustls_pki_types::ServerName;
use std::fmt;
use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;
use tokio::net::TcpStream;
use tokio::task::JoinSet;
use tokio::time::timeout;
use tokio_rustls::TlsConnector;

/// Where a connection shall lead, and whom it shall believe. From the channel's binding, never from the agent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Target {
    /// Scheme, host and port.
    pub origin: Origin,
    /// The channel allows private and loopback addresses.
    pub allow_private: bool,
    /// Certificates (PEM) that replace the system's roots.
    pub ca_pem: Option<String>,
}

/// No connection stands. Nothing of the request has left this process.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{detail}")]
pub struct NotConnected {
    /// [`NotStarted::Connect`] or [`NotStarted::Tls`].
    pub evidence: NotStarted,
    /// What failed in which phase, why, and what to do, for a person. Holds no secret.
    pub detail: String,
}

impl NotConnected {
    pub(crate) fn connect(detail: String) -> Self {
        Self { evidence: NotStarted::Connect, detail: (words().http().connect_phase)(&detail) }
    }

    fn tls(detail: String) -> Self {
        Self { evidence: NotStarted::Tls, detail: (words().http().tls_phase)(&detail) }
    }
}

/// Opens connections. Holds the system's roots, and nothing of any connection that it opened.
pub struct Connector {
    system: Result<Arc<ClientConfig>, String>,
    pub(crate) times: Times,
}

/// A connection that stands and has carried nothing yet. It serves one request: see [`Ready::send`].
pub struct Ready {
    pub(crate) origin: Origin,
    pub(crate) stream: Stream,
    pub(crate) times: Times,
}

impl Connector {
    /// Reads the system's root certificates, once. Blocks for some milliseconds.
    ///
    /// A system without roots is reported by [`Connector::connect`], for the channels that need them.
    ///
    /// # Errors
    /// [`SetupError`] where TLS can't be spoken at all.
    pub fn new() -> Result<Self, SetupError> {
        Ok(Self { system: trust::system()?, times: Times::STANDARD })
    }

    /// Opens a connection to `target`: its host is resolved once, all its addresses are judged before any is dialled
    /// (see [`crate::classify`]), and the TLS handshake is complete when this returns.
    ///
    /// Dropping the future closes what it opened.
    ///
    /// # Errors
    /// [`NotConnected`] says which phase failed. All of it is evidence that the action did not start.
    pub async fn connect(&self, target: &Target) -> Result<Ready, NotConnected> {
        let origin = &target.origin;
        let tls = self.tls(target)?;
        let dialling = async {
            let found = resolve::resolve(origin).await?;
            let pinned = Pinned::judged(origin, found, target.allow_private)?;
            dial(&pinned).await.map_err(|error| NotConnected::connect(explain::dial(origin, &error)))
        };
        let Ok(dialled) = timeout(self.times.connect, dialling).await else {
            return Err(NotConnected::connect(explain::too_slow(origin, self.times.connect)));
        };
        let tcp = dialled?;
        let stream = match tls {
            None => Stream::Plain(tcp),
            Some((config, name)) => {
                let shaking = TlsConnector::from(config).connect(name, tcp);
                let Ok(shaken) = timeout(self.times.tls, shaking).await else {
                    return Err(NotConnected::tls(explain::too_slow(origin, self.times.tls)));
                };
                let stream = shaken.map_err(|error| NotConnected::tls(explain::tls(origin, &error)))?;
                Stream::Tls(Box::new(stream))
            }
        };
        Ok(Ready { origin: origin.clone(), stream, times: self.times })
    }

    /// What TLS needs, or `None` for plain http. Settled before anything is dialled.
    fn tls(&self, target: &Target) -> Result<Option<(Arc<ClientConfig>, ServerName<'static>)>, NotConnected> {
        let say = words().http();
        let host = target.origin.host();
        match target.origin.scheme() {
            "http" => return Ok(None),
            "https" => {}
            other => return Err(NotConnected::connect((say.other_scheme)(&other))),
        }
        let config = match &target.ca_pem {
            Some(pem) => trust::own(pem),
            None => self.system.clone(),
        };
        let config = config.map_err(|why| NotConnected::connect((say.no_tls)(&target.origin, &why)))?;
        let name = match resolve::literal(host) {
            Some(address) => ServerName::IpAddress(address.into()),
            None => ServerName::try_from(host.to_owned())
                .map_err(|_| NotConnected::connect((say.no_certificate_name)(&host)))?,
        };
        Ok(Some((config, name)))
    }
}

/// The first of the pinned addresses that answers; the next one gets its chance while the last is still silent.
async fn dial(pinned: &Pinned) -> io::Result<TcpStream> {
    let mut waiting = pinned.addresses().iter().copied().peekable();
    let mut trying = JoinSet::new();
    let mut last = io::Error::from(io::ErrorKind::AddrNotAvailable);
    loop {
        if let Some(address) = waiting.next() {
            trying.spawn(open(address));
        }
        let patience = if waiting.peek().is_some() { NEXT_ADDRESS_AFTER } else { Duration::MAX };
        match timeout(patience, trying.join_next()).await {
            Err(_still_silent) => {}
            Ok(Some(Ok(Ok(stream)))) => return Ok(stream),
            Ok(Some(Ok(Err(error)))) => last = error,
            Ok(Some(Err(_))) => last = io::ErrorKind::Interrupted.into(),
            Ok(None) => return Err(last),
        }
    }
}

async fn open(address: SocketAddr) -> io::Result<TcpStream> {
    let stream = TcpStream::connect(address).await?;
    stream.set_nodelay(true)?;
    Ok(stream)
}

impl fmt::Debug for Connector {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Connector").field("system_roots", &self.system.is_ok()).finish_non_exhaustive()
    }
}

impl fmt::Debug for Ready {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Ready").field("origin", &self.origin).finish_non_exhaustive()
    }
}

#[cfg(test)]
#[expect(clippy::unwrap_used, reason = "tests")]
mod tests {
    use super::*;
    use rustix::net::{AddressFamily, SocketType, bind, getsockname, listen, socket};
    use std::net::TcpListener;

    /// An address that answers no more connections, and what keeps it so.
    fn silent() -> (SocketAddr, impl Sized) {
        let socket = socket(AddressFamily::INET, SocketType::STREAM, None).unwrap();
        bind(&socket, &SocketAddr::from(([127, 0, 0, 1], 0))).unwrap();
        // With a queue of none the kernel holds one connection and lets further ones wait for an answer.
        listen(&socket, 0).unwrap();
        let address = SocketAddr::try_from(getsockname(&socket).unwrap()).unwrap();
        let waiting = std::net::TcpStream::connect(address).unwrap();
        (address, (socket, waiting))
    }

    fn pinned(addresses: &[SocketAddr]) -> Pinned {
        Pinned::judged(&"http://127.0.0.1".parse().unwrap(), addresses.to_vec(), true).unwrap()
    }

    #[tokio::test]
    async fn an_address_that_refuses_or_stays_silent_does_not_hide_the_next() {
        let alive = TcpListener::bind("127.0.0.1:0").unwrap();
        let closed = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
        let (mute, _kept) = silent();
        let alive_at = alive.local_addr().unwrap();
        for order in [vec![closed, alive_at], vec![mute, alive_at], vec![closed, mute, closed, alive_at]] {
            let reached = dial(&pinned(&order)).await.unwrap();
            assert_eq!(reached.peer_addr().unwrap(), alive_at);
        }
        assert_eq!(dial(&pinned(&[closed, closed])).await.unwrap_err().kind(), io::ErrorKind::ConnectionRefused);
    }

    #[tokio::test]
    async fn a_server_that_does_not_take_the_connection_ends_in_the_connect_phase() {
        let (mute, _kept) = silent();
        let mut connector = Connector::new().unwrap();
        connector.times.connect = Duration::from_millis(100);
        let target = Target { origin: format!("http://{mute}").parse().unwrap(), allow_private: true, ca_pem: None };
        let refusal = connector.connect(&target).await.unwrap_err();
        assert_eq!(refusal.evidence, NotStarted::Connect);
        assert!(refusal.detail.contains("connect phase") && refusal.detail.contains("took longer"), "{refusal}");
    }
}
