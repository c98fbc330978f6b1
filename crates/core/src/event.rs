//! What the journal records: the sealed part of a row, and the clear part that a keyless verifier checks.

use crate::agent_pin::AgentName;
use crate::channel::{Ceremony, ChannelName};
use crate::evidence::{Difference, Subject};
use crate::ids::{ActionNo, ApprovalId, BootNo, CardNo, Digest, GrantNo, Ref, RunId, WallTime};
use crate::outcome::{EndReason, NotStarted, Reasons};
use serde::{Deserialize, Serialize};

/// The kind of a row, in the clear. Numbers are part of the format (`docs/JOURNAL.md`).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
#[repr(u8)]
pub enum RowKind {
    /// First row of a segment.
    SegmentOpen = 1,
    /// Last row of a segment that was closed in order.
    SegmentClose = 2,
    /// First row after a segment that was not.
    Recovery = 3,
    /// A new opening of the ratchet within a segment.
    Rekey = 4,
    /// A session approval.
    Grant = 5,
    /// Its end.
    Revoke = 6,
    /// An action was announced.
    Intent = 7,
    /// An action is about to use the credential.
    Dispatch = 8,
    /// Its result was seen.
    Final = 9,
    /// It did not start.
    Abort = 10,
    /// It started, and its result was not seen.
    Unobserved = 11,
    /// Anything else worth recording.
    Event = 12,
    /// The vault's signature over the log so far.
    Anchor = 13,
}

impl RowKind {
    /// All kinds, in the order of their numbers.
    pub const ALL: [Self; 13] = [
        Self::SegmentOpen,
        Self::SegmentClose,
        Self::Recovery,
        Self::Rekey,
        Self::Grant,
        Self::Revoke,
        Self::Intent,
        Self::Dispatch,
        Self::Final,
        Self::Abort,
        Self::Unobserved,
        Self::Event,
        Self::Anchor,
    ];

    /// The kind with this number.
    #[must_use]
    pub fn from_number(number: u8) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| *kind as u8 == number)
    }

    /// True where the writer of the row waits until it is durable.
    #[must_use]
    pub fn is_gating(self) -> bool {
        !matches!(self, Self::Event)
    }
}

/// A row to be written. Sequence, boot, chain and seal are the journal's.
#[derive(Debug, Clone, PartialEq)]
pub struct RowDraft {
    /// Kind.
    pub kind: RowKind,
    /// Vault epoch of this moment, in the clear.
    pub epoch: u64,
    /// Grant that it rests on, or [`GrantNo::NONE`].
    pub grant: GrantNo,
    /// Action that it belongs to, or [`Ref::NONE`].
    pub reference: Ref,
    /// Wall clock, sealed. Recorded, never compared.
    pub at: WallTime,
    /// What happened, sealed.
    pub event: Event,
}

/// Who tried something at an operator's socket, for refusals.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Requester {
    /// Process id.
    pub pid: u32,
    /// Program path as the kernel tells it, or why it could not be seen.
    pub program: String,
}

