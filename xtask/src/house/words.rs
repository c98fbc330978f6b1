//! Every sentence comes from the message catalogue, so that a second language is a file: prose in a string literal of
//! the product stands in the languages of `crates/text` and nowhere else.

use super::source::{File, Piece, Sources, pieces};

/// Where a language's words are.
const LANGUAGES: &str = "crates/text/src/en";

/// Before a literal that only a programmer reads: proofs of an `expect`, reasons of a lint's exception.
const FOR_PROGRAMMERS: [&str; 7] =
    [".expect(", "reason = ", "unreachable!(", "panic!(", "#[must_use = ", "note = ", "compile_error!("];

/// Literals that look like prose and are data: names of commands, labels of keys, forms of files.
const DATA: &[(&str, &str)] = &[
    ("crates/wire/src/operator.rs", "agent list"),
    ("crates/wire/src/operator.rs", "agent pin"),
    ("crates/wire/src/operator.rs", "agent unpin"),
    ("crates/lychgate/src/cmd/agent/pin.rs", "agent pin"),
    ("crates/lychgate/src/cmd/agent/pin.rs", "agent unpin"),
    ("crates/wire/src/operator.rs", "channel add"),
    ("crates/wire/src/operator.rs", "channel list"),
    ("crates/wire/src/operator.rs", "channel remove"),
    ("crates/wire/src/operator.rs", "check factor"),
    ("crates/lychgate/src/cli.rs", "lych restore [OPTIONS] FILE\\n       lych restore [OPTIONS] --previous"),
    ("crates/lychgate/src/cmd/channel/add.rs", "channel add"),
    ("crates/lychgate/src/cmd/channel/list.rs", "channel show"),
    ("crates/lychgate/src/cmd/channel/remove.rs", "channel remove"),
    ("crates/lychgate/src/cmd/connect.rs", "claude mcp add --scope user lychgate --"),
    ("crates/lychgate/src/cmd/connect.rs", "codex mcp add lychgate --"),
    ("crates/lychgate/src/cmd/demo/person.rs", "lych approvals"),
    ("crates/lychgate/src/cmd/demo/person.rs", "lych deny {number}"),
    ("crates/lychgate/src/cmd/demo/person.rs", "lych approve {number}"),
    ("crates/lychgate/src/cmd/demo/service/certificate.rs", "Lychgate demo authority"),
    ("crates/lychgate/src/cmd/demo/stage.rs", r#"{"name":"an item"}"#),
    (
        "crates/lychgate/src/cmd/demo/steps/set_up.rs",
        "channel add {name} --origin {origin} --path /v1/ --method GET,POST --kind bearer --allow-private",
    ),
    ("crates/vault/src/epoch/mark.rs", "lychgate epoch mark 1"),
];

pub(super) fn check(sources: &Sources) -> Vec<String> {
    let mut findings = Vec::new();
    let mut used = vec![false; DATA.len()];
    for product in sources.product.iter().filter(|file| !file.path.starts_with(LANGUAGES)) {
        let Some(file) = sources.files.iter().find(|file| file.path == product.path) else { continue };
        for (line, literal) in prose(file, product) {
            match DATA.iter().position(|(path, data)| file.path.starts_with(path) && literal == *data) {
                Some(at) => used.iter_mut().skip(at).take(1).for_each(|used| *used = true),
                None => findings.push(format!("{}:{line}: \"{literal}\" belongs into {LANGUAGES}", file.path)),
            }
        }
    }
    let unused = DATA.iter().zip(used).filter(|(_, used)| !used);
    // A tree of a test holds few files; there nothing can be missed.
    let whole = sources.files.iter().any(|file| file.path == "Cargo.lock");
    findings.extend(
        unused
            .filter(|_| whole)
            .map(|((path, data), _)| format!("the exception \"{data}\" of {path} is not needed any more")),
    );
    findings
}

/// Lines and texts of the literals that read like prose. `product` is the same file with tests blanked.
fn prose(file: &File, product: &File) -> Vec<(usize, String)> {
    let lines: Vec<&str> = product.text.lines().collect();
    let (mut line, mut before, mut found) = (1, "", Vec::new());
    for (piece, part) in pieces(&file.text) {
        // A line within a test is empty there; one that holds a literal never is.
        let tested = lines.get(line - 1).is_none_or(|line| line.is_empty());
        let for_programmers = FOR_PROGRAMMERS.iter().any(|mark| before.trim_end().ends_with(mark.trim_end()))
            || before.lines().next_back().is_some_and(|line| line.contains("assert!("));
        if piece == Piece::Text && !tested && !for_programmers && is_prose(part) {
            found.push((line, inside(part).to_owned()));
        }
        line += part.matches('\n').count();
        if piece != Piece::Comment {
            before = part;
        }
    }
    found
}

/// A literal without its marks.
fn inside(literal: &str) -> &str {
    literal.strip_prefix('r').unwrap_or(literal).trim_matches('#').trim_matches('"')
}

/// A word, and after one space another in small letters.
fn is_prose(literal: &str) -> bool {
    let words: Vec<&str> = inside(literal).split([' ', '\n', '\\']).collect();
    words.windows(2).any(|pair| match pair {
        [first, second] => {
            let first = first.strip_suffix([',', ';', ':', '.']).unwrap_or(first);
            let ends = first.chars().rev().take_while(char::is_ascii_alphabetic).count() >= 2;
            let begins = second.chars().take_while(|c| c.is_ascii_lowercase() || *c == '`').count() >= 2;
            ends && begins
        }
        _ => false,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(path: &str, text: &str) -> Vec<String> {
        check(&Sources::of("/nowhere".as_ref(), vec![File { path: path.to_owned(), text: text.to_owned() }]))
    }

    #[test]
    fn a_sentence_outside_the_catalogue_is_found_wherever_it_hides() {
        for text in [
            "#[error(\"the vault is gone\")]",
            "let x = format!(\"{a}: can't be read, try again\");",
            "const WHY: &str = r#\"it is \"damaged\"\"#;",
            "fn f() { g(b\"not open\") }",
            "let x = \"one: \\\n    two words\";",
        ] {
            assert_eq!(found("crates/vault/src/error.rs", text).len(), 1, "{text}");
        }
        let two = found("crates/vault/src/error.rs", "let a = 1;\nlet b = \"of no use\";\n\nlet c = \"no way out\";\n");
        assert!(matches!(two.as_slice(), [b, c] if b.contains("error.rs:2:") && c.contains("error.rs:4:")), "{two:?}");
    }

    #[test]
    fn the_catalogue_tests_comments_and_proofs_may_hold_sentences() {
        assert_eq!(found("crates/text/src/en/vault.rs", "\"the vault is gone\""), Vec::<String>::new());
        for text in [
            "/// \"the vault is gone\"\nfn f() {}",
            "#[cfg(test)]\nmod tests {\n    const A: &str = \"the vault is gone\";\n}\n",
            "x.expect(\"a list that is never empty\");",
            "const { assert!(N <= 8, \"more than there are\") };",
            "#[expect(clippy::panic, reason = \"it can not happen\")]",
            "let a = [\"application/json\", \"one-word\", \"{a}: {b}\", \"X-Y: z\"];",
        ] {
            assert_eq!(found("crates/vault/src/error.rs", text), Vec::<String>::new(), "{text}");
        }
        assert_eq!(found("crates/vault/tests/error.rs", "\"the vault is gone\""), Vec::<String>::new());
    }
}
