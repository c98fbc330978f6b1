//! What a command says.

use crate::lines::StatusLine;

/// A message of the program to the person. Foreign text in it has been made visible by the caller.
#[derive(Debug, Clone, Copy)]
pub enum Message<'a> {
    /// Prompt: a new passphrase.
    AskNewPassphrase,
    /// Prompt: the same once more.
    AskSamePassphrase,
    /// Prompt: a new PIN.
    AskNewPin,
    /// Prompt: the same once more.
    AskSamePin,
    /// Prompt: the passphrase.
    AskPassphrase,
    /// Prompt: the PIN.
    AskPin,
    /// Prompt: a channel's credential.
    AskSecret {
        /// Channel.
        channel: &'a str,
    },
    /// Before the first factors are asked: what each is for.
    FirstRun {
        /// Where everything will be kept.
        dir: &'a str,
    },
    /// The vault was created.
    VaultCreated {
        /// State directory.
        dir: &'a str,
        /// Public key, hexadecimal.
        key: &'a str,
        /// Short form of the key, for comparing by eye.
        short: &'a str,
    },
    /// A gateway was started.
    GatewayStarted,
    /// A gateway runs already.
    GatewayFound,
    /// The vault is unlocked.
    Unlocked,
    /// The vault is locked.
    Locked,
    /// The gateway stopped.
    Stopped,
    /// After what was approved: it serves started programs, too.
    ProgramsCovered,
    /// A yes.
    Approved {
        /// `R31`.
        run: &'a str,
        /// Channels opened; empty for one action.
        channels: &'a str,
    },
    /// A program was pinned.
    AgentPinned {
        /// Its name.
        name: &'a str,
        /// Its file.
        path: &'a str,
        /// The file's digest.
        sha256: &'a str,
    },
    /// A program is pinned no longer.
    AgentUnpinned {
        /// Its name.
        name: &'a str,
    },
    /// No program is pinned.
    NoAgents,
    /// A no.
    Denied {
        /// `C7`.
        card: &'a str,
    },
    /// Approvals ended.
    Revoked {
        /// How many.
        approvals: u32,
    },
    /// A channel was added.
    ChannelAdded {
        /// Name.
        name: &'a str,
    },
    /// A channel was removed.
    ChannelRemoved {
        /// Name.
        name: &'a str,
    },
    /// Nothing waits.
    NoCards,
    /// No live runs.
    NoRuns,
    /// No channels.
    NoChannels,
    /// No rows to show.
    NoRows,
    /// What a run holds.
    RunHolds {
        /// Channels, joined; empty for none.
        channels: &'a str,
        /// Actions under way or waiting.
        actions: u32,
    },
    /// State of the gateway, several lines.
    Status(StatusLine<'a>),
    /// How to answer the cards of a list.
    HowToAnswer {
        /// `C7`, the first of them.
        card: &'a str,
        /// There are others.
        more: bool,
    },
    /// Keys of the console.
    ConsoleKeys {
        /// This console started the gateway.
        started: bool,
    },
    /// The console waits.
    ConsoleWaiting,
    /// The console waits, the vault is locked.
    ConsoleLocked,
    /// The question under a card.
    ConsoleQuestion {
        /// `C7`.
        card: &'a str,
    },
    /// The card was closed while it was on the screen, by an answer of another console or otherwise.
    CardGone {
        /// `C7`.
        card: &'a str,
    },
    /// The card changed while it was on the screen.
    CardChanged {
        /// `C7`.
        card: &'a str,
    },
    /// The console ends; the gateway stays.
    ConsoleLeft,
    /// Input ended; the console ends, the gateway stays.
    ConsoleInputEnded,
    /// The key was not understood.
    ConsoleUnknownKey,
    /// A vault file was put back, and the passphrase opens it.
    Restored {
        /// The file that was taken.
        from: &'a str,
    },
    /// A journal was checked and held against no key.
    VerifyWithKey,
    /// A notice of the gateway.
    Notice {
        /// Its text.
        text: &'a str,
    },
    /// How to give an agent its entry, for the client's own command or file.
    ConnectIntro {
        /// Client.
        client: &'a str,
    },
    /// The other way: a file.
    ConnectFile {
        /// The file that it goes into.
        file: &'a str,
        /// It is one of the project's, and not of the person's home.
        of_project: bool,
    },
}
