//! Why a gateway does not start.

use std::path::PathBuf;

/// Why a gateway does not start, or stopped by itself.
#[derive(Debug, thiserror::Error)]
pub enum GatewayError {
    /// The kernel lacks what the checks rest on.
    #[error("this kernel can't carry the process checks: {0}")]
    Kernel(String),
    /// There is no vault.
    #[error("there is no vault in {}: run `lych up` or `lych init` first", .0.display())]
    NoVault(PathBuf),
    /// The vault can't be used.
    #[error("{0}")]
    Vault(String),
    /// Another gateway serves this state.
    #[error("another gateway already serves {}: use it, or stop it with `lych stop`", .0.display())]
    Running(PathBuf),
    /// The journal can't be written.
    #[error("{0}")]
    Journal(String),
    /// A file or socket.
    #[error("{what} {}: {error}", path.display())]
    Io {
        /// What was tried.
        what: &'static str,
        /// With what.
        path: PathBuf,
        /// What the system said.
        error: std::io::Error,
    },
    /// The system refused something that the gateway needs.
    #[error("{what}: {error}")]
    System {
        /// What was tried.
        what: &'static str,
        /// What the system said.
        error: std::io::Error,
    },
}
