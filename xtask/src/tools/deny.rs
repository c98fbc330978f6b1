//! `cargo-deny`: licences, forbidden and doubled crates, sources, advisories. Its rules are in `deny.toml`.

use super::Tools;
use crate::Failure;
use crate::report::run;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

const VERSION: &str = "0.20.2";

/// Finds it on PATH or below `tools` in exactly this version, or builds it there.
pub(super) fn install(tools: &Path) -> Result<PathBuf, Failure> {
    let own = tools.join("bin/cargo-deny");
    for candidate in [PathBuf::from("cargo-deny"), own.clone()] {
        if version(&candidate).as_deref() == Some(VERSION) {
            println!("cargo-deny {VERSION} is there");
            return Ok(candidate);
        }
    }
    let mut build = Command::new("cargo");
    build.args(["install", "cargo-deny", "--version", VERSION, "--locked", "--no-default-features", "--root"]);
    // Its release profile asks for the slowest build there is; for a few seconds of work that is no bargain.
    build.env("CARGO_PROFILE_RELEASE_LTO", "off").env("CARGO_PROFILE_RELEASE_CODEGEN_UNITS", "16");
    build.env("CARGO_PROFILE_RELEASE_OPT_LEVEL", "0").env("CARGO_PROFILE_RELEASE_DEBUG", "none");
    run(build.arg(tools))?;
    match version(&own).as_deref() {
        Some(VERSION) => Ok(own),
        other => Err(format!("{} says {other:?} and not {VERSION}", own.display())),
    }
}

/// Checks against `deny.toml`, without the network.
pub(crate) fn check(root: &Path, tools: &Tools, subjects: &[&str]) -> Result<(), Failure> {
    let mut command = Command::new(&tools.deny);
    command
        .current_dir(root)
        .args(["--locked", "--offline", "--workspace", "check", "--hide-inclusion-graph"])
        .args(subjects);
    run(&mut command)
}

/// Fetches the advisory database and checks against it.
pub(crate) fn advisories(root: &Path) -> Result<(), Failure> {
    let tools = crate::target(root).join("tools");
    fs::create_dir_all(&tools).map_err(|error| format!("{}: {error}", tools.display()))?;
    let mut command = Command::new(install(&tools)?);
    command.current_dir(root).args(["--locked", "--workspace", "check", "advisories"]);
    run(&mut command)
}

fn version(program: &Path) -> Option<String> {
    let output = Command::new(program).arg("--version").output().ok()?;
    let text = String::from_utf8(output.stdout).ok()?;
    text.trim().strip_prefix("cargo-deny ").map(str::to_owned)
}
