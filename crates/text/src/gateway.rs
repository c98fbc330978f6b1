//! What the gateway itself says, to a console or to an agent, beside outcomes and reasons; and why it does not start.

use crate::harden::HardenStep;

/// A text of the gateway. Foreign text in it has been made visible by the caller.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum GatewayText<'a> {
    /// Console and gateway are of different builds.
    OtherBuild,
    /// The console is not what it was when it connected, or can't be looked at again.
    ConsoleChanged,
    /// The command comes from a descendant of a run.
    WithinARun,
    /// The command takes the PIN, and none came.
    NoFactor,
    /// The PIN is wrong.
    WrongPin {
        /// Tries that are left.
        left: u32,
    },
    /// No PIN helps any more.
    PinBlocked,
    /// A pin of a program that is unsigned whoever vouches for it.
    PinSaysNothing {
        /// Why, in words.
        why: &'a str,
    },
    /// The vault is locked.
    Locked,
    /// The vault is open already.
    OpenAlready,
    /// The vault is just being locked.
    BeingLocked,
    /// The vault is lost to this gateway.
    VaultOutOfReach,
    /// The journal was signed by another vault.
    ForeignJournal,
    /// What came is no slot key.
    BadKey,
    /// There is no such open card.
    NoCard,
    /// Another card than the one that was shown.
    OtherCard,
    /// The card takes the PIN.
    CardTakesPin,
    /// Nothing is ticked, or a channel is named that is not on the card.
    NothingTicked {
        /// A channel of the card.
        channel: &'a str,
    },
    /// There is no such live run.
    NoRun,
    /// A yes could not be recorded, so it grants nothing.
    NotGranted,
    /// Authority was taken back while a yes was being recorded.
    TakenBackMeanwhile,
    /// It is done and could not be recorded.
    DoneNotRecorded,
    /// The action store can't be used.
    NoStore {
        /// Why.
        why: &'a str,
    },
    /// An agent named a channel that there is not.
    NoChannel {
        /// As named.
        name: &'a str,
        /// Those that there are; empty for none.
        known: &'a str,
    },
    /// What `authorize` says of channels that give this run no session approval (R5).
    AskedEachTime {
        /// Their names.
        channels: &'a str,
    },
    /// A program may now work under the run's approvals.
    Delegated {
        /// Its process.
        pid: u32,
    },
    /// `delegate` names a process that is no live program below the agent.
    NoDescendant {
        /// The process.
        pid: u32,
    },
    /// `delegate` names a channel on which the run itself has no session approval.
    NothingToDelegate {
        /// The channel.
        channel: &'a str,
    },
    /// After the reason why a request is wrong.
    NothingSent {
        /// The reason.
        why: &'a str,
    },
    /// A body that is no base64.
    NotBase64,
    /// A key or ref that was used with another request.
    KeyReused {
        /// Which.
        what: &'a str,
    },
    /// An action key that is too long.
    KeyTooLong {
        /// Bytes allowed.
        limit: usize,
    },
    /// `retry_of` names no action of the run.
    NoEarlierAction,
    /// How many channels one call may name.
    ChannelCount {
        /// The most.
        most: usize,
    },
    /// Progress: the person has not answered.
    WaitingForPerson {
        /// `C7`.
        card: Option<&'a str>,
    },
    /// Progress: the request is on its way.
    UnderWay,
    /// A result was recorded; its content is gone.
    ContentGone,
    /// Over a response.
    ResponseLine {
        /// HTTP status.
        status: u16,
        /// Body bytes.
        bytes: u64,
    },
    /// A redirect that was not followed.
    Redirect {
        /// Where to.
        location: &'a str,
    },
    /// The body holds the credential.
    BodyHoldsCredential,
    /// The body is compressed and could not be searched.
    BodyEncoded,
    /// Headers held the credential.
    HeadersWithheld,
    /// The server ended the body early.
    CutByServer,
    /// The body was longer than is read.
    CutByGateway,
    /// The journal could not record a DISPATCH.
    DispatchNotRecorded,
    /// The caller's connection closed before anything was sent.
    CallerClosed,
    /// Authority ended before the first byte.
    EndedBeforeFirstByte,
    /// Too much time passed between decision and first byte.
    PermitTooOld,
    /// A result came and could not be recorded.
    ResultNotRecorded,
    /// The kernel lacks what the checks rest on.
    OldKernel {
        /// What it lacks.
        why: &'a str,
    },
    /// A gateway can't start without a vault.
    NoVault {
        /// Where it was looked for.
        dir: &'a str,
    },
    /// Another gateway serves this state.
    AlreadyServed {
        /// Which state directory.
        dir: &'a str,
    },
    /// A step of the start failed.
    StepFailed {
        /// Which.
        step: GatewayStep,
        /// A file that it was about.
        at: Option<&'a str>,
        /// What the system said.
        why: &'a str,
    },
}

/// What a gateway does before it serves.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum GatewayStep {
    /// Giving up what it has no use for.
    Harden(HardenStep),
    /// As many descriptors as the system allows.
    Descriptors,
    /// The event loop.
    Runtime,
    /// Which file it runs itself.
    OwnProgram,
    /// Which namespaces it lives in.
    OwnNamespaces,
    /// Which processes it descends from.
    OwnAncestors,
    /// The random id of its lifetime.
    BootId,
    /// The task that writes the action store.
    Keeper,
    /// A socket that an earlier gateway left.
    OldSocket,
    /// A socket of its own.
    Listening,
    /// Signals.
    Signals,
}
