//! What the HTTP executor says: why a request was not sent, why no answer came.
//!
//! A field with arguments is a function; text that comes in has been made visible by whoever shows the sentence.

use std::fmt::Display;

/// The sentences and phrases.
#[derive(Debug)]
pub struct HttpTexts {
    /// No connection stands. Why.
    pub connect_phase: fn(&dyn Display) -> String,
    /// No TLS stands. Why.
    pub tls_phase: fn(&dyn Display) -> String,
    /// A connection could not be opened. Origin, and one of `dial`.
    pub no_connection: fn(&dyn Display, &dyn Display) -> String,
    /// A handshake failed. Origin, and one of `handshake` or `certificate`.
    pub no_trust: fn(&dyn Display, &dyn Display) -> String,
    /// A phase was over its time. Origin, seconds.
    pub too_slow: fn(&dyn Display, u64) -> String,
    /// What TLS needs is not there. Origin, and one of `roots`.
    pub no_tls: fn(&dyn Display, &dyn Display) -> String,
    /// A scheme that is not spoken. The scheme.
    pub other_scheme: fn(&dyn Display) -> String,
    /// A host that no certificate can be for. The host.
    pub no_certificate_name: fn(&dyn Display) -> String,
    /// From a name to addresses.
    pub resolve: ResolveTexts,
    /// What kind of address it is, to follow "is".
    pub address: AddressTexts,
    /// Why TCP did not come about.
    pub dial: DialTexts,
    /// Why TLS did not come about.
    pub handshake: HandshakeTexts,
    /// Why a server's certificate is not believed.
    pub certificate: CertificateTexts,
    /// Whose certificates are believed.
    pub roots: RootsTexts,
    /// Why a credential can't be sent.
    pub credential: CredentialTexts,
    /// What of a request can't be sent.
    pub message: MessageTexts,
    /// Why an action was not sent.
    pub unsent: UnsentTexts,
    /// What happened to an action whose result was not seen.
    pub unobserved: UnobservedTexts,
}

/// From a name to addresses.
#[derive(Debug)]
pub struct ResolveTexts {
    /// The look-up failed. The host.
    pub failed: fn(&dyn Display) -> String,
    /// It brought no address. The host.
    pub empty: fn(&dyn Display) -> String,
    /// Plain http that would leave this machine. Origin, address.
    pub plain_http: fn(&dyn Display, &dyn Display) -> String,
    /// An address that is never allowed. Host, address, and one of `address`.
    pub never: fn(&dyn Display, &dyn Display, &dyn Display) -> String,
    /// An address that the channel would have to allow. Host, address, and one of `address`.
    pub private: fn(&dyn Display, &dyn Display, &dyn Display) -> String,
}

/// What kind of address it is, to follow "is".
#[derive(Debug)]
#[expect(missing_docs, reason = "the names say it; the English is beside")]
pub struct AddressTexts {
    pub public: &'static str,
    pub loopback: &'static str,
    pub private_network: &'static str,
    pub shared_network: &'static str,
    pub test_network: &'static str,
    pub unspecified: &'static str,
    pub link_local: &'static str,
    pub multicast: &'static str,
    pub broadcast: &'static str,
    pub metadata: &'static str,
    pub reserved: &'static str,
    pub v4_mapped: &'static str,
    pub v4_translated: &'static str,
    pub v4_compatible: &'static str,
    pub v4_nat64: &'static str,
    pub v4_6to4: &'static str,
    pub v4_teredo: &'static str,
    pub v4_isatap: &'static str,
}

/// Why TCP did not come about. "It" is the server.
#[derive(Debug)]
#[expect(missing_docs, reason = "the names say it; the English is beside")]
pub struct DialTexts {
    pub refused: &'static str,
    pub unreachable: &'static str,
    pub silent: &'static str,
    pub reset: &'static str,
    pub not_permitted: &'static str,
    pub no_own_address: &'static str,
    pub other: &'static str,
}

/// Why TLS did not come about. "It" is the server.
#[derive(Debug)]
#[expect(missing_docs, reason = "the names say it; the English is beside")]
pub struct HandshakeTexts {
    pub no_http1: &'static str,
    pub unknown_name: &'static str,
    pub wants_client_certificate: &'static str,
    pub refused: &'static str,
    pub too_old: &'static str,
    pub no_tls: &'static str,
    pub other: &'static str,
    pub ended: &'static str,
}

/// Why a server's certificate is not believed.
#[derive(Debug)]
#[expect(missing_docs, reason = "the names say it; the English is beside")]
pub struct CertificateTexts {
    pub unknown_issuer: &'static str,
    pub expired: &'static str,
    pub not_yet: &'static str,
    pub other_name: &'static str,
    pub revoked: &'static str,
    pub bad_signature: &'static str,
    pub not_for_servers: &'static str,
}

/// Whose certificates are believed.
#[derive(Debug)]
pub struct RootsTexts {
    /// The TLS library refused its settings. What it said.
    pub setup: fn(&dyn Display) -> String,
    /// The system has none. The places that were looked at.
    pub none: fn(&dyn Display) -> String,
    /// A certificate of the channel's own can't be read.
    pub unreadable: &'static str,
    /// The channel's own file holds none.
    pub empty: &'static str,
}

/// Why a credential can't be sent. They hold nothing of it.
#[derive(Debug)]
#[expect(missing_docs, reason = "the names say it; the English is beside")]
pub struct CredentialTexts {
    pub empty: &'static str,
    pub too_long: &'static str,
    pub bad_bytes: &'static str,
    pub no_header: &'static str,
}

/// What of a request can't be sent. [`UnsentTexts::change_request`] follows.
#[derive(Debug)]
#[expect(missing_docs, reason = "the names say it; the English is beside")]
pub struct MessageTexts {
    pub method: &'static str,
    pub target: &'static str,
    pub target_would_change: &'static str,
    pub host: &'static str,
    pub header_name: &'static str,
    pub header_value: &'static str,
    pub header_of_the_gateway: &'static str,
}

/// Why an action was not sent.
#[derive(Debug)]
pub struct UnsentTexts {
    /// Its authority ended.
    pub authority_ended: &'static str,
    /// The connection is for another origin. The connection's, the request's.
    pub other_origin: fn(&dyn Display, &dyn Display) -> String,
    /// The request can't be sent. One of `message`.
    pub change_request: fn(&dyn Display) -> String,
    /// The exchange ended before a byte was offered. One of `unobserved`.
    pub nothing_written: fn(&dyn Display) -> String,
}

/// What happened to an action whose result was not seen.
#[derive(Debug)]
pub struct UnobservedTexts {
    /// The gateway cut it, after this status had arrived.
    pub cut_after_status: fn(u16) -> String,
    /// The gateway cut it.
    pub cut: &'static str,
    /// The time for all of it was up. Seconds.
    pub time_up: fn(u64) -> String,
    /// No status came in its time. Seconds.
    pub silent: fn(u64) -> String,
    /// It ended, and no error says why.
    pub ended: &'static str,
    /// The server reset the connection.
    pub reset: &'static str,
    /// The server closed the connection.
    pub closed: &'static str,
    /// The connection failed otherwise.
    pub failed: &'static str,
    /// What came is no HTTP.
    pub no_http: &'static str,
    /// None of these.
    pub other: &'static str,
}
