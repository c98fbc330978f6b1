//! What went wrong: what, why, and what to do next.

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
        why: &'a str,
    },
    /// The gateway ended while a console waited for its news.
    GatewayEnded {
        /// What the socket said.
        why: &'a str,
    },
    /// Whoever serves the socket is not to be trusted with a factor.
    NotOurGateway {
        /// What was seen.
        why: &'a str,
    },
    /// The gateway speaks another version.
    OtherBuild {
        /// Its version.
        gateway: &'a str,
        /// Ours.
        ours: &'a str,
    },
    /// The gateway did not do the command; its own words.
    Gateway {
        /// The command.
        command: &'a str,
        /// Its words: what, why, what next.
        text: &'a str,
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
        why: &'a str,
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
        what: &'a str,
        /// Why it failed.
        why: &'a str,
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
        why: &'a str,
    },
    /// An argument is wrong beyond what the parser sees.
    Argument {
        /// What is wrong.
        why: &'a str,
    },
    /// Something of the operating system failed.
    System {
        /// What was tried.
        what: &'a str,
        /// Why.
        why: &'a str,
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
