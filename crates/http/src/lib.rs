//! One approved HTTP request, out over TLS. The only crate that dials HTTP.
//!
//! ```text
//! Connector::connect(Target)                 names resolved once, every address judged, TCP and TLS up
//!   -> Ready                                 one connection that has carried nothing yet
//! Ready::send(Armed, Released, kind, cancel) the credential goes in, the request goes out, once
//!   -> Outcome                               Observed, NotObserved or NotSent
//! ```
//!
//! The connection is opened before the last decision, so that what can fail without consequence has failed by then.
//! One action has one connection: nothing is pooled, resumed, sent as early data, repeated or redirected, and proxy
//! and certificate variables of the environment are not read. [`Outcome::NotSent`] is said only where no byte of the
//! request was handed to the connection; every doubt is [`Outcome::NotObserved`].
#![forbid(unsafe_code)]

mod address;
mod body;
mod bounds;
mod connect;
mod credential;
mod exchange;
mod explain;
mod message;
mod redact;
mod resolve;
mod response;
mod send;
mod stream;
mod trust;

#[cfg(test)]
mod tests;

pub use address::{Class, Local, NoServer, classify};
pub use connect::{Connector, NotConnected, Ready, Target};
pub use response::{BodyWithheld, Response, Withheld};
pub use send::Outcome;
pub use trust::SetupError;
