//! An action that the decision allows for a chain, made of what the tests decide about.
//!
//! The fixture speaks of `crate`: a bench's root uses the modules of the core by the same names.
#![allow(dead_code, unreachable_pub, reason = "each bench uses a part")]

#[path = "../../src/fixture.rs"]
pub mod fixture;

use lychgate_core::approval::Approval;
use lychgate_core::channel::Channel;
use lychgate_core::decide::{Authority, LiveEvidence, Question, VaultNow};
use lychgate_core::event::RowKind;
use lychgate_core::evidence::{LiveChain, Subject};
use lychgate_core::ids::{Digest, Ref};
use lychgate_core::proof::JournalAck;
use lychgate_core::request::CanonicalRequest;

/// A session approval of a subject, and a request that it is for.
pub struct Approved {
    channel: Channel,
    request: CanonicalRequest,
    session: Approval,
}

impl Approved {
    pub fn of(subject: &Subject) -> Self {
        let channel = fixture::channel("github");
        let request = fixture::request(&channel);
        let facts = fixture::approval(&channel, subject);
        let (grant, epoch) = (facts.grant, facts.epoch.number);
        let granted = JournalAck::synced(RowKind::Grant, 1, Digest([0; 32]), Ref::NONE, grant, epoch);
        Self { channel, request, session: Approval::activate(facts, granted).unwrap() }
    }

    pub fn question(&self) -> Question {
        Question { reference: Ref([6; 16]), request: self.request.clone() }
    }

    pub fn authority(&self) -> Authority<'_> {
        Authority { session: Some(&self.session), cover: None, alone: None, call: None }
    }

    pub fn live<'a>(&'a self, subject: &'a Subject, chain: &'a LiveChain) -> LiveEvidence<'a> {
        let facts = self.session.facts();
        LiveEvidence {
            run: facts.run,
            subject,
            nonce: facts.nonce,
            chain,
            run_ended: None,
            boot: facts.boot,
            vault: VaultNow::Unlocked(facts.epoch),
            channel: Some(&self.channel),
            conversation: None,
            now: facts.approved_at,
        }
    }
}
