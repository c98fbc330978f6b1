//! What each chore runs, in order.

use crate::Failure;
use crate::report::{Report, run};
use crate::scratch::Scratch;
use crate::tools::{self, Tools};
use crate::users;
use crate::{house as rules, tools::deny};
use std::path::Path;
use std::process::Command;

/// How much is tested.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Length {
    /// What every change must pass.
    Usual,
    /// That, and the tests marked `#[ignore]` because they take long.
    Full,
}

/// Everything, in the order in which a mistake shows soonest.
pub(crate) fn test(root: &Path, length: Length) -> Result<(), Failure> {
    let mut report = Report::new();
    report.step("system", tools::system);
    report.step("house rules", || rules::check(root));
    report.step("format", || run(cargo(root).args(["fmt", "--all", "--check"])));
    report.step("fetch", || run(cargo(root).args(["fetch", "--locked"])));
    let tools = report.step("tools", || tools::install(root));
    let users = report.step("users", users::prepare);

    match &tools {
        Some(tools) => {
            report.step("licences, bans, sources", || deny::check(root, tools, &["licenses", "bans", "sources"]));
        }
        None => report.not_run("licences, bans, sources", "tools are missing"),
    }
    report.step("lints", || {
        run(cargo(root).args(["clippy", "--locked", "--workspace", "--all-targets", "--", "-D", "warnings"]))
    });
    // The same flags as the tests below, so that nothing is built twice.
    let built = report.step("build", || run(cargo(root).args(["build", "--locked", "--workspace", "--all-targets"])));

    match (built, &tools, &users) {
        (Some(()), Some(tools), Some(users)) => tests(root, &mut report, tools, users, length),
        _ => report.not_run("tests", "the build, the tools or the users are missing"),
    }
    report.step("documentation", || {
        let mut command = cargo(root);
        command.args(["doc", "--locked", "--workspace", "--no-deps"]).env("RUSTDOCFLAGS", "-D warnings");
        run(&mut command)
    });
    report.finish()
}

/// Tests that bring the machine to its limits, by the start of their names: one at a time and nothing beside them.
const ALONE: [&str; 2] = ["crowds::", "floods::"];

/// Unit, integration and documentation tests, with a copy of the program that ordinary users can start.
fn tests(root: &Path, report: &mut Report, tools: &Tools, users: &[String], length: Length) {
    let Some(scratch) = report.step("copies for ordinary users", || Scratch::with(root, tools)) else {
        report.not_run("tests", "there is no program that ordinary users can start");
        return;
    };
    let with_harness = |arguments: &[&str]| {
        let mut command = cargo(root);
        command.args(["test", "--locked", "--workspace", "--no-fail-fast"]).args(arguments);
        // Read by the test harness and by nothing else; CONTRIBUTING.md lists them.
        command.env("LYCHGATE_TEST_LYCH", scratch.lych());
        command.env("LYCHGATE_TEST_PYTHON", scratch.python());
        command.env("LYCHGATE_TEST_USERS", users.join(","));
        run(&mut command)
    };
    let others: Vec<&str> = ALONE.iter().flat_map(|name| ["--skip", name]).collect();
    report.step("tests", || with_harness(&[&["--"], others.as_slice()].concat()));
    report.step("tests that want the machine for themselves", || {
        with_harness(&[&["--test", "black_box", "--", "--test-threads=1"], ALONE.as_slice()].concat())
    });
    if length == Length::Full {
        // Targets named, because `--ignored` would also run documentation examples that are no tests.
        report.step("long tests", || with_harness(&["--lib", "--bins", "--tests", "--", "--ignored"]));
    }
}

/// Only what the tests need from outside, so that it can be cached or done once as root.
pub(crate) fn prepare(root: &Path) -> Result<(), Failure> {
    let mut report = Report::new();
    report.step("system", tools::system);
    report.step("tools", || tools::install(root));
    report.step("users", users::prepare);
    report.finish()
}

/// Only the house rules: quick enough for every save.
pub(crate) fn house(root: &Path) -> Result<(), Failure> {
    let mut report = Report::new();
    report.step("house rules", || rules::check(root));
    report.finish()
}

/// Kept apart from the tests: its answer changes without a change here, and it needs the network.
pub(crate) fn advisories(root: &Path) -> Result<(), Failure> {
    let mut report = Report::new();
    report.step("advisories", || deny::advisories(root));
    report.finish()
}

/// The cargo that started us, in the checkout.
pub(crate) fn cargo(root: &Path) -> Command {
    let mut command = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    // What it told us of ourselves: a build script that reads it would run anew, and all that rests on it be built anew.
    let told = std::env::vars_os().map(|(name, _)| name).filter(|name| {
        let name = name.to_string_lossy();
        name.starts_with("CARGO_PKG_") || name.starts_with("CARGO_MANIFEST_")
    });
    for name in told {
        command.env_remove(name);
    }
    command.current_dir(root);
    command
}
