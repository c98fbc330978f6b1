//! Checkpoints as C2SP signed notes (c2sp.org/signed-note and c2sp.org/tlog-checkpoint).
//!
//! ```text
//! <origin>\n<size>\n<base64 root>\n
//! \n
//! — <name> <base64(key id ‖ signature)>\n      one line per signature
//! ```

use super::keys::verifies;
use super::tree::Hash;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use lychgate_text::words;
use sha2::{Digest as _, Sha256};
use std::fmt;
use std::str::FromStr;

/// Signature algorithm number of Ed25519 in signed notes.
const ED25519: u8 = 0x01;
/// A note with more signature lines than this is refused.
const SIGNATURES_MAX: usize = 32;

/// The name of a log in checkpoints: not empty, no white space, no `+`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LogOrigin(String);

/// A text that can't name a log.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{}", (words().journal().error.log_origin)(.0))]
pub struct NotAnOrigin(pub String);

impl FromStr for LogOrigin {
    type Err = NotAnOrigin;
    fn from_str(text: &str) -> Result<Self, NotAnOrigin> {
        let good = |c: char| !c.is_whitespace() && !c.is_control() && c != '+';
        let fits = !text.is_empty() && text.len() <= 200 && text.chars().all(good);
        fits.then(|| Self(text.to_owned())).ok_or_else(|| NotAnOrigin(text.chars().take(80).collect()))
    }
}

impl LogOrigin {
    /// The text; also the name of the log key.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The name under which segment keys sign.
    #[must_use]
    pub fn segment_name(&self) -> String {
        format!("{}/seg", self.0)
    }
}

impl fmt::Display for LogOrigin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// The key id of C2SP signed notes: the first four bytes of SHA-256(name ‖ `\n` ‖ algorithm ‖ public key).
#[must_use]
pub fn key_id(name: &str, public: &[u8; 32]) -> [u8; 4] {
    let mut hash = Sha256::new();
    hash.update(name.as_bytes());
    hash.update([b'\n', ED25519]);
    hash.update(public);
    let [a, b, c, d, ..] = <[u8; 32]>::from(hash.finalize());
    [a, b, c, d]
}

/// The verifier key in the text form that other tools read: `name+key id+base64(algorithm ‖ public key)`.
#[must_use]
pub fn verifier_key(name: &str, public: &[u8; 32]) -> String {
    let body = [&[ED25519][..], public].concat();
    format!("{name}+{}+{}", hex::encode(key_id(name, public)), STANDARD.encode(body))
}

/// Reads a verifier key that [`verifier_key`] wrote; `None` where name, id and key do not fit together.
#[must_use]
pub fn parse_verifier_key(text: &str) -> Option<(String, [u8; 32])> {
    let mut parts = text.trim().splitn(3, '+');
    let (name, id, body) = (parts.next()?, parts.next()?, parts.next()?);
    let body = STANDARD.decode(body).ok()?;
    let (&[ED25519], public) = body.split_first_chunk()? else { return None };
    let public: [u8; 32] = public.try_into().ok()?;
    (hex::encode(key_id(name, &public)) == id).then(|| (name.to_owned(), public))
}

/// What a checkpoint says.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Point {
    /// Number of rows.
    pub size: u64,
    /// Root over them.
    pub root: Hash,
}

/// The text that is signed.
#[must_use]
pub fn checkpoint_text(origin: &LogOrigin, point: &Point) -> String {
    format!("{origin}\n{}\n{}\n", point.size, STANDARD.encode(point.root))
}

/// One signature line.
#[must_use]
pub fn signature_line(name: &str, id: [u8; 4], signature: &[u8; 64]) -> String {
    let body = [&id[..], signature].concat();
    format!("\u{2014} {name} {}\n", STANDARD.encode(body))
}

/// A note, taken apart.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Note {
    origin: LogOrigin,
    point: Point,
    text: String,
    signatures: Vec<NoteSignature>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
struct NoteSignature {
    name: String,
    body: Vec<u8>,
}

impl Note {
    /// Reads a checkpoint note. Nothing in it is believed before [`Self::signed_by`] was asked.
    #[must_use]
    pub fn parse(note: &str) -> Option<Self> {
        let (head, tail) = note.split_once("\n\n")?;
        let text = format!("{head}\n");
        let mut lines = head.split('\n');
        let origin = lines.next()?.parse().ok()?;
        let size = lines.next()?;
        let plain = size == "0" || !size.starts_with('0');
        let digits = size.bytes().all(|b| b.is_ascii_digit());
        let size = (plain && digits).then(|| size.parse().ok()).flatten()?;
        let root = STANDARD.decode(lines.next()?).ok()?.try_into().ok()?;
        if lines.next().is_some() {
            return None;
        }
        let signatures = tail.strip_suffix('\n')?.split('\n').map(parse_signature).collect::<Option<Vec<_>>>()?;
        let count = signatures.len();
        (1..=SIGNATURES_MAX).contains(&count).then_some(Self { origin, point: Point { size, root }, text, signatures })
    }

