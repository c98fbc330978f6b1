//! The agent writes the environment of what the user starts, so the product reads none of it.

use super::source::{File, Sources, has_word};

/// Everything of the standard library that reads a variable or a path made from one.
const READERS: [&str; 7] =
    ["env::var", "env::var_os", "env::vars", "env::vars_os", "env::home_dir", "env::temp_dir", "env::split_paths"];

/// One reader in one file, and why that widens nothing.
struct Exception {
    path: &'static str,
    reader: &'static str,
    why: &'static str,
}

/// Each must still be needed: one that is not is a finding too.
const EXCEPTIONS: [Exception; 3] = [
    Exception {
        path: "crates/lychgate/src/cmd/gateway.rs",
        reader: "env::vars_os",
        why: "checks that the environment is empty",
    },
    Exception {
        path: "crates/lychgate/src/loader.rs",
        reader: "env::vars_os",
        why: "starts over without the loader's variables, and takes nothing from them",
    },
    Exception { path: "crates/lychgate/src/cmd/mod.rs", reader: "env::var", why: "the locale chooses words" },
];

pub(super) fn check(sources: &Sources) -> Vec<String> {
    find(sources, &EXCEPTIONS)
}

fn find(sources: &Sources, exceptions: &[Exception]) -> Vec<String> {
    let mut findings = Vec::new();
    let mut needed = vec![false; exceptions.len()];
    for file in &sources.product {
        for reader in READERS {
            let uses = file.uses(reader);
            let excepted = |exception: &Exception| exception.path == file.path && exception.reader == reader;
            match exceptions.iter().position(excepted).and_then(|at| needed.get_mut(at)) {
                Some(needed) => *needed |= !uses.is_empty(),
                None => findings.extend(uses.into_iter().map(|place| format!("{place} reads {reader}"))),
            }
        }
        findings.extend(imports(file));
    }
    for (exception, _) in exceptions.iter().zip(needed).filter(|(_, needed)| !needed) {
        findings.push(format!(
            "{} has no {} any more ({}): drop the exception",
            exception.path, exception.reader, exception.why
        ));
    }
    findings
}

/// Imported by itself, a reader would be called without its module's name.
fn imports(file: &File) -> Vec<String> {
    let names = READERS.map(|reader| reader.trim_start_matches("env::"));
    let lines = file.text.lines().enumerate();
    let importing = lines.filter(|(_, line)| {
        let list = line.split_once("use std::env::").map(|(_, list)| list);
        list.is_some_and(|list| {
            list.starts_with('*') || (list.starts_with('{') && names.iter().any(|name| has_word(list, name)))
        })
    });
    importing.map(|(at, _)| format!("{}:{} imports what reads the environment", file.path, at + 1)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(path: &str, text: &str) -> usize {
        let file = File { path: path.to_owned(), text: text.to_owned() };
        find(&Sources::of("/nowhere".as_ref(), vec![file]), &[]).len()
    }

    #[test]
    fn reading_a_variable_is_found_in_every_spelling() {
        for text in [
            "let home = std::env::var(\"HOME\");",
            "env::var_os(\"X\")",
            "use std::env::{self, var};",
            "use std::env::*;",
            "std::env::temp_dir()",
        ] {
            assert_eq!(found("crates/gateway/src/a.rs", text), 1, "{text}");
        }
    }

    #[test]
    fn arguments_tests_and_comments_are_fine() {
        for text in ["std::env::args_os()", "// std::env::var", "command.env_clear()", "\"env::var\""] {
            assert_eq!(found("crates/gateway/src/a.rs", text), 0, "{text}");
        }
        assert_eq!(found("crates/gateway/tests/a.rs", "std::env::var(x)"), 0);
    }

    #[test]
    fn an_exception_is_for_one_reader_in_one_file_and_must_still_be_needed() {
        let exception = || [Exception { path: "crates/a/src/a.rs", reader: "env::var", why: "words" }];
        let found = |path: &str, text: &str| {
            let file = File { path: path.to_owned(), text: text.to_owned() };
            find(&Sources::of("/nowhere".as_ref(), vec![file]), &exception()).len()
        };
        assert_eq!(found("crates/a/src/a.rs", "std::env::var(\"LANG\")"), 0);
        assert_eq!(found("crates/a/src/a.rs", "std::env::var(\"LANG\"); std::env::vars()"), 1);
        assert_eq!(found("crates/a/src/a.rs", ""), 1);
        // In another file: that use, and the exception that nobody needs.
        assert_eq!(found("crates/a/src/b.rs", "std::env::var(\"LANG\")"), 2);
    }
}
