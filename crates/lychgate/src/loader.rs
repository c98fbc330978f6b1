//! The dynamic loader's variables: a console that was started with them is refused by the gateway, so they go first.
//!
//! `cargo run`, conda and others set `LD_LIBRARY_PATH`. Starting over without such variables drops a preloaded library
//! as well. It is no defence by itself: a library that is already loaded can answer this call as it likes. The
//! gateway's look from outside is (`lychgate-peer`, `console`).

use std::ffi::OsString;
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::process::CommandExt as _;
use std::process::Command;

/// Starts this program over without the loader's variables, where there are any. Returns where there are none.
///
/// Where starting over fails, the program goes on as it is: commands that need a clean console are then refused.
pub(crate) fn start_over_without_loader_variables() {
    let of_loader = |name: &OsString| name.as_bytes().starts_with(b"LD_");
    let found: Vec<OsString> = std::env::vars_os().map(|(name, _)| name).filter(of_loader).collect();
    if found.is_empty() {
        return;
    }
    let mut arguments = std::env::args_os();
    let own_name = arguments.next().unwrap_or_else(|| "lych".into());
    let mut again = Command::new("/proc/self/exe");
    again.arg0(own_name).args(arguments);
    for name in found {
        again.env_remove(name);
    }
    // Returns only where it failed.
    drop(again.exec());
}
