//! Where things are. Nothing here comes from the environment.

use lychgate_text::{Catalogue, Cause, Problem};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use crate::trouble::Trouble;

/// A Unix socket's path fits into 107 bytes (`unix(7)`).
const SOCKET_PATH_BYTES: usize = 107;
/// Below a home directory.
const UNDER_HOME: &str = ".local/share/lychgate";

/// The directories and sockets of one gateway.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Paths {
    /// Vault, audit key and journal.
    pub(crate) state: PathBuf,
    /// Sockets.
    pub(crate) run: PathBuf,
    /// Agents connect here.
    pub(crate) agent_socket: PathBuf,
    /// Consoles connect here.
    pub(crate) operator_socket: PathBuf,
    /// `--state-dir` was given, so programs that we name must be given it too.
    pub(crate) chosen: bool,
}

impl Paths {
    /// Finds them.
    pub(crate) fn find(say: &dyn Catalogue, state_dir: Option<&Path>) -> Result<Self, Trouble> {
        let uid = rustix::process::getuid().as_raw();
        let (state, run) = match state_dir {
            Some(dir) => {
                let state = std::path::absolute(dir).map_err(|error| {
                    Trouble::of(say, &Problem::Argument { why: Cause::Said(&format!("--state-dir: {error}")) })
                })?;
                let run = state.join("run");
                (state, run)
            }
            None => {
                let home = lychgate_sys::home_dir(uid).ok_or_else(|| Trouble::of(say, &Problem::NoHome))?;
                let state = home.join(UNDER_HOME);
                let runtime = PathBuf::from(format!("/run/user/{uid}"));
                let run = if is_private(&runtime, uid) { runtime.join("lychgate") } else { state.join("run") };
                (state, run)
            }
        };
        let paths = Self {
            agent_socket: run.join("agent.sock"),
            operator_socket: run.join("operator.sock"),
            state,
            run,
            chosen: state_dir.is_some(),
        };
        if paths.operator_socket.as_os_str().as_bytes().len() > SOCKET_PATH_BYTES {
            let why = Cause::StateDirTooLong { most: SOCKET_PATH_BYTES };
            return Err(Trouble::of(say, &Problem::Argument { why }));
        }
        Ok(paths)
    }

    /// The directory of the journal.
    pub(crate) fn audit(&self) -> PathBuf {
        self.state.join("audit")
    }
}

/// A real directory of `uid` that nobody else may enter.
fn is_private(dir: &Path, uid: u32) -> bool {
    std::fs::symlink_metadata(dir)
        .is_ok_and(|found| found.is_dir() && found.uid() == uid && found.mode() & 0o7777 == 0o700)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests")]
    use super::*;
    use std::os::unix::fs::PermissionsExt;

    #[test]
    fn a_chosen_directory_holds_everything() {
        let paths = Paths::find(lychgate_text::english(), Some(Path::new("/tmp/x"))).unwrap();
        assert_eq!(paths.state, Path::new("/tmp/x"));
        assert_eq!(paths.agent_socket, Path::new("/tmp/x/run/agent.sock"));
        assert_eq!(paths.operator_socket, Path::new("/tmp/x/run/operator.sock"));
        assert_eq!(paths.audit(), Path::new("/tmp/x/audit"));
    }

    #[test]
    fn a_relative_directory_is_taken_from_here_and_a_long_one_is_refused() {
        let here = std::env::current_dir().unwrap();
        let paths = Paths::find(lychgate_text::english(), Some(Path::new("state"))).unwrap();
        assert_eq!(paths.state, here.join("state"));
        let long = format!("/tmp/{}", "x".repeat(100));
        assert!(Paths::find(lychgate_text::english(), Some(Path::new(&long))).is_err());
    }

    #[test]
    fn a_runtime_directory_that_others_may_enter_is_not_used() {
        let dir = tempfile::tempdir().unwrap();
        let uid = rustix::process::getuid().as_raw();
        let set = |mode| std::fs::set_permissions(dir.path(), std::fs::Permissions::from_mode(mode)).unwrap();
        set(0o700);
        assert!(is_private(dir.path(), uid));
        assert!(!is_private(dir.path(), uid + 1));
        set(0o755);
        assert!(!is_private(dir.path(), uid));
        assert!(!is_private(&dir.path().join("none"), uid));
    }
}
