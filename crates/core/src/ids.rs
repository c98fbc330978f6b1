//! Identifiers. Each kind of thing has a type of its own, so that no two can be confused.
//!
//! Numbers (`R31`, `Q44`, `C7`, `B8`) are names for people. Random values are what is compared.

use serde::{Deserialize, Deserializer, Serialize, Serializer, de};
use std::fmt;
use std::str::FromStr;

/// A text that is not an identifier of the kind that was asked for. Holds no words: `lychgate-text` says it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NotAnId {
    /// What was given, cut.
    pub text: String,
    /// What was asked for.
    pub kind: IdKind,
}

/// The kinds of identifiers, named like their types.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum IdKind {
    /// `R31`.
    RunId,
    /// `Q44`.
    ActionNo,
    /// `C7`.
    CardNo,
    /// `B8`.
    BootNo,
    /// `G3`.
    GrantNo,
    /// 32 hexadecimal digits.
    BootId,
    /// 32 hexadecimal digits.
    LaunchNonce,
    /// 32 hexadecimal digits.
    Ref,
    /// 32 hexadecimal digits.
    ApprovalId,
    /// 64 hexadecimal digits.
    Digest,
}

macro_rules! number_id {
    ($(#[$doc:meta])* $name:ident, $inner:ty, $letter:literal) => {
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
        #[serde(transparent)]
        pub struct $name(pub $inner);

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                write!(f, concat!($letter, "{}"), self.0)
            }
        }

        impl FromStr for $name {
            type Err = NotAnId;
            fn from_str(text: &str) -> Result<Self, NotAnId> {
                let digits = text.strip_prefix($letter).unwrap_or(text);
                let plain = !digits.is_empty() && digits.bytes().all(|b| b.is_ascii_digit());
                plain
                    .then(|| digits.parse().ok().map(Self))
                    .flatten()
                    .ok_or_else(|| NotAnId {
                        text: text.chars().take(80).collect(),
                        kind: IdKind::$name,
                    })
            }
        }
    };
}

macro_rules! random_id {
    ($(#[$doc:meta])* $name:ident, $len:literal) => {
        $(#[$doc])*
        #[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub struct $name(pub [u8; $len]);

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(&hex::encode(self.0))
            }
        }

        impl fmt::Debug for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                write!(f, concat!(stringify!($name), "({})"), hex::encode(self.0))
            }
        }

        impl FromStr for $name {
            type Err = NotAnId;
            fn from_str(text: &str) -> Result<Self, NotAnId> {
                let mut bytes = [0u8; $len];
                hex::decode_to_slice(text, &mut bytes)
                    .map(|()| Self(bytes))
                    .map_err(|_| NotAnId {
                        text: text.chars().take(80).collect(),
                        kind: IdKind::$name,
                    })
            }
        }

        impl Serialize for $name {
            fn serialize<S: Serializer>(&self, s: S) -> Result<S::Ok, S::Error> {
                s.serialize_str(&hex::encode(self.0))
            }
        }

        impl<'de> Deserialize<'de> for $name {
            fn deserialize<D: Deserializer<'de>>(d: D) -> Result<Self, D::Error> {
                let text = String::deserialize(d)?;
                text.parse().map_err(|_: NotAnId| de::Error::custom(stringify!($name)))
            }
        }
    };
}

number_id!(
    /// A run's number, `R31`. Never restarts. A label: authority compares the launch nonce.
    RunId, u64, "R");
number_id!(
    /// An action's number in views, `Q44`. Never restarts.
    ActionNo, u64, "Q");
number_id!(
    /// A card's number within one gateway lifetime, `C7`.
    CardNo, u32, "C");
number_id!(
    /// The label of a gateway lifetime, `B8`: a counter that stands in the journal. The secret is [`BootId`].
    BootNo, u32, "B");
number_id!(
    /// An approval's number in the journal's clear header, sequential per boot, from 1. 0 means none.
    GrantNo, u32, "G");

random_id!(
    /// One gateway lifetime. Lives in that gateway's memory alone and is never written anywhere (R14).
    BootId, 16);
random_id!(
    /// One run. Made by the gateway after it has inspected the process; no client ever sees it (R3).
    LaunchNonce, 16);
random_id!(
    /// One attempt of an action. What its caller knows as `action_id`.
    Ref, 16);
random_id!(
    /// One approval.
    ApprovalId, 16);
random_id!(
    /// A SHA-256 digest.
    Digest, 32);

impl Ref {
    /// The value in rows that belong to no action.
    pub const NONE: Self = Self([0; 16]);
}

impl GrantNo {
    /// The value in rows that rest on no grant.
    pub const NONE: Self = Self(0);
}

/// The vault's epoch: a number for people, and a nonce that no two epochs share, which is what is compared.
///
/// Comparing numbers alone would be a mistake: a vault file put back repeats them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct VaultEpoch {
    /// Rises on lock, unlock, reset, restore, gateway start (R11). For screens and rows.
    pub number: u64,
    /// Drawn anew whenever the number rises. Lives in memory alone.
    pub nonce: [u8; 16],
}

/// Milliseconds on a clock that counts suspend and never steps (`CLOCK_BOOTTIME`).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Moment(pub u64);

impl Moment {
    /// Milliseconds from `earlier` to `self`, zero where the order is the other way round.
    #[must_use]
    pub fn since(self, earlier: Self) -> u64 {
        self.0.saturating_sub(earlier.0)
    }
}

/// Milliseconds since 1970 by the wall clock. Shown and recorded; decides nothing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(transparent)]
pub struct WallTime(pub u64);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_read_with_or_without_their_letter_and_nothing_else() {
        assert_eq!("R31".parse(), Ok(RunId(31)));
        assert_eq!("31".parse(), Ok(RunId(31)));
        for bad in ["", "R", "Q31", "R-1", "R+1", "R3 1", "R99999999999999999999"] {
            assert!(bad.parse::<RunId>().is_err(), "{bad}");
        }
    }

    #[test]
    fn random_ids_travel_as_hexadecimal() {
        let id = Ref([0xab; 16]);
        let json = serde_json::to_string(&id).ok();
        assert_eq!(json.as_deref(), Some("\"abababababababababababababababab\""));
        assert!("abab".parse::<Ref>().is_err());
    }
}
