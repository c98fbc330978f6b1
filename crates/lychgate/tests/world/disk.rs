//! A disk that does not answer: what the gateway wants of it waits until it is let go.
//!
//! `strace` holds system calls of the gateway at their entry. The gateway is the shipped one and knows nothing of it.

use super::World;
use super::children::Running;
use std::path::Path;
use std::process::Command;

/// Longer than any test waits: a hold ends with [`Stuck::release`], not by itself.
const HELD: &str = "delay_enter=600s";

/// While this lives, something of the gateway waits for the disk.
pub struct Stuck(Running);

impl World {
    /// No row becomes durable: `fdatasync` does not return.
    #[track_caller]
    pub fn stick_disk(&self) -> Stuck {
        self.stick("fdatasync", None)
    }

    /// No program file at `path` can be read.
    #[track_caller]
    pub fn stick_file(&self, path: &Path) -> Stuck {
        self.stick("pread64", Some(path))
    }

    #[track_caller]
    fn stick(&self, call: &str, path: Option<&Path>) -> Stuck {
        assert!(
            rustix::process::getuid().is_root(),
            "this test holds system calls of the gateway, which only root can do: run `cargo xtask test` as root"
        );
        let mut command = Command::new("strace");
        command.args(["--follow-forks", &format!("--inject={call}:{HELD}")]);
        command.args(path.iter().flat_map(|path| [Path::new("--trace-path"), path]));
        command.args(["--attach", &self.gateway_pid().to_string()]);
        let (strace, output) = Running::with_output("strace", command);
        output.wait_for_text(" attached");
        Stuck(strace)
    }
}

impl Stuck {
    /// The disk answers again: what was held goes on.
    pub fn release(mut self) {
        assert!(!self.0.has_ended(), "the disk was not held until now");
        // Without its tracer a held thread makes the call that it was about to make.
        self.0.kill();
    }
}
