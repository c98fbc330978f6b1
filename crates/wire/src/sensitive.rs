//! Text that may be a factor, a key or a credential, on its way to the gateway.

use serde::{Deserialize, Serialize};
use zeroize::Zeroizing;

/// A secret inside a message *to* the gateway. Never part of an answer. Does not print; is wiped.
#[derive(Serialize, Deserialize)]
#[serde(transparent)]
pub struct Sensitive(Inner);

#[derive(Serialize, Deserialize)]
#[serde(transparent)]
struct Inner(#[serde(with = "zeroizing")] Zeroizing<String>);

impl Sensitive {
    /// Takes the text over.
    #[must_use]
    pub fn new(text: String) -> Self {
        Self(Inner(Zeroizing::new(text)))
    }

    /// The text. Keep the borrow short.
    #[must_use]
    pub fn expose(&self) -> &str {
        &self.0.0
    }
}

impl std::fmt::Debug for Sensitive {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Sensitive(..)")
    }
}

mod zeroizing {
    use serde::{Deserialize, Deserializer, Serializer};
    use zeroize::Zeroizing;

    pub(super) fn serialize<S: Serializer>(text: &Zeroizing<String>, s: S) -> Result<S::Ok, S::Error> {
        s.serialize_str(text)
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(d: D) -> Result<Zeroizing<String>, D::Error> {
        String::deserialize(d).map(Zeroizing::new)
    }
}
