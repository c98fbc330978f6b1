//! What the demo tells.

use super::problems::{attempt, cause};
use crate::demo::{Demo as D, DemoCheck as C, DemoFailure as F, DemoProgram, DemoStep as S};

pub(super) fn demo(text: &D<'_>) -> String {
    match text {
        D::Intro { dir } => format!(
            "Lychgate demo: what a resumed agent may not inherit\n\n\
             Everything here is thrown away at the end: a vault, a journal, an agent and a service, in\n  {dir}\n\
             Your own vault is not touched. The demo's vault opens faster than a real one:\n\
             its passphrase is random and protects nothing, so trying it may be cheap."
        ),
        D::Pin { pin } => {
            format!("\nYour PIN for this demo is {pin}. A real PIN is never shown; this one is yours for a minute.")
        }
        D::Heading { number, step } => format!("\n== {number}. {}", heading(*step)),
        D::Story { step } => story(*step).to_owned(),
        D::PersonRuns { command } => format!("\nperson  $ {command}"),
        D::AgentCalls { pid, tool, gist } => format!("\nagent {pid} calls {tool}: {gist}"),
        D::AgentHeard => "it hears:".to_owned(),
        D::Started { program, pid } => format!("Started {} (process {pid}).", name(*program)),
        D::Killed { program, pid } => format!("Killed {} (process {pid}).", name(*program)),
        D::PublicKey { key } => format!("The vault's public key, for checking the journal later:\n  {key}"),
        D::Good(check) => format!("  ok: {}", good(check)),
        D::YesAnswers => "\n--yes: the demo answers this card with the PIN.".to_owned(),
        D::Question { card } => format!("\n{card}: y = yes, n = no (then Enter) > "),
        D::AskPin { pin } => format!("PIN ({pin}) > "),
        D::NotAKey => "Type y or n, and Enter.".to_owned(),
        D::TryAgain => "The card is still open; answer it again.".to_owned(),
        D::Flipped { file, offset } => {
            format!("\nCopied the journal and changed one byte of the copy ({file}, byte {offset}).")
        }
        D::Done => "\nEvery step gave what it must. Start with your own vault: lych up".to_owned(),
        D::Kept { dir } => {
            format!("The demo's files are kept in {dir}. They hold nothing of yours; delete them when you like.")
        }
    }
}

pub(super) fn failure(failure: &F<'_>) -> String {
    match failure {
        F::Step { number, step, why } => format!("the demo stopped in step {number} ({}):\n  {why}", heading(*step)),
        F::Heard { wanted, heard } => format!("the agent had to hear {wanted}, and heard:\n  {heard}"),
        F::Command { command, status: Some(status), said } => {
            format!("`{command}` ended with status {status} and said:\n  {said}")
        }
        F::Command { command, status: None, said } => {
            format!("`{command}` was ended by a signal and said:\n  {said}")
        }
        F::Check(check) => bad(check),
        F::TooLong { what } => format!("{} took too long; try again when the machine is less busy", attempt(what)),
        F::SaidNo => {
            "you said no, and the agent heard it: nothing was sent, and it may not ask for the same thing again.\n  \
             The rest of the demo needs a yes; run it again to see it"
                .to_owned()
        }
        F::InputEnded => "input ended before the card was answered, so it was not answered".to_owned(),
        F::NoTerminal => {
            "there is no terminal to ask in: run `lych demo` in one, or `lych demo --yes`, which answers the cards"
                .to_owned()
        }
        F::OwnState => "the demo makes its own throw-away state: run it without --state-dir".to_owned(),
        F::NoPlace { tried } => {
            let tried = tried.iter().map(|(place, why)| format!("\n  {place}: {}", cause(why))).collect::<String>();
            format!(
                "the demo needs a directory for its files in which a program may be started, and found none:{tried}"
            )
        }
        F::Interrupted { kept: false } => {
            "the demo was stopped; its programs have ended and its files are removed".to_owned()
        }
        F::Interrupted { kept: true } => "the demo was stopped; its programs have ended".to_owned(),
    }
}

