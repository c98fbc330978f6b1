//! Programs that the operator vouches for, by digest and under a name.

use crate::ids::Digest;
use serde::{Deserialize, Deserializer, Serialize, Serializer, de};
use std::fmt;
use std::str::FromStr;

/// An operator's name for a program. Short, lower case, the same in every place.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct AgentName(String);

/// A text that is no such name; its beginning.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NotAnAgentName(pub String);

impl AgentName {
    /// The text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl FromStr for AgentName {
    type Err = NotAnAgentName;

    fn from_str(text: &str) -> Result<Self, NotAnAgentName> {
        let tail = |b: u8| b.is_ascii_lowercase() || b.is_ascii_digit() || matches!(b, b'-' | b'_' | b'.');
        let begins = text.bytes().next().is_some_and(|b| b.is_ascii_lowercase());
        let good = text.len() <= 40 && begins && text.bytes().all(tail);
        good.then(|| Self(text.to_owned())).ok_or_else(|| NotAnAgentName(text.chars().take(80).collect()))
    }
}

impl fmt::Display for AgentName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl Serialize for AgentName {
    fn serialize<S: Serializer>(&self, s: S) -> Result<S::Ok, S::Error> {
        s.serialize_str(&self.0)
    }
}

impl<'de> Deserialize<'de> for AgentName {
    fn deserialize<D: Deserializer<'de>>(d: D) -> Result<Self, D::Error> {
        String::deserialize(d)?.parse().map_err(|_: NotAnAgentName| de::Error::custom("agent_name"))
    }
}

/// "I know this program": its digest, and how to call it. It vouches for the file's content and for nothing that the
/// program does; it gives no authority.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AgentPin {
    /// The name on cards.
    pub name: AgentName,
    /// SHA-256 of the program file.
    pub sha256: Digest,
    /// Where it was when it was pinned. Text for people.
    pub path: String,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_short_plain_and_can_imitate_nothing() {
        for good in ["claude", "claude-2.1", "my_agent", "a"] {
            assert_eq!(good.parse::<AgentName>().map(|name| name.to_string()), Ok(good.to_owned()));
        }
        for bad in ["", "Claude", "1st", "a b", "a\u{202e}b", "-x", "a\n", &"a".repeat(41)] {
            assert!(bad.parse::<AgentName>().is_err(), "{bad:?}");
        }
    }
}
