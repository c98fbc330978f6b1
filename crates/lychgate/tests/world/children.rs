//! Processes that the harness started, and theirs. Each ends with its guard, with its whole process group.

use super::{PATIENCE, until};
use rustix::process::{Pid, Signal, kill_process, kill_process_group};
use std::io::{self, BufRead, BufReader, Read};
use std::process::{Child, ChildStdin, Command, ExitStatus, Stdio};
use std::sync::mpsc;
use std::sync::{Arc, Mutex, PoisonError, RwLock};

/// Between fork and exec a child holds every descriptor of the harness: a lock that was let go, or a program that was
/// written, stays held or busy for that moment. So nothing is started meanwhile.
static FORKS: RwLock<()> = RwLock::new(());

/// Starts a process; when this returns, it has executed its program.
pub fn spawn(command: &mut Command) -> io::Result<Child> {
    let _shared = FORKS.read().unwrap_or_else(PoisonError::into_inner);
    command.spawn()
}

/// Does what leaves no trace in processes that are being started: takes locks, writes programs.
pub fn without_forks<T>(work: impl FnOnce() -> T) -> T {
    let _alone = FORKS.write().unwrap_or_else(PoisonError::into_inner);
    work()
}

/// A process. Killed when this is dropped.
pub struct Running {
    name: &'static str,
    child: Child,
    ended: Option<ExitStatus>,
}

impl Running {
    /// Starts it; standard input and output as `command` has them.
    pub fn start(name: &'static str, mut command: Command) -> Self {
        let child = spawn(&mut command).unwrap_or_else(|error| panic!("{name} can't be started: {error}: {command:?}"));
        Self { name, child, ended: None }
    }

    /// Starts it with an empty standard input and collects what it writes.
    pub fn with_output(name: &'static str, mut command: Command) -> (Self, Output) {
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut running = Self::start(name, command);
        let output = Output::of(&mut running);
        (running, output)
    }

    pub fn pid(&self) -> u32 {
        self.child.id()
    }

    pub fn stdin(&mut self) -> Option<ChildStdin> {
        self.child.stdin.take()
    }

    pub fn child(&mut self) -> &mut Child {
        &mut self.child
    }

    /// SIGKILL to this process alone, and its end.
    pub fn kill(&mut self) {
        self.signal(Signal::KILL);
        self.wait();
    }

    pub fn signal(&mut self, signal: Signal) {
        if self.ended.is_none() {
            // It is our child and not waited for, so the number is still its own.
            let _ = kill_process(Pid::from_child(&self.child), signal);
        }
    }

    /// Waits for its end.
    #[track_caller]
    pub fn wait(&mut self) -> ExitStatus {
        if let Some(status) = self.ended {
            return status;
        }
        let name = self.name;
        let status = until(&format!("the end of {name}"), || self.child.try_wait().unwrap());
        self.ended = Some(status);
        status
    }

    pub fn has_ended(&mut self) -> bool {
        if self.ended.is_none() {
            self.ended = self.child.try_wait().unwrap();
        }
        self.ended.is_some()
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        // Its group first: programs that it started belong to it, and with it alive the number is its own.
        let _ = kill_process_group(Pid::from_child(&self.child), Signal::KILL);
        if self.ended.is_none() {
            let _ = self.child.kill();
            let _ = self.child.wait();
        }
    }
}

/// What a process wrote so far, to standard output and error.
#[derive(Clone)]
pub struct Output {
    text: Arc<Mutex<String>>,
    lines: Arc<Mutex<mpsc::Receiver<String>>>,
}

impl Output {
    /// Takes both streams of a process over.
    pub fn of(running: &mut Running) -> Self {
        let out = running.child.stdout.take().expect("piped");
        let error = running.child.stderr.take().expect("piped");
        let output = Self::from(out);
        collect(error, &output.text, None);
        output
    }

    /// What comes from a program that is no child of the harness.
    pub fn from(out: impl Read + Send + 'static) -> Self {
        let text = Arc::new(Mutex::new(String::new()));
        let (tell, lines) = mpsc::channel();
        collect(out, &text, Some(tell));
        Self { text, lines: Arc::new(Mutex::new(lines)) }
    }

    /// Everything so far.
    pub fn text(&self) -> String {
        self.text.lock().unwrap().clone()
    }

    /// The next line of standard output; `None` after the last.
    #[track_caller]
    pub fn line(&self) -> Option<String> {
        match self.lines.lock().unwrap().recv_timeout(PATIENCE) {
            Ok(line) => Some(line),
            Err(mpsc::RecvTimeoutError::Disconnected) => None,
            Err(mpsc::RecvTimeoutError::Timeout) => panic!("no further line; so far: {}", self.text()),
        }
    }

    /// Waits until `wanted` stands in what was written to either stream.
    #[track_caller]
    pub fn wait_for_text(&self, wanted: &str) {
        until(wanted, || self.text().contains(wanted).then_some(()));
    }

    /// Reads lines until one is `wanted`.
    #[track_caller]
    pub fn wait_for(&self, wanted: &str) {
        loop {
            match self.line() {
                Some(line) if line == wanted => return,
                Some(_) => {}
                None => panic!("it ended without `{wanted}`: {}", self.text()),
            }
        }
    }
}

fn collect(from: impl Read + Send + 'static, into: &Arc<Mutex<String>>, tell: Option<mpsc::Sender<String>>) {
    let into = Arc::clone(into);
    std::thread::spawn(move || {
        let mut from = BufReader::new(from);
        let mut line = Vec::new();
        while from.read_until(b'\n', &mut line).is_ok_and(|got| got > 0) {
            let text = String::from_utf8_lossy(&line).into_owned();
            into.lock().unwrap().push_str(&text);
            if let Some(tell) = &tell {
                // Nobody may be listening any more.
                let _ = tell.send(text.trim_end().to_owned());
            }
            line.clear();
        }
    });
}

/// Living children of a process, of whichever of its threads.
pub fn children_of(pid: u32) -> Vec<u32> {
    let Ok(tasks) = std::fs::read_dir(format!("/proc/{pid}/task")) else { return Vec::new() };
    let children = tasks.filter_map(|task| std::fs::read_to_string(task.ok()?.path().join("children")).ok());
    let children: String = children.collect();
    children.split_whitespace().filter_map(|pid| pid.parse().ok()).collect()
}
