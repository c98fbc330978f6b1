//! Which crate may know which. docs/ARCHITECTURE.md draws the same.

use super::source::{File, Sources};

/// A crate, and those of ours that it may depend on. A pair that is not here is a change of design.
const ARROWS: [(&str, &[&str]); 16] = [
    ("bench", &[]),
    ("core", &[]),
    ("sys", &[]),
    ("text", &["core"]),
    ("harden", &["text", "sys"]),
    ("seal", &["text", "sys"]),
    ("http", &["core", "text"]),
    ("peer", &["core", "text", "sys"]),
    ("wire", &["core", "text", "sys"]),
    ("attest", &["core", "sys", "harden", "peer"]),
    ("journal", &["core", "text", "seal"]),
    ("vault", &["core", "text", "sys", "seal"]),
    ("view", &["core", "text", "journal", "seal"]),
    ("shim", &["core", "text", "wire"]),
    ("gateway", &["core", "text", "sys", "harden", "peer", "seal", "journal", "vault", "http", "wire"]),
    ("lychgate", &["core", "text", "sys", "harden", "seal", "journal", "view", "vault", "wire", "shim", "gateway"]),
];

pub(super) fn check(sources: &Sources) -> Vec<String> {
    let mut findings = Vec::new();
    for file in &sources.files {
        let Some(name) = file.path.strip_prefix("crates/").and_then(|path| path.strip_suffix("/Cargo.toml")) else {
            continue;
        };
        match ARROWS.iter().find(|(known, _)| *known == name) {
            None => findings.push(format!("crates/{name} is not in the drawing")),
            Some((_, allowed)) => {
                let forbidden = ours(file).into_iter().filter(|other| !allowed.contains(&other.as_str()));
                findings.extend(forbidden.map(|other| format!("crates/{name} must not know crates/{other}")));
            }
        }
    }
    findings
}

/// Our crates among the dependencies of a manifest. Those for tests do not count.
fn ours(manifest: &File) -> Vec<String> {
    let mut section = "";
    let mut names = Vec::new();
    for line in manifest.text.lines().map(str::trim) {
        if line.starts_with('[') {
            section = line;
        }
        let counts = section.contains("dependencies") && !section.contains("dev-dependencies");
        // As a key, or as the end of a section of its own.
        let name = line.strip_prefix("lychgate-").or_else(|| {
            line.strip_prefix('[').and_then(|line| line.split_once("dependencies.lychgate-")).map(|(_, name)| name)
        });
        if let Some(name) = name.filter(|_| counts) {
            names.push(name.chars().take_while(char::is_ascii_alphanumeric).collect());
        }
    }
    names
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(name: &str, manifest: &str) -> usize {
        let file = File { path: format!("crates/{name}/Cargo.toml"), text: manifest.to_owned() };
        check(&Sources::of("/nowhere".as_ref(), vec![file])).len()
    }

    #[test]
    fn an_arrow_that_is_not_drawn_is_found_however_it_is_written() {
        for manifest in [
            "[dependencies]\nlychgate-vault.workspace = true\n",
            "[dependencies]\nlychgate-vault = { path = \"../vault\" }\n",
            "[dependencies.lychgate-vault]\npath = \"../vault\"\n",
            "[build-dependencies]\nlychgate-vault.workspace = true\n",
            "[target.'cfg(unix)'.dependencies]\nlychgate-vault.workspace = true\n",
        ] {
            assert_eq!(found("journal", manifest), 1, "{manifest}");
        }
    }

    #[test]
    fn drawn_arrows_and_those_of_tests_are_fine_and_an_unknown_crate_is_not() {
        assert_eq!(
            found(
                "journal",
                "[package]\nname = \"lychgate-journal\"\n[dependencies]\nlychgate-core.workspace = true\n"
            ),
            0
        );
        assert_eq!(found("journal", "[dev-dependencies]\nlychgate-vault.workspace = true\n"), 0);
        assert_eq!(found("other", ""), 1);
    }

    #[test]
    fn the_drawing_has_no_circle_each_crate_knows_only_earlier_ones() {
        for (at, (name, knows)) in ARROWS.iter().enumerate() {
            for other in *knows {
                assert!(ARROWS.iter().take(at).any(|(earlier, _)| earlier == other), "{name} -> {other}");
            }
        }
    }
}
