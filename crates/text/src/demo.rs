//! What `lych demo` tells on its way.

use crate::problem::{Attempt, Cause};

/// The steps of the demo, in order.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DemoStep {
    /// Service, vault, gateway, channels.
    SetUp,
    /// A first action, a card, a yes.
    FirstYes,
    /// The agent is killed; another one quotes its conversation.
    ProcessChanged,
    /// The gateway is restarted under the living agent.
    GatewayRestarted,
    /// The vault is locked and unlocked.
    VaultStateChanged,
    /// The answer to a request is lost.
    ResultLost,
    /// A connection never opens.
    NeverStarted,
    /// What the journal says, and what it says of a changed copy.
    Journal,
}

impl DemoStep {
    /// All of them, in the order of the story.
    pub const ALL: [Self; 8] = [
        Self::SetUp,
        Self::FirstYes,
        Self::ProcessChanged,
        Self::GatewayRestarted,
        Self::VaultStateChanged,
        Self::ResultLost,
        Self::NeverStarted,
        Self::Journal,
    ];
}

/// Something that the demo looked at and found as it must be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DemoCheck<'a> {
    /// The agent was given the service's answer: 201.
    Created,
    /// The service got one request, with the credential in it once.
    BearerOnce,
    /// Neither the agent's answers nor its arguments and environment held the credential.
    AgentNeverHadIt,
    /// The service got nothing in this step.
    NothingSent,
    /// The service's own record holds the request whose answer was lost.
    RequestDidArrive,
    /// A no of the gateway opened no card.
    NoCardYet,
    /// The agent heard this outcome, as it must.
    Heard {
        /// `REAUTH_REQUIRED process_changed`.
        words: &'a str,
    },
    /// No file below the state directory holds the credential in the clear.
    FilesHideIt {
        /// Files that were searched.
        files: usize,
    },
    /// `audit verify` accepts the journal.
    JournalAccepted,
    /// `audit verify` rejects the changed copy.
    CopyRejected,
}

/// A text of the demo. Foreign text in it has been made visible by the caller.
#[derive(Debug, Clone, Copy)]
pub enum Demo<'a> {
    /// Title, what is thrown away, and where it is.
    Intro {
        /// Directory.
        dir: &'a str,
    },
    /// The person's PIN, and that it is shown only because it is thrown away.
    Pin {
        /// The PIN.
        pin: &'a str,
    },
    /// Heading of a step.
    Heading {
        /// From 1.
        number: usize,
        /// Which.
        step: DemoStep,
    },
    /// What happens in a step, before it does.
    Story {
        /// Which.
        step: DemoStep,
    },
    /// A command of the person's side, as it could be typed.
    PersonRuns {
        /// `lych approve C1`.
        command: &'a str,
    },
    /// A call of the agent.
    AgentCalls {
        /// Agent's process id.
        pid: u32,
        /// Tool.
        tool: &'a str,
        /// Its gist.
        gist: &'a str,
    },
    /// Label over what the agent heard.
    AgentHeard,
    /// A program was started.
    Started {
        /// What it is.
        program: DemoProgram,
        /// Process id.
        pid: u32,
    },
    /// A program was killed.
    Killed {
        /// What it was.
        program: DemoProgram,
        /// Process id.
        pid: u32,
    },
    /// The vault's public key.
    PublicKey {
        /// Hexadecimal.
        key: &'a str,
    },
    /// A check that held.
    Good(DemoCheck<'a>),
    /// `--yes` answers the card.
    YesAnswers,
    /// The question under a card.
    Question {
        /// `C1`.
        card: &'a str,
    },
    /// Prompt for the PIN.
    AskPin {
        /// The PIN.
        pin: &'a str,
    },
    /// Not a key of the question.
    NotAKey,
    /// The answer was not taken; it is asked again.
    TryAgain,
    /// Byte `offset` of a file of the copy was changed.
    Flipped {
        /// File name.
        file: &'a str,
        /// Offset in it.
        offset: u64,
    },
    /// Everything gave what it must.
    Done,
    /// The throw-away directory is left in place.
    Kept {
        /// Directory.
        dir: &'a str,
    },
}

/// The programs of the demo.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DemoProgram {
    /// The gateway.
    Gateway,
    /// The agent.
    Agent,
    /// The HTTPS service.
    Service,
}

/// Why the demo did not come to its end. Lower case, as the program's name stands before it.
#[derive(Debug, Clone, Copy)]
pub enum DemoFailure<'a> {
    /// A step did not give what it must.
    Step {
        /// From 1.
        number: usize,
        /// Which.
        step: DemoStep,
        /// What was found.
        why: &'a str,
    },
    /// The agent heard something else.
    Heard {
        /// What it must hear.
        wanted: &'a str,
        /// What it heard.
        heard: &'a str,
    },
    /// A command ended with another status.
    Command {
        /// The command.
        command: &'a str,
        /// Its exit status; `None` where a signal ended it.
        status: Option<i32>,
        /// What it said.
        said: &'a str,
    },
    /// A check did not hold.
    Check(DemoCheck<'a>),
    /// Something took too long.
    TooLong {
        /// What.
        what: Attempt<'a>,
    },
    /// The person said no.
    SaidNo,
    /// The person's input ended.
    InputEnded,
    /// There is no terminal to ask in.
    NoTerminal,
    /// A state directory was given.
    OwnState,
    /// No directory in which a program may run.
    NoPlace {
        /// What was tried, and why it does not serve.
        tried: &'a [(&'a str, Cause<'a>)],
    },
    /// Stopped by a signal.
    Interrupted {
        /// Its files stay.
        kept: bool,
    },
}
