//! Files that survive a crash, and files that are ours alone. The one helper for each of these dangerous things.

mod dir;
mod lock;
mod read;
mod replace;

pub use dir::{DirRefused, private_dir};
pub use lock::{Lock, LockRefused};
pub use read::{Access, ReadRefused, open_owned, read_owned};
pub use replace::{remove_leftovers, replace, replace_keeping_previous, replace_with};

/// Permission bits of everything that holds or guards a secret.
pub const PRIVATE_FILE: u32 = 0o600;
