//! The attestor of the system form.
//!
//! There the gateway runs as a user of its own, so that no program of the person can read it, replace it or press its keys.
//! As another user it can't look into the person's processes either. Somebody has to, and that takes `CAP_SYS_PTRACE`, which
//! is the right to take over any process of the machine. So a small process holds that one right and nothing else: it opens
//! no network, no vault and no journal, writes no file, and answers questions about processes that the gateway holds a pidfd
//! of, as long as they belong to the one person that it serves.
//!
//! * [`Attestor`] is the gateway's side, a [`World`](lychgate_peer::World) like any other: pinning, looking and deciding
//!   are the same code as in the per-user form;
//! * [`serve`] is the other side;
//! * `messages` and `line` are what goes between them.
//!
//! A prototype: nothing installs or starts it yet, and the gateway still looks by itself.
#![forbid(unsafe_code)]

mod client;
mod line;
mod messages;
mod server;
mod table;

pub use client::Attestor;
pub use server::{Serving, serve};
