//! Finding the credential in what a server sends back.
//!
//! It is protection from accidents (echo endpoints, error pages, debug output), not a boundary: a server that wants to
//! tell can tell in a form that nobody looks for.

use base64::Engine as _;
use base64::engine::general_purpose::{STANDARD_NO_PAD, URL_SAFE_NO_PAD};
use memchr::memmem;
use zeroize::Zeroizing;

/// Base64 forms of fewer characters say too little: text would match by chance.
const SHORTEST_FORM: usize = 4;

/// A part of a form that ends a body counts from so many bytes on.
const SHORTEST_START: usize = 4;

/// One byte becomes six in `\u0041`, the longest escape that is undone here.
const LONGEST_ESCAPE: usize = 6;

/// What to look for: the credential, and what base64 makes of it wherever it stands in the encoded text.
pub(crate) struct Needles(Vec<Zeroizing<Vec<u8>>>);

impl Needles {
    /// The forms of `secret`. An empty one is never sent and matches nothing.
    pub(crate) fn of(secret: &[u8]) -> Self {
        let mut forms = Vec::with_capacity(7);
        if !secret.is_empty() {
            forms.push(Zeroizing::new(secret.to_vec()));
        }
        for before in 0..3 {
            for form in encoded(secret, before) {
                if form.len() >= SHORTEST_FORM && !forms.contains(&form) {
                    forms.push(form);
                }
            }
        }
        Self(forms)
    }

    /// Bytes beyond the part that is handed on which must be searched too, so that a form across the cut is found.
    pub(crate) fn reach(&self) -> usize {
        self.0.iter().map(|form| form.len()).max().unwrap_or(0) * LONGEST_ESCAPE
    }

    /// True where the credential stands in `text`: plain, in base64 (both alphabets, any alignment, padded or not,
    /// wrapped over lines), percent-encoded or JSON-escaped, in whole or in part.
    pub(crate) fn in_text(&self, text: &[u8]) -> bool {
        in_any_view(text, |view| self.0.iter().any(|form| memmem::find(view, form).is_some()))
    }

    /// True where `text` ends within a form: the rest was cut off.
    pub(crate) fn begun_at_end(&self, text: &[u8]) -> bool {
        let tail = text.get(text.len().saturating_sub(self.reach())..).unwrap_or(text);
        in_any_view(tail, |view| self.0.iter().any(|form| ends_within(view, form)))
    }

    /// Like [`Needles::in_text`] for a text whose letters were made lower case on the way, as header names are.
    pub(crate) fn in_lower_case(&self, name: &str) -> bool {
        let name = name.as_bytes();
        self.0.iter().any(|form| {
            let lower = Zeroizing::new(form.to_ascii_lowercase());
            memmem::find(name, &lower).is_some()
        })
    }
}

/// The characters that `secret` alone determines when `before` bytes precede it, in both alphabets.
fn encoded(secret: &[u8], before: usize) -> [Zeroizing<Vec<u8>>; 2] {
    let mut padded = Zeroizing::new(Vec::with_capacity(before + secret.len()));
    padded.resize(before, 0);
    padded.extend_from_slice(secret);
    // Each character has 6 bits: those of the bytes before spoil the first ones, those of the bytes after the last.
    let first = (before * 8).div_ceil(6);
    let last = padded.len() * 8 / 6;
    let own = |text: String| {
        let text = Zeroizing::new(text.into_bytes());
        Zeroizing::new(text.get(first..last).unwrap_or_default().to_vec())
    };
    [own(STANDARD_NO_PAD.encode(&*padded)), own(URL_SAFE_NO_PAD.encode(&*padded))]
}

fn ends_within(text: &[u8], form: &[u8]) -> bool {
    (SHORTEST_START..form.len()).any(|length| form.get(..length).is_some_and(|start| text.ends_with(start)))
}

/// True where `check` holds for the text as it stands or with its escapes undone, one inside the other too; each also
/// without its line ends.
fn in_any_view(text: &[u8], check: impl Fn(&[u8]) -> bool) -> bool {
    let percent = without_percent(text);
    let json = without_json(text);
    let percent_in_json = json.as_deref().and_then(|view| without_percent(view));
    let json_in_percent = percent.as_deref().and_then(|view| without_json(view));
    let undone = [&percent, &json, &percent_in_json, &json_in_percent];
    std::iter::once(text)
        .chain(undone.into_iter().flatten().map(|view| view.as_slice()))
        .any(|view| check(view) || without_line_ends(view).is_some_and(|joined| check(&joined)))
}

