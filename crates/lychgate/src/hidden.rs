//! Hidden input on the terminal.

use rustix::fs::{Mode, OFlags};
use rustix::termios::{LocalModes, OptionalActions, Termios, tcgetattr, tcsetattr};
use std::io::{self, Write};
use std::os::fd::OwnedFd;
use tokio::signal::unix::{SignalKind, signal};
use zeroize::Zeroizing;

/// The controlling terminal, whatever standard input and output are.
pub(crate) const TERMINAL: &str = "/dev/tty";

/// Exit status after an interrupt, as shells have it: 128 and the signal's number.
const INTERRUPTED: i32 = 130;

/// Asks for a line that does not appear. What was typed before the prompt stood there is thrown away.
///
/// # Errors
/// No terminal, or it failed; `Interrupted` for Ctrl-C.
pub(crate) fn ask(prompt: &str) -> io::Result<Zeroizing<String>> {
    // Off before the prompt is there: whoever types at once is not shown either.
    let quiet = Quiet::begin()?;
    let mut screen = std::fs::File::from(quiet.tty.try_clone()?);
    screen.write_all(prompt.as_bytes())?;
    rpassword::read_password().map(Zeroizing::new)
}

/// A terminal that shows nothing of what is typed, until this is dropped.
pub(crate) struct Quiet {
    tty: OwnedFd,
    before: Termios,
}

impl Quiet {
    /// From one hidden prompt to the next, so that what is typed while something takes its time is not shown. It is
    /// thrown away. A program that is interrupted meanwhile leaves a terminal that shows again.
    ///
    /// # Errors
    /// No terminal, or it failed.
    pub(crate) fn between_prompts() -> io::Result<Self> {
        let quiet = Self::begin()?;
        let (tty, before) = (quiet.tty.try_clone()?, quiet.before.clone());
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
        let mut interrupt = {
            let _inside = runtime.enter();
            signal(SignalKind::interrupt())?
        };
        // Lasts as long as the program: from now on nothing else ends it at an interrupt.
        std::thread::spawn(move || {
            runtime.block_on(interrupt.recv());
            let _ = tcsetattr(&tty, OptionalActions::Flush, &before);
            std::process::exit(INTERRUPTED);
        });
        Ok(quiet)
    }

    fn begin() -> io::Result<Self> {
        let tty = rustix::fs::open(TERMINAL, OFlags::RDWR | OFlags::NOCTTY | OFlags::CLOEXEC, Mode::empty())?;
        let before = tcgetattr(&tty)?;
        let mut silent = before.clone();
        silent.local_modes.remove(LocalModes::ECHO | LocalModes::ECHONL);
        tcsetattr(&tty, OptionalActions::Flush, &silent)?;
        Ok(Self { tty, before })
    }
}

impl Drop for Quiet {
    fn drop(&mut self) {
        // What was typed unseen answers nothing that comes later, the shell included. A terminal that is gone needs no
        // echo.
        let _ = tcsetattr(&self.tty, OptionalActions::Flush, &self.before);
    }
}
