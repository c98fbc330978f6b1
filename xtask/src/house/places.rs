//! Tracked files must be true on every machine: no path of the one they were written on, no private registry.

use super::source::Sources;
use std::path::Path;

/// Folders that many machines share; naming them says nothing about one.
const SHARED: [&str; 11] =
    ["/", "/tmp", "/var/tmp", "/home", "/srv", "/opt", "/usr", "/usr/local", "/mnt", "/var", "/builds"];

/// Where every crate comes from.
const REGISTRY: &str = "registry+https://github.com/rust-lang/crates.io-index";

pub(super) fn check(sources: &Sources) -> Vec<String> {
    let home = std::env::var("HOME").unwrap_or_default();
    find(sources, &own_places(&sources.root, &home))
}

/// Folders of this machine: the checkout, the folder above it, and the home directory, each with a slash at its end.
fn own_places(root: &Path, home: &str) -> Vec<String> {
    let folders = [Some(root), root.parent(), Some(Path::new(home))];
    let folders = folders.into_iter().flatten().filter(|folder| folder.is_absolute());
    let folders = folders.map(|folder| folder.to_string_lossy().trim_end_matches('/').to_owned());
    folders
        .filter(|folder| !folder.is_empty() && !SHARED.contains(&folder.as_str()))
        .map(|folder| folder + "/")
        .collect()
}

fn find(sources: &Sources, places: &[String]) -> Vec<String> {
    let mut findings = Vec::new();
    for file in &sources.files {
        for (at, line) in file.text.lines().enumerate() {
            let place = places.iter().find(|place| starts_a_path(line, place));
            findings.extend(place.map(|place| format!("{}:{} names {place}", file.path, at + 1)));
            if let Some(source) = line.strip_prefix("source = \"").filter(|_| file.path == "Cargo.lock")
                && source.trim_end_matches('"') != REGISTRY
            {
                findings.push(format!("{}:{} comes from {source}", file.path, at + 1));
            }
        }
        if file.path.ends_with(".cargo/config.toml") && file.text.contains("[source") {
            findings.push(format!("{} replaces the registry", file.path));
        }
    }
    findings
}

/// True where `place` stands in `line` and is not the middle of a longer path.
fn starts_a_path(line: &str, place: &str) -> bool {
    line.match_indices(place).any(|(at, _)| {
        let before = line.get(..at).and_then(|text| text.chars().next_back());
        !before.is_some_and(|character| character.is_alphanumeric() || "._-/~".contains(character))
    })
}

#[cfg(test)]
mod tests {
    use super::super::source::File;
    use super::*;

    fn found(path: &str, text: &str) -> usize {
        let file = File { path: path.to_owned(), text: text.to_owned() };
        let root = Path::new("/somewhere/special/checkout");
        find(&Sources::of(root, vec![file]), &own_places(root, "/users/me")).len()
    }

    #[test]
    fn paths_of_the_machine_are_found() {
        for line in ["see /somewhere/special/checkout/x", "(/somewhere/special/other)", "\"/users/me/.cargo\""] {
            assert_eq!(found("README.md", line), 1, "{line}");
        }
    }

    #[test]
    fn other_paths_and_longer_ones_that_end_alike_are_fine() {
        for line in ["/users/melanie/x", "/run/user/1000", "/mnt/users/me/x", "https://example.com/users/me/"] {
            assert_eq!(found("README.md", line), 0, "{line}");
        }
        assert!(own_places(Path::new("/tmp/checkout"), "/").iter().all(|place| place == "/tmp/checkout/"));
    }

    #[test]
    fn a_crate_from_elsewhere_is_found_in_the_lock_file() {
        assert_eq!(found("Cargo.lock", "source = \"registry+https://github.com/rust-lang/crates.io-index\""), 0);
        assert_eq!(found("Cargo.lock", "source = \"git+https://example.com/x\""), 1);
        assert_eq!(found(".cargo/config.toml", "[source.crates-io]\n"), 1);
    }
}
