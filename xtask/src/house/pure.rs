//! The crates that must be pure name nothing that reads, writes, waits or asks the time.

use super::source::Sources;

const PURE: [&str; 2] = ["crates/core/src/", "crates/text/src/"];

const IMPURE: [&str; 12] = [
    "std::fs",
    "std::net",
    "std::os",
    "std::io",
    "std::process",
    "std::thread",
    "std::env",
    "SystemTime",
    "Instant",
    "tokio",
    "rustix",
    "getrandom",
];

/// The one crate that may say `unsafe`. The lint denies it elsewhere; this finds who switches the lint off.
const UNSAFE_HOME: &str = "crates/sys/";

pub(super) fn check(sources: &Sources) -> Vec<String> {
    let mut findings = Vec::new();
    for file in &sources.product {
        if PURE.iter().any(|folder| file.path.starts_with(folder)) {
            for word in IMPURE {
                findings.extend(file.uses(word).into_iter().map(|place| format!("{place} uses {word}")));
            }
        }
        if !file.path.starts_with(UNSAFE_HOME) {
            for word in ["allow(unsafe_code", "expect(unsafe_code", "warn(unsafe_code"] {
                findings.extend(file.uses(word).into_iter().map(|place| format!("{place}: {word}), only sys may")));
            }
        }
    }
    findings
}

#[cfg(test)]
mod tests {
    use super::super::source::File;
    use super::*;

    fn found(path: &str, text: &str) -> usize {
        let file = File { path: path.to_owned(), text: text.to_owned() };
        check(&Sources::of("/nowhere".as_ref(), vec![file])).len()
    }

    #[test]
    fn a_clock_a_file_and_a_runtime_are_found_in_the_pure_crates_and_nowhere_else() {
        for text in ["use std::time::Instant;", "std::fs::read(x)", "tokio::spawn(x)", "std::env::args()"] {
            assert_eq!(found("crates/core/src/decide/mod.rs", text), 1, "{text}");
            assert_eq!(found("crates/gateway/src/main.rs", text), 0, "{text}");
        }
    }

    #[test]
    fn nobody_but_sys_may_allow_unsafe_code() {
        assert_eq!(found("crates/peer/src/lib.rs", "#![allow(unsafe_code, reason = \"fast\")]"), 1);
        assert_eq!(found("crates/sys/src/lib.rs", "#![allow(unsafe_code, reason = \"here\")]"), 0);
    }
}
