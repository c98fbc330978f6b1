//! A program on a terminal of its own, with keys.

use std::io::{Read, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::{Duration, Instant};

/// Longer than anything on the screen takes to come.
const PATIENCE: Duration = Duration::from_secs(60);

pub(crate) struct Terminal {
    keys: ChildStdin,
    shown: Receiver<Vec<u8>>,
    /// Everything that was on the screen.
    screen: String,
    /// Where the next thing is looked for.
    seen: usize,
    child: Child,
}

impl Terminal {
    /// Starts the program (behind the words of `before`) on a terminal that script(1) makes for it.
    pub(crate) fn start(before: &[String], program: &Path, args: &[&str]) -> Self {
        let line = format!("exec {} {}", program.display(), args.join(" "));
        let mut words = before.to_vec();
        words.extend(["script", "--quiet", "--flush", "--return", "--command", &line, "/dev/null"].map(str::to_owned));
        let mut command = Command::new(&words[0]);
        command.args(&words[1..]).env_clear().env("PATH", "/usr/sbin:/usr/bin:/sbin:/bin").current_dir("/");
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
        let mut child = command.spawn().unwrap();
        let keys = child.stdin.take().unwrap();
        let mut screen = child.stdout.take().unwrap();
        let (tell, shown) = channel();
        std::thread::spawn(move || {
            let mut piece = vec![0; 4096];
            // Ends with the last program on the terminal.
            while let Ok(length) = screen.read(&mut piece) {
                if length == 0 || tell.send(piece[..length].to_vec()).is_err() {
                    break;
                }
            }
        });
        Self { keys, shown, screen: String::new(), seen: 0, child }
    }

    /// Waits until `text` stands on the screen, behind what was waited for before.
    #[track_caller]
    pub(crate) fn wait_for(&mut self, text: &str) {
        let until = Instant::now() + PATIENCE;
        while !self.screen[self.seen..].contains(text) {
            let left = until.saturating_duration_since(Instant::now());
            match self.shown.recv_timeout(left) {
                Ok(piece) => self.screen.push_str(&String::from_utf8_lossy(&piece).replace('\r', "")),
                Err(_) => panic!("no {text:?} in:\n{}", self.screen),
            }
        }
        self.seen += self.screen[self.seen..].find(text).unwrap() + text.len();
    }

    pub(crate) fn type_keys(&mut self, keys: &str) {
        self.keys.write_all(keys.as_bytes()).unwrap();
    }

    #[allow(dead_code, reason = "tests; each test uses a part")]
    pub(crate) fn screen(&self) -> &str {
        &self.screen
    }

    /// Waits for the end: the exit status and the whole screen.
    #[track_caller]
    pub(crate) fn end(mut self) -> (i32, String) {
        let until = Instant::now() + PATIENCE;
        while let Ok(piece) = self.shown.recv_timeout(until.saturating_duration_since(Instant::now())) {
            self.screen.push_str(&String::from_utf8_lossy(&piece).replace('\r', ""));
        }
        let status = self.child.wait().unwrap().code().unwrap();
        (status, std::mem::take(&mut self.screen))
    }
}
