//! The words and the rule of Lychgate: pure values and decisions.
//!
//! No I/O, no clock, no randomness, no async, no unsafe: what a decision needs is an argument of it. The way of a
//! request through these types is drawn in [`proof`]; the rule itself is [`decide::decide`].
#![forbid(unsafe_code)]

pub mod agent_pin;
pub mod approval;
pub mod broker;
pub mod card;
pub mod channel;
pub mod decide;
pub mod event;
pub mod evidence;
#[cfg(test)]
mod fixture;
pub mod ids;
pub mod limits;
pub mod outcome;
pub mod programs;
pub mod proof;
pub mod provenance;
pub mod recall;
pub mod receipt;
pub mod record;
pub mod request;
pub mod secret;
