//! Chores of this repository, started as `cargo xtask CHORE`.
//!
//! Standard library only. Whatever is missing is installed or named; nothing is ever skipped.
#![forbid(unsafe_code)]
#![expect(clippy::print_stdout, reason = "a chore reports on standard output, where CI reads it")]

mod benches;
mod house;
mod report;
mod scratch;
mod tier;
mod tools;
mod users;

use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// What went wrong, in one line that says what to do.
type Failure = String;

const USAGE: &str = "\
usage: cargo xtask CHORE

  test [--full]   install what the tests need, check style and house rules, build, test;
                  --full also runs the tests that are marked as long
  prepare         only install what the tests need, and make their users
  bench [NAME]    measure against peers and physical limits and print the ratios; asserts no time
  house           only the house rules that no compiler checks
  advisories      known security advisories against the locked dependencies (needs the network)
";

fn main() -> ExitCode {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let chore: &dyn Fn(&Path) -> Result<(), Failure> = match words.as_slice() {
        ["test"] => &|root| tier::test(root, tier::Length::Usual),
        ["test", "--full"] => &|root| tier::test(root, tier::Length::Full),
        ["bench"] => &|root| benches::bench(root, None),
        ["bench", name] => &|root| benches::bench(root, Some(name)),
        ["prepare"] => &tier::prepare,
        ["house"] => &tier::house,
        ["advisories"] => &tier::advisories,
        ["help" | "--help" | "-h"] => {
            print!("{USAGE}");
            return ExitCode::SUCCESS;
        }
        _ => {
            print!("{USAGE}");
            return ExitCode::from(2);
        }
    };
    match root().and_then(|root| chore(&root)) {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => {
            println!("\nxtask: {failure}");
            ExitCode::FAILURE
        }
    }
}

/// The checkout. Cargo says at run time where this package lies, so a moved checkout is no problem.
fn root() -> Result<PathBuf, Failure> {
    let package =
        std::env::var_os("CARGO_MANIFEST_DIR").ok_or("CARGO_MANIFEST_DIR is not set: start this as `cargo xtask`")?;
    let root = Path::new(&package).parent().ok_or("the xtask package has no folder above it")?;
    root.canonicalize().map_err(|error| format!("{}: {error}", root.display()))
}

/// Where cargo builds.
fn target(root: &Path) -> PathBuf {
    root.join(std::env::var_os("CARGO_TARGET_DIR").unwrap_or_else(|| "target".into()))
}
