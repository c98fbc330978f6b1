//! How a passphrase, a PIN or a credential is asked: hidden on the terminal, or line by line from standard input.
//!
//! Never from an argument or the environment: both can be read by other programs of the same user.

use crate::hidden;
use crate::lines::{NoLine, next_line};
use crate::trouble::Trouble;
use lychgate_core::card::visible;
use lychgate_text::{Catalogue, Message, Problem, Wanted};
use lychgate_vault::{RuleBroken, check_passphrase, check_pin_rules};
use zeroize::Zeroizing;

/// Where secrets come from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Source {
    /// Asked on `/dev/tty`.
    Terminal,
    /// The next line of standard input.
    Stdin,
}

impl Source {
    /// The source that the person chose.
    pub(crate) fn of(from_stdin: bool) -> Self {
        if from_stdin { Self::Stdin } else { Self::Terminal }
    }

    /// Refuses early where nothing can be asked.
    pub(crate) fn check(self, say: &dyn Catalogue) -> Result<(), Trouble> {
        let there = match self {
            Self::Stdin => true,
            Self::Terminal => std::fs::File::options().read(true).write(true).open(hidden::TERMINAL).is_ok(),
        };
        there.then_some(()).ok_or_else(|| Trouble::of(say, &Problem::NoTerminal))
    }
}

/// The passphrase of the vault.
pub(crate) fn passphrase(say: &dyn Catalogue, source: Source) -> Result<Zeroizing<String>, Trouble> {
    ask(say, source, Wanted::Passphrase, &Message::AskPassphrase)
}

/// The PIN.
pub(crate) fn pin(say: &dyn Catalogue, source: Source) -> Result<Zeroizing<String>, Trouble> {
    ask(say, source, Wanted::Pin, &Message::AskPin)
}

/// A channel's credential.
pub(crate) fn secret(say: &dyn Catalogue, source: Source, channel: &str) -> Result<Zeroizing<String>, Trouble> {
    ask(say, source, Wanted::Secret, &Message::AskSecret { channel })
}

/// A new passphrase; on a terminal typed twice.
pub(crate) fn new_passphrase(say: &dyn Catalogue, source: Source) -> Result<Zeroizing<String>, Trouble> {
    let text = ask(say, source, Wanted::Passphrase, &Message::AskNewPassphrase)?;
    check_passphrase(text.as_bytes()).map_err(|broken| form(say, Wanted::Passphrase, broken))?;
    confirmed(say, source, text, Wanted::Passphrase, &Message::AskSamePassphrase)
}

/// A new PIN beside `passphrase`; on a terminal typed twice.
pub(crate) fn new_pin(say: &dyn Catalogue, source: Source, passphrase: &str) -> Result<Zeroizing<String>, Trouble> {
    let text = ask(say, source, Wanted::Pin, &Message::AskNewPin)?;
    check_pin_rules(text.as_bytes(), passphrase.as_bytes()).map_err(|broken| form(say, Wanted::Pin, broken))?;
    confirmed(say, source, text, Wanted::Pin, &Message::AskSamePin)
}

fn form(say: &dyn Catalogue, wanted: Wanted, broken: RuleBroken) -> Trouble {
    Trouble::of(say, &Problem::FactorForm { wanted, why: &broken.to_string() })
}

fn confirmed(
    say: &dyn Catalogue,
    source: Source,
    text: Zeroizing<String>,
    wanted: Wanted,
    prompt: &Message<'_>,
) -> Result<Zeroizing<String>, Trouble> {
    match source {
        // A script does not mistype.
        Source::Stdin => Ok(text),
        Source::Terminal if ask(say, source, wanted, prompt)? == text => Ok(text),
        Source::Terminal => Err(Trouble::of(say, &Problem::Differ { wanted })),
    }
}

fn ask(
    say: &dyn Catalogue,
    source: Source,
    wanted: Wanted,
    prompt: &Message<'_>,
) -> Result<Zeroizing<String>, Trouble> {
    let text = match source {
        Source::Stdin => next_line().map_err(|why| no_line(say, wanted, &why))?,
        Source::Terminal => {
            source.check(say)?;
            hidden::ask(&say.message(prompt)).map_err(|error| terminal(say, &error))?
        }
    };
    if text.is_empty() { Err(Trouble::of(say, &Problem::Empty { wanted })) } else { Ok(text) }
}

pub(crate) fn no_line(say: &dyn Catalogue, wanted: Wanted, why: &NoLine) -> Trouble {
    match why {
        NoLine::Ended => Trouble::of(say, &Problem::InputEnded { wanted }),
        NoLine::Malformed => Trouble::of(say, &Problem::InputMalformed { wanted }),
        NoLine::Io(error) => {
            Trouble::of(say, &Problem::System { what: "reading standard input", why: &visible(&error.to_string()) })
        }
    }
}

fn terminal(say: &dyn Catalogue, error: &std::io::Error) -> Trouble {
    Trouble::of(say, &Problem::Terminal { why: &visible(&error.to_string()) })
}