/// `%41` (either case) as the byte that it means; `None` where there is none.
fn without_percent(text: &[u8]) -> Option<Zeroizing<Vec<u8>>> {
    undo(text, b'%', |rest| match rest {
        [high, low, ..] => Some((hex(*high)? * 16 + hex(*low)?, 2)),
        _ => None,
    })
}

/// `\u0041`, `\x41`, `\/` and the other escapes of one character as the byte that they mean; `None` where there is none.
/// Escapes of what a credential can't hold stay as they are.
fn without_json(text: &[u8]) -> Option<Zeroizing<Vec<u8>>> {
    undo(text, b'\\', |rest| match rest {
        [b'u' | b'U', b'0', b'0', high, low, ..] => Some((hex(*high)? * 16 + hex(*low)?, 5)),
        [b'x', high, low, ..] => Some((hex(*high)? * 16 + hex(*low)?, 3)),
        [b'n', ..] => Some((b'\n', 1)),
        [b'r', ..] => Some((b'\r', 1)),
        [sign, ..] if sign.is_ascii_punctuation() => Some((*sign, 1)),
        _ => None,
    })
}

/// Replaces each `mark` that `meaning` understands (given what follows it: the byte, and how many to skip).
fn undo(text: &[u8], mark: u8, meaning: impl Fn(&[u8]) -> Option<(u8, usize)>) -> Option<Zeroizing<Vec<u8>>> {
    memchr::memchr(mark, text)?;
    let mut out = Zeroizing::new(Vec::with_capacity(text.len()));
    let mut rest = text;
    while let Some((before, after)) =
        memchr::memchr(mark, rest).and_then(|at| Some((rest.get(..at)?, rest.get(at + 1..)?)))
    {
        out.extend_from_slice(before);
        let (byte, skip) = meaning(after).unwrap_or((mark, 0));
        out.push(byte);
        rest = after.get(skip..).unwrap_or_default();
    }
    out.extend_from_slice(rest);
    Some(out)
}

fn without_line_ends(text: &[u8]) -> Option<Zeroizing<Vec<u8>>> {
    memchr::memchr2(b'\r', b'\n', text)?;
    let mut out = Zeroizing::new(Vec::with_capacity(text.len()));
    out.extend(text.iter().filter(|byte| !matches!(byte, b'\r' | b'\n')));
    Some(out)
}

fn hex(digit: u8) -> Option<u8> {
    char::from(digit).to_digit(16).and_then(|value| u8::try_from(value).ok())
}

#[cfg(test)]
#[expect(clippy::unwrap_used, reason = "tests")]
mod tests {
    use super::*;
    use base64::engine::general_purpose::{STANDARD, URL_SAFE};
    use proptest::prelude::*;
    use std::fmt::Write as _;

    const SECRET: &str = "sk-4\"7/1+1\\canary%41~>?";

    fn percent(text: &str, all: bool, upper: bool) -> String {
        text.bytes().fold(String::new(), |mut out, byte| {
            match (byte.is_ascii_alphanumeric() && !all, upper) {
                (true, _) => out.push(char::from(byte)),
                (false, true) => write!(out, "%{byte:02X}").unwrap(),
                (false, false) => write!(out, "%{byte:02x}").unwrap(),
            }
            out
        })
    }

    fn json(text: &str, all: bool) -> String {
        text.chars().fold(String::new(), |mut out, letter| {
            match letter {
                _ if all => write!(out, "\\u{:04x}", u32::from(letter)).unwrap(),
                '"' | '\\' | '/' => write!(out, "\\{letter}").unwrap(),
                '>' | '+' => write!(out, "\\u{:04X}", u32::from(letter)).unwrap(),
                _ => out.push(letter),
            }
            out
        })
    }

