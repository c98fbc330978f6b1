//! What was being done when something failed.

use crate::harden::HardenStep;

/// What was tried. Said as a label, so that "failed" or "took too long" can follow.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Attempt<'a> {
    /// Bringing up what a command runs in.
    Starting,
    /// Finding out which file this program is.
    FindingProgram,
    /// Giving up what it has no use for.
    Harden(HardenStep),
    /// Becoming the leader of a session of its own.
    LeavingSession,
    /// Starting this program over without environment.
    StartingAnew,
    /// Reading standard input.
    ReadingInput,
    /// Creating the vault.
    CreatingVault,
    /// Creating the audit key.
    CreatingAuditKey,
    /// Creating the journal.
    CreatingJournal,
    /// Finding out what one derivation costs here.
    MeasuringMachine,
    /// Reading the vault file.
    ReadingVault,
    /// Putting a vault file back.
    RestoringVault,
    /// Deriving a key from the passphrase.
    TryingPassphrase,
    /// Opening the audit key.
    OpeningAuditKey,
    /// Reading the journal.
    ReadingJournal,
    /// Making a checkpoint of the journal.
    MakingCheckpoint,
    /// Serving as the gateway.
    RunningGateway,
    /// Serving MCP.
    ServingMcp,
    /// Demo: listening for signals.
    ListeningForSignals,
    /// Demo: drawing factors and a credential.
    DrawingRandom,
    /// Demo: finding a port where nobody listens.
    FindingPort,
    /// Demo: starting the gateway.
    StartingGateway,
    /// Demo: starting the service.
    StartingService,
    /// Demo: what the service does.
    Serving,
    /// Demo: reading what the service wrote down.
    ReadingRecord,
    /// Demo: starting the agent.
    StartingAgent,
    /// Demo: calling a tool.
    CallingTool,
    /// Demo: writing to the agent.
    TellingAgent,
    /// Demo: reading from the agent.
    HearingAgent,
    /// Demo: waiting until a card opens.
    WaitingForCard,
    /// Demo: reading the list of cards.
    ReadingCards,
    /// Demo: reading what the person types.
    ReadingTerminal,
    /// Demo: copying the journal and changing a byte of the copy.
    ChangingCopy,
    /// Demo: searching the state directory.
    SearchingFiles,
    /// The demo's agent: starting `lych mcp`.
    StartingShim,
    /// The demo's agent: the first words with `lych mcp`.
    SpeakingMcp,
    /// The demo's agent: becoming another program.
    Executing,
    /// A command, as it could be typed.
    Command(&'a str),
}
