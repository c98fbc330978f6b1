//! What an agent hears: outcomes and reasons, in one order everywhere.

use crate::evidence::{Unverified, Why};
use serde::{Deserialize, Serialize};

/// The one word that says what became of a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum Outcome {
    /// It was done; `result` holds what came of it.
    Completed,
    /// A person has been asked and has not answered yet.
    ApprovalPending,
    /// An earlier authority ended; `authorize` asks for a new one.
    ReauthRequired,
    /// The named action did not start, by durable evidence.
    RetrySafe,
    /// The named action may have taken effect; nobody saw the result.
    StatusUnknown,
    /// The vault is locked. Nothing was queued.
    VaultLocked,
    /// Refused.
    Denied,
    /// The gateway can't attest the process that asks.
    UnverifiedRequester,
    /// The call itself is wrong.
    Invalid,
    /// No gateway answers.
    GatewayUnavailable,
}

impl Outcome {
    /// As it stands on the wire and in rows.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::Completed => "COMPLETED",
            Self::ApprovalPending => "APPROVAL_PENDING",
            Self::ReauthRequired => "REAUTH_REQUIRED",
            Self::RetrySafe => "RETRY_SAFE",
            Self::StatusUnknown => "STATUS_UNKNOWN",
            Self::VaultLocked => "VAULT_LOCKED",
            Self::Denied => "DENIED",
            Self::UnverifiedRequester => "UNVERIFIED_REQUESTER",
            Self::Invalid => "INVALID",
            Self::GatewayUnavailable => "GATEWAY_UNAVAILABLE",
        }
    }
}

/// Why. The order of the variants is the order of precedence: the first of several is *the* reason.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Reason {
    /// The vault is locked now. Outranks the others.
    VaultLocked,
    /// An integrity finding: nothing runs until the person decides.
    Quarantined,
    /// The requester lives in another pid or user namespace.
    ForeignNamespace,
    /// The requester was gone before it could be inspected.
    PeerGone,
    /// No process above the requester can be called an agent.
    NoAgent,
    /// The requester's program could not be read.
    ProgramUnreadable,
    /// The process, or one above it, is not the one that was approved, or that can't be proven.
    ProcessChanged,
    /// Another gateway lifetime than the approval's.
    GatewayRestarted,
    /// Another vault epoch than the approval's.
    VaultStateChanged,
    /// The channel's binding or settings are not those that were approved.
    ChannelChanged,
    /// The connection declared another conversation.
    ConversationChanged,
    /// The person revoked it.
    ApprovalRevoked,
    /// A limit of the approval was reached.
    ApprovalExpired,
    /// Nothing was approved for this run and channel, and nothing ended before.
    NewRun,
    /// The session approval is fresh; this use needs a yes of its own.
    PerCall,
    /// A card closed because nobody answered.
    CardExpired,
    /// The person said no.
    DeniedByOperator,
    /// More open cards, runs or actions than one agent tree may have.
    TooMany,
    /// The channel does not exist.
    UnknownChannel,
    /// The action is not known in the caller's scope.
    UnknownAction,
    /// The action key was used with another request.
    KeyReused,
    /// The request itself is wrong.
    InvalidRequest,
    /// The shim is of another build than the gateway.
    ShimBuild,
    /// The journal could not be written; nothing is done that would not be recorded.
    JournalUnavailable,
    /// The caller left before the action began.
    CallerLeft,
    /// No journal row says that the action began.
    PreviousActionNotStarted,
    /// The action began and no result was seen.
    InspectActivityJournal,
    /// The gateway does not answer.
    NoGateway,
}

