//! The tracked files, and of Rust files the part that is product code.

use crate::Failure;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// All tracked text files.
pub(super) struct Sources {
    pub(super) root: PathBuf,
    pub(super) files: Vec<File>,
    /// Product code: the sources of the crates without tests, comments and the insides of literals.
    pub(super) product: Vec<File>,
}

/// One file.
pub(super) struct File {
    /// From the root, with slashes.
    pub(super) path: String,
    pub(super) text: String,
}

impl Sources {
    /// What git tracks or would track, so that a new file counts before its commit.
    pub(super) fn tracked(root: &Path) -> Result<Self, Failure> {
        let mut list = Command::new("git");
        // In a container the checkout may belong to somebody else than us; git would refuse to look.
        list.arg("-c").arg(format!("safe.directory={}", root.display())).arg("-C").arg(root);
        let list = list.args(["ls-files", "-z", "--cached", "--others", "--exclude-standard"]).output();
        let list = list.map_err(|error| format!("git can't be started: {error}"))?;
        if !list.status.success() {
            return Err(format!("git ls-files: {}", String::from_utf8_lossy(&list.stderr).trim()));
        }
        let names = String::from_utf8(list.stdout).map_err(|error| format!("a tracked name is no UTF-8: {error}"))?;
        let mut files = Vec::new();
        for name in names.split_terminator('\0') {
            let path = root.join(name);
            // Deleted and not yet committed, or a link: nothing to read.
            if !path.symlink_metadata().is_ok_and(|file| file.is_file()) {
                continue;
            }
            let bytes = fs::read(&path).map_err(|error| format!("{}: {error}", path.display()))?;
            files.push(File { path: name.to_owned(), text: String::from_utf8_lossy(&bytes).into_owned() });
        }
        if files.is_empty() {
            return Err(format!("git tracks no file in {}", root.display()));
        }
        Ok(Self::of(root, files))
    }

    /// These files.
    pub(super) fn of(root: &Path, files: Vec<File>) -> Self {
        let product = files.iter().filter(|file| is_product(&file.path));
        let product =
            product.map(|file| File { path: file.path.clone(), text: without_tests(&code_only(&file.text)) }).collect();
        Self { root: root.to_owned(), files, product }
    }
}

impl File {
    /// Places where `word` stands as a whole, as `path:line`, each as often as it stands there.
    pub(super) fn uses(&self, word: &str) -> Vec<String> {
        let lines = self.text.lines().enumerate();
        let places = lines.flat_map(|(at, line)| std::iter::repeat_n(at + 1, count_word(line, word)));
        places.map(|line| format!("{}:{line}", self.path)).collect()
    }
}

/// A crate's sources, but neither its integration tests nor a file that only tests use.
fn is_product(path: &str) -> bool {
    let Some((_, inside)) = path.strip_prefix("crates/").and_then(|path| path.split_once('/')) else {
        return false;
    };
    let test_file = inside.ends_with("/tests.rs") || inside.ends_with("_tests.rs") || inside.contains("/tests/");
    inside.starts_with("src/") && inside.ends_with(".rs") && !test_file
}

/// True where `word` stands in `line` and no letter, digit or underscore touches its ends.
pub(super) fn has_word(line: &str, word: &str) -> bool {
    count_word(line, word) > 0
}

fn count_word(line: &str, word: &str) -> usize {
    let whole = line.match_indices(word).filter(|(at, _)| {
        let before = line.get(..*at).and_then(|text| text.chars().next_back());
        let after = line.get(at + word.len()..).and_then(|text| text.chars().next());
        let grows_left = before.is_some_and(is_word) && word.starts_with(is_word);
        let grows_right = after.is_some_and(is_word) && word.ends_with(is_word);
        !grows_left && !grows_right
    });
    whole.count()
}

/// What a piece of a source text is.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Piece {
    Code,
    Comment,
    /// A string literal with its quotes.
    Text,
    Character,
}

