//! How a command ends: exit statuses, and failures that say what, why and what next.

use lychgate_core::card::visible;
use lychgate_text::{Attempt, Catalogue, Cause, Problem, problem};
use lychgate_wire::operator::Failure;
use std::fmt::Display;
use std::process::ExitCode;

/// Exit statuses. Scripts rely on them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Exit {
    /// Done.
    Done,
    /// Refused or failed.
    Failed,
    /// The arguments or the way it was called are wrong.
    Usage,
    /// No gateway answers.
    Unreachable,
    /// The vault is locked.
    Locked,
    /// `audit verify`: 0 or 10 to 18.
    Verdict(u8),
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        Self::from(match exit {
            Exit::Done => 0,
            Exit::Failed => 1,
            Exit::Usage => 2,
            Exit::Unreachable => 3,
            Exit::Locked => 4,
            Exit::Verdict(status) => status,
        })
    }
}

/// Why a command did not do what it was asked to.
#[derive(Debug)]
pub(crate) struct Trouble {
    /// Status.
    pub(crate) exit: Exit,
    /// What, why, what next. Safe to print.
    pub(crate) text: String,
}

/// What every command returns.
pub(crate) type Outcome = Result<Exit, Trouble>;

impl Trouble {
    /// A problem in the person's language, with the status that its kind has.
    pub(crate) fn of(say: &dyn Catalogue, what: &Problem<'_>) -> Self {
        let exit = match what {
            Problem::NoGateway { .. } => Exit::Unreachable,
            Problem::NoTerminal | Problem::InputEnded { .. } | Problem::Argument { .. } => Exit::Usage,
            Problem::GatewayLeft { .. }
            | Problem::GatewayEnded { .. }
            | Problem::NotOurGateway { .. }
            | Problem::OtherBuild { .. }
            | Problem::Gateway { .. }
            | Problem::GatewayNotStarted { .. }
            | Problem::Terminal { .. }
            | Problem::InputMalformed { .. }
            | Problem::Empty { .. }
            | Problem::Differ { .. }
            | Problem::FactorForm { .. }
            | Problem::VaultExists { .. }
            | Problem::NoVault { .. }
            | Problem::NoJournal { .. }
            | Problem::Store { .. }
            | Problem::Directory { .. }
            | Problem::NoHome
            | Problem::File { .. }
            | Problem::System { .. } => Exit::Failed,
        };
        Self { exit, text: problem(say, what) }
    }

    /// Something that the system or a library refused, in its own words.
    pub(crate) fn system(say: &dyn Catalogue, what: Attempt<'_>, error: &dyn Display) -> Self {
        Self::of(say, &Problem::System { what, why: Cause::Said(&visible(&error.to_string())) })
    }

    /// The gateway's own refusal.
    pub(crate) fn refused(say: &dyn Catalogue, command: &str, kind: Failure, text: &str) -> Self {
        // The gateway's words can quote names that a client chose.
        let text = text.lines().map(visible).collect::<Vec<_>>().join("\n  ");
        Self::not_done(say, command, kind, Cause::Said(&text))
    }

    /// As [`Trouble::refused`], where this program finds out by itself what the gateway would refuse.
    pub(crate) fn not_done(say: &dyn Catalogue, command: &str, kind: Failure, why: Cause<'_>) -> Self {
        let exit = match kind {
            Failure::Locked => Exit::Locked,
            Failure::Refused | Failure::WrongFactor | Failure::NotFound | Failure::Fault => Exit::Failed,
        };
        Self { exit, ..Self::of(say, &Problem::Gateway { command, why }) }
    }
}