fn heading(step: S) -> &'static str {
    match step {
        S::SetUp => "A service, a vault, a gateway",
        S::FirstYes => "An agent asks, you decide",
        S::ProcessChanged => "The agent dies and comes back",
        S::GatewayRestarted => "The gateway restarts, the agent lives on",
        S::VaultStateChanged => "The vault is locked and unlocked",
        S::ResultLost => "An answer gets lost",
        S::NeverStarted => "A request that never left",
        S::Journal => "What the journal kept",
    }
}

fn story(step: S) -> &'static str {
    match step {
        S::SetUp => {
            "A local HTTPS service stands for somebody's API and writes down what it\n\
             receives. The vault holds its credential; the gateway is the only program that\n\
             ever uses it. A channel says where it may go."
        }
        S::FirstYes => {
            "The agent is another program, and speaks MCP to `lych mcp` like any client. It\n\
             wants to create an item. It has no credential, and nobody has approved it: so\n\
             a card asks you first."
        }
        S::ProcessChanged => {
            "The agent is killed. A replacement runs the same program with the same\n\
             conversation. It knows what the first one knew, but it is not the process that\n\
             you approved."
        }
        S::GatewayRestarted => {
            "The gateway is killed and started again. The agent still runs and still has\n\
             its connection's memory, but approvals live in a gateway's memory and ended\n\
             with it. Until you unlock, it hears that the vault is locked."
        }
        S::VaultStateChanged => {
            "You lock the vault and unlock it again. Same agent, same gateway; but what you\n\
             locked stays ended."
        }
        S::ResultLost => {
            "The service takes the request and closes the connection without an answer. Did\n\
             it take effect? The gateway does not guess and does not send it again."
        }
        S::NeverStarted => {
            "A second channel leads to a port where nobody listens. You approve it; the\n\
             connection never opens. That is proof that nothing happened, and only with\n\
             such proof the agent hears that a retry is safe."
        }
        S::Journal => {
            "Everything above stands in an encrypted journal. Reading it takes the\n\
             passphrase; checking that nobody changed it takes only the public key."
        }
    }
}

fn good(check: &C<'_>) -> String {
    match check {
        C::Created => "the agent was given the service's answer".to_owned(),
        C::BearerOnce => "the service got one request, and the credential stood in it once".to_owned(),
        C::AgentNeverHadIt => {
            "the credential is in nothing that the agent heard, nor in its arguments or environment".to_owned()
        }
        C::NothingSent => "the service received nothing".to_owned(),
        C::RequestDidArrive => {
            "the service's own record shows that the request did arrive: a second one would have been a duplicate"
                .to_owned()
        }
        C::NoCardYet => "no card was opened: the agent must ask for authority first".to_owned(),
        C::Heard { words } => format!("the agent heard {words}"),
        C::FilesHideIt { files } => {
            format!("none of the {files} files of vault, journal and gateway holds the credential in the clear")
        }
        C::JournalAccepted => "the journal is whole".to_owned(),
        C::CopyRejected => "the changed copy is rejected".to_owned(),
    }
}

/// What was found instead.
fn bad(check: &C<'_>) -> String {
    match check {
        C::Created => "the agent was not given the service's answer, which is 201".to_owned(),
        C::BearerOnce => "the service's record does not show one request with the credential once in it".to_owned(),
        C::AgentNeverHadIt => "the agent was given the credential".to_owned(),
        C::NothingSent => "the service received a request that it was not to get".to_owned(),
        C::RequestDidArrive => "the service's record shows another request than the one that was sent".to_owned(),
        C::NoCardYet => "a card opened although the agent had not asked for authority".to_owned(),
        C::Heard { words } => format!("the agent did not hear {words}"),
        C::FilesHideIt { files } => {
            format!("one of the {files} files of vault, journal and gateway holds the credential in the clear")
        }
        C::JournalAccepted => "`audit verify` rejects the demo's own journal".to_owned(),
        C::CopyRejected => "`audit verify` accepts a journal in which a byte was changed".to_owned(),
    }
}

fn name(program: DemoProgram) -> &'static str {
    match program {
        DemoProgram::Gateway => "the gateway",
        DemoProgram::Agent => "an agent",
        DemoProgram::Service => "the service",
    }
}
