//! What the sealed action store keeps: results and mappings that the write-blind journal cannot give back, and the
//! recall (which runs and approvals ended, and why). It chooses words and finds results; `decide` never reads it.

use crate::channel::ChannelName;
use crate::evidence::ProcessInode;
use crate::ids::{ActionNo, BootNo, Digest, Ref, RunId, WallTime};
use crate::outcome::EndReason;
use crate::programs::ProgramImage;
use serde::{Deserialize, Serialize};

/// What a program was, for "the same program as before".
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct AgentIdentity {
    /// Path.
    pub program: String,
    /// SHA-256 of its image; `None` where the program was unreadable, and then it equals no other.
    pub sha256: Option<Digest>,
    /// Working directory, where it could be read.
    pub directory: Option<String>,
}

impl AgentIdentity {
    /// True where both programs were seen and all is equal.
    #[must_use]
    pub fn is_surely(&self, other: &Self) -> bool {
        self.sha256.is_some() && self == other
    }
}

/// A result as kept for 24 hours.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct StoredResult {
    /// HTTP status.
    pub status: u16,
    /// Response headers that were passed on.
    pub headers: Vec<(String, String)>,
    /// Body, up to [`crate::limits::RESPONSE_KEPT_BYTES`].
    #[serde(with = "as_bytes")]
    pub body: Vec<u8>,
    /// The body is longer than what is kept.
    pub truncated: bool,
    /// Bytes that arrived.
    pub total_bytes: u64,
    /// What the person or the model must know of it, such as a body that was withheld.
    pub notice: Option<String>,
}

/// How an action ended without a result.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum EndKind {
    /// It did not start.
    NotStarted,
    /// It started and its result was not seen.
    NotObserved,
}

/// An announced action.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct IntentRecord {
    /// The journal's ref: the `action_id`.
    pub reference: Ref,
    /// The shim's own ref of the attempt.
    pub client_ref: Ref,
    /// Number in views.
    pub action: ActionNo,
    /// Run.
    pub run: RunId,
    /// Gateway lifetime.
    pub boot: BootNo,
    /// The process that held the connection.
    pub peer: ProcessInode,
    /// The kernel's boot id, without which an inode means nothing.
    pub kernel_boot: String,
    /// Channel.
    pub channel: ChannelName,
    /// Its version.
    pub channel_version: u32,
    /// Method.
    pub method: String,
    /// Whole URL.
    pub target: String,
    /// Conversation label.
    pub conversation: Option<String>,
    /// Digest of the request.
    pub digest: Digest,
    /// The caller's name for the logical action.
    pub action_key: Option<String>,
    /// The earlier attempt that this one repeats.
    pub retry_of: Option<Ref>,
    /// Key for the destination.
    pub idempotency_key: Option<String>,
    /// When.
    pub at: WallTime,
}

/// A run, as far as words need it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RunRecord {
    /// Number.
    pub run: RunId,
    /// Gateway lifetime.
    pub boot: BootNo,
    /// Conversation label.
    pub conversation: Option<String>,
    /// Program.
    pub agent: AgentIdentity,
    /// The process that holds the connection.
    pub peer: ProcessInode,
    /// The kernel's boot id.
    pub kernel_boot: String,
    /// When.
    pub at: WallTime,
}

/// One record of the store.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "record", rename_all = "snake_case")]
pub enum Record {
    /// An action was announced.
    Intent(IntentRecord),
    /// Its result.
    Final {
        /// Action.
        reference: Ref,
        /// Result.
        result: StoredResult,
        /// When.
        at: WallTime,
    },
    /// It ended without one.
    Ended {
        /// Action.
        reference: Ref,
        /// How.
        kind: EndKind,
        /// When.
        at: WallTime,
    },
    /// A run began.
    Run(RunRecord),
    /// A session approval was given.
    Approved {
        /// Run.
        run: RunId,
        /// Channel.
        channel: ChannelName,
        /// Vault epoch.
        epoch: u64,
        /// When.
        at: WallTime,
    },
    /// It ended.
    ApprovalEnded {
        /// Run.
        run: RunId,
        /// Channel.
        channel: ChannelName,
        /// Why.
        reason: EndReason,
        /// When.
        at: WallTime,
    },
    /// A run ended.
    RunEnded {
        /// Run.
        run: RunId,
        /// Why.
        reason: EndReason,
        /// When.
        at: WallTime,
    },
    /// A yes let a run see the earlier run's results on these channels.
    Inherited {
        /// The earlier run.
        from: RunId,
        /// The run that was approved.
        to: RunId,
        /// Channels.
        channels: Vec<ChannelName>,
        /// When.
        at: WallTime,
    },
    /// A program asked, by a card, or the person said yes to it.
    Program {
        /// Which.
        image: ProgramImage,
        /// It was a yes.
        yes: bool,
        /// When.
        at: WallTime,
    },
    /// The next action number.
    Counter {
        /// Number.
        next_action: u64,
    },
}

/// Bytes as one CBOR byte string instead of a list of numbers.
mod as_bytes {
    use serde::de::{Deserializer, Error, SeqAccess, Visitor};
    use serde::ser::Serializer;
    use std::fmt;

    pub(super) fn serialize<S: Serializer>(bytes: &[u8], s: S) -> Result<S::Ok, S::Error> {
        s.serialize_bytes(bytes)
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(d: D) -> Result<Vec<u8>, D::Error> {
        d.deserialize_byte_buf(Bytes)
    }

    struct Bytes;

    impl<'de> Visitor<'de> for Bytes {
        type Value = Vec<u8>;

        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("bytes")
        }
        fn visit_bytes<E: Error>(self, bytes: &[u8]) -> Result<Vec<u8>, E> {
            Ok(bytes.to_vec())
        }
        fn visit_byte_buf<E: Error>(self, bytes: Vec<u8>) -> Result<Vec<u8>, E> {
            Ok(bytes)
        }
        // Formats without a byte string (JSON, and serde's buffer for tagged enums) bring a list.
        fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Vec<u8>, A::Error> {
            let mut bytes = Vec::new();
            while let Some(byte) = list.next_element()? {
                bytes.push(byte);
            }
            Ok(bytes)
        }
    }
}
