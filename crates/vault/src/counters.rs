//! Numbers for people, `R31` and `Q44`, that never restart. They name and decide nothing.

use crate::store::Opened;
use lychgate_core::ids::{ActionNo, RunId};
use lychgate_core::record::Record;
use lychgate_seal::durable::{self, PRIVATE_FILE, ReadRefused};
use lychgate_text::words;
use std::io;
use std::path::{Path, PathBuf};

/// Action numbers are made durable so many at a time: the store beside it has the exact one.
const ACTIONS_AHEAD: u64 = 1_000;
const MOST_BYTES: usize = 4096;

/// The counters of one state directory.
#[derive(Debug)]
pub struct Counters {
    path: PathBuf,
    last_run: u64,
    last_action: u64,
    /// Action numbers up to this one may have been given out.
    actions_reserved: u64,
    damaged: Option<CountersDamaged>,
}

/// What was wrong with the file.
#[derive(Debug, thiserror::Error)]
pub enum CountersDamaged {
    /// It can't be read as a file of ours alone.
    #[error(transparent)]
    Read(#[from] ReadRefused),
    /// It does not hold one number of each kind and nothing else.
    #[error("{}", (words().vault().counters_damaged)(&.0.display()))]
    Form(PathBuf),
}

impl Counters {
    /// Reads them. A missing file begins at 1. A damaged one never stops a gateway: the largest numbers that can be read
    /// count, and [`Counters::damaged`] says so.
    #[must_use]
    pub fn open(path: &Path) -> Self {
        let (text, damaged) = match durable::read_owned(path, MOST_BYTES) {
            Ok(bytes) => (String::from_utf8_lossy(&bytes).into_owned(), None),
            Err(ReadRefused::Absent(_)) => (String::new(), None),
            Err(refused) => (String::new(), Some(CountersDamaged::from(refused))),
        };
        let (last_run, run_lines) = largest(&text, "runs ");
        let (actions_reserved, action_lines) = largest(&text, "actions ");
        let whole = text.is_empty() || (run_lines == 1 && action_lines == 1 && text.lines().count() == 2);
        let damaged = damaged.or_else(|| (!whole).then(|| CountersDamaged::Form(path.to_owned())));
        Self { path: path.to_owned(), last_run, last_action: actions_reserved, actions_reserved, damaged }
    }

    /// What was wrong with the file. The numbers go on as far as they could be read.
    #[must_use]
    pub fn damaged(&self) -> Option<&CountersDamaged> {
        self.damaged.as_ref()
    }

    /// The next run number, durable before it is returned.
    ///
    /// # Errors
    /// It could not be written; the number was not used.
    pub fn next_run(&mut self) -> io::Result<RunId> {
        let next = self.last_run.saturating_add(1);
        self.write(next, self.actions_reserved)?;
        self.last_run = next;
        Ok(RunId(next))
    }

    /// No run number up to `known` is given out again: for what the store or the journal still knows.
    pub fn runs_seen(&mut self, known: RunId) {
        self.last_run = self.last_run.max(known.0);
    }

    /// Action numbers go on where the opened store ends. Where that was damaged, lost or put back, they jump past every
    /// number that may have been given out. Without this call they jump too.
    pub fn follow(&mut self, store: &Opened) {
        let next = store.records.iter().find_map(|record| match record {
            Record::Counter { next_action } => Some(*next_action),
            _ => None,
        });
        let last = next.unwrap_or(0).saturating_sub(1);
        let current = last.saturating_add(ACTIONS_AHEAD) >= self.actions_reserved;
        let whole = store.notice.is_none() && !store.made && current;
        self.last_action = if whole { last } else { last.max(self.actions_reserved) };
    }

    /// The next action number. It becomes durable with the store's record of it; this file covers the store's loss.
    ///
    /// # Errors
    /// It could not be written; the number was not used.
    pub fn next_action(&mut self) -> io::Result<ActionNo> {
        let next = self.last_action.saturating_add(1);
        if next > self.actions_reserved {
            let reserved = next.saturating_add(ACTIONS_AHEAD - 1);
            self.write(self.last_run, reserved)?;
            self.actions_reserved = reserved;
        }
        self.last_action = next;
        Ok(ActionNo(next))
    }

    fn write(&self, runs: u64, actions: u64) -> io::Result<()> {
        durable::replace(&self.path, format!("runs {runs}\nactions {actions}\n").as_bytes(), PRIVATE_FILE)
    }
}

fn largest(text: &str, word: &str) -> (u64, usize) {
    let numbers: Vec<u64> = text.lines().filter_map(|line| line.strip_prefix(word)?.parse().ok()).collect();
    (numbers.iter().copied().max().unwrap_or(0), numbers.len())
}
