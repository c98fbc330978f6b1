//! Who is at the socket: pin, read, re-verify.
//!
//! The only crate that opens `/proc` or a pidfd. From the bottom up:
//!
//! * [`world`] says what evidence is; `linux` finds it here: `held` holds one process by pidfd and by its `/proc/PID`
//!   directory, `image` the program that it runs by its memory map, `hash` gives the digest of that program's file, and
//!   `text` parses what the kernel says;
//! * [`tables`] says which programs only start others and which are never an agent;
//! * [`pin`](mod@pin) walks from a peer to its agent, binds the chain and looks at it again for each action; `end` waits
//!   for the end of any of it;
//! * `descent` walks from a helper up to the agent that started it;
//! * [`ancestry`](mod@ancestry) and [`console`] judge who sits at an operator's socket;
//! * [`own`] and [`kernel`] are about this process and the kernel under it.
//!
//! Reading order is always pin, read, re-verify. What could not be seen is said to be unseen, and denies.
#![forbid(unsafe_code)]

pub mod ancestry;
pub mod console;
pub mod kernel;
pub mod own;
pub mod pin;
pub mod tables;

pub mod world;

mod descent;
mod end;
mod linux;

pub use ancestry::{Ancestor, ancestry};
pub use console::{ConsolePeer, ConsoleRefused, inspect_console};
pub use kernel::KernelTooOld;
pub use linux::Linux;
pub use linux::held::{inode_of, pidfd_of, unseen_program};
pub use own::{own_ancestry, own_file, own_namespaces};
pub use pin::{PinRefused, Pinned, Rules};
pub use world::World;
