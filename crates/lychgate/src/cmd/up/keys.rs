//! What the person types in the console, as it comes.

use crate::factor::{self, Source, no_line};
use crate::hidden::TERMINAL;
use crate::lines::{NoLine, next_line};
use crate::trouble::Trouble;
use lychgate_core::card::visible;
use lychgate_text::{Catalogue, Message, Problem, Wanted};
use rustix::event::{PollFd, PollFlags, poll};
use rustix::fs::{Mode, OFlags};
use rustix::io::Errno;
use rustix::termios::QueueSelector;
use std::io;
use std::os::fd::OwnedFd;
use std::sync::Arc;
use tokio::sync::mpsc;
use zeroize::Zeroizing;

/// A line on a terminal is no longer than this (`termios(3)`, canonical mode).
const LINE_BYTES: usize = 4096;

/// Lines from the terminal or from standard input.
pub(super) enum Keys {
    Terminal(Terminal),
    Stdin(mpsc::Receiver<Result<Zeroizing<String>, NoLine>>),
}

/// The terminal. A thread waits until something was typed and reads nothing itself, so that a hidden prompt in between
/// gets its answer whole.
pub(super) struct Terminal {
    tty: Arc<OwnedFd>,
    typed: mpsc::Receiver<()>,
    go_on: mpsc::Sender<()>,
    waiting: bool,
}

impl Keys {
    pub(super) fn open(say: &dyn Catalogue, source: Source) -> Result<Self, Trouble> {
        match source {
            Source::Terminal => Terminal::open().map(Self::Terminal).map_err(|error| terminal(say, &error)),
            Source::Stdin => {
                // One line ahead at most; the thread ends with the input or with the process.
                let (sender, receiver) = mpsc::channel(1);
                std::thread::spawn(move || {
                    loop {
                        let line = next_line();
                        let last = line.is_err();
                        if sender.blocking_send(line).is_err() || last {
                            break;
                        }
                    }
                });
                Ok(Self::Stdin(receiver))
            }
        }
    }

    /// The next line; `None` at the end of input. Cancellation loses nothing.
    pub(super) async fn line(&mut self, say: &dyn Catalogue) -> Result<Option<Zeroizing<String>>, Trouble> {
        match self {
            Self::Terminal(tty) => tty.line().await.map_err(|error| terminal(say, &error)),
            Self::Stdin(lines) => match lines.recv().await {
                Some(Ok(line)) => Ok(Some(line)),
                Some(Err(NoLine::Ended)) | None => Ok(None),
                Some(Err(why)) => Err(no_line(say, Wanted::Pin, &why)),
            },
        }
    }

    /// A hidden answer: the passphrase or the PIN.
    pub(super) async fn hidden(&mut self, say: &dyn Catalogue, wanted: Wanted) -> Result<Zeroizing<String>, Trouble> {
        match self {
            Self::Terminal(_) => match wanted {
                Wanted::Passphrase => factor::passphrase(say, Source::Terminal),
                Wanted::Pin | Wanted::Secret => factor::pin(say, Source::Terminal),
            },
            Self::Stdin(_) => self.line(say).await?.ok_or_else(|| Trouble::of(say, &Problem::InputEnded { wanted })),
        }
    }

    /// Forgets what was typed before a question stood on the screen, so that it answers nothing.
    pub(super) fn forget_typed(&self) {
        if let Self::Terminal(terminal) = self {
            // Where the terminal is gone the next read says so.
            let _ = rustix::termios::tcflush(&terminal.tty, QueueSelector::IFlush);
        }
    }
}

impl Terminal {
    fn open() -> io::Result<Self> {
        // A description of its own, so that not blocking here does not change the shell's.
        let flags = OFlags::RDONLY | OFlags::NONBLOCK | OFlags::NOCTTY | OFlags::CLOEXEC;
        let tty = Arc::new(rustix::fs::open(TERMINAL, flags, Mode::empty())?);
        let (tell, typed) = mpsc::channel(1);
        let (go_on, mut wanted) = mpsc::channel(1);
        let watched = Arc::clone(&tty);
        std::thread::spawn(move || {
            while wanted.blocking_recv().is_some() {
                wait_until_readable(&watched);
                if tell.blocking_send(()).is_err() {
                    break;
                }
            }
        });
        Ok(Self { tty, typed, go_on, waiting: false })
    }

