//! Approvals: what a person said yes to, bound to everything that must still be true at each use.

use crate::channel::{Ceremony, ChannelName};
use crate::event::RowKind;
use crate::ids::{ApprovalId, BootId, Digest, GrantNo, LaunchNonce, Moment, Ref, RunId, VaultEpoch};
use crate::outcome::EndReason;
use crate::proof::JournalAck;

/// How far a yes reaches.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Reach {
    /// A session approval: every use of the channel by the run.
    Run,
    /// One action alone, of a run that can have no session approval (R5).
    Action {
        /// The attempt.
        reference: Ref,
        /// Digest of the exact request that was shown.
        digest: Digest,
    },
}

impl Reach {
    /// The one action, where it is for one.
    #[must_use]
    pub fn action(self) -> Option<Ref> {
        match self {
            Self::Run => None,
            Self::Action { reference, .. } => Some(reference),
        }
    }
}

/// Everything that an approval with a GRANT row of its own is bound to (R3, R11, R14, R15). Plain facts: they grant nothing by themselves.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ApprovalFacts {
    /// Approval.
    pub id: ApprovalId,
    /// What it is for.
    pub reach: Reach,
    /// Its number in the journal.
    pub grant: GrantNo,
    /// Run.
    pub run: RunId,
    /// The run's nonce.
    pub nonce: LaunchNonce,
    /// Digest of the subject as pinned.
    pub subject: Digest,
    /// Gateway lifetime.
    pub boot: BootId,
    /// Vault epoch.
    pub epoch: VaultEpoch,
    /// Channel.
    pub channel: ChannelName,
    /// Its version.
    pub channel_version: u32,
    /// Conversation label that stood at the connection.
    pub conversation: Option<String>,
    /// Digest of what the card showed.
    pub shown: Digest,
    /// When the person said yes.
    pub approved_at: Moment,
    /// What the yes took.
    pub ceremony: Ceremony,
    /// The person let it serve the programs that the agent starts, too (R7). Says nothing where it is for one action.
    pub covers_programs: bool,
    /// Uses allowed.
    pub max_uses: Option<u32>,
    /// Ends at this moment.
    pub ends_at: Option<Moment>,
}

/// A live (or ended) approval: of a session, or of one action that stands alone. Exists only with the ack of its GRANT
/// row.
#[derive(Debug)]
pub struct Approval {
    facts: ApprovalFacts,
    granted: JournalAck,
    uses: u32,
    ended: Option<EndReason>,
}

impl Approval {
    /// Makes the approval live. `None` where `granted` is not the durable GRANT row of these facts: no record, no
    /// authority.
    #[must_use]
    pub fn activate(facts: ApprovalFacts, granted: JournalAck) -> Option<Self> {
        let own =
            granted.kind() == RowKind::Grant && granted.grant() == facts.grant && granted.epoch() == facts.epoch.number;
        own.then_some(Self { facts, granted, uses: 0, ended: None })
    }

    /// What it is bound to.
    #[must_use]
    pub fn facts(&self) -> &ApprovalFacts {
        &self.facts
    }
    /// Sequence number of its GRANT row.
    #[must_use]
    pub fn granted_seq(&self) -> u64 {
        self.granted.seq()
    }
    /// Uses so far.
    #[must_use]
    pub fn uses(&self) -> u32 {
        self.uses
    }
    /// Why it ended, if it did. An ended approval never lives again.
    #[must_use]
    pub fn ended(&self) -> Option<EndReason> {
        self.ended
    }
    /// Ends it. The first reason stays.
    pub fn end(&mut self, reason: EndReason) {
        self.ended.get_or_insert(reason);
    }
    /// Counts one use.
    pub fn count_use(&mut self) {
        self.uses = self.uses.saturating_add(1);
    }
}

/// A yes to one action, on top of a session approval. No `Clone`: `decide` takes it, and gives it back only with a refusal.
#[derive(Debug, PartialEq, Eq)]
pub struct CallApproval {
    /// Approval.
    pub id: ApprovalId,
    /// Run.
    pub run: RunId,
    /// The run's nonce.
    pub nonce: LaunchNonce,
    /// Gateway lifetime.
    pub boot: BootId,
    /// Vault epoch.
    pub epoch: VaultEpoch,
    /// The action that it is for.
    pub reference: Ref,
    /// Digest of the exact request that was shown.
    pub digest: Digest,
    /// When the person said yes.
    pub approved_at: Moment,
    /// What the yes took.
    pub ceremony: Ceremony,
}
