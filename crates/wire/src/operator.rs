//! The operator socket: what a person's console and the gateway say to each other.
//!
//! `Hello` and `Pinned` as on the agent socket; then commands, each answered by `Done` or `Failed`.
//! The gateway decides from the sender of each frame whether a command is allowed; nothing in a message counts for that
//! but the factor.

use crate::sensitive::Sensitive;
use lychgate_core::agent_pin::{AgentName, AgentPin};
use lychgate_core::card::{CardView, WorksUnder};
use lychgate_core::channel::{Channel, ChannelName};
use lychgate_core::ids::{BootNo, CardNo, RunId};
use lychgate_core::provenance::Signer;
use serde::{Deserialize, Serialize};

/// From the console.
#[derive(Debug, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case", deny_unknown_fields)]
pub enum FromOperator {
    /// First frame.
    Hello {
        /// [`crate::WIRE`] of the console.
        wire: u32,
        /// Its version.
        build: String,
    },
    /// A command.
    Do {
        /// The console's number for it.
        id: u64,
        /// The PIN, where the command widens authority.
        factor: Option<Sensitive>,
        /// What to do.
        command: Command,
    },
}

/// A command. Its documentation says what it takes.
#[derive(Debug, Serialize, Deserialize)]
#[serde(tag = "command", rename_all = "snake_case", deny_unknown_fields)]
pub enum Command {
    /// Vault state, boot, epoch, counts. No factor, from anywhere.
    Status,
    /// Opens the vault. The key is what Argon2id made of the passphrase, in the console. Refused from within a run.
    Unlock {
        /// Key slot.
        slot: u32,
        /// Derived slot key, base64.
        key: Sensitive,
    },
    /// Locks. No factor, from anywhere.
    Lock,
    /// Open cards. No factor; refused from within a run.
    Approvals,
    /// Says yes to a card. PIN; refused from within a run.
    Approve {
        /// Card.
        card: CardNo,
        /// Channels to open; `None` means those that are ticked on the card.
        channels: Option<Vec<ChannelName>>,
        /// Digest of the card that the person saw. Another card by now: refused.
        shown: Option<lychgate_core::ids::Digest>,
        /// The sessions serve the programs that the agent starts as well.
        programs: bool,
    },
    /// Says no. No factor, from anywhere.
    Deny {
        /// Card.
        card: CardNo,
    },
    /// Live runs. No factor; refused from within a run.
    Runs,
    /// Ends the approvals of one run, or of all. No factor, from anywhere.
    Revoke {
        /// The run; `None` for all.
        run: Option<RunId>,
    },
    /// Adds a channel. PIN; refused from within a run.
    ChannelAdd {
        /// The channel; its version is set by the gateway.
        channel: Box<Channel>,
        /// The credential.
        secret: Sensitive,
    },
    /// Names and settings of the channels. No factor; refused from within a run.
    ChannelList,
    /// Removes a channel. PIN; refused from within a run.
    ChannelRemove {
        /// Name.
        name: ChannelName,
    },
    /// Vouches for a program by its digest. PIN; refused from within a run.
    AgentPin {
        /// The pin.
        pin: Box<AgentPin>,
    },
    /// Programs that the operator vouches for. No factor; refused from within a run.
    AgentList,
    /// Vouches no longer. PIN; refused from within a run.
    AgentUnpin {
        /// Name.
        name: AgentName,
    },
    /// Sends [`ToOperator::Cards`] now and after each change. No factor; refused from within a run.
    Watch,
    /// Asks whether the command with this word would be accepted from here, before a factor is asked for it. A refusal is
    /// journalled under that word. Refused from within a run.
    MayI {
        /// One of [`Command::WORDS`].
        word: String,
    },
    /// Checks the PIN and does nothing else, so that a console can say at once that it is wrong. PIN.
    CheckFactor,
    /// Stops the gateway in order. No factor, from anywhere: it narrows.
    Stop,
}

impl Command {
    /// Words that [`Command::MayI`] may carry into the journal. Any other is recorded as `other`.
    pub const WORDS: [&'static str; 9] =
        ["up", "unlock", "approve", "channel add", "channel remove", "agent pin", "agent unpin", "approvals", "runs"];

    /// The word in the journal and in messages.
    #[must_use]
    pub fn word(&self) -> &'static str {
        match self {
            Self::MayI { word } => Self::WORDS.iter().copied().find(|known| known == word).unwrap_or("other"),
            Self::Status => "status",
            Self::Unlock { .. } => "unlock",
            Self::Lock => "lock",
            Self::Approvals => "approvals",
            Self::Approve { .. } => "approve",
            Self::Deny { .. } => "deny",
            Self::Runs => "runs",
            Self::Revoke { .. } => "revoke",
            Self::ChannelAdd { .. } => "channel add",
            Self::ChannelList => "channel list",
            Self::ChannelRemove { .. } => "channel remove",
            Self::AgentPin { .. } => "agent pin",
            Self::AgentList => "agent list",
            Self::AgentUnpin { .. } => "agent unpin",
            Self::Watch => "watch",
            Self::CheckFactor => "check factor",
            Self::Stop => "stop",
        }
    }

