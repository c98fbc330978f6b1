//! The proof that [`decide`](super::decide) allowed exactly this request.

use super::{LiveEvidence, Question};
use crate::approval::ApprovalFacts;
use crate::ids::{ApprovalId, BootId, Digest, GrantNo, Moment, Ref, RunId, VaultEpoch};
use crate::limits;
use crate::request::CanonicalRequest;

/// Permission for one use, owning the request that was decided. Only [`decide`](super::decide) makes it.
///
/// It can't be forged from elsewhere, this crate's other modules included:
/// ```compile_fail,E0451
/// let permit = lychgate_core::decide::Permit { reference: lychgate_core::ids::Ref([0; 16]) };
/// ```
/// It can't be copied:
/// ```compile_fail,E0599
/// fn twice(permit: lychgate_core::decide::Permit) { let other = permit.clone(); }
/// ```
/// It has no default:
/// ```compile_fail,E0277
/// fn none() -> lychgate_core::decide::Permit { Default::default() }
/// ```
/// It is used once:
/// ```compile_fail,E0382
/// use lychgate_core::{decide::Permit, proof::{Armed, JournalAck}};
/// fn twice(permit: Permit, a: JournalAck, b: JournalAck) { let _ = Armed::join(permit, a); let _ = Armed::join(permit, b); }
/// ```
#[derive(Debug)]
pub struct Permit {
    reference: Ref,
    request: CanonicalRequest,
    digest: Digest,
    run: RunId,
    approval: ApprovalId,
    grant: GrantNo,
    boot: BootId,
    epoch: VaultEpoch,
    decided_at: Moment,
}

pub(super) fn permit(question: Question, facts: &ApprovalFacts, live: &LiveEvidence<'_>, epoch: VaultEpoch) -> Permit {
    Permit {
        reference: question.reference,
        digest: question.request.digest(),
        request: question.request,
        run: live.run,
        approval: facts.id,
        grant: facts.grant,
        boot: live.boot,
        epoch,
        decided_at: live.now,
    }
}

impl Permit {
    /// The attempt.
    #[must_use]
    pub fn reference(&self) -> Ref {
        self.reference
    }
    /// The request that was decided.
    #[must_use]
    pub fn request(&self) -> &CanonicalRequest {
        &self.request
    }
    /// Its digest, over every field.
    #[must_use]
    pub fn digest(&self) -> Digest {
        self.digest
    }
    /// Run.
    #[must_use]
    pub fn run(&self) -> RunId {
        self.run
    }
    /// Session approval that it rests on.
    #[must_use]
    pub fn approval(&self) -> ApprovalId {
        self.approval
    }
    /// That approval's number in the journal.
    #[must_use]
    pub fn grant(&self) -> GrantNo {
        self.grant
    }
    /// Gateway lifetime.
    #[must_use]
    pub fn boot(&self) -> BootId {
        self.boot
    }
    /// Vault epoch.
    #[must_use]
    pub fn epoch(&self) -> VaultEpoch {
        self.epoch
    }
    /// True while it is young enough to send on. An old one is dropped and everything is looked at again.
    #[must_use]
    pub fn is_fresh(&self, now: Moment) -> bool {
        now >= self.decided_at && now.since(self.decided_at) <= limits::PERMIT_AGE_MS
    }

    /// Ends the permit unused and gives the request back, for a decision that was only a look ahead.
    #[must_use]
    pub fn give_up(self) -> CanonicalRequest {
        self.request
    }

    pub(crate) fn into_request(self) -> CanonicalRequest {
        self.request
    }
}
