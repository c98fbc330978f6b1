//! What went wrong: what, why, and what to do next.

mod attempt;
mod cause;

pub use attempt::Attempt;
pub use cause::Cause;

use crate::catalogue::Catalogue;

/// A failure of a command. Foreign text in it has been made visible by the caller.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Problem<'a> {
    /// No gateway listens.
    NoGateway {
        /// Where it was looked for.
        socket: &'a str,
    },
    /// The connection was lost in the middle of a command.
    GatewayLeft {
        /// What the socket said.
        why: Cause<'a>,
    },
    /// The gateway ended while a console waited for its news.
    GatewayEnded {
        /// What the socket said.
        why: &'a str,
    },
    /// Whoever serves the socket is not to be trusted with a factor.
    NotOurGateway {
        /// What was seen.
        why: Cause<'a>,
    },
    /// The gateway speaks another version.
    OtherBuild {
        /// Its version.
        gateway: &'a str,
        /// Ours.
        ours: &'a str,
    },
    /// The command was not done.
    Gateway {
        /// The command.
        command: &'a str,
        /// Its words, which say what, why and what next; or ours, where we know it already.
        why: Cause<'a>,
    },
    /// The gateway did not become ready.
    GatewayNotStarted {
        /// What it said.
        why: &'a str,
    },
    /// A factor is needed and there is no terminal.
    NoTerminal,
    /// The terminal failed.
    Terminal {
        /// Why.
        why: &'a str,
    },
    /// Standard input ended before what was needed.
    InputEnded {
        /// What was still needed.
        wanted: Wanted,
    },
    /// A line of standard input is too long or not UTF-8.
    InputMalformed {
        /// What was read.
        wanted: Wanted,
    },
    /// Nothing was typed.
    Empty {
        /// What.
        wanted: Wanted,
    },
    /// The two entries differ.
    Differ {
        /// What.
        wanted: Wanted,
    },
    /// A new passphrase or PIN that breaks a rule.
    FactorForm {
        /// Which.
        wanted: Wanted,
        /// The rule.
        why: Cause<'a>,
    },
    /// There is a vault already.
    VaultExists {
        /// Where.
        dir: &'a str,
    },
    /// There is no vault.
    NoVault {
        /// Where it was looked for.
        dir: &'a str,
    },
    /// There is no journal.
    NoJournal {
        /// Where it was looked for.
        dir: &'a str,
    },
    /// The vault, the audit key or the journal could not be used.
    Store {
        /// What was tried.
        what: Attempt<'a>,
        /// Why it failed.
        why: Cause<'a>,
    },
    /// The state directory is not safe.
    Directory {
        /// Which.
        dir: &'a str,
        /// What is wrong.
        why: &'a str,
    },
    /// The operating system has no home directory for this user.
    NoHome,
    /// A file could not be read.
    File {
        /// Which.
        file: &'a str,
        /// Why.
        why: Cause<'a>,
    },
    /// An argument is wrong beyond what the parser sees.
    Argument {
        /// What is wrong.
        why: Cause<'a>,
    },
    /// Something of the operating system failed.
    System {
        /// What was tried.
        what: Attempt<'a>,
        /// Why.
        why: Cause<'a>,
    },
}

/// What was asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Wanted {
    /// The passphrase.
    Passphrase,
    /// The PIN.
    Pin,
    /// A channel's credential.
    Secret,
}

/// The problem in one paragraph: what, why, what next.
#[must_use]
pub fn problem(catalogue: &dyn Catalogue, problem: &Problem<'_>) -> String {
    let parts = catalogue.problem(problem);
    parts.iter().filter(|part| !part.is_empty()).map(String::as_str).collect::<Vec<_>>().join("\n  ")
}
