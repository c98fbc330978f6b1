//! Proof values: what must exist before a credential may leave the vault, as types.
//!
//! ```text
//! decide() -> Permit          only crate::decide makes it; owns the exact request; no Clone
//! journal  -> JournalAck      the row is durable
//! Armed::join(Permit, ack)    both, and they belong together
//! Vault::release(&Armed)      -> Released
//! Armed::spend(&Released)     -> the request and Spent; nothing can be sent twice
//! ```

use crate::decide::Permit;
use crate::event::RowKind;
use crate::ids::{Digest, GrantNo, Ref};
use crate::request::CanonicalRequest;
use crate::secret::SecretBytes;

/// The statement that one row is durable. No `Clone`: one ack gates one thing.
#[derive(Debug, PartialEq, Eq)]
pub struct JournalAck {
    kind: RowKind,
    seq: u64,
    leaf: Digest,
    reference: Ref,
    grant: GrantNo,
    epoch: u64,
}

impl JournalAck {
    /// States that the row was written and that `fdatasync` returned success after it.
    ///
    /// This is a promise that no type can check. The journal makes it, in one place; tests make it about fixtures.
    /// Making it for a row that is not durable breaks RETRY_SAFE.
    #[must_use]
    pub fn synced(kind: RowKind, seq: u64, leaf: Digest, reference: Ref, grant: GrantNo, epoch: u64) -> Self {
        Self { kind, seq, leaf, reference, grant, epoch }
    }

    /// Kind of the row.
    #[must_use]
    pub fn kind(&self) -> RowKind {
        self.kind
    }
    /// Its sequence number.
    #[must_use]
    pub fn seq(&self) -> u64 {
        self.seq
    }
    /// Its leaf hash.
    #[must_use]
    pub fn leaf(&self) -> Digest {
        self.leaf
    }
    /// The action that it belongs to.
    #[must_use]
    pub fn reference(&self) -> Ref {
        self.reference
    }
    /// The grant that it rests on.
    #[must_use]
    pub fn grant(&self) -> GrantNo {
        self.grant
    }
    /// The vault epoch in its header.
    #[must_use]
    pub fn epoch(&self) -> u64 {
        self.epoch
    }
}

/// A permit and an ack, or a credential, that do not belong together. The permit is gone: decide again.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Mismatch;

/// A permitted action whose DISPATCH is durable. The only thing against which a vault releases a credential.
#[derive(Debug)]
pub struct Armed {
    permit: Permit,
    dispatch: JournalAck,
}

impl Armed {
    /// Joins the permit with the ack of *its* DISPATCH.
    ///
    /// # Errors
    /// [`Mismatch`] where kind, ref, grant or epoch differ. The permit is consumed either way.
    pub fn join(permit: Permit, dispatch: JournalAck) -> Result<Self, Mismatch> {
        let same = dispatch.kind == RowKind::Dispatch
            && dispatch.reference == permit.reference()
            && dispatch.grant == permit.grant()
            && dispatch.epoch == permit.epoch().number;
        if same { Ok(Self { permit, dispatch }) } else { Err(Mismatch) }
    }

    /// The permit.
    #[must_use]
    pub fn permit(&self) -> &Permit {
        &self.permit
    }

    /// The durable DISPATCH.
    #[must_use]
    pub fn dispatch(&self) -> &JournalAck {
        &self.dispatch
    }

    /// Turns the right to send into the request, once.
    ///
    /// # Errors
    /// [`Mismatch`] where the credential was released for another action. Nothing may be sent then.
    pub fn spend(self, released: &Released) -> Result<(CanonicalRequest, Spent), Mismatch> {
        if released.reference != self.permit.reference() {
            return Err(Mismatch);
        }
        let spent = Spent { reference: self.permit.reference(), grant: self.permit.grant() };
        Ok((self.permit.into_request(), spent))
    }
}

/// A credential on its way out, for one action.
#[derive(Debug)]
pub struct Released {
    reference: Ref,
    secret: SecretBytes,
}

impl Released {
    /// Ties `secret` to the action of `armed`. The vault calls this, in one place.
    #[must_use]
    pub fn against(armed: &Armed, secret: SecretBytes) -> Self {
        Self { reference: armed.permit.reference(), secret }
    }

    /// The secret, for the executor that writes it into the connection.
    #[must_use]
    pub fn secret(&self) -> &SecretBytes {
        &self.secret
    }
}

/// What is left of an action that was sent: it needs its end row and can't be sent again.
#[derive(Debug, PartialEq, Eq)]
#[must_use = "an action that was sent needs its FINAL or UNOBSERVED row"]
pub struct Spent {
    reference: Ref,
    grant: GrantNo,
}

impl Spent {
    /// The action.
    #[must_use]
    pub fn reference(&self) -> Ref {
        self.reference
    }
    /// The grant that it rested on.
    #[must_use]
    pub fn grant(&self) -> GrantNo {
        self.grant
    }
}
