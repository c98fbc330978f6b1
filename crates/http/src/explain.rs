//! Errors of the layers below, in words for a person: what, why, what next.
//!
//! Texts of the peer and of libraries are not passed on: what they hold is not ours to vouch for, and some libraries
//! put URLs and header values into theirs.

use lychgate_core::channel::Origin;
use rustls::{AlertDescription, CertificateError, Error as TlsError};
use std::error::Error;
use std::io::{self, ErrorKind};
use std::time::Duration;

/// A TCP connection that could not be opened.
pub(crate) fn dial(origin: &Origin, error: &io::Error) -> String {
    let why = match error.kind() {
        ErrorKind::ConnectionRefused => "nothing accepts connections there; check the port and that the server runs",
        ErrorKind::HostUnreachable | ErrorKind::NetworkUnreachable | ErrorKind::NetworkDown => {
            "there is no way to it from here; check the network"
        }
        ErrorKind::TimedOut => "it does not answer; check the address and the firewalls between",
        ErrorKind::ConnectionReset | ErrorKind::ConnectionAborted => "it ended the connection at once; try again later",
        ErrorKind::PermissionDenied => "this system does not allow the connection; check its firewall rules",
        ErrorKind::AddrNotAvailable => "this machine has no address of its own to reach it from; check the network",
        _ => "the system refused the connection; check the network",
    };
    format!("no connection to {origin}: {why}")
}

/// A phase that took too long.
pub(crate) fn too_slow(origin: &Origin, limit: Duration) -> String {
    format!("{origin} took longer than {} s; check the network, or try again later", limit.as_secs())
}

/// A TLS handshake that failed.
pub(crate) fn tls(origin: &Origin, error: &io::Error) -> String {
    let inner = error.get_ref().and_then(|inner| inner.downcast_ref::<TlsError>());
    let why = match inner {
        Some(TlsError::InvalidCertificate(certificate)) => untrusted(certificate),
        Some(TlsError::AlertReceived(AlertDescription::NoApplicationProtocol))
        | Some(TlsError::NoApplicationProtocol) => {
            "it does not speak HTTP/1.1, and the gateway speaks nothing else yet"
        }
        Some(TlsError::AlertReceived(AlertDescription::UnrecognisedName)) => {
            "it does not know the host name; check the spelling"
        }
        Some(TlsError::AlertReceived(AlertDescription::CertificateRequired)) => {
            "it wants a client certificate, which this channel does not have"
        }
        Some(TlsError::AlertReceived(_)) => "it refused the handshake; check the port and the host name",
        Some(TlsError::PeerIncompatible(_)) => "it speaks no TLS version or cipher that is still safe (TLS 1.2 or 1.3)",
        Some(TlsError::InvalidMessage(_)) => "it does not answer with TLS; check the port",
        Some(_) => "the handshake went wrong; check the port and the server's TLS settings",
        None => "it ended the connection during the handshake; check the port, or try again later",
    };
    format!("no trusted connection to {origin}: {why}")
}

fn untrusted(error: &CertificateError) -> &'static str {
    match error {
        CertificateError::UnknownIssuer => {
            "its certificate is not signed by anyone on the trusted list; if it is a private server, give the channel \
             its certificate authority with --ca"
        }
        CertificateError::Expired | CertificateError::ExpiredContext { .. } => {
            "its certificate has expired; check this machine's clock, else the server's owner must renew it"
        }
        CertificateError::NotValidYet | CertificateError::NotValidYetContext { .. } => {
            "its certificate is not valid yet; check this machine's clock"
        }
        CertificateError::NotValidForName | CertificateError::NotValidForNameContext { .. } => {
            "its certificate is for another name; check the origin, someone may stand in between"
        }
        CertificateError::Revoked => "its certificate was revoked; do not use it",
        CertificateError::BadSignature => "its certificate's signature is false; someone may stand in between",
        // Certificate errors of the verifier that have no variant of their own arrive as `Other`.
        _ => {
            "its certificate can't be used for a server (a certificate authority's own certificate, a purpose or a form \
             that is not allowed); the server's owner must replace it"
        }
    }
}

/// An exchange that broke before a status arrived. Follows "the request went out and …".
pub(crate) fn exchange(error: &hyper::Error) -> &'static str {
    let io = error.source().and_then(|source| source.downcast_ref::<io::Error>()).map(io::Error::kind);
    match io {
        Some(ErrorKind::ConnectionReset | ErrorKind::BrokenPipe | ErrorKind::ConnectionAborted) => {
            "the server broke the connection off before it answered"
        }
        Some(ErrorKind::UnexpectedEof) => "the server closed the connection before it answered",
        Some(_) => "the connection failed before an answer arrived",
        None if error.is_parse() => "what came back is not an HTTP response that can be read",
        None if error.is_incomplete_message() => "the server closed the connection before it answered",
        None => "the connection ended before an answer arrived",
    }
}
