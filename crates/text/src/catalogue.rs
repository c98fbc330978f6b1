//! What a language must be able to say.

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
use lychgate_core::evidence::Unverified;
use lychgate_core::ids::NotAnId;
use lychgate_core::outcome::{EndReason, NotStarted, Outcome, Reason};
use lychgate_core::proof::Mismatch;
use lychgate_core::provenance::Signer;
use lychgate_core::request::InvalidRequest;

/// A language. Every text is one or more whole sentences unless its documentation says "label".
///
/// Text that comes in as an argument has been made visible already; an implementation adds words around it.
pub trait Catalogue: Sync {
    /// Language tag, such as `en`.
    fn tag(&self) -> &'static str;
    /// What is the case, for cards and for the `changed` of an answer. After a lapse it says what changed (R29).
    fn reason(&self, reason: Reason) -> &'static str;
    /// What the agent can do about `reason` where it is the reason of the outcome it leads to.
    ///
    /// For a lapse that is `authorize` and nothing else (R19).
    fn after_reason(&self, reason: Reason) -> &'static str;
    /// What the agent can do after `outcome` where no reason says it better.
    fn after_outcome(&self, outcome: Outcome) -> &'static str;
    /// Why a run or an approval ended.
    fn ended(&self, end: EndReason) -> &'static str;
    /// What proves that an action did not start.
    fn not_started(&self, evidence: NotStarted) -> &'static str;
    /// What a yes takes.
    fn ceremony(&self, ceremony: Ceremony) -> &'static str;
    /// Who vouches for a program.
    fn signer(&self, signer: &Signer) -> String;
    /// Why a text can't be part of a channel, to stand inside a sentence; so the next three.
    fn channel_error(&self, error: &ChannelError) -> String;
    /// Why a request was refused before anyone was asked.
    fn invalid_request(&self, error: &InvalidRequest) -> String;
    /// Why a text is no identifier.
    fn not_an_id(&self, error: &NotAnId) -> String;
    /// Why a text is no name for a pinned program.
    fn not_an_agent_name(&self, error: &NotAnAgentName) -> String;
    /// Why a permitted action can't go on: what was to be joined does not belong together.
    fn mismatch(&self, mismatch: &Mismatch) -> String;
    /// A piece of a card.
    fn card(&self, part: &CardPart<'_>) -> String;
    /// What the gateway itself says beside outcomes and reasons.
    fn gateway(&self, text: &GatewayText<'_>) -> String;
    /// What `lych mcp` itself says.
    fn shim(&self) -> &'static ShimTexts;
    /// What a command says on its way or when it is done.
    fn message(&self, message: &Message<'_>) -> String;
    /// What, why, and what to do next.
    fn problem(&self, problem: &Problem<'_>) -> [String; 3];
    /// What the demo tells on its way.
    fn demo(&self, text: &Demo<'_>) -> String;
    /// Why the demo did not come to its end.
    fn demo_failure(&self, failure: &DemoFailure<'_>) -> String;
    /// What the HTTP executor says: why a request was not sent, why no answer came.
    fn http(&self) -> &'static HttpTexts;
    /// What process evidence says: consoles, the kernel, the own process, refused requesters.
    fn peer(&self) -> &'static PeerTexts;
    /// What the two local protocols say when a connection fails.
    fn wire(&self) -> &'static WireTexts;
    /// What sealed files and careful file handling say.
    fn seal(&self) -> &'static SealTexts;
    /// What the vault says: its file, its epoch, its rules, its action store.
    fn vault(&self) -> &'static VaultTexts;
    /// What the journal says: why it can't be written, what verification found, what a verdict is.
    fn journal(&self) -> &'static JournalTexts;
    /// What reading the journal says.
    fn view(&self) -> &'static ViewTexts;
    /// What `lych --help` and the help of its commands say.
    fn help(&self) -> &'static HelpTexts;
}

/// The pieces of cards and lists. Labels are short and have no end mark.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum CardPart<'a> {
    /// First line.
    Headline {
        /// `C7`.
        card: String,
        /// `R31`.
        run: String,
        /// The question is about one action alone.
        one_action: bool,
    },
    /// Heading over what changed.
    WhatChanged,
    /// Nothing was approved before.
    NothingBefore,
    /// The earlier run, and whether it was the same program file.
    Previous {
        /// `R30`.
        run: String,
        /// Its program.
        program: &'a str,
        /// Same file by its hash.
        same_program: bool,
    },
    /// A yes also shows results of the earlier run.
    ShowsResults {
        /// `R30`.
        run: String,
    },
    /// Heading over who asks.
    WhoAsks,
    /// Label: program.
    Program,
    /// Program and process id.
    ProgramAndPid {
        /// File name.
        name: &'a str,
        /// Process id.
        pid: u32,
    },
    /// Label: who vouches for the program.
    Signer,
    /// Label: file.
    File,
    /// The file was removed since the start.
    FileGone,
    /// Another file took its place since the start.
    FileReplaced,
    /// Label: digest of the program file.
    ProgramDigest,
    /// Label: when this program first asked.
    FirstAsked,
    /// It did on that day (UTC), or now.
    FirstAskedOn {
        /// `2026-11-30`; `None` for now.
        day: Option<String>,
    },
    /// Label: the person's last yes to it.
    LastYes,
    /// There was none.
    NoYes,
    /// It was to the same file, and the same script where there is one.
    YesToTheSame {
        /// `2026-11-30` (UTC).
        day: String,
    },
    /// It was to another program file.
    YesToOtherProgram {
        /// As above.
        day: String,
    },
    /// It was to another content of the script.
    YesToOtherScript {
        /// As above.
        day: String,
    },
    /// It was to the same interpreter; what that runs can't be compared.
    YesUncomparable {
        /// As above.
        day: String,
    },
    /// The store of earlier results could not be read.
    HistoryUnknown,
    /// Label: the script of an interpreter.
    Script,
    /// Label: digest of the file that is at the script's path now.
    ScriptDigest,
    /// The script could not be read.
    ScriptUnread,
    /// Label: working directory.
    Directory,
    /// It could not be read.
    DirectoryUnknown,
    /// Label: command line.
    CommandLine,
    /// Label: conversation.
    Conversation,
    /// Mark beside what is the process's or client's own word.
    Claimed,
    /// Label: the chain of processes.
    Processes,
    /// Heading over the channels of a session yes.
    WhatAYesOpens,
    /// Ticked, unticked.
    Tick {
        /// Already ticked.
        ticked: bool,
    },
    /// Label: origins.
    GoesTo,
    /// Label: path prefixes.
    Paths,
    /// Label: methods.
    Methods,
    /// Label: methods that ask each time.
    AsksEachTime,
    /// Label: limits of a yes.
    Limits,
    /// They are: uses, minutes, or both.
    LimitedTo {
        /// Uses.
        uses: Option<u32>,
        /// Minutes.
        minutes: Option<u32>,
    },
    /// The approval of the run stands; this use needs a yes of its own.
    ApprovalStands,
    /// Another run's approval is what this one works under; this use needs a yes of its own.
    CoveredBy {
        /// That run.
        run: String,
    },
    /// The agent of another run started the program that asks.
    StartedBy {
        /// That run.
        run: String,
        /// Its agent.
        program: &'a str,
    },
    /// No approval stands, and none but for one action can.
    NoneCanStand,
    /// The agent's program can't be read.
    ProgramUnreadable,
    /// No requester was verified, and why.
    NobodyVerified(Unverified),
    /// Process id alone.
    ProcessNumber {
        /// Process id.
        pid: u32,
    },
    /// Label: what else is set.
    Settings,
    /// What else is set for a channel.
    SettingWords {
        /// Each use is asked.
        per_call: bool,
        /// Private and loopback addresses are allowed.
        private: bool,
        /// It has certificates of its own.
        own_ca: bool,
        /// Unverified requesters may ask for single actions.
        unverified: bool,
        /// Unreadable programs may have session approvals.
        unreadable: bool,
    },
    /// Heading over the action where the yes is for it.
    TheAction,
    /// Heading over the action that was the occasion.
    TheOccasion,
    /// Label: action number and channel.
    ActionLabel,
    /// Action and channel.
    ActionOn {
        /// `Q44`.
        action: String,
        /// Channel.
        channel: &'a str,
    },
    /// Label: request line.
    Request,
    /// Label: header.
    Header,
    /// Label: body.
    Body,
    /// There is no body.
    NoBody,
    /// Length of the body.
    BodyBytes {
        /// Bytes.
        bytes: u64,
    },
    /// The body is not shown here: too long, or no text.
    BodyNotShown,
    /// Label: digest of the body.
    BodyDigest,
    /// Label: digest of the whole request.
    RequestDigest,
    /// Heading over what a yes covers.
    WhatYesCovers,
    /// A session yes: for how long and for whom.
    CoversRun,
    /// What a session yes does not cover.
    CoversNoOther,
    /// How a yes could cover the programs that the agent starts.
    ProgramsToo,
    /// What the agent itself may let a program do.
    MayDelegate,
    /// Methods that ask each time still ask.
    StillAsks,
    /// A yes covers exactly the action.
    CoversAction,
    /// Label: what it takes.
    Takes,
    /// Label: gateway lifetime and vault epoch.
    State,
    /// Those two.
    BootAndEpoch {
        /// `B8`.
        boot: String,
        /// Epoch.
        epoch: u64,
    },
}
