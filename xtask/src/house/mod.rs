//! House rules that neither the compiler nor a lint checks. Each looks at the tracked sources and names what it found.

mod arrows;
mod environment;
mod links;
mod places;
mod promises;
mod pure;
mod source;
mod words;

use crate::Failure;
use source::Sources;
use std::path::Path;

/// One rule: its name, and what breaks it.
type Rule = (&'static str, fn(&Sources) -> Vec<String>);

const RULES: [Rule; 7] = [
    ("a promise that no type can check is made in one place", promises::check),
    ("nothing that widens authority comes from the environment", environment::check),
    ("the pure crates do no I/O and know no clock", pure::check),
    ("crates know only those below them", arrows::check),
    ("no tracked file names this machine", places::check),
    ("every sentence comes from the catalogue", words::check),
    ("links between documents lead somewhere", links::check),
];

/// Checks all rules; every finding is printed.
pub(crate) fn check(root: &Path) -> Result<(), Failure> {
    let sources = Sources::tracked(root)?;
    let mut broken = 0;
    for (rule, check) in RULES {
        let findings = check(&sources);
        println!("{} {rule}", if findings.is_empty() { "  ok  " } else { "BROKEN" });
        for finding in &findings {
            println!("       {finding}");
        }
        broken += usize::from(!findings.is_empty());
    }
    match broken {
        0 => Ok(()),
        _ => Err(format!("{broken} of {} house rules are broken", RULES.len())),
    }
}