    /// The log that it speaks of.
    #[must_use]
    pub fn origin(&self) -> &LogOrigin {
        &self.origin
    }

    /// What it says.
    #[must_use]
    pub fn point(&self) -> Point {
        self.point
    }

    /// Whether `public` signed it under `name`: `None` without a line of that name and key, `Some(false)` where the
    /// line is there and wrong.
    #[must_use]
    pub fn signed_by(&self, name: &str, public: &[u8; 32]) -> Option<bool> {
        let id = key_id(name, public);
        let mut found = None;
        for signature in self.signatures.iter().filter(|signature| signature.name == name) {
            let Some((line_id, body)) = signature.body.split_first_chunk() else { continue };
            if *line_id != id {
                continue;
            }
            let good = <&[u8; 64]>::try_from(body).is_ok_and(|sig| verifies(public, self.text.as_bytes(), sig));
            // One wrong line spoils the note, whatever else it carries.
            found = Some(found.unwrap_or(true) && good);
        }
        found
    }
}

fn parse_signature(line: &str) -> Option<NoteSignature> {
    let (name, body) = line.strip_prefix("\u{2014} ")?.split_once(' ')?;
    let body = STANDARD.decode(body).ok()?;
    (body.len() > 4).then(|| NoteSignature { name: name.to_owned(), body })
}

#[cfg(test)]
#[expect(clippy::unwrap_used, reason = "tests")]
mod tests {
    use super::*;
    use crate::format::keys::KeyPair;

    fn note(seed: u8) -> (String, [u8; 32]) {
        let key = KeyPair::from_seed(&[seed; 32]);
        let origin: LogOrigin = "lychgate.example/log".parse().unwrap();
        let text = checkpoint_text(&origin, &Point { size: 17, root: [3; 32] });
        let line = signature_line(origin.as_str(), key_id(origin.as_str(), &key.public()), &key.sign(text.as_bytes()));
        (format!("{text}\n{line}"), key.public())
    }

    #[test]
    fn a_note_is_believed_by_its_own_key_alone() {
        let (text, public) = note(1);
        let note = Note::parse(&text).unwrap();
        assert_eq!(note.point(), Point { size: 17, root: [3; 32] });
        assert_eq!(note.signed_by("lychgate.example/log", &public), Some(true));
        assert_eq!(note.signed_by("lychgate.example/log", &[9; 32]), None);
        assert_eq!(note.signed_by("another", &public), None);
    }

    #[test]
    fn a_changed_size_spoils_the_signature() {
        let (text, public) = note(1);
        let note = Note::parse(&text.replace("\n17\n", "\n18\n")).unwrap();
        assert_eq!(note.signed_by("lychgate.example/log", &public), Some(false));
    }

    #[test]
    fn other_forms_are_no_checkpoint() {
        let (text, _) = note(1);
        for wrong in [
            text.replace("\n17\n", "\n017\n"),
            text.replace("\n17\n", "\n+17\n"),
            text.replace("\n17\n", "\n17\nextra\n"),
            text.replace("\n\n", "\n"),
            text.trim_end().to_owned(),
            text.replace('\u{2014}', "-"),
        ] {
            assert_eq!(Note::parse(&wrong), None, "{wrong}");
        }
    }

    #[test]
    fn verifier_keys_are_those_of_the_signed_note_specification() {
        // The example key of golang.org/x/mod/sumdb/note, which defined the format.
        let text = "PeterNeumann+c74f20a3+ARpc2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10TW";
        let (name, public) = parse_verifier_key(text).unwrap();
        assert_eq!(name, "PeterNeumann");
        assert_eq!(verifier_key(&name, &public), text);
        assert!(parse_verifier_key(&text.replace("c74f", "c74e")).is_none());
    }

    #[test]
    fn origins_without_white_space_and_plus_only() {
        for bad in ["", "a b", "a+b", "a\nb", "a\u{2028}b"] {
            assert!(bad.parse::<LogOrigin>().is_err(), "{bad:?}");
        }
    }
}
