//! Links between documents lead somewhere.

use super::source::{File, Sources};
use std::path::Path;

pub(super) fn check(sources: &Sources) -> Vec<String> {
    let pages = sources.files.iter().filter(|file| file.path.ends_with(".md"));
    pages.flat_map(|page| dead(page, &sources.root)).collect()
}

fn dead(page: &File, root: &Path) -> Vec<String> {
    let folder = root.join(&page.path);
    let folder = folder.parent().unwrap_or(root);
    let mut findings = Vec::new();
    for (at, line) in page.text.lines().enumerate() {
        for link in line.split("](").skip(1).filter_map(|rest| rest.split(')').next()) {
            let target = link.split('#').next().unwrap_or_default();
            if !target.is_empty() && !target.contains("://") && !folder.join(target).exists() {
                findings.push(format!("{}:{} links to {target}, which does not exist", page.path, at + 1));
            }
        }
    }
    findings
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(path: &str, text: &str) -> usize {
        let root = Path::new(env!("CARGO_MANIFEST_DIR"));
        check(&Sources::of(root, vec![File { path: path.to_owned(), text: text.to_owned() }])).len()
    }

    #[test]
    fn a_link_is_followed_from_the_folder_of_its_page() {
        assert_eq!(found("README.md", "see [a](src/main.rs) and [b](Cargo.toml#x)"), 0);
        assert_eq!(found("src/page.md", "see [a](main.rs) and [b](../Cargo.toml)"), 0);
        assert_eq!(found("src/page.md", "see [a](src/main.rs) and [b](Cargo.toml)"), 2);
    }

    #[test]
    fn links_to_the_web_and_within_a_page_are_not_looked_at() {
        assert_eq!(found("README.md", "[a](https://example.com/x) [b](#there)"), 0);
        assert_eq!(found("src/main.rs", "[a](nothing)"), 0);
    }
}
