//! Hidden input on the terminal.

use rustix::fs::{Mode, OFlags};
use rustix::termios::{LocalModes, OptionalActions, Termios, tcgetattr, tcsetattr};
use std::io::{self, Write};
use std::os::fd::OwnedFd;
use zeroize::Zeroizing;

/// The controlling terminal, whatever standard input and output are.
pub(crate) const TERMINAL: &str = "/dev/tty";

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
struct Quiet {
    tty: OwnedFd,
    before: Termios,
}

impl Quiet {
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
        // A terminal that is gone needs no echo.
        let _ = tcsetattr(&self.tty, OptionalActions::Now, &self.before);
    }
}
