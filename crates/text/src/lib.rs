//! The sentences that a person or a model reads, in one place per language: cards, runs, outcomes, answers, prompts and
//! messages.
//!
//! Not here yet are the reasons inside errors of the lower crates (vault, journal, http, the form of a request). They are
//! English sentences of those crates, and are shown inside a sentence of the catalogue; moving them is planned.
//!
//! [`Catalogue`] is what a language has to be able to say. Adding a language is adding one file that implements it and
//! one line in [`LANGUAGES`]; the compiler then names every sentence that is still missing. What stands where on a
//! card, and that untrusted text is shown escaped, is decided once for all languages in [`card`].
//!
//! Pure: no clock, no file, no environment.
#![forbid(unsafe_code)]

mod answer;
mod card;
mod catalogue;
mod demo;
mod en;
mod gateway;
mod layout;
mod lines;
mod message;
mod problem;
mod shim;

pub use answer::{changed, next};
pub use card::card;
pub use catalogue::{CardPart, Catalogue};
pub use demo::{Demo, DemoCheck, DemoFailure, DemoProgram, DemoStep};
pub use gateway::GatewayText;
pub use lines::{ChannelLine, RunLine, StatusLine, channel_lines, run_lines, status_lines};
pub use message::Message;
pub use problem::{Problem, Wanted, problem};
pub use shim::{Kinds, ShimTexts, fill};

/// All languages. The first serves where no other fits.
pub const LANGUAGES: &[&dyn Catalogue] = &[&en::English];

/// The catalogue for a locale as in `LC_MESSAGES` (`hi_IN.UTF-8`, `en`, `C`).
///
/// The locale comes from the environment and is untrusted: it can choose words only.
#[must_use]
pub fn catalogue(locale: &str) -> &'static dyn Catalogue {
    let language = locale.split(['_', '.', '@', '-']).next().unwrap_or_default();
    LANGUAGES.iter().copied().find(|c| c.tag().eq_ignore_ascii_case(language)).unwrap_or(&en::English)
}

/// English, which is also what a model reads.
#[must_use]
pub fn english() -> &'static dyn Catalogue {
    &en::English
}
