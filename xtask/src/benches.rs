//! `cargo xtask bench`: measures, prints, and judges nothing.

use crate::Failure;
use crate::report::{Report, run};
use crate::tier::cargo;
use crate::tools;
use std::path::Path;

/// Each bench by its name, and the package that it is of.
const BENCHES: [(&str, &str); 3] = [("check", "lychgate-peer"), ("decide", "lychgate-core"), ("ends", "lychgate-peer")];

/// All benches, or the one of this name.
pub(crate) fn bench(root: &Path, only: Option<&str>) -> Result<(), Failure> {
    let chosen: Vec<_> = BENCHES.into_iter().filter(|(name, _)| only.is_none_or(|only| only == *name)).collect();
    if chosen.is_empty() {
        let names = BENCHES.map(|(name, _)| name).join(", ");
        return Err(format!("there is no bench of that name; there are {names}"));
    }
    let mut report = Report::new();
    report.step("system", tools::system_for_benches);
    // Benches bring no examples along, and those of the peer crate look at copies of one.
    let built = report.step("build", || {
        run(cargo(root).args(["build", "--locked", "--release", "--package", "lychgate-peer", "--examples"]))
    });
    for (name, package) in chosen {
        match built {
            Some(()) => {
                let words = ["bench", "--locked", "--package", package, "--bench", name];
                report.step(name, || run(cargo(root).args(words)));
            }
            None => report.not_run(name, "the build is missing"),
        }
    }
    report.finish()
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests")]
    use super::*;

    #[test]
    fn a_name_that_no_bench_has_is_answered_with_those_that_there_are() {
        let failure = bench(Path::new("/nowhere"), Some("speed")).unwrap_err();
        assert_eq!(failure, "there is no bench of that name; there are check, decide, ends");
    }
}
