//! Why a gateway does not start.

use lychgate_text::{GatewayStep, GatewayText as Text, words};
use std::path::{Path, PathBuf};

/// Why a gateway does not start, or stopped by itself.
#[derive(Debug, thiserror::Error)]
pub enum GatewayError {
    /// The kernel lacks what the checks rest on.
    #[error("{}", old_kernel(.0))]
    Kernel(String),
    /// There is no vault.
    #[error("{}", no_vault(.0))]
    NoVault(PathBuf),
    /// The vault can't be used.
    #[error("{0}")]
    Vault(String),
    /// Another gateway serves this state.
    #[error("{}", already_served(.0))]
    Running(PathBuf),
    /// The journal can't be written.
    #[error("{0}")]
    Journal(String),
    /// A file or socket.
    #[error("{}", failed(*.step, Some(.path), .error))]
    Io {
        /// What was tried.
        step: GatewayStep,
        /// With what.
        path: PathBuf,
        /// What the system said.
        error: std::io::Error,
    },
    /// The system refused something that the gateway needs.
    #[error("{}", failed(*.step, None, .error))]
    System {
        /// What was tried.
        step: GatewayStep,
        /// What the system said.
        error: std::io::Error,
    },
}

fn old_kernel(why: &str) -> String {
    words().gateway(&Text::OldKernel { why })
}

fn no_vault(dir: &Path) -> String {
    words().gateway(&Text::NoVault { dir: &dir.display().to_string() })
}

fn already_served(dir: &Path) -> String {
    words().gateway(&Text::AlreadyServed { dir: &dir.display().to_string() })
}

fn failed(step: GatewayStep, at: Option<&Path>, error: &std::io::Error) -> String {
    let at = at.map(|path| path.display().to_string());
    words().gateway(&Text::StepFailed { step, at: at.as_deref(), why: &error.to_string() })
}
