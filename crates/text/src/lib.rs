//! Every sentence that a person or a model reads, in one place per language: cards, runs, outcomes, answers, prompts,
//! messages, help, and the reasons inside the errors of every crate. `cargo xtask house` finds prose anywhere else.
//!
//! [`Catalogue`] is what a language has to be able to say. Adding a language is adding one file that implements it and
//! one line in [`LANGUAGES`]; the compiler then names every sentence that is still missing. What stands where on a
//! card, and that untrusted text is shown escaped, is decided once for all languages in [`card`].
//!
//! Pure: no clock, no file, no environment. The one thing that is set, once, is the language of the process, for the
//! errors that describe themselves ([`words`]).
#![forbid(unsafe_code)]

mod answer;
mod card;
mod catalogue;
mod demo;
mod en;
mod gateway;
mod harden;
mod help;
mod http;
mod journal;
mod layout;
mod lines;
mod message;
mod peer;
mod problem;
mod request;
mod seal;
mod shim;
mod vault;
mod view;
mod wire;

pub use answer::{changed, next};
pub use card::card;
pub use catalogue::{CardPart, Catalogue};
pub use demo::{Demo, DemoCheck, DemoFailure, DemoProgram, DemoStep};
pub use gateway::{GatewayStep, GatewayText};
pub use harden::HardenStep;
pub use help::{About, HelpTexts};
pub use http::{
    AddressTexts, CertificateTexts, CredentialTexts, DialTexts, HandshakeTexts, HttpTexts, MessageTexts, ResolveTexts,
    RootsTexts, UnobservedTexts, UnsentTexts,
};
pub use journal::JournalTexts;
pub use lines::{ChannelLine, RunLine, StatusLine, agent_lines, channel_lines, run_lines, status_lines};
pub use message::Message;
pub use peer::{ConsoleTexts, KernelTexts, OwnTexts, PeerTexts, UnseenTexts};
pub use problem::{Attempt, Cause, Problem, Wanted, problem};
pub use request::{Refusal, read};
pub use seal::{DamageTexts, DirTexts, FileTexts, SealTexts, SealedFileTexts, WriteTexts};
pub use shim::{Kinds, NotServing, Oddities, ShimTexts, fill};
pub use vault::{EpochTexts, ReleaseTexts, RuleTexts, StoreTexts, VaultChannelTexts, VaultTexts};
pub use view::ViewTexts;
pub use wire::WireTexts;

use std::sync::OnceLock;

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

static SPOKEN: OnceLock<&'static dyn Catalogue> = OnceLock::new();

/// Sets the language of this process to that of `locale`, as [`catalogue`] finds it; the first call counts.
pub fn speak(locale: &str) -> &'static dyn Catalogue {
    *SPOKEN.get_or_init(|| catalogue(locale))
}

/// The language of this process, for errors that describe themselves. English before [`speak`].
#[must_use]
pub fn words() -> &'static dyn Catalogue {
    SPOKEN.get().copied().unwrap_or(&en::English)
}

/// English, which is also what a model reads.
#[must_use]
pub fn english() -> &'static dyn Catalogue {
    &en::English
}
