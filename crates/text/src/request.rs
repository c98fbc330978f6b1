//! Why a channel's form, a request's form or a number was refused: the typed errors of `core`, in words.
//!
//! `core` lies below the words and holds none. A language matches on its kinds without a rest, so that a kind without
//! words does not compile.

use crate::{Catalogue, words};
use lychgate_core::agent_pin::NotAnAgentName;
use lychgate_core::channel::ChannelError;
use lychgate_core::ids::NotAnId;
use lychgate_core::proof::Mismatch;
use lychgate_core::request::InvalidRequest;
use std::str::FromStr;

/// A typed error of `core`. What it quotes of its input is not made visible here: that is for whoever shows it.
pub trait Refusal {
    /// The error in words: what is wrong and what would be right, to stand inside a sentence.
    fn say(&self, catalogue: &dyn Catalogue) -> String;
}

impl Refusal for ChannelError {
    fn say(&self, catalogue: &dyn Catalogue) -> String {
        catalogue.channel_error(self)
    }
}

impl Refusal for InvalidRequest {
    fn say(&self, catalogue: &dyn Catalogue) -> String {
        catalogue.invalid_request(self)
    }
}

impl Refusal for NotAnId {
    fn say(&self, catalogue: &dyn Catalogue) -> String {
        catalogue.not_an_id(self)
    }
}

impl Refusal for NotAnAgentName {
    fn say(&self, catalogue: &dyn Catalogue) -> String {
        catalogue.not_an_agent_name(self)
    }
}

impl Refusal for Mismatch {
    fn say(&self, catalogue: &dyn Catalogue) -> String {
        catalogue.mismatch(self)
    }
}

/// Reads a value of `core` from what a person typed, as an argument of a command.
///
/// # Errors
/// What is wrong with it, in the language of the process.
pub fn read<T>(text: &str) -> Result<T, String>
where
    T: FromStr<Err: Refusal>,
{
    text.parse().map_err(|error: T::Err| error.say(words()))
}
