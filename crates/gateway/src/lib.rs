//! The gateway: sockets, tasks, hardening. It composes; the rule is `lychgate-core`'s.
//!
//! * `authority` holds everything that authority depends on, behind one lock: broker, vault, recall, actions. What
//!   must be ordered against each other (a decision and its DISPATCH, a revoke and its REVOKE) happens under it;
//! * `agent` serves the agent socket, `operator` the operator socket;
//! * `execute` takes one permitted action from the last decision to its end row;
//! * `keeper` writes the sealed action store in order, away from the lock;
//! * `start` and `harden` bring it up, `sockets` takes connections, `descriptors` says how many agents may take.
#![forbid(unsafe_code)]

mod action;
mod agent;
mod answer;
mod authority;
mod clock;
mod descriptors;
mod error;
mod execute;
mod harden;
mod journal;
mod keeper;
mod operator;
mod sockets;
mod start;
mod state;
mod status;
mod views;

pub use error::GatewayError;
pub use start::{Options, run};
