//! Names in a state directory. The directory is 0700 and ours; the files are 0600.

use std::path::{Path, PathBuf};

/// Where everything is under one state directory.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Files {
    dir: PathBuf,
}

impl Files {
    /// The files of the state directory `dir`. Touches nothing.
    #[must_use]
    pub fn in_dir(dir: &Path) -> Self {
        Self { dir: dir.to_owned() }
    }
    /// The directory itself.
    #[must_use]
    pub fn dir(&self) -> &Path {
        &self.dir
    }
    /// The sealed vault.
    #[must_use]
    pub fn vault(&self) -> PathBuf {
        self.dir.join("vault.lych")
    }
    /// The version before it.
    #[must_use]
    pub fn previous(&self) -> PathBuf {
        self.dir.join("vault.previous")
    }
    /// Held by the one process that may write the vault.
    #[must_use]
    pub fn lock(&self) -> PathBuf {
        self.dir.join("vault.lock")
    }
    /// The sealed key that reads the journal. The viewer's; nothing in this crate opens it.
    #[must_use]
    pub fn audit_key(&self) -> PathBuf {
        self.dir.join("audit.key")
    }
    /// The copy of the epoch outside the vault file.
    #[must_use]
    pub fn epoch_mark(&self) -> PathBuf {
        self.dir.join("epoch.mark")
    }
    /// Numbers for people that never restart.
    #[must_use]
    pub fn counters(&self) -> PathBuf {
        self.dir.join("counters")
    }
    /// The sealed action store.
    #[must_use]
    pub fn actions(&self) -> PathBuf {
        self.dir.join("actions.store")
    }
    /// The journal's directory.
    #[must_use]
    pub fn audit(&self) -> PathBuf {
        self.dir.join("audit")
    }
    /// The directory of the sockets.
    #[must_use]
    pub fn run(&self) -> PathBuf {
        self.dir.join("run")
    }
    /// The agents' socket.
    #[must_use]
    pub fn agent_socket(&self) -> PathBuf {
        self.run().join("agent.sock")
    }
    /// The person's socket.
    #[must_use]
    pub fn operator_socket(&self) -> PathBuf {
        self.run().join("operator.sock")
    }
}
