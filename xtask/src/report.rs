//! Steps: each is announced, timed, and listed at the end. One failure fails the whole, and the rest still runs.

use crate::Failure;
use std::io::Write;
use std::process::Command;
use std::time::{Duration, Instant};

/// How one step ended.
struct Line {
    name: &'static str,
    took: Duration,
    failure: Option<Failure>,
}

/// All steps so far.
pub(crate) struct Report {
    began: Instant,
    lines: Vec<Line>,
}

impl Report {
    pub(crate) fn new() -> Self {
        Self { began: Instant::now(), lines: Vec::new() }
    }

    /// Runs a step. `Some` where it succeeded: what later steps need from it.
    pub(crate) fn step<T>(&mut self, name: &'static str, work: impl FnOnce() -> Result<T, Failure>) -> Option<T> {
        println!("\n== {name}");
        let began = Instant::now();
        let result = work();
        let took = began.elapsed();
        let (value, failure) = match result {
            Ok(value) => (Some(value), None),
            Err(failure) => (None, Some(failure)),
        };
        match &failure {
            None => println!("== {name}: ok, {}", seconds(took)),
            Some(failure) => println!("== {name}: FAILED, {}: {failure}", seconds(took)),
        }
        self.lines.push(Line { name, took, failure });
        value
    }

    /// Counts a step that could not be tried as failed.
    pub(crate) fn not_run(&mut self, name: &'static str, because: &str) {
        println!("\n== {name}: FAILED, not run: {because}");
        self.lines.push(Line { name, took: Duration::ZERO, failure: Some(format!("not run: {because}")) });
    }

    /// Prints the summary.
    pub(crate) fn finish(self) -> Result<(), Failure> {
        println!("\n== summary");
        for line in &self.lines {
            let verdict = line.failure.as_deref().map_or_else(|| "ok".to_owned(), |why| format!("FAILED: {why}"));
            println!("{:>9}  {:<28} {verdict}", seconds(line.took), line.name);
        }
        println!("{:>9}  total", seconds(self.began.elapsed()));
        let failed = self.lines.iter().filter(|line| line.failure.is_some()).count();
        match failed {
            0 => Ok(()),
            _ => Err(format!("{failed} of {} steps failed", self.lines.len())),
        }
    }
}

fn seconds(took: Duration) -> String {
    format!("{:.1} s", took.as_secs_f64())
}

/// Runs a program with its output where ours goes. An exit status other than 0 is a failure.
pub(crate) fn run(command: &mut Command) -> Result<(), Failure> {
    println!("$ {}", shown(command));
    // The program writes to the same place; what was announced must stand before it.
    std::io::stdout().flush().map_err(|error| format!("standard output: {error}"))?;
    let status = command.status().map_err(|error| format!("{} can't be started: {error}", shown(command)))?;
    if status.success() { Ok(()) } else { Err(format!("{} ended with {status}", shown(command))) }
}

fn shown(command: &Command) -> String {
    let words = std::iter::once(command.get_program()).chain(command.get_args());
    words.map(|word| word.to_string_lossy()).collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests")]
    use super::*;

    #[test]
    fn one_failed_step_fails_the_whole_and_the_rest_still_runs() {
        let mut report = Report::new();
        assert_eq!(report.step("first", || Err::<(), _>("no".to_owned())), None);
        assert_eq!(report.step("second", || Ok(7)), Some(7));
        assert_eq!(report.finish().unwrap_err(), "1 of 2 steps failed");
    }

    #[test]
    fn a_step_that_was_not_run_counts_as_failed() {
        let mut report = Report::new();
        report.not_run("tests", "the build failed");
        assert!(report.finish().is_err());
    }

    #[test]
    fn a_program_that_fails_or_does_not_exist_is_a_failure() {
        assert!(run(&mut Command::new("true")).is_ok());
        assert!(run(&mut Command::new("false")).is_err());
        assert!(run(&mut Command::new("there-is-no-such-program")).is_err());
    }
}
