//! Times and sizes of this crate, each with its reason. What callers hear about is in `lychgate_core::limits`.

use std::time::Duration;

/// How long each phase may take. A value, so that a test can be impatient without waiting.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Times {
    /// Resolving the name and opening the TCP connection, together.
    pub(crate) connect: Duration,
    /// The TLS handshake.
    pub(crate) tls: Duration,
    /// From the last byte that was written to the end of the response's head.
    pub(crate) header: Duration,
    /// From the first byte to the last.
    pub(crate) total: Duration,
}

impl Times {
    /// What the product uses.
    pub(crate) const STANDARD: Self = Self {
        // Three SYN retransmissions of Linux (1, 2 and 4 s) fit; a person still waits for the answer.
        connect: Duration::from_secs(10),
        // Two round trips and one lost packet on a bad link; a server that needs longer is stuck.
        tls: Duration::from_secs(10),
        // Slow APIs answer within a minute; clients of the gateway stop waiting at 60 s.
        header: Duration::from_secs(60),
        // 8 MiB of upload at 256 kbit/s end within it; an approval must not keep a connection alive for ever.
        total: Duration::from_secs(300),
    };
}

/// A second address is tried this long after the first (RFC 8305 section 5 recommends 250 ms).
pub(crate) const NEXT_ADDRESS_AFTER: Duration = Duration::from_millis(250);

/// Addresses of one name that are tried. A name with more is answered by its first ones.
pub(crate) const ADDRESSES_TRIED: usize = 8;

/// Response bytes that are read at all. What lies beyond `RESPONSE_KEPT_BYTES` is only counted, and past this the
/// connection is cut: a server must not keep the gateway busy with bytes that nobody gets.
pub(crate) const RESPONSE_READ_BYTES: u64 = 64 * 1024 * 1024;

/// Response head and read buffer, in bytes. Large cookies and policies fit; more is no head.
pub(crate) const RESPONSE_HEAD_BYTES: usize = 256 * 1024;

/// A credential, in bytes. Servers commonly refuse header lines above 8 KiB; twice that leaves room.
pub(crate) const SECRET_BYTES: usize = 16 * 1024;

/// A file of root certificates, in bytes. Distributions' bundles have about 0.25 MiB.
pub(crate) const ROOTS_FILE_BYTES: u64 = 8 * 1024 * 1024;