    async fn line(&mut self) -> io::Result<Option<Zeroizing<String>>> {
        let mut buffer = Zeroizing::new([0; LINE_BYTES]);
        loop {
            match rustix::io::read(&self.tty, buffer.as_mut_slice()) {
                // The end, or a terminal that hung up.
                Ok(0) | Err(Errno::IO) => return Ok(None),
                Ok(length) => {
                    let bytes = buffer.get(..length).unwrap_or_default();
                    return Ok(Some(Zeroizing::new(String::from_utf8_lossy(bytes).trim().to_owned())));
                }
                Err(Errno::AGAIN) => self.readable().await,
                Err(Errno::INTR) => {}
                Err(error) => return Err(error.into()),
            }
        }
    }

    async fn readable(&mut self) {
        if !self.waiting {
            self.waiting = self.go_on.try_send(()).is_ok();
        }
        // The thread lives as long as `go_on`, so this is an answer to the request above or to an earlier one.
        self.typed.recv().await;
        self.waiting = false;
    }
}

fn wait_until_readable(tty: &OwnedFd) {
    let mut watched = [PollFd::new(tty, PollFlags::IN)];
    // Whatever came of it, the read that follows finds out.
    while poll(&mut watched, None) == Err(Errno::INTR) {}
}

fn terminal(say: &dyn Catalogue, error: &io::Error) -> Trouble {
    Trouble::of(say, &Problem::Terminal { why: &visible(&error.to_string()) })
}

/// A key of the console.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Key {
    /// Yes to the card on the screen; with names, to these channels alone.
    Yes(Vec<String>),
    /// The same, for the programs that the agent starts as well.
    YesWithPrograms(Vec<String>),
    No,
    Lock,
    Unlock,
    /// Stop the gateway that this console started, and leave.
    Quit,
    /// Leave and let the gateway run.
    Leave,
    Help,
    Nothing,
    Unknown,
}

impl Key {
    pub(super) fn of(line: &str) -> Self {
        let mut words = line.split_whitespace();
        let key = words.next().unwrap_or_default();
        let names: Vec<String> = words.map(str::to_owned).collect();
        match (key, names.is_empty()) {
            ("y" | "yes", _) => Self::Yes(names),
            ("p", _) => Self::YesWithPrograms(names),
            ("n" | "no", true) => Self::No,
            ("l", true) => Self::Lock,
            ("u", true) => Self::Unlock,
            ("q", true) => Self::Quit,
            ("x", true) => Self::Leave,
            ("?", true) => Self::Help,
            ("", _) => Self::Nothing,
            _ => Self::Unknown,
        }
    }
}

/// The prompt under a card.
pub(super) fn question(say: &dyn Catalogue, card: &str) -> String {
    say.message(&Message::ConsoleQuestion { card })
}

#[cfg(test)]
mod tests {
    use super::Key;

    #[test]
    fn only_exactly_a_key_counts() {
        assert_eq!(Key::of("y"), Key::Yes(vec![]));
        assert_eq!(Key::of(" y  mail payments "), Key::Yes(vec!["mail".to_owned(), "payments".to_owned()]));
        assert_eq!(Key::of("yes"), Key::Yes(vec![]));
        assert_eq!(Key::of("p"), Key::YesWithPrograms(vec![]));
        assert_eq!(Key::of("p mail"), Key::YesWithPrograms(vec!["mail".to_owned()]));
        assert_eq!(Key::of("n"), Key::No);
        assert_eq!(Key::of("no"), Key::No);
        for other in ["Y", "P", "yp", "yy", "yess", "n o", "no mail", "q!", "l u"] {
            assert_eq!(Key::of(other), Key::Unknown, "{other}");
        }
        assert_eq!(Key::of("  "), Key::Nothing);
    }
}
