//! What cards tell of a program's past: when it first asked, and whether it is what the person last said yes to.
//!
//! Kept in the sealed action store, from cards and yeses alone: whoever only connects leaves nothing there. It chooses words;
//! `decide` never reads it.

use crate::evidence::Executable;
use crate::ids::WallTime;
use crate::provenance::{Provenance, Script, Unsigned};
use crate::record::Record;
use crate::{evidence::ProcessFacts, ids::Digest};
use serde::{Deserialize, Serialize};
use std::collections::HashMap;

/// Programs that are remembered at the most. A flood of new ones keeps those that are known.
pub const MOST: usize = 4_096;

/// What ran: a program file and, for an interpreter, the script that it claims.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct ProgramImage {
    /// Path of the program.
    pub path: String,
    /// SHA-256 of the image.
    pub sha256: Digest,
    /// The script.
    pub script: Option<Script>,
}

impl ProgramImage {
    /// Of the process that a card calls the agent. `None` where its program was not seen.
    #[must_use]
    pub fn of(agent: &ProcessFacts) -> Option<Self> {
        let Executable { path, sha256, .. } = agent.executable.value()?;
        Some(Self { path: path.clone(), sha256: *sha256, script: agent.script.clone() })
    }

    /// Where it lies: what an update keeps.
    fn place(&self) -> Place {
        Place { path: self.path.clone(), script: self.script.as_ref().map(|script| script.path.clone()) }
    }
}

#[derive(Debug, Clone, PartialEq, Eq, Hash)]
struct Place {
    path: String,
    script: Option<String>,
}

/// What is known of a program, for a card.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum History {
    /// The store could not be read: nothing can be said.
    Unknown,
    /// From the store.
    Known {
        /// When this very file, with this very script, first asked. `None`: now.
        first_asked: Option<WallTime>,
        /// The person's last yes to what lies at this place.
        last_yes: LastYes,
    },
}

/// The person's last yes, and whether it was to the same.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum LastYes {
    /// There was none.
    Never,
    /// To the same file, and the same script where there is one.
    Same(WallTime),
    /// To another program file.
    OtherProgram(WallTime),
    /// To the same interpreter with another content of the script.
    OtherScript(WallTime),
    /// To the same interpreter; what it runs is in no file that could be compared.
    Uncomparable(WallTime),
}

/// See the module.
#[derive(Debug, Default)]
pub struct Programs {
    first: HashMap<ProgramImage, WallTime>,
    yes: HashMap<Place, (ProgramImage, WallTime)>,
    complete: bool,
}

impl Programs {
    /// Nothing is known, and that is not the same as nothing having been there.
    #[must_use]
    pub fn unread() -> Self {
        Self::default()
    }

    /// From all records of a store, oldest first.
    #[must_use]
    pub fn replay<'a>(records: impl IntoIterator<Item = &'a Record>) -> Self {
        let mut programs = Self { complete: true, ..Self::default() };
        records.into_iter().for_each(|record| programs.note(record));
        programs
    }

    /// Takes one more record in. Those of other kinds change nothing.
    pub fn note(&mut self, record: &Record) {
        let Record::Program { image, yes, at } = record else { return };
        if self.first.len() < MOST || self.first.contains_key(image) {
            self.first.entry(image.clone()).or_insert(*at);
        }
        let place = image.place();
        if *yes && (self.yes.len() < MOST || self.yes.contains_key(&place)) {
            self.yes.insert(place, (image.clone(), *at));
        }
    }

    /// True where it is known already: there is nothing to note.
    #[must_use]
    pub fn knows(&self, image: &ProgramImage) -> bool {
        self.first.contains_key(image)
    }

    /// What a card says of `agent`, whose image is `image`.
    #[must_use]
    pub fn history(&self, image: &ProgramImage, provenance: &Provenance) -> History {
        if !self.complete {
            return History::Unknown;
        }
        let last_yes = match self.yes.get(&image.place()) {
            None => LastYes::Never,
            Some((then, at)) => compare(then, image, provenance, *at),
        };
        History::Known { first_asked: self.first.get(image).copied(), last_yes }
    }
}