/// The text cut into pieces, in order and without gaps.
pub(super) fn pieces(text: &str) -> Vec<(Piece, &str)> {
    let mut out = Vec::new();
    let (mut code_from, mut at) = (0, 0);
    while let Some(rest) = text.get(at..).filter(|rest| !rest.is_empty()) {
        let within_word = text.get(..at).is_some_and(|before| before.ends_with(is_word));
        let (piece, length) = match rest.as_bytes().first() {
            Some(b'/') if rest.starts_with("//") => (Piece::Comment, rest.find('\n').unwrap_or(rest.len())),
            Some(b'/') if rest.starts_with("/*") => (Piece::Comment, block_comment(rest)),
            Some(b'"') => (Piece::Text, string(rest)),
            Some(b'\'') => (Piece::Character, character(rest)),
            Some(b'r') if !within_word => (Piece::Text, raw_string(rest)),
            _ => (Piece::Code, 0),
        };
        if length == 0 {
            at += rest.chars().next().map_or(1, char::len_utf8);
            continue;
        }
        out.extend(text.get(code_from..at).filter(|code| !code.is_empty()).map(|code| (Piece::Code, code)));
        out.extend(text.get(at..at + length).map(|found| (piece, found)));
        at += length;
        code_from = at;
    }
    out.extend(text.get(code_from..).filter(|code| !code.is_empty()).map(|code| (Piece::Code, code)));
    out
}

fn is_word(character: char) -> bool {
    character.is_alphanumeric() || character == '_'
}

/// Blanks comments and the insides of string and character literals; lines stay lines.
pub(super) fn code_only(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for (piece, part) in pieces(text) {
        match piece {
            Piece::Code => out.push_str(part),
            _ => out.extend(part.chars().map(|character| if character == '\n' { '\n' } else { ' ' })),
        }
    }
    out
}

/// Length of the comment, inner comments included.
fn block_comment(text: &str) -> usize {
    let (mut depth, mut at) = (0_usize, 0);
    while let Some(rest) = text.get(at..).filter(|rest| !rest.is_empty()) {
        let step = if rest.starts_with("/*") {
            depth += 1;
            2
        } else if rest.starts_with("*/") {
            depth = depth.saturating_sub(1);
            2
        } else {
            rest.chars().next().map_or(1, char::len_utf8)
        };
        at += step;
        if depth == 0 {
            break;
        }
    }
    at
}

/// Length of the literal with its quotes.
fn string(text: &str) -> usize {
    let mut escaped = false;
    for (at, character) in text.char_indices().skip(1) {
        match character {
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            '"' => return at + 1,
            _ => {}
        }
    }
    text.len()
}

/// Length of the literal, or 0 where the quote begins a lifetime.
fn character(text: &str) -> usize {
    let mut characters = text.char_indices().skip(1);
    match (characters.next(), characters.next()) {
        (Some((_, '\\')), Some((after_escaped, escaped))) => {
            let from = after_escaped + escaped.len_utf8();
            text.get(from..).and_then(|rest| rest.find('\'')).map_or(0, |end| from + end + 1)
        }
        (Some(_), Some((at, '\''))) => at + 1,
        _ => 0,
    }
}

/// Length of `r"…"` or `r#"…"#`, or 0 where the `r` begins a word.
fn raw_string(text: &str) -> usize {
    let after = text.get(1..).unwrap_or("");
    let hashes = after.len() - after.trim_start_matches('#').len();
    let Some(body) = after.get(hashes..).and_then(|rest| rest.strip_prefix('"')) else {
        return 0;
    };
    let end = format!("\"{}", "#".repeat(hashes));
    body.find(&end).map_or(text.len(), |at| 2 + hashes + at + end.len())
}