impl Reason {
    /// As it stands on the wire, in rows and on screens.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::VaultLocked => "vault_locked",
            Self::Quarantined => "quarantined",
            Self::ForeignNamespace => "foreign_namespace",
            Self::PeerGone => "peer_gone",
            Self::NoAgent => "no_agent",
            Self::ProgramUnreadable => "program_unreadable",
            Self::ProcessChanged => "process_changed",
            Self::GatewayRestarted => "gateway_restarted",
            Self::VaultStateChanged => "vault_state_changed",
            Self::ChannelChanged => "channel_changed",
            Self::ConversationChanged => "conversation_changed",
            Self::ApprovalRevoked => "approval_revoked",
            Self::ApprovalExpired => "approval_expired",
            Self::NewRun => "new_run",
            Self::PerCall => "per_call",
            Self::CardExpired => "card_expired",
            Self::DeniedByOperator => "denied_by_operator",
            Self::TooMany => "too_many",
            Self::UnknownChannel => "unknown_channel",
            Self::UnknownAction => "unknown_action",
            Self::KeyReused => "key_reused",
            Self::InvalidRequest => "invalid_request",
            Self::ShimBuild => "shim_build",
            Self::JournalUnavailable => "journal_unavailable",
            Self::CallerLeft => "caller_left",
            Self::PreviousActionNotStarted => "previous_action_not_started",
            Self::InspectActivityJournal => "inspect_activity_journal",
            Self::NoGateway => "no_gateway",
        }
    }

    /// The outcome that this reason leads to where it is the first.
    #[must_use]
    pub fn outcome(self) -> Outcome {
        match self {
            Self::VaultLocked => Outcome::VaultLocked,
            Self::ForeignNamespace | Self::PeerGone | Self::NoAgent | Self::ProgramUnreadable => {
                Outcome::UnverifiedRequester
            }
            Self::ProcessChanged
            | Self::GatewayRestarted
            | Self::VaultStateChanged
            | Self::ChannelChanged
            | Self::ConversationChanged
            | Self::ApprovalRevoked
            | Self::ApprovalExpired => Outcome::ReauthRequired,
            Self::NewRun | Self::PerCall => Outcome::ApprovalPending,
            Self::Quarantined
            | Self::CardExpired
            | Self::DeniedByOperator
            | Self::TooMany
            | Self::JournalUnavailable
            | Self::CallerLeft => Outcome::Denied,
            Self::UnknownChannel | Self::UnknownAction | Self::KeyReused | Self::InvalidRequest | Self::ShimBuild => {
                Outcome::Invalid
            }
            Self::PreviousActionNotStarted => Outcome::RetrySafe,
            Self::InspectActivityJournal => Outcome::StatusUnknown,
            Self::NoGateway => Outcome::GatewayUnavailable,
        }
    }
}

/// At least one reason, sorted by precedence, each once.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Reasons(Vec<Reason>);

impl Reasons {
    /// Sorts and removes doubles. `None` for an empty list: a refusal always has a reason.
    #[must_use]
    pub fn new(mut all: Vec<Reason>) -> Option<Self> {
        all.sort_unstable();
        all.dedup();
        (!all.is_empty()).then_some(Self(all))
    }

    /// One reason.
    #[must_use]
    pub fn one(reason: Reason) -> Self {
        Self(vec![reason])
    }

    /// The reason with the highest precedence.
    #[must_use]
    pub fn first(&self) -> Reason {
        // INVARIANT: never empty, see `new`. A value from the wire may be: it then reads as unverified.
        self.0.first().copied().unwrap_or(Reason::PeerGone)
    }

    /// All of them.
    #[must_use]
    pub fn all(&self) -> &[Reason] {
        &self.0
    }

    /// True where `reason` is one of them.
    #[must_use]
    pub fn contains(&self, reason: Reason) -> bool {
        self.0.contains(&reason)
    }
}

/// Why a session approval or a run ended (R25). One to one with the journal's words.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum EndReason {
    /// A process of the chain ended.
    ProcessExited,
    /// A process of the chain is not what was approved.
    ProcessIdentityMismatch,
    /// The gateway that held the approval is gone.
    GatewayRestarted,
    /// The vault was locked.
    VaultLocked,
    /// The person revoked it.
    ManualRevoke,
    /// A limit was reached.
    ApprovalExpired,
    /// The channel's binding or settings changed, or it was removed.
    ChannelChanged,
    /// The connection declared another conversation.
    ConversationChanged,
    /// The connection was closed by the client.
    Disconnected,
}

