//! What the gateway itself says, in English.

use crate::gateway::{GatewayStep as Step, GatewayText as Text};

pub(super) fn text(text: &Text<'_>) -> String {
    match *text {
        Text::OtherBuild => {
            "this `lych` and the gateway are of different builds; stop the gateway with `lych stop` and start it again"
        }
        Text::ConsoleChanged => {
            "this console is not what it was when it connected, or could not be looked at again; give the command anew"
        }
        Text::WithinARun => {
            "this command was started from within an agent's program, and an agent must not answer its own questions; \
             open a terminal outside the agent's program and give it there"
        }
        Text::NoFactor => "this takes the PIN; give it when asked, or with --factor-stdin",
        Text::WrongPin { left: 1 } => {
            return "the PIN is wrong; one more try, then only unlocking with the passphrase helps".to_owned();
        }
        Text::WrongPin { left } => {
            return format!("the PIN is wrong; {left} more tries, then only unlocking with the passphrase helps");
        }
        Text::PinBlocked => {
            "the PIN is blocked after too many wrong tries; lock the vault and unlock it with the passphrase"
        }
        Text::PinSaysNothing { why } => {
            return format!(
                "a pin of this program would say nothing, since what it does is in another file: {why}; pin a program of \
                 its own, or leave it unsigned"
            );
        }
        Text::Locked => "the vault is locked; unlock it with `lych unlock`",
        Text::OpenAlready => "the vault is unlocked already",
        Text::BeingLocked => "the vault is just being locked; try again",
        Text::VaultOutOfReach => {
            "the vault is out of this gateway's reach; stop it with `lych stop` and start it again"
        }
        Text::ForeignJournal => {
            "the journal belongs to another vault, so the vault stays locked; put this vault's `audit` directory \
             back, or look at it with `lych audit verify --key KEY`"
        }
        Text::BadKey => "the key is not what a passphrase derivation yields; use `lych unlock`",
        Text::NoCard => {
            "there is no such open card; it was answered or has closed. `lych approvals` lists the open ones"
        }
        Text::OtherCard => "the card is not the one that was shown; look at it again with `lych approvals`",
        Text::CardTakesPin => "this card takes the PIN",
        Text::NothingTicked { channel } => {
            return format!(
                "nothing is ticked on this card, or a channel is named that is not on it; name what you want to open, \
                 for example `--channel {channel}`"
            );
        }
        Text::NoRun => "there is no such live run; `lych runs` lists them",
        Text::NotGranted => "the journal could not record it, so nothing was granted; look at the disk and try again",
        Text::TakenBackMeanwhile => {
            "approvals were revoked, or the channel or conversation changed, while this yes was being recorded; \
             nothing was granted"
        }
        Text::DoneNotRecorded => "it is done, but the journal could not record it; look at the disk",
        Text::NoStore { why } => {
            return format!("the store of earlier results can't be used, so they are missing: {why}");
        }
        Text::NoChannel { name, known: "" } => {
            return format!(
                "there is no channel `{name}`; there are none yet. The person adds them with `lych channel add`."
            );
        }
        Text::NoChannel { name, known } => {
            return format!(
                "there is no channel `{name}`; there are: {known}. The person adds others with `lych channel add`."
            );
        }
        Text::AskedEachTime { channels } => {
            return format!(
                "The gateway could not verify this program well enough for a session approval on {channels}. The person \
                 is asked for each action there: send it."
            );
        }
        Text::Delegated { pid } => {
            return format!(
                "Process {pid} may use these channels under this run's approval when it connects by itself, until it, this \
                 agent or a process between them ends. Requests that ask each time still ask the person."
            );
        }
        Text::NoDescendant { pid } => {
            return format!(
                "process {pid} is no live program that this agent started: it may have ended, have been detached from the \
                 agent (a daemon, a terminal multiplexer), work for another agent, or let nobody look at its program. \
                 Nothing was delegated; let it ask for itself, or make the request in its place."
            );
        }
        Text::NothingToDelegate { channel } => {
            return format!(
                "this run holds no session approval of its own for channel `{channel}`, so there is nothing to delegate. Call \
                 `authorize` first; what another run lets this one do can't be handed on."
            );
        }
        Text::NothingSent { why } => return format!("{why}. Nothing was sent."),
        Text::NotBase64 => "body_base64 is not base64 (RFC 4648, padded). Nothing was sent.",
        Text::KeyReused { what } => {
            return format!(
                "this {what} was used with another request; use a new one, or send the same request. Nothing was sent."
            );
        }
        Text::KeyTooLong { limit } => {
            return format!("action_key is over the limit of {limit} bytes. Nothing was sent.");
        }
        Text::NoEarlierAction => "`retry_of` names no action of this run. Nothing was sent.",
        Text::ChannelCount { most } => return format!("name 1 to {most} channels; `list_channels` shows them"),
        Text::WaitingForPerson { card: Some(card) } => return format!("waiting for the person to answer card {card}"),
        Text::WaitingForPerson { card: None } => "waiting for the person",
        Text::UnderWay => "the request is under way",
        Text::ContentGone => "a result was recorded; its content is not kept any more",
        Text::ResponseLine { status, bytes } => {
            return format!("The server answered with status {status} and {bytes} bytes.");
        }
        Text::Redirect { location } => return format!("It redirects to {location}; redirects are not followed."),
        Text::BodyHoldsCredential => "The body is withheld: it holds the credential that the gateway sent.",
        Text::BodyEncoded => {
            "The body is withheld: it is compressed although that was not asked for, so it can't be searched for the \
             credential."
        }
        Text::HeadersWithheld => "Headers that hold the credential are withheld.",
        Text::CutByServer => "The server ended the body early: it is incomplete.",
        Text::CutByGateway => "The body is longer than is read: it was cut.",
        Text::DispatchNotRecorded => "the journal could not record it; nothing was sent",
        Text::CallerClosed => "the caller's connection closed; nothing was sent",
        Text::EndedBeforeFirstByte => "its authority ended before the first byte; nothing was sent",
        Text::PermitTooOld => "too much time passed between the decision and the first byte; nothing was sent",
        Text::ResultNotRecorded => "a result came, and the journal could not record it",
        Text::OldKernel { why } => return format!("this kernel can't carry the process checks: {why}"),
        Text::NoVault { dir } => return format!("there is no vault in {dir}: run `lych up` or `lych init` first"),
        Text::AlreadyServed { dir } => {
            return format!("another gateway already serves {dir}: use it, or stop it with `lych stop`");
        }
        Text::StepFailed { step, at: None, why } => return format!("{}: {why}", self::step(step)),
        Text::StepFailed { step, at: Some(at), why } => return format!("{} {at}: {why}", self::step(step)),
    }
    .to_owned()
}

fn step(step: Step) -> &'static str {
    match step {
        Step::Harden(step) => super::harden::step(step),
        Step::Descriptors => "raising the descriptor limit",
        Step::Runtime => "starting the runtime",
        Step::OwnProgram => "looking at the own program",
        Step::OwnNamespaces => "looking at the own namespaces",
        Step::OwnAncestors => "looking at the own ancestors",
        Step::BootId => "drawing the boot id",
        Step::Keeper => "starting the keeper",
        Step::OldSocket => "removing an old socket",
        Step::Listening => "listening at",
        Step::Signals => "listening for signals",
    }
}
