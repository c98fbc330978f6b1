//! The system calls that need unsafe, each in a small module with a safe face.
//!
//! Everything else of the workspace forbids unsafe code. What is here is what neither the standard library nor
//! rustix offers, or what they get wrong: a `recvmsg` that takes every descriptor it is given, one ioctl, two prctls,
//! the kernel's reports of executions, the registration of a descriptor with tokio, and memory for secrets.
#![allow(unsafe_code, reason = "this crate is the one place for it; each block says why it is sound")]

mod execs;
mod home;
mod locked;
mod maps;
mod process;
mod receive;
mod socket;
mod watched;
mod wiping;

pub use execs::ExecWatch;
pub use home::home_dir;
pub use locked::LockedBytes;
pub use maps::{PROCMAP_QUERY, image_unchanged};
pub use process::{boottime_ms, refuse_writable_code, set_dumpable};
pub use receive::{NoSender, Received, Sender, recv};
pub use socket::{Credentials, pass_sender, peer_credentials, peer_pidfd, refuse_descriptors};
pub use watched::Watched;
pub use wiping::Wiping;