/// What happened. The sealed payload of a row, as a CBOR map whose `event` field names the variant.
///
/// Never put into a variant: secret values, whole bodies, header values, the boot id, a nonce.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "event", rename_all = "snake_case")]
pub enum Event {
    /// A gateway started (R25).
    GatewayStarted {
        /// The lifetime before this one.
        previous_boot: Option<BootNo>,
        /// This one.
        boot: BootNo,
        /// Program version.
        version: String,
    },
    /// A gateway stopped in order.
    GatewayStopped {
        /// This lifetime.
        boot: BootNo,
    },
    /// The vault was unlocked.
    VaultUnlocked {
        /// Epoch that began.
        epoch: u64,
        /// Something that the person must know, such as an older vault file put back.
        warning: Option<String>,
    },
    /// An unlock was tried in vain.
    VaultUnlockFailed {
        /// Who tried.
        by: Requester,
    },
    /// The vault was locked.
    VaultLocked {
        /// Epoch that began.
        epoch: u64,
        /// What locked it: command, idle, stop, signal.
        cause: String,
    },
    /// A client registered and a run began.
    RunStarted {
        /// Run.
        run: RunId,
        /// Whole binding.
        subject: Subject,
        /// From its process up to the agent that started it, where that is a run's (R7).
        #[serde(default)]
        descent: Option<Subject>,
        /// Conversation label, the client's own word.
        conversation: Option<String>,
    },
    /// The way from a run's process up to the agent that started it is broken: no approval of that agent serves it any more.
    DescentBroken {
        /// Run.
        run: RunId,
        /// Why.
        reason: EndReason,
        /// What differed, where that was it.
        differences: Vec<Difference>,
    },
    /// A run let a program that its agent started work under its own session approvals (R7).
    Delegated {
        /// The run that did.
        run: RunId,
        /// From the process that was named up to the agent.
        descent: Subject,
        /// Channels.
        channels: Vec<ChannelName>,
        /// The approvals.
        approvals: Vec<ApprovalId>,
    },
    /// Such a wish was refused.
    DelegationRefused {
        /// The run that asked.
        run: RunId,
        /// The process that was named.
        pid: u32,
        /// A code.
        why: String,
    },
    /// The process that was named ended, or one between it and the agent.
    DelegationEnded {
        /// The process that was named.
        pid: u32,
        /// It.
        process: crate::evidence::ProcessInode,
    },
    /// A run ended.
    RunEnded {
        /// Run.
        run: RunId,
        /// Why.
        reason: EndReason,
        /// What of the process differed, where that was it.
        differences: Vec<Difference>,
    },
    /// A client was refused before it became a run.
    RegistrationRefused {
        /// Who.
        by: Requester,
        /// Why.
        reasons: Reasons,
    },
    /// A card was put before the person.
    CardOpened {
        /// Card.
        card: CardNo,
        /// Run that asks.
        run: RunId,
        /// Channels.
        channels: Vec<ChannelName>,
        /// Digest of what it shows.
        shown: Digest,
    },
    /// A card was closed without an answer.
    CardClosed {
        /// Card.
        card: CardNo,
        /// Run.
        run: RunId,
        /// Why.
        why: String,
    },
    /// The person said yes to a session (R25): the whole binding.
    SessionApproved {
        /// Run.
        run: RunId,
        /// Approval.
        approval: ApprovalId,
        /// Channel.
        channel: ChannelName,
        /// Its version.
        channel_version: u32,
        /// The process identity facts.
        subject: Subject,
        /// The subject as the card showed it.
        signer: String,
        /// Digest of what the card showed.
        shown: Digest,
        /// It serves the programs that the agent starts as well (R7).
        #[serde(default)]
        covers_programs: bool,
        /// SHA-256 of the launch nonce.
        nonce_digest: Digest,
        /// Conversation label, the client's own word.
        conversation: Option<String>,
        /// Gateway lifetime.
        boot: BootNo,
        /// Vault epoch.
        vault: u64,
        /// What the yes took.
        ceremony: Ceremony,
    },
    /// A session approval ended.
    SessionEnded {
        /// Run.
        run: RunId,
        /// Approval.
        approval: ApprovalId,
        /// Channel.
        channel: ChannelName,
        /// Why.
        reason: EndReason,
    },
    /// The person said yes to one use.
    CallApproved {
        /// Run.
        run: RunId,
        /// Action.
        action: ActionNo,
        /// Digest of the request that was shown.
        digest: Digest,
        /// What the yes took.
        ceremony: Ceremony,
    },
    /// The person said yes to one action of a run that can have no session approval (R5): the whole binding.
    CallApprovedAlone {
        /// Run.
        run: RunId,
        /// Approval.
        approval: ApprovalId,
        /// Action.
        action: ActionNo,
        /// Channel.
        channel: ChannelName,
        /// Its version.
        channel_version: u32,
        /// The process identity facts, as far as there are any.
        subject: Subject,
        /// Digest of the request that was shown.
        digest: Digest,
        /// Digest of what the card showed.
        shown: Digest,
        /// SHA-256 of the launch nonce.
        nonce_digest: Digest,
        /// Gateway lifetime.
        boot: BootNo,
        /// Vault epoch.
        vault: u64,
        /// What the yes took.
        ceremony: Ceremony,
    },
    /// Such an approval ended: with its action, or before.
    CallApprovalEnded {
        /// Run.
        run: RunId,
        /// Approval.
        approval: ApprovalId,
        /// Channel.
        channel: ChannelName,
        /// Why.
        reason: EndReason,
    },
    /// The person said no.
    CardDenied {
        /// Card.
        card: CardNo,
        /// Run.
        run: RunId,
    },
    /// An action was announced. Opens the life of a ref.
    ActionRequested {
        /// Run.
        run: RunId,
        /// Action.
        action: ActionNo,
        /// Channel.
        channel: ChannelName,
        /// Method.
        method: String,
        /// Origin and path; no query, which can hold personal data.
        target: String,
        /// Digest of the whole request.
        digest: Digest,
        /// Body length in bytes.
        body_bytes: u64,
        /// Which process holds the connection, so that a surviving shim can be recognised.
        peer: crate::evidence::ProcessInode,
    },
    /// An action was refused (R25: different from a missing one).
    ActionDenied {
        /// Run.
        run: RunId,
        /// Action, where one had been announced.
        action: Option<ActionNo>,
        /// Channel, as asked.
        channel: String,
        /// All reasons.
        reasons: Reasons,
        /// What of the process differed.
        differences: Vec<Difference>,
    },
    /// The credential is about to be used.
    HttpActionStarted {
        /// Run.
        run: RunId,
        /// Action.
        action: ActionNo,
        /// Channel.
        channel: ChannelName,
        /// Digest of the request that goes out.
        digest: Digest,
        /// Approval that it rests on.
        approval: ApprovalId,
    },
    /// The result was seen.
    HttpActionResult {
        /// Run.
        run: RunId,
        /// Action.
        action: ActionNo,
        /// HTTP status.
        status: u16,
        /// Body bytes received.
        body_bytes: u64,
        /// Digest of the body as received.
        body_digest: Digest,
    },
    /// The action did not start.
    ActionNotStarted {
        /// Run.
        run: RunId,
        /// Action.
        action: ActionNo,
        /// What proves it.
        evidence: NotStarted,
        /// In words, without the target's own text.
        detail: String,
    },
    /// The action began and its result was not seen (R22).
    HttpResultNotObserved {
        /// Run, where it is known (not after a restart with a locked vault).
        run: Option<RunId>,
        /// Action, likewise.
        action: Option<ActionNo>,
        /// What was seen instead.
        detail: String,
    },
    /// An attempt at an operator's command was refused.
    OperatorRefused {
        /// Who.
        by: Requester,
        /// Command.
        command: String,
        /// Why.
        why: String,
    },
    /// A console signed in or gave a factor for one command.
    OperatorActed {
        /// Who.
        by: Requester,
        /// Command.
        command: String,
    },
    /// A channel was added, changed or removed.
    ChannelConfigured {
        /// Channel.
        channel: ChannelName,
        /// Version after the change.
        version: u32,
        /// added, changed, rotated, removed.
        change: String,
    },
    /// The operator vouched for a program under a name, or no longer does.
    AgentPinned {
        /// Name.
        name: AgentName,
        /// SHA-256 of the program file, where one was pinned.
        sha256: Option<Digest>,
        /// pinned, unpinned.
        change: String,
    },
    /// Something at the operating system failed and mattered.
    Fault {
        /// Where.
        place: String,
        /// What.
        detail: String,
    },
    /// The journal's own rows (OPEN, CLOSE, RECOVERY, REKEY, ANCHOR) carry their data in the journal's structures.
    Journal {
        /// A code that says why the row was written.
        note: String,
    },
}
