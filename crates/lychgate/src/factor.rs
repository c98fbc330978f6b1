//! How a passphrase, a PIN or a credential is asked: hidden on the terminal, or line by line from standard input.
//!
//! Never from an argument or the environment: both can be read by other programs of the same user.

use crate::hidden;
use crate::lines::{NoLine, next_line};
use crate::output;
use crate::trouble::Trouble;
use lychgate_core::card::visible;
use lychgate_text::{Attempt, Catalogue, Cause, Message, Problem, Wanted};
use lychgate_vault::{RuleBroken, check_passphrase, check_pin_rules};
use zeroize::Zeroizing;

/// How often a person at the terminal may mistype before the command gives up.
pub(crate) const TRIES: usize = 3;

/// The longest credential, in bytes: what the gateway takes as well.
const SECRET_BYTES: usize = 16 * 1024;

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

    /// How often is asked. A script is asked once: its next line is meant for something else.
    pub(crate) fn tries(self) -> usize {
        match self {
            Self::Terminal => TRIES,
            Self::Stdin => 1,
        }
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
    again(source, || ask(say, source, Wanted::Passphrase, &Message::AskPassphrase))
}

/// The PIN.
pub(crate) fn pin(say: &dyn Catalogue, source: Source) -> Result<Zeroizing<String>, Trouble> {
    again(source, || ask(say, source, Wanted::Pin, &Message::AskPin))
}

/// A channel's credential.
pub(crate) fn secret(say: &dyn Catalogue, source: Source, channel: &str) -> Result<Zeroizing<String>, Trouble> {
    again(source, || {
        let secret = ask(say, source, Wanted::Secret, &Message::AskSecret { channel })?;
        match secret_flaw(&secret) {
            None => Ok(secret),
            Some(why) => Err(Bad::Mistyped(Trouble::of(say, &Problem::FactorForm { wanted: Wanted::Secret, why }))),
        }
    })
}

/// Why no server could be sent this credential. The gateway would find out at the first use only.
fn secret_flaw(secret: &str) -> Option<Cause<'static>> {
    if secret.len() > SECRET_BYTES {
        Some(Cause::LongerThanHeaders)
    } else if !secret.bytes().all(|byte| byte.is_ascii_graphic()) {
        Some(Cause::NoBareToken)
    } else {
        None
    }
}

/// A new passphrase; on a terminal typed twice.
pub(crate) fn new_passphrase(say: &dyn Catalogue, source: Source) -> Result<Zeroizing<String>, Trouble> {
    again(source, || {
        let text = ask(say, source, Wanted::Passphrase, &Message::AskNewPassphrase)?;
        check_passphrase(text.as_bytes()).map_err(|broken| form(say, Wanted::Passphrase, broken))?;
        confirmed(say, source, text, Wanted::Passphrase, &Message::AskSamePassphrase)
    })
}

/// A new PIN beside `passphrase`; on a terminal typed twice.
pub(crate) fn new_pin(say: &dyn Catalogue, source: Source, passphrase: &str) -> Result<Zeroizing<String>, Trouble> {
    again(source, || {
        let text = ask(say, source, Wanted::Pin, &Message::AskNewPin)?;
        check_pin_rules(text.as_bytes(), passphrase.as_bytes()).map_err(|broken| form(say, Wanted::Pin, broken))?;
        confirmed(say, source, text, Wanted::Pin, &Message::AskSamePin)
    })
}

/// Why nothing usable was typed.
enum Bad {
    /// It was mistyped: asking again may help.
    Mistyped(Trouble),
    /// Nothing can be asked.
    Lost(Trouble),
}

impl From<Trouble> for Bad {
    fn from(trouble: Trouble) -> Self {
        Self::Lost(trouble)
    }
}

/// Asks until something usable was typed, or the tries are used up.
fn again<T>(source: Source, mut once: impl FnMut() -> Result<T, Bad>) -> Result<T, Trouble> {
    let mut left = source.tries();
    loop {
        left = left.saturating_sub(1);
        match once() {
            Ok(typed) => return Ok(typed),
            Err(Bad::Mistyped(trouble)) if left > 0 => output::error(&trouble.text),
            Err(Bad::Mistyped(trouble) | Bad::Lost(trouble)) => return Err(trouble),
        }
    }
}

fn form(say: &dyn Catalogue, wanted: Wanted, broken: RuleBroken) -> Bad {
    Bad::Mistyped(Trouble::of(say, &Problem::FactorForm { wanted, why: Cause::Said(&broken.to_string()) }))
}

fn confirmed(
    say: &dyn Catalogue,
    source: Source,
    text: Zeroizing<String>,
    wanted: Wanted,
    prompt: &Message<'_>,
) -> Result<Zeroizing<String>, Bad> {
    match source {
        // A script does not mistype.
        Source::Stdin => Ok(text),
        Source::Terminal if ask(say, source, wanted, prompt)? == text => Ok(text),
        Source::Terminal => Err(Bad::Mistyped(Trouble::of(say, &Problem::Differ { wanted }))),
    }
}

fn ask(say: &dyn Catalogue, source: Source, wanted: Wanted, prompt: &Message<'_>) -> Result<Zeroizing<String>, Bad> {
    let text = match source {
        Source::Stdin => next_line().map_err(|why| no_line(say, wanted, &why))?,
        Source::Terminal => {
            source.check(say)?;
            hidden::ask(&say.message(prompt)).map_err(|error| terminal(say, &error))?
        }
    };
    if text.is_empty() { Err(Bad::Mistyped(Trouble::of(say, &Problem::Empty { wanted }))) } else { Ok(text) }
}

pub(crate) fn no_line(say: &dyn Catalogue, wanted: Wanted, why: &NoLine) -> Trouble {
    match why {
        NoLine::Ended => Trouble::of(say, &Problem::InputEnded { wanted }),
        NoLine::Malformed => Trouble::of(say, &Problem::InputMalformed { wanted }),
        NoLine::Io(error) => Trouble::system(say, Attempt::ReadingInput, error),
    }
}

fn terminal(say: &dyn Catalogue, error: &std::io::Error) -> Trouble {
    Trouble::of(say, &Problem::Terminal { why: &visible(&error.to_string()) })
}

#[cfg(test)]
mod tests {
    use super::{SECRET_BYTES, secret_flaw};

    #[test]
    fn a_credential_is_what_can_stand_in_a_header() {
        assert_eq!(secret_flaw("ghp_Ab0~/+=-._"), None);
        assert_eq!(secret_flaw(&"x".repeat(SECRET_BYTES)), None);
        for bad in ["Bearer x", "x\t", "x\r", "x\u{7f}", "schl\u{fc}ssel", &"x".repeat(SECRET_BYTES + 1)] {
            assert!(secret_flaw(bad).is_some(), "{bad}");
        }
    }
}