impl EndReason {
    /// As it stands in rows and on screens.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::ProcessExited => "process_exited",
            Self::ProcessIdentityMismatch => "process_identity_mismatch",
            Self::GatewayRestarted => "gateway_restarted",
            Self::VaultLocked => "vault_locked",
            Self::ManualRevoke => "manual_revoke",
            Self::ApprovalExpired => "approval_expired",
            Self::ChannelChanged => "channel_changed",
            Self::ConversationChanged => "conversation_changed",
            Self::Disconnected => "disconnected",
        }
    }

    /// What an agent hears when it asks after such an end.
    #[must_use]
    pub fn reason(self) -> Reason {
        match self {
            Self::ProcessExited | Self::ProcessIdentityMismatch | Self::Disconnected => Reason::ProcessChanged,
            Self::GatewayRestarted => Reason::GatewayRestarted,
            Self::VaultLocked => Reason::VaultStateChanged,
            Self::ManualRevoke => Reason::ApprovalRevoked,
            Self::ApprovalExpired => Reason::ApprovalExpired,
            Self::ChannelChanged => Reason::ChannelChanged,
            Self::ConversationChanged => Reason::ConversationChanged,
        }
    }
}

impl From<Why> for Reason {
    fn from(why: Why) -> Self {
        match why {
            Why::ForeignNamespace => Self::ForeignNamespace,
            Why::NotReadable => Self::ProgramUnreadable,
            Why::Gone | Why::Unclear => Self::PeerGone,
        }
    }
}

impl From<Unverified> for Reason {
    fn from(why: Unverified) -> Self {
        match why {
            Unverified::ForeignNamespace => Self::ForeignNamespace,
            Unverified::NoAgent => Self::NoAgent,
        }
    }
}

/// Evidence that an action did not start, for ABORT rows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum NotStarted {
    /// No connection was opened.
    Connect,
    /// The TLS handshake failed; no request byte was sent.
    Tls,
    /// A connection stood; authority ended before the first byte.
    ZeroBytes,
    /// It was never sent: no authority, the caller left, the person said no.
    Unsent,
    /// A row that keeps a ref from ever starting, written before RETRY_SAFE is said.
    Fence,
}

impl NotStarted {
    /// As it stands in rows and on screens.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::Connect => "CONNECT",
            Self::Tls => "TLS",
            Self::ZeroBytes => "ZERO_BYTES",
            Self::Unsent => "UNSENT",
            Self::Fence => "FENCE",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_locked_vault_outranks_and_process_gateway_vault_follow_in_this_order() {
        let all = vec![
            Reason::PerCall,
            Reason::VaultStateChanged,
            Reason::GatewayRestarted,
            Reason::ProcessChanged,
            Reason::VaultLocked,
        ];
        let Some(reasons) = Reasons::new(all) else { unreachable!("not empty") };
        assert_eq!(
            reasons.all(),
            [
                Reason::VaultLocked,
                Reason::ProcessChanged,
                Reason::GatewayRestarted,
                Reason::VaultStateChanged,
                Reason::PerCall
            ]
        );
        assert_eq!(reasons.first().outcome(), Outcome::VaultLocked);
    }

    #[test]
    fn words_on_the_wire_are_the_words_on_screens() {
        for reason in [Reason::ProcessChanged, Reason::InspectActivityJournal, Reason::NewRun, Reason::ShimBuild] {
            let wire = serde_json::to_string(&reason).unwrap_or_default();
            assert_eq!(wire, format!("\"{}\"", reason.word()));
        }
        for end in [EndReason::ProcessExited, EndReason::ManualRevoke, EndReason::Disconnected] {
            assert_eq!(serde_json::to_string(&end).unwrap_or_default(), format!("\"{}\"", end.word()));
        }
    }
}