/// Blanks every item under `#[cfg(test)]`. Relies on rustfmt: an item ends at the first `}` or `;` of its own indent.
pub(super) fn without_tests(code: &str) -> String {
    let mut out = String::with_capacity(code.len());
    let mut lines = code.lines();
    while let Some(line) = lines.next() {
        if line.trim() == "#[cfg(test)]" {
            let indent = line.len() - line.trim_start().len();
            out.push('\n');
            for inside in lines.by_ref() {
                out.push('\n');
                let own_indent = inside.len() - inside.trim_start().len() == indent;
                let inside = inside.trim();
                if own_indent && !inside.starts_with('#') && (inside.ends_with(';') || inside.ends_with('}')) {
                    break;
                }
            }
        } else {
            out.push_str(line);
            out.push('\n');
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comments_and_the_insides_of_literals_are_no_code_and_lines_stay_lines() {
        let text = "let a = \"x::y // \\\" no\"; // x::y\n/* x::y /* in */ x::y\n */ let c = '\"'; x::z();\n\
                    let r = r#\"x::y \" \"#; fn f<'a>(e: &'a str) { '\\'' } x::w();\nlet robber = b\"x::y\"; var\"\";";
        let code = code_only(text);
        assert!(!code.contains("x::y"), "{code}");
        assert!(code.contains("x::z()") && code.contains("x::w()") && code.contains("fn f<'a>(e: &'a str)"), "{code}");
        assert!(code.contains("let robber"), "{code}");
        assert_eq!(code.lines().count(), text.lines().count());
    }

    #[test]
    fn the_pieces_are_the_whole_text() {
        let text = "a \"b\" /* c */ 'd' r#\"e\"# // f\nlet é = b\"g\"; fn h<'i>() {}";
        assert_eq!(pieces(text).into_iter().map(|(_, part)| part).collect::<String>(), text);
        let texts = pieces(text).into_iter().filter(|(piece, _)| *piece == Piece::Text).map(|(_, part)| part);
        assert_eq!(texts.collect::<Vec<_>>(), ["\"b\"", "r#\"e\"#", "\"g\""]);
    }

    #[test]
    fn an_unfinished_literal_or_comment_ends_with_the_file() {
        for text in ["\"abc", "/* abc", "r#\"abc", "// abc", "'", "r#"] {
            assert!(code_only(text).len() <= text.len(), "{text}");
        }
    }

    #[test]
    fn test_modules_are_left_out_and_what_follows_them_is_not() {
        let code = "fn a() {}\n#[cfg(test)]\n#[allow(x)]\nmod tests {\n    fn b() {\n    }\n}\nfn c() {}\n\
                    #[cfg(test)]\nmod d;\nfn e() {}\nimpl X {\n    #[cfg(test)]\n    fn f() {\n        g();\n    }\n    \
                    fn h() {}\n}\n";
        let kept = without_tests(code);
        for name in ["a()", "c()", "e()", "h()"] {
            assert!(kept.contains(name), "{name} is gone: {kept}");
        }
        for name in ["b()", "mod d", "f()", "g()"] {
            assert!(!kept.contains(name), "{name} stayed: {kept}");
        }
        assert_eq!(kept.lines().count(), code.lines().count());
    }

    #[test]
    fn a_word_is_a_whole_word() {
        assert!(has_word("std::env::var(x)", "env::var"));
        assert!(!has_word("std::env::vars()", "env::var"));
        assert!(!has_word("my_env::var()", "env::var"));
        assert!(has_word("JournalAck::synced(", "::synced"));
        assert!(!has_word("JournalAck::synced_at(", "::synced"));
    }

    #[test]
    fn only_the_sources_of_crates_are_product() {
        assert!(is_product("crates/core/src/proof.rs"));
        assert!(is_product("crates/core/src/decide/mod.rs"));
        for path in
            ["crates/core/src/decide/tests.rs", "crates/sys/tests/x.rs", "xtask/src/main.rs", "crates/a/src/x.md"]
        {
            assert!(!is_product(path), "{path}");
        }
    }
}