    /// Every form in which `secret` must be found, with a name.
    fn forms(secret: &str) -> Vec<(String, Vec<u8>)> {
        let mut forms = vec![
            ("plain".to_owned(), secret.to_owned()),
            ("json".to_owned(), json(secret, false)),
            ("json, every letter".to_owned(), json(secret, true)),
            ("percent".to_owned(), percent(secret, false, true)),
            ("percent, lower case".to_owned(), percent(secret, false, false)),
            ("percent, every letter".to_owned(), percent(secret, true, true)),
            ("percent in json".to_owned(), json(&percent(secret, false, true), true)),
            ("json in percent".to_owned(), percent(&json(secret, true), false, true)),
        ];
        for before in ["", "x", "xy", "xyz", "user:"] {
            for after in ["", "x", "xy", "\n"] {
                let clear = format!("{before}{secret}{after}");
                forms.push((format!("base64 after {before:?} before {after:?}"), STANDARD.encode(&clear)));
                forms.push((format!("unpadded after {before:?} before {after:?}"), STANDARD_NO_PAD.encode(&clear)));
                forms.push((format!("url-safe after {before:?} before {after:?}"), URL_SAFE.encode(&clear)));
                let wrapped = STANDARD.encode(&clear).as_bytes().chunks(5).map(<[u8]>::to_vec).collect::<Vec<_>>();
                forms.push((
                    format!("wrapped after {before:?}"),
                    String::from_utf8(wrapped.join(&b"\r\n"[..])).unwrap(),
                ));
                forms.push((format!("base64 in json after {before:?}"), json(&STANDARD.encode(&clear), false)));
                forms.push((
                    format!("base64 in percent after {before:?}"),
                    percent(&STANDARD.encode(&clear), false, true),
                ));
            }
        }
        forms.into_iter().map(|(name, text)| (name, text.into_bytes())).collect()
    }

    #[test]
    fn the_secret_is_found_in_each_form_wherever_it_stands() {
        let needles = Needles::of(SECRET.as_bytes());
        for (name, form) in forms(SECRET) {
            for offset in 0..70 {
                let mut text = vec![b'.'; offset];
                text.extend_from_slice(&form);
                text.extend_from_slice(b"...");
                assert!(needles.in_text(&text), "{name} at {offset}");
            }
        }
    }

    #[test]
    fn each_form_fits_in_the_reach() {
        let needles = Needles::of(SECRET.as_bytes());
        for (name, form) in forms(SECRET).into_iter().filter(|(name, _)| !name.contains(" in ")) {
            assert!(form.len() <= needles.reach(), "{name}");
        }
    }

    #[test]
    fn a_text_without_the_secret_is_left_alone() {
        let needles = Needles::of(SECRET.as_bytes());
        let almost = SECRET.replace("canary", "canari");
        let long =
            format!("{{\"a\": \"{almost}\", \"b\": \"%41%42\\u0041\\n\", \"c\": \"{}\"}}", STANDARD.encode(&almost));
        for text in ["", "a", "%", "%4", "\\", "\\u00", "100 % \\ sure", "%zz\\u12g4", long.as_str()] {
            assert!(!needles.in_text(text.as_bytes()), "{text}");
            assert!(!needles.begun_at_end(text.as_bytes()), "{text}");
        }
    }

    #[test]
    fn a_body_that_was_cut_within_the_secret_is_noticed_at_every_offset() {
        let needles = Needles::of(SECRET.as_bytes());
        for cut in SHORTEST_START..SECRET.len() {
            let text = format!("{{\"authorization\": \"Bearer {}", &SECRET[..cut]);
            assert!(needles.begun_at_end(text.as_bytes()), "{cut}");
            assert!(!needles.begun_at_end(format!("{text} and more").as_bytes()), "{cut}");
        }
        let encoded = STANDARD.encode(SECRET);
        for cut in SHORTEST_START..encoded.len() - 4 {
            assert!(needles.begun_at_end(format!("token={}", &encoded[..cut]).as_bytes()), "{cut}");
        }
    }

    #[test]
    fn a_header_name_can_not_carry_it_in_lower_case() {
        let needles = Needles::of(b"SK-Canary4711");
        assert!(needles.in_lower_case("x-sk-canary4711"));
        assert!(!needles.in_lower_case("x-request-id"));
    }

    #[test]
    fn no_secret_matches_nothing() {
        assert!(!Needles::of(b"").in_text(b"anything"));
        assert!(!Needles::of(b"").begun_at_end(b"anything"));
    }

    proptest! {
        #[test]
        fn invariant_any_secret_is_found_in_any_surroundings(
            secret in "[!-~]{5,60}",
            before in prop::collection::vec(any::<u8>(), 0..40),
            after in prop::collection::vec(any::<u8>(), 0..40),
        ) {
            let needles = Needles::of(secret.as_bytes());
            let whole = [&before[..], secret.as_bytes(), &after].concat();
            prop_assert!(needles.in_text(&whole));
            prop_assert!(needles.in_text(STANDARD.encode(&whole).as_bytes()));
            prop_assert!(needles.in_text(URL_SAFE.encode(&whole).as_bytes()));
            prop_assert!(needles.in_text(percent(&secret, true, true).as_bytes()));
            prop_assert!(needles.in_text(json(&secret, true).as_bytes()));
        }
    }
}
