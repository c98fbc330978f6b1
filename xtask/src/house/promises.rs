//! Three constructors state what no type can check. Each is called in one place of the product, in the crate that
//! can know it; a second call would be a second promise that nobody reviews.

use super::source::Sources;

/// A constructor and the folder of its one call.
struct Promise {
    /// Any type name before it, so that an alias or `Self` is found too.
    call: &'static str,
    means: &'static str,
    home: &'static str,
    /// Where it is defined.
    defined: &'static str,
}

const PROMISES: [Promise; 3] = [
    Promise {
        call: "::synced",
        means: "this row is durable",
        home: "crates/journal/src/",
        defined: "crates/core/src/proof.rs",
    },
    Promise {
        call: "::observed",
        means: "these facts were read from the kernel between a pin and a second look",
        home: "crates/peer/src/",
        defined: "crates/core/src/evidence.rs",
    },
    Promise {
        call: "::against",
        means: "this secret is the one of this action's channel",
        home: "crates/vault/src/",
        defined: "crates/core/src/proof.rs",
    },
];

pub(super) fn check(sources: &Sources) -> Vec<String> {
    let mut findings = Vec::new();
    for promise in PROMISES {
        let name = promise.call.trim_start_matches(':');
        let definition = format!("pub fn {name}(");
        let defined =
            sources.product.iter().any(|file| file.path == promise.defined && file.text.contains(&definition));
        if !defined {
            findings.push(format!("`{definition}` is not in {}: move this rule with it", promise.defined));
        }
        let calls: Vec<String> = sources.product.iter().flat_map(|file| file.uses(promise.call)).collect();
        match calls.as_slice() {
            [only] if only.starts_with(promise.home) => {}
            _ => findings.push(format!(
                "{name} (\"{}\") must be called once, in {}; found: {}",
                promise.means,
                promise.home,
                if calls.is_empty() { "nowhere".to_owned() } else { calls.join(", ") }
            )),
        }
    }
    findings
}

#[cfg(test)]
mod tests {
    use super::super::source::File;
    use super::*;

    fn tree(extra: &[(&str, &str)]) -> Sources {
        let good = [
            ("crates/core/src/proof.rs", "pub fn synced() {}\npub fn against() {}\n"),
            ("crates/core/src/evidence.rs", "pub fn observed() {}\n/// [`Subject::observed`]\n"),
            ("crates/journal/src/writer.rs", "JournalAck::synced();\n#[cfg(test)]\nmod tests {\n    A::synced();\n}\n"),
            ("crates/peer/src/chain.rs", "Subject::observed();\n"),
            ("crates/vault/src/release.rs", "Released::against();\n"),
            ("crates/vault/tests/release.rs", "Released::against();\n"),
        ];
        let files = good.iter().chain(extra);
        let files = files.map(|(path, text)| File { path: (*path).to_owned(), text: (*text).to_owned() }).collect();
        Sources::of("/nowhere".as_ref(), files)
    }

    #[test]
    fn one_call_each_in_its_home_is_fine_and_tests_do_not_count() {
        assert_eq!(check(&tree(&[])), Vec::<String>::new());
    }

    #[test]
    fn a_second_call_is_found_also_through_an_alias_or_without_parentheses() {
        for text in
            ["JournalAck::synced();", "use Ack as A; A::synced();", "rows.map(JournalAck::synced);", "(A::synced(), 1)"]
        {
            let findings = check(&tree(&[("crates/gateway/src/run.rs", text)]));
            assert_eq!(findings.len(), 1, "{text}");
        }
    }

    #[test]
    fn two_calls_in_one_line_are_two() {
        let mut twice = tree(&[("crates/vault/src/other.rs", "(Released::against(), Released::against())")]);
        twice.product.retain(|file| file.path != "crates/vault/src/release.rs");
        assert_eq!(check(&twice).len(), 1);
    }

    #[test]
    fn a_promise_that_nobody_makes_or_another_crate_makes_is_found() {
        let mut moved = tree(&[("crates/http/src/send.rs", "Released::against();")]);
        moved.product.retain(|file| file.path != "crates/vault/src/release.rs");
        assert_eq!(check(&moved).len(), 1);
        moved.product.retain(|file| file.path != "crates/http/src/send.rs");
        assert_eq!(check(&moved).len(), 1);
    }
}
