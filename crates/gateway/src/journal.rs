//! Rows, as the gateway words them.

use crate::clock;
use lychgate_core::broker::EndedApproval;
use lychgate_core::event::{Event, RowDraft, RowKind};
use lychgate_core::ids::{GrantNo, Ref};

/// A row that belongs to no action and rests on no grant.
pub(crate) fn note(epoch: u64, event: Event) -> RowDraft {
    RowDraft { kind: RowKind::Event, epoch, grant: GrantNo::NONE, reference: Ref::NONE, at: clock::wall(), event }
}

/// A row of an action's life.
pub(crate) fn action(kind: RowKind, epoch: u64, grant: GrantNo, reference: Ref, event: Event) -> RowDraft {
    RowDraft { kind, epoch, grant, reference, at: clock::wall(), event }
}

/// The end of an approval.
pub(crate) fn revoke(end: &EndedApproval, epoch: u64) -> RowDraft {
    RowDraft {
        kind: RowKind::Revoke,
        epoch,
        grant: end.grant,
        reference: Ref::NONE,
        at: clock::wall(),
        event: match end.action {
            None => Event::SessionEnded {
                run: end.run,
                approval: end.approval,
                channel: end.channel.clone(),
                reason: end.reason,
            },
            Some(_) => Event::CallApprovalEnded {
                run: end.run,
                approval: end.approval,
                channel: end.channel.clone(),
                reason: end.reason,
            },
        },
    }
}

/// Signs anchors with the vault's key, which stays in the vault.
pub(crate) struct AnchorSigner {
    gateway: std::sync::Weak<crate::state::Gateway>,
    public: [u8; 32],
}

impl AnchorSigner {
    pub(crate) fn new(gateway: &std::sync::Arc<crate::state::Gateway>) -> Self {
        let public = gateway.lock().vault.public().unwrap_or_default();
        Self { gateway: std::sync::Arc::downgrade(gateway), public }
    }
}

impl lychgate_journal::VaultSigner for AnchorSigner {
    fn public(&self) -> [u8; 32] {
        self.public
    }

    fn sign(&self, message: &[u8]) -> [u8; 64] {
        // A vault that was locked meanwhile signs nothing: zeros verify nowhere, and the journal refuses such an
        // anchor.
        let signed = self.gateway.upgrade().and_then(|gateway| gateway.lock().vault.sign(message));
        signed.unwrap_or([0; 64])
    }
}