    /// What the command takes.
    #[must_use]
    pub fn demands(&self) -> Demands {
        match self {
            Self::Status | Self::Lock | Self::Deny { .. } | Self::Revoke { .. } | Self::Stop => Demands::Nothing,
            // The derived key is the factor.
            Self::Unlock { .. }
            | Self::Approvals
            | Self::Runs
            | Self::ChannelList
            | Self::AgentList
            | Self::Watch
            | Self::MayI { .. } => Demands::Outside,
            Self::Approve { .. }
            | Self::ChannelAdd { .. }
            | Self::ChannelRemove { .. }
            | Self::AgentPin { .. }
            | Self::AgentUnpin { .. }
            | Self::CheckFactor => Demands::OutsideAndFactor,
        }
    }
}

/// What the gateway demands before it does a command.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Demands {
    /// Narrowing: nothing, and from anywhere.
    Nothing,
    /// A console that is no descendant of any run and that passes the look from outside.
    Outside,
    /// That, and the PIN.
    OutsideAndFactor,
}

/// From the gateway.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum ToOperator {
    /// The sender of `Hello` has been pinned.
    Pinned {
        /// [`crate::WIRE`] of the gateway.
        wire: u32,
        /// Its version.
        version: String,
    },
    /// Done.
    Done {
        /// The command's number.
        id: u64,
        /// What it gave.
        reply: Reply,
    },
    /// Not done.
    Failed {
        /// The command's number; 0 where the connection itself is refused.
        id: u64,
        /// The kind, for exit statuses.
        kind: Failure,
        /// What, why, and what to do next.
        text: String,
    },
    /// The open cards, after [`Command::Watch`].
    Cards {
        /// All of them.
        cards: Vec<CardView>,
        /// The vault is locked.
        locked: bool,
    },
}

/// Kinds of failure.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Failure {
    /// Refused.
    Refused,
    /// The vault is locked.
    Locked,
    /// The PIN or passphrase is wrong.
    WrongFactor,
    /// There is no such card, run or channel.
    NotFound,
    /// Something went wrong in the gateway.
    Fault,
}

/// What a command gave.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "reply", rename_all = "snake_case")]
pub enum Reply {
    /// Nothing but success.
    Ok {
        /// A notice for the person, such as an older vault file put back.
        notice: Option<String>,
    },
    /// State of the gateway.
    Status(Status),
    /// Open cards.
    Cards {
        /// All of them.
        cards: Vec<CardView>,
    },
    /// Live runs.
    Runs {
        /// All of them.
        runs: Vec<RunView>,
    },
    /// How many approvals ended.
    Revoked {
        /// Count.
        approvals: u32,
    },
    /// What a yes granted.
    Approved {
        /// Run.
        run: RunId,
        /// Channels opened.
        channels: Vec<ChannelName>,
    },
    /// Pinned programs.
    Agents {
        /// All of them.
        agents: Vec<AgentPin>,
    },
    /// Channels.
    Channels {
        /// All of them, without secrets.
        channels: Vec<Channel>,
    },
}

/// State of the gateway.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Status {
    /// Version.
    pub version: String,
    /// locked, unlocked, quarantined.
    pub vault: String,
    /// Epoch number.
    pub epoch: u64,
    /// Boot label.
    pub boot: BootNo,
    /// Live runs.
    pub runs: u32,
    /// Open cards.
    pub cards: u32,
    /// Channels; `None` while the vault is locked.
    pub channels: Option<u32>,
    /// Rows in the journal.
    pub journal_rows: u64,
}

/// A live run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RunView {
    /// Number.
    pub run: RunId,
    /// Agent program.
    pub program: String,
    /// Its process id.
    pub pid: u32,
    /// Who vouches for it; nothing where it was not seen.
    pub signer: Option<Signer>,
    /// Working directory.
    pub directory: Option<String>,
    /// Conversation label: the client's own word.
    pub conversation: Option<String>,
    /// The run whose agent started it, where that lives.
    pub works_under: Option<WorksUnder>,
    /// Channels that it may use: by live session approvals of its own, or of the run that it works under.
    pub channels: Vec<ChannelName>,
    /// Actions under way or waiting.
    pub actions: u32,
}
