//! What will do as a passphrase and as a PIN.

use lychgate_text::words;
use std::ops::RangeInclusive;

/// Fewest characters of a passphrase. The cost of a try does the rest; more words are better than more symbols.
pub const PASSPHRASE_CHARS: usize = 8;
/// Characters of a PIN. Short, because five tries are all there is.
pub const PIN_CHARS: RangeInclusive<usize> = 4..=32;

/// What a person types.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Factor {
    /// What opens the vault.
    Passphrase,
    /// What a decision takes.
    Pin,
}

/// Why a passphrase or a PIN will not do.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum RuleBroken {
    /// No passphrase.
    #[error("{}", words().vault().rule.passphrase_empty)]
    EmptyPassphrase,
    /// Too short a passphrase.
    #[error("{}", (words().vault().rule.passphrase_short)(PASSPHRASE_CHARS))]
    ShortPassphrase,
    /// Not text.
    #[error("{}", not_text(*.0))]
    NotText(Factor),
    /// A control character, most likely an accident of the terminal.
    #[error("{}", control(*.0))]
    Control(Factor),
    /// Too short or too long a PIN.
    #[error("{}", (words().vault().rule.pin_length)(*PIN_CHARS.start(), *PIN_CHARS.end()))]
    PinLength,
    /// The same for both.
    #[error("{}", words().vault().rule.pin_is_passphrase)]
    PinIsPassphrase,
}

fn not_text(factor: Factor) -> &'static str {
    let words = &words().vault().rule;
    match factor {
        Factor::Passphrase => words.passphrase_not_text,
        Factor::Pin => words.pin_not_text,
    }
}

fn control(factor: Factor) -> &'static str {
    let words = &words().vault().rule;
    match factor {
        Factor::Passphrase => words.passphrase_control,
        Factor::Pin => words.pin_control,
    }
}

/// Checks a passphrase.
///
/// # Errors
/// [`RuleBroken`].
pub fn check_passphrase(passphrase: &[u8]) -> Result<(), RuleBroken> {
    if passphrase.is_empty() {
        return Err(RuleBroken::EmptyPassphrase);
    }
    let chars = chars(passphrase, Factor::Passphrase)?;
    if chars < PASSPHRASE_CHARS { Err(RuleBroken::ShortPassphrase) } else { Ok(()) }
}

/// Checks a PIN against its own rules and against the passphrase.
///
/// # Errors
/// [`RuleBroken`].
pub fn check_pin_rules(pin: &[u8], passphrase: &[u8]) -> Result<(), RuleBroken> {
    if !PIN_CHARS.contains(&chars(pin, Factor::Pin)?) {
        return Err(RuleBroken::PinLength);
    }
    if pin == passphrase { Err(RuleBroken::PinIsPassphrase) } else { Ok(()) }
}

fn chars(text: &[u8], what: Factor) -> Result<usize, RuleBroken> {
    let text = std::str::from_utf8(text).map_err(|_| RuleBroken::NotText(what))?;
    if text.chars().any(char::is_control) { Err(RuleBroken::Control(what)) } else { Ok(text.chars().count()) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_passphrase_is_text_of_eight_characters_or_more() {
        assert_eq!(check_passphrase(b""), Err(RuleBroken::EmptyPassphrase));
        assert_eq!(check_passphrase(b"1234567"), Err(RuleBroken::ShortPassphrase));
        assert_eq!(check_passphrase("äöüäöüä".as_bytes()), Err(RuleBroken::ShortPassphrase));
        assert_eq!(check_passphrase(b"12345678"), Ok(()));
        assert_eq!(check_passphrase("पासवर्ड १२".as_bytes()), Ok(()));
        assert_eq!(check_passphrase(b"12345678\n"), Err(RuleBroken::Control(Factor::Passphrase)));
        assert_eq!(check_passphrase(&[0xff; 9]), Err(RuleBroken::NotText(Factor::Passphrase)));
    }

    #[test]
    fn a_pin_is_short_and_is_not_the_passphrase() {
        for (pin, verdict) in [
            ("123", Err(RuleBroken::PinLength)),
            ("1234", Ok(())),
            ("12345678901234567890123456789012", Ok(())),
            ("123456789012345678901234567890123", Err(RuleBroken::PinLength)),
            ("the passphrase", Err(RuleBroken::PinIsPassphrase)),
            ("12\u{7f}4", Err(RuleBroken::Control(Factor::Pin))),
        ] {
            assert_eq!(check_pin_rules(pin.as_bytes(), b"the passphrase"), verdict, "{pin}");
        }
    }
}
