//! What screens and cards are told of runs, channels and actions.

use crate::authority::{Authority, seen_agent};
use lychgate_core::agent_pin::AgentPin;
use lychgate_core::broker::Run;
use lychgate_core::card::{AgentView, CardAction, CardChannel, ChainLink, PreviousRun, ProgramView};
use lychgate_core::channel::{ApprovalMode, Channel};
use lychgate_core::evidence::{Attestation, ProcessFacts, Seen, Unverified, Why};
use lychgate_core::ids::ActionNo;
use lychgate_core::programs::{ProgramImage, Programs};
use lychgate_core::provenance::signer;
use lychgate_core::request::CanonicalRequest;
use lychgate_wire::operator::RunView;

/// A body longer than this is shown as its digest and size.
const BODY_SHOWN_BYTES: usize = 4 * 1024;

/// Who asks; `pins` are the operator's own, `programs` what is known of its past. `None` only for an empty chain, which no
/// run has.
pub(crate) fn agent(run: &Run, pins: &[AgentPin], programs: &Programs) -> Option<AgentView> {
    let subject = run.subject();
    let agent = subject.agent()?;
    let path = |link: &ProcessFacts| match &link.executable {
        Seen::Seen(executable) => executable.path.clone(),
        Seen::Unseen(why) => lychgate_peer::unseen_program(*why).to_owned(),
    };
    Some(AgentView {
        attestation: subject.attestation(),
        program: seen_agent(subject).and_then(|agent| program(agent, pins, programs)),
        pid: agent.pid,
        directory: agent.directory.clone(),
        claimed_command: agent.claimed_command.clone(),
        chain: subject.chain().iter().rev().map(|link| ChainLink { pid: link.pid, program: path(link) }).collect(),
    })
}

fn program(agent: &ProcessFacts, pins: &[AgentPin], programs: &Programs) -> Option<ProgramView> {
    let executable = agent.executable.value()?;
    Some(ProgramView {
        name: executable.name().to_owned(),
        path: executable.path.clone(),
        path_now: executable.path_now,
        signer: signer(
            &agent.provenance,
            Some(executable.sha256),
            pins.iter().map(|pin| (pin.sha256, pin.name.as_str())),
        ),
        history: programs.history(&ProgramImage::of(agent)?, &agent.provenance),
        script: agent.script.clone(),
        sha256: executable.sha256,
    })
}

/// A channel on a card.
pub(crate) fn channel(channel: &Channel, ticked: bool) -> CardChannel {
    let words = |items: &[lychgate_core::channel::Method]| items.iter().map(ToString::to_string).collect();
    CardChannel {
        name: channel.name.clone(),
        origins: channel.binding.origins.iter().map(ToString::to_string).collect(),
        paths: channel.binding.paths.iter().map(ToString::to_string).collect(),
        methods: words(&channel.binding.methods),
        asks_each_time: match channel.approval.mode {
            ApprovalMode::PerCall => words(&channel.binding.methods),
            ApprovalMode::Session => words(&channel.approval.per_call_methods),
        },
        max_uses: channel.approval.max_uses,
        max_minutes: channel.approval.max_minutes,
        ticked,
    }
}

/// The complete action.
pub(crate) fn action(request: &CanonicalRequest, number: ActionNo) -> CardAction {
    let body = request.body();
    let text = std::str::from_utf8(body).ok().filter(|text| !text.is_empty() && text.len() <= BODY_SHOWN_BYTES);
    CardAction {
        action: number,
        channel: request.channel().clone(),
        method: request.method().to_string(),
        url: request.url().to_owned(),
        headers: request.headers().to_vec(),
        body_text: text.map(str::to_owned),
        body_bytes: body.len() as u64,
        body_sha256: request.body_sha256(),
        digest: request.digest(),
    }
}

/// The earlier run, for a card.
pub(crate) fn previous(run: &Run) -> Option<PreviousRun> {
    let lapse = run.lapse()?;
    Some(PreviousRun {
        run: lapse.previous,
        program: lapse.program.clone(),
        same_program: lapse.same_program,
        shows_results: true,
    })
}

/// Stands where a program's path would: a code.
fn unseen(attestation: Attestation) -> &'static str {
    match attestation {
        Attestation::ProgramUnreadable => lychgate_peer::unseen_program(Why::NotReadable),
        Attestation::Unverified(Unverified::ForeignNamespace) => lychgate_peer::unseen_program(Why::ForeignNamespace),
        Attestation::Unverified(Unverified::NoAgent) => "(no_agent)",
        Attestation::Whole => "?",
    }
}

/// A live run, for lists.
pub(crate) fn run(authority: &Authority, run: &Run) -> RunView {
    let agent = agent(run, &authority.vault.agents(), &authority.programs);
    let program = agent.as_ref().and_then(|agent| agent.program.as_ref());
    RunView {
        run: run.id(),
        program: program.map_or_else(|| unseen(run.subject().attestation()).to_owned(), |program| program.path.clone()),
        pid: agent.as_ref().map_or(0, |agent| agent.pid),
        signer: program.map(|program| program.signer.clone()),
        directory: agent.as_ref().and_then(|agent| agent.directory.clone()),
        conversation: run.conversation().map(str::to_owned),
        works_under: authority.works_under(run.id(), None),
        channels: authority.open_channels(run.id()),
        actions: u32::try_from(authority.actions.unfinished(run.id()).count()).unwrap_or(u32::MAX),
    }
}
