//! Who answers the cards: the person at the terminal, or `--yes`.

use super::process::Lych;
use super::secrets::Secrets;
use super::{failure, usage, visible_lines};
use crate::output;
use crate::trouble::Trouble;
use lychgate_core::card::CardView;
use lychgate_text::{Attempt, Catalogue, Demo, DemoFailure, card};
use rustix::termios::QueueSelector;
use std::fs::File;
use std::io::{self, IsTerminal, Read};
use std::time::Duration;
use zeroize::Zeroizing;

/// Between two looks for a card.
const LOOK: Duration = Duration::from_millis(100);
/// Looks until a card must be there.
const LOOKS: usize = 200;
/// A line on a terminal is no longer than this (`termios(3)`, canonical mode).
const LINE_BYTES: usize = 4096;
/// Time to read what just appeared.
const PAUSE: Duration = Duration::from_millis(1500);

/// Who answers.
pub(super) enum Person {
    /// Always yes, at once.
    Yes,
    /// Keys.
    Terminal(File),
}

/// What was answered.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Answered {
    Yes,
    No,
}

impl Person {
    pub(super) fn says_yes() -> Self {
        Self::Yes
    }

    /// Needs a terminal to read from and to show cards on.
    pub(super) fn at_terminal(say: &dyn Catalogue) -> Result<Self, Trouble> {
        let shown = io::stdout().is_terminal();
        let tty = File::open("/dev/tty").ok().filter(|_| shown);
        tty.map(Self::Terminal).ok_or_else(|| usage(say, &DemoFailure::NoTerminal))
    }

    /// A moment to read, where somebody reads.
    pub(super) async fn pause(&self) {
        match self {
            Self::Yes => {}
            Self::Terminal(_) => tokio::time::sleep(PAUSE).await,
        }
    }

    /// Shows a card and has it answered: by the commands that a person would give.
    pub(super) async fn answer(
        &self,
        say: &'static dyn Catalogue,
        lych: &Lych,
        secrets: &Secrets,
        view: &CardView,
    ) -> Result<Answered, Trouble> {
        output::prose(&say.demo(&Demo::PersonRuns { command: "lych approvals" }));
        output::lines(&card(say, view, output::columns()));
        match self {
            Self::Yes => {
                output::prose(&say.demo(&Demo::YesAnswers));
                let said = approve(say, lych, view, &secrets.pin).await?;
                said.map(|()| Answered::Yes).map_err(|ran| ran.unexpected(say))
            }
            Self::Terminal(tty) => self.ask(say, lych, secrets, view, tty).await,
        }
    }

    async fn ask(
        &self,
        say: &'static dyn Catalogue,
        lych: &Lych,
        secrets: &Secrets,
        view: &CardView,
        tty: &File,
    ) -> Result<Answered, Trouble> {
        let number = view.card.to_string();
        loop {
            match typed(say, tty, &Demo::Question { card: &number }).await?.as_str() {
                "y" => {
                    let pin = typed(say, tty, &Demo::AskPin { pin: &secrets.pin }).await?;
                    match approve(say, lych, view, &pin).await? {
                        Ok(()) => return Ok(Answered::Yes),
                        Err(ran) => {
                            output::lines(&visible_lines(&ran.err));
                            output::prose(&say.demo(&Demo::TryAgain));
                        }
                    }
                }
                "n" => {
                    output::prose(&say.demo(&Demo::PersonRuns { command: &format!("lych deny {number}") }));
                    let ran = lych.must(&["deny", &number], "").await?;
                    output::lines(&visible_lines(&ran.out));
                    return Ok(Answered::No);
                }
                _ => output::prose(&say.demo(&Demo::NotAKey)),
            }
        }
    }
}

/// Says yes to the card as it was shown, and to no other.
async fn approve(
    say: &dyn Catalogue,
    lych: &Lych,
    view: &CardView,
    pin: &str,
) -> Result<Result<(), super::process::Ran>, Trouble> {
    let (number, shown) = (view.card.to_string(), view.digest().to_string());
    output::prose(&say.demo(&Demo::PersonRuns { command: &format!("lych approve {number}") }));
    let input = Zeroizing::new(format!("{pin}\n"));
    let ran = lych.run(&["approve", &number, "--shown", &shown, "--factor-stdin"], &input).await?;
    if ran.status != Some(0) {
        return Ok(Err(ran));
    }
    output::lines(&visible_lines(&ran.out));
    Ok(Ok(()))
}

/// Waits for a card.
pub(super) async fn next_card(say: &dyn Catalogue, lych: &Lych) -> Result<CardView, Trouble> {
    for _ in 0..LOOKS {
        if let Some(card) = open_cards(say, lych).await?.into_iter().next() {
            return Ok(card);
        }
        tokio::time::sleep(LOOK).await;
    }
    Err(failure(say, &DemoFailure::TooLong { what: Attempt::WaitingForCard }))
}

/// The cards that wait now.
pub(super) async fn open_cards(say: &dyn Catalogue, lych: &Lych) -> Result<Vec<CardView>, Trouble> {
    let ran = lych.must(&["approvals", "--json"], "").await?;
    serde_json::from_str(&ran.out).map_err(|error| Trouble::system(say, Attempt::ReadingCards, &error))
}

/// A line that is typed after its prompt stands there.
async fn typed(say: &dyn Catalogue, tty: &File, prompt: &Demo<'_>) -> Result<Zeroizing<String>, Trouble> {
    let failed = |error: &dyn std::fmt::Display| Trouble::system(say, Attempt::ReadingTerminal, error);
    let mut tty = tty.try_clone().map_err(|error| failed(&error))?;
    // Where the terminal is gone the read says so.
    let _ = rustix::termios::tcflush(&tty, QueueSelector::IFlush);
    output::prompt(&say.demo(prompt));
    // The read can't be taken back; a signal meanwhile ends the demo without it.
    let read = tokio::task::spawn_blocking(move || {
        let mut buffer = Zeroizing::new(vec![0; LINE_BYTES]);
        let length = tty.read(&mut buffer)?;
        let line = buffer.get(..length).unwrap_or_default();
        Ok::<_, io::Error>((length > 0).then(|| Zeroizing::new(String::from_utf8_lossy(line).trim().to_owned())))
    });
    let line = read.await.map_err(|error| failed(&error))?.map_err(|error| failed(&error))?;
    line.ok_or_else(|| failure(say, &DemoFailure::InputEnded))
}