fn compare(then: &ProgramImage, now: &ProgramImage, provenance: &Provenance, at: WallTime) -> LastYes {
    let script = |image: &ProgramImage| image.script.as_ref().and_then(|script| script.sha256);
    if then.sha256 != now.sha256 {
        return LastYes::OtherProgram(at);
    }
    match (script(then), script(now)) {
        (Some(then), Some(now)) if then == now => LastYes::Same(at),
        (None, None) if *provenance != Provenance::Unsigned(Unsigned::Interpreter) => LastYes::Same(at),
        (Some(_), Some(_)) => LastYes::OtherScript(at),
        _ => LastYes::Uncomparable(at),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NATIVE: Provenance = Provenance::Unsigned(Unsigned::NotPackaged);
    const INTERPRETER: Provenance = Provenance::Unsigned(Unsigned::Interpreter);

    fn image(sha: u8, script: Option<(&str, Option<u8>)>) -> ProgramImage {
        let script = script.map(|(path, sha)| Script { path: path.into(), sha256: sha.map(|sha| Digest([sha; 32])) });
        ProgramImage { path: "/usr/bin/agent".into(), sha256: Digest([sha; 32]), script }
    }

    fn asked(image: ProgramImage, at: u64) -> Record {
        Record::Program { image, yes: false, at: WallTime(at) }
    }

    fn approved(image: ProgramImage, at: u64) -> Record {
        Record::Program { image, yes: true, at: WallTime(at) }
    }

    fn known(first_asked: Option<u64>, last_yes: LastYes) -> History {
        History::Known { first_asked: first_asked.map(WallTime), last_yes }
    }

    #[test]
    fn the_last_yes_is_to_the_same_file_or_to_another_one_at_its_place() {
        let records = [asked(image(1, None), 10), approved(image(1, None), 20), approved(image(1, None), 30)];
        let programs = Programs::replay(&records);
        assert_eq!(programs.history(&image(1, None), &NATIVE), known(Some(10), LastYes::Same(WallTime(30))));
        assert_eq!(programs.history(&image(2, None), &NATIVE), known(None, LastYes::OtherProgram(WallTime(30))));
        let elsewhere = ProgramImage { path: "/tmp/agent".into(), ..image(1, None) };
        assert_eq!(programs.history(&elsewhere, &NATIVE), known(None, LastYes::Never));
    }

    #[test]
    fn a_yes_to_an_interpreter_is_one_to_the_content_of_its_script() {
        let programs = Programs::replay(&[approved(image(1, Some(("a.py", Some(1)))), 20)]);
        for (script, expected) in [
            (Some(("a.py", Some(1))), known(Some(20), LastYes::Same(WallTime(20)))),
            (Some(("a.py", Some(2))), known(None, LastYes::OtherScript(WallTime(20)))),
            (Some(("a.py", None)), known(None, LastYes::Uncomparable(WallTime(20)))),
            (Some(("b.py", Some(1))), known(None, LastYes::Never)),
            (None, known(None, LastYes::Never)),
        ] {
            assert_eq!(programs.history(&image(1, script), &INTERPRETER), expected, "{script:?}");
        }
        let module = Programs::replay(&[approved(image(1, None), 20)]);
        assert_eq!(module.history(&image(1, None), &INTERPRETER), known(Some(20), LastYes::Uncomparable(WallTime(20))));
    }

    #[test]
    fn a_card_that_was_never_approved_is_no_yes() {
        let programs = Programs::replay(&[asked(image(1, None), 10)]);
        assert_eq!(programs.history(&image(1, None), &NATIVE), known(Some(10), LastYes::Never));
    }

    #[test]
    fn without_the_store_nothing_is_claimed() {
        let mut programs = Programs::unread();
        programs.note(&approved(image(1, None), 20));
        assert_eq!(programs.history(&image(1, None), &NATIVE), History::Unknown);
    }

    #[test]
    fn a_flood_of_programs_pushes_out_none_that_is_known() {
        let mut programs = Programs::replay(&[approved(image(1, None), 1)]);
        for at in 0..=MOST as u64 {
            let flood = ProgramImage { path: format!("/tmp/{at}"), ..image(2, None) };
            programs.note(&asked(flood, at));
        }
        assert_eq!(programs.first.len(), MOST);
        assert_eq!(programs.history(&image(1, None), &NATIVE), known(Some(1), LastYes::Same(WallTime(1))));
    }
}
