//! What commands say.

use crate::lines::StatusLine;
use crate::message::Message as M;

pub(super) fn message(message: &M<'_>) -> String {
    match message {
        M::AskNewPassphrase => "New passphrase (8 characters or more): ".to_owned(),
        M::AskSamePassphrase => "The same passphrase once more: ".to_owned(),
        M::AskNewPin => "New PIN (4 to 32 characters): ".to_owned(),
        M::AskSamePin => "The same PIN once more: ".to_owned(),
        M::AskPassphrase => "Passphrase: ".to_owned(),
        M::AskPin => "PIN: ".to_owned(),
        M::AskSecret { channel } => format!("Credential for channel {channel}: "),
        M::FirstRun { dir } => format!(
            "Lychgate will keep a vault for your credentials in {dir}.\n\
             The passphrase unlocks the vault. The PIN is what you type to say yes to an agent. \
             Neither can be recovered by anyone."
        ),
        M::VaultCreated { dir, key, short } => format!(
            "Created the vault, the audit key and the journal in {dir}.\n\
             The vault's public key ({short}) is\n  {key}\n\
             Keep this key outside this machine, on paper or in a note: `lych audit verify --key KEY` uses it to \
             prove that the journal is yours and whole."
        ),
        M::GatewayStarted => {
            "The gateway runs. It goes on when you leave this console with x or close the terminal; q or `lych stop` \
             stops it."
                .to_owned()
        }
        M::GatewayFound => "A gateway runs already.".to_owned(),
        M::Unlocked => "The vault is unlocked.".to_owned(),
        M::Locked => "The vault is locked. All approvals have ended.".to_owned(),
        M::Stopped => "The gateway stopped. All approvals have ended.".to_owned(),
        M::ProgramsCovered => "The programs that its agent starts may use it too, each recorded by itself.".to_owned(),
        M::Approved { run, channels: "" } => format!("Approved one action of run {run}."),
        M::Approved { run, channels } => format!("Approved run {run} on: {channels}."),
        M::Denied { card } => format!("Denied {card}."),
        M::Revoked { approvals: 0 } => "There was no approval to end.".to_owned(),
        M::Revoked { approvals: 1 } => "Ended 1 approval.".to_owned(),
        M::Revoked { approvals } => format!("Ended {approvals} approvals."),
        M::ChannelAdded { name } => format!("Added channel {name}. An agent can ask for it by this name."),
        M::AgentPinned { name, path, sha256 } => format!(
            "Pinned {path} as {name} (SHA-256 {sha256}). Cards name it so as long as it is this very file; after an update, pin \
             it again. It gives the program no authority."
        ),
        M::AgentUnpinned { name } => format!("No program is pinned as {name} any more."),
        M::NoAgents => "No program is pinned. `lych agent pin PATH --name NAME` pins one.".to_owned(),
        M::ChannelRemoved { name } => format!("Removed channel {name} and its credential."),
        M::NoCards => "No card waits for an answer.".to_owned(),
        M::NoRuns => "No agent is connected.".to_owned(),
        M::NoChannels => "There are no channels yet. `lych channel add --help` shows how to add one.".to_owned(),
        M::NoRows => "There is nothing to show yet.".to_owned(),
        M::RunHolds { channels, actions } => holds(channels, *actions),
        M::Status(status) => self::status(status),
        M::HowToAnswer { card, more: false } => format!("Answer with `lych approve {card}` or `lych deny {card}`."),
        M::HowToAnswer { card, more: true } => {
            format!("Answer each by its number, such as `lych approve {card}` or `lych deny {card}`.")
        }
        M::ConsoleKeys { started } => {
            let leave = if *started {
                "q stop the gateway and leave, x leave and let the gateway run"
            } else {
                "q or x leave and let the gateway run (`lych stop` stops it)"
            };
            format!(
                "Keys, each followed by Enter: y yes (y NAME opens only that channel), p yes and for \
                 the programs that the agent starts, n no, l lock, u unlock, \
                 {leave}, ? this help."
            )
        }
        M::ConsoleWaiting => "Waiting for agents. Cards appear here.".to_owned(),
        M::ConsoleLocked => "The vault is locked: agents are refused. Type u and Enter to unlock.".to_owned(),
        M::ConsoleQuestion { card } => format!("{card}: y = yes, p = yes with its programs, n = no (then Enter) > "),
        M::CardGone { card } => format!("{card} was answered or closed elsewhere."),
        M::CardChanged { card } => format!("{card} has changed; look at it anew."),
        M::ConsoleLeft => "Left the console. The gateway goes on; `lych stop` ends it.".to_owned(),
        M::ConsoleInputEnded => {
            "Input ended, so this console ends. The gateway goes on; `lych approvals` shows cards, `lych stop` ends it."
                .to_owned()
        }
        M::ConsoleUnknownKey => "That is no key here; ? shows them.".to_owned(),
        M::Restored { from } => format!(
            "Put {from} in the place of the vault; the passphrase opens it. The file that was there is kept as \
             vault.replaced. All earlier approvals have ended."
        ),
        M::VerifyWithKey => {
            "The journal was held against no key from outside, and a journal that was replaced as a whole would look \
             the same. Give `--key KEY` with the public key that `lych init` or `lych up` printed."
                .to_owned()
        }
        M::Notice { text } => format!("Notice: {text}"),
        M::ConnectIntro { client } => format!("Run this once, to give {client} its entry:"),
        M::ConnectFile { file, of_project: true } => format!("Or put this into the project's {file}:"),
        M::ConnectFile { file, of_project: false } => format!("Or put this into {file}:"),
    }
}

fn holds(channels: &str, actions: u32) -> String {
    let held = if channels.is_empty() { "No approval".to_owned() } else { format!("Approved on: {channels}") };
    match actions {
        0 => format!("{held}. No action under way."),
        1 => format!("{held}. 1 action under way or waiting."),
        _ => format!("{held}. {actions} actions under way or waiting."),
    }
}

fn status(status: &StatusLine<'_>) -> String {
    let StatusLine { version, vault, epoch, boot, runs, cards, channels, journal_rows } = status;
    let mut lines = vec![
        format!("gateway   {version}, lifetime {boot}"),
        format!("vault     {vault}, epoch {epoch}"),
        format!("agents    {runs} connected"),
        format!("cards     {cards} waiting for an answer"),
    ];
    if let Some(channels) = channels {
        lines.push(format!("channels  {channels}"));
    }
    lines.push(format!("journal   {journal_rows} rows"));
    lines.join("\n")
}
