//! The viewer: opens `audit.key` and decrypts journal rows, in a process of its own.
//!
//! [`read`] verifies each segment while it decrypts it and reports damage among the rows; [`activity`] and [`sessions`]
//! make lines of them. Nothing here writes, and nothing here can be reached from the gateway.
#![forbid(unsafe_code)]

mod activity;
pub mod audit_key;
mod filter;
mod helpers;
mod line;
mod row;
mod rows;
mod sessions;
mod subject;
mod unseal;
mod words;

pub use activity::{ActivityLine, activity};
pub use audit_key::{AuditKeyError, AuditPrivateKey};
pub use filter::Filter;
pub use line::{clock, day, render};
pub use row::{Unreadable, ViewedRow};
pub use rows::{Rows, ViewError, read};
pub use sessions::{SessionLine, SessionState, sessions};
