//! Receipts: size and root of the journal, signed, given out with an answer.

use crate::ids::Digest;
use serde::{Deserialize, Serialize};

/// A C2SP checkpoint of the journal, and where it names one, a row within it.
///
/// Whoever keeps it can later show that the journal was cut or rewritten (`lych audit verify --receipt`).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Receipt {
    /// Number of rows that the root covers.
    pub size: u64,
    /// Root of the RFC 6962 tree over them.
    pub root: Digest,
    /// The row that this receipt is about.
    pub row: Option<ReceiptRow>,
    /// C2SP signed note over (log origin, size, root).
    pub note: String,
}

/// A row that a receipt names.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct ReceiptRow {
    /// Sequence number.
    pub seq: u64,
    /// Leaf hash.
    pub leaf: Digest,
}
