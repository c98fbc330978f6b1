//! Errors of the layers below, as words of the catalogue: what, why, what next.
//!
//! Texts of the peer and of libraries are not passed on: what they hold is not ours to vouch for, and some libraries
//! put URLs and header values into theirs.

use lychgate_core::channel::Origin;
use lychgate_text::words;
use rustls::{AlertDescription, CertificateError, Error as TlsError};
use std::error::Error;
use std::io::{self, ErrorKind};
use std::time::Duration;

/// A TCP connection that could not be opened.
pub(crate) fn dial(origin: &Origin, error: &io::Error) -> String {
    let say = &words().http().dial;
    let why = match error.kind() {
        ErrorKind::ConnectionRefused => say.refused,
        ErrorKind::HostUnreachable | ErrorKind::NetworkUnreachable | ErrorKind::NetworkDown => say.unreachable,
        ErrorKind::TimedOut => say.silent,
        ErrorKind::ConnectionReset | ErrorKind::ConnectionAborted => say.reset,
        ErrorKind::PermissionDenied => say.not_permitted,
        ErrorKind::AddrNotAvailable => say.no_own_address,
        _ => say.other,
    };
    (words().http().no_connection)(origin, &why)
}

/// A phase that took too long.
pub(crate) fn too_slow(origin: &Origin, limit: Duration) -> String {
    (words().http().too_slow)(origin, limit.as_secs())
}

/// A TLS handshake that failed.
pub(crate) fn tls(origin: &Origin, error: &io::Error) -> String {
    let say = &words().http().handshake;
    let inner = error.get_ref().and_then(|inner| inner.downcast_ref::<TlsError>());
    let why = match inner {
        Some(TlsError::InvalidCertificate(certificate)) => untrusted(certificate),
        Some(TlsError::AlertReceived(AlertDescription::NoApplicationProtocol))
        | Some(TlsError::NoApplicationProtocol) => say.no_http1,
        Some(TlsError::AlertReceived(AlertDescription::UnrecognisedName)) => say.unknown_name,
        Some(TlsError::AlertReceived(AlertDescription::CertificateRequired)) => say.wants_client_certificate,
        Some(TlsError::AlertReceived(_)) => say.refused,
        Some(TlsError::PeerIncompatible(_)) => say.too_old,
        Some(TlsError::InvalidMessage(_)) => say.no_tls,
        Some(_) => say.other,
        None => say.ended,
    };
    (words().http().no_trust)(origin, &why)
}

fn untrusted(error: &CertificateError) -> &'static str {
    let say = &words().http().certificate;
    match error {
        CertificateError::UnknownIssuer => say.unknown_issuer,
        CertificateError::Expired | CertificateError::ExpiredContext { .. } => say.expired,
        CertificateError::NotValidYet | CertificateError::NotValidYetContext { .. } => say.not_yet,
        CertificateError::NotValidForName | CertificateError::NotValidForNameContext { .. } => say.other_name,
        CertificateError::Revoked => say.revoked,
        CertificateError::BadSignature => say.bad_signature,
        // Certificate errors of the verifier that have no variant of their own arrive as `Other`.
        _ => say.not_for_servers,
    }
}

/// An exchange that broke before a status arrived. Follows "the request went out and …".
pub(crate) fn exchange(error: &hyper::Error) -> &'static str {
    let say = &words().http().unobserved;
    let io = error.source().and_then(|source| source.downcast_ref::<io::Error>()).map(io::Error::kind);
    match io {
        Some(ErrorKind::ConnectionReset | ErrorKind::BrokenPipe | ErrorKind::ConnectionAborted) => say.reset,
        Some(ErrorKind::UnexpectedEof) => say.closed,
        Some(_) => say.failed,
        None if error.is_parse() => say.no_http,
        None if error.is_incomplete_message() => say.closed,
        None => say.other,
    }
}
