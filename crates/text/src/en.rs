//! English.

mod answers;
mod cards;
mod demo;
mod gateway;
mod harden;
mod help;
mod http;
mod journal;
mod messages;
mod peer;
mod problems;
mod request;
mod seal;
mod shim;
mod vault;
mod view;
mod wire;

use crate::catalogue::{CardPart, Catalogue};
use crate::demo::{Demo, DemoFailure};
use crate::gateway::GatewayText;
use crate::help::HelpTexts;
use crate::http::HttpTexts;
use crate::journal::JournalTexts;
use crate::message::Message;
use crate::peer::PeerTexts;
use crate::problem::Problem;
use crate::seal::SealTexts;
use crate::shim::ShimTexts;
use crate::vault::VaultTexts;
use crate::view::ViewTexts;
use crate::wire::WireTexts;
use lychgate_core::agent_pin::NotAnAgentName;
use lychgate_core::channel::{Ceremony, ChannelError};
use lychgate_core::ids::NotAnId;
use lychgate_core::outcome::{EndReason, NotStarted, Outcome, Reason};
use lychgate_core::proof::Mismatch;
use lychgate_core::provenance::Signer;
use lychgate_core::request::InvalidRequest;

/// English, for a reader who sees the product for the first time.
pub(crate) struct English;

impl Catalogue for English {
    fn tag(&self) -> &'static str {
        "en"
    }

    fn reason(&self, reason: Reason) -> &'static str {
        answers::reason(reason)
    }

    fn after_reason(&self, reason: Reason) -> &'static str {
        answers::after_reason(reason)
    }

    fn after_outcome(&self, outcome: Outcome) -> &'static str {
        answers::after_outcome(outcome)
    }

    fn ended(&self, end: EndReason) -> &'static str {
        answers::ended(end)
    }

    fn not_started(&self, evidence: NotStarted) -> &'static str {
        answers::not_started(evidence)
    }

    fn ceremony(&self, ceremony: Ceremony) -> &'static str {
        cards::ceremony(ceremony)
    }

    fn signer(&self, signer: &Signer) -> String {
        cards::signer(signer)
    }

    fn channel_error(&self, error: &ChannelError) -> String {
        request::channel_error(error)
    }

    fn invalid_request(&self, error: &InvalidRequest) -> String {
        request::invalid_request(error)
    }

    fn not_an_id(&self, error: &NotAnId) -> String {
        request::not_an_id(error)
    }

    fn not_an_agent_name(&self, error: &NotAnAgentName) -> String {
        request::not_an_agent_name(error)
    }

    fn mismatch(&self, mismatch: &Mismatch) -> String {
        request::mismatch(mismatch)
    }

    fn card(&self, part: &CardPart<'_>) -> String {
        cards::part(part)
    }

    fn message(&self, message: &Message<'_>) -> String {
        messages::message(message)
    }

    fn gateway(&self, text: &GatewayText<'_>) -> String {
        gateway::text(text)
    }

    fn shim(&self) -> &'static ShimTexts {
        &shim::TEXTS
    }

    fn problem(&self, problem: &Problem<'_>) -> [String; 3] {
        problems::problem(problem)
    }

    fn demo(&self, text: &Demo<'_>) -> String {
        demo::demo(text)
    }

    fn demo_failure(&self, failure: &DemoFailure<'_>) -> String {
        demo::failure(failure)
    }

    fn http(&self) -> &'static HttpTexts {
        &http::TEXTS
    }

    fn peer(&self) -> &'static PeerTexts {
        &peer::TEXTS
    }

    fn wire(&self) -> &'static WireTexts {
        &wire::TEXTS
    }

    fn seal(&self) -> &'static SealTexts {
        &seal::TEXTS
    }

    fn vault(&self) -> &'static VaultTexts {
        &vault::TEXTS
    }

    fn journal(&self) -> &'static JournalTexts {
        &journal::TEXTS
    }

    fn view(&self) -> &'static ViewTexts {
        &view::TEXTS
    }

    fn help(&self) -> &'static HelpTexts {
        &help::TEXTS
    }
}
