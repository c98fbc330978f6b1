//! Agents that something else starts: a multiplexer, a timer, a launcher that is gone. They come to the harness through
//! a socket, since none of its descriptors reaches them.

use super::agent::Agent;
use super::children::{Running, without_forks};
use super::{World, place, random_hex, until};
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::process::{Pid, PidfdFlags, Signal, pidfd_open, pidfd_send_signal};
use std::os::fd::OwnedFd;
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::PathBuf;

/// A process that is not our child. Killed when this is dropped.
pub struct Elsewhere {
    pid: u32,
    pidfd: OwnedFd,
}

impl Elsewhere {
    #[track_caller]
    pub fn of(pid: u32) -> Self {
        let number = Pid::from_raw(pid.try_into().unwrap()).unwrap();
        Self { pid, pidfd: pidfd_open(number, PidfdFlags::empty()).unwrap() }
    }

    pub fn pid(&self) -> u32 {
        self.pid
    }

    pub fn has_ended(&self) -> bool {
        let mut one = [PollFd::new(&self.pidfd, PollFlags::IN)];
        poll(&mut one, Some(&Timespec { tv_sec: 0, tv_nsec: 0 })).unwrap() == 1
    }

    #[track_caller]
    pub fn ends(&self) {
        until("the end of a process", || self.has_ended().then_some(()));
    }

    /// SIGKILL to this process alone, and its end.
    #[track_caller]
    pub fn kill(&self) {
        let _ = pidfd_send_signal(&self.pidfd, Signal::KILL);
        self.ends();
    }
}

impl Drop for Elsewhere {
    fn drop(&mut self) {
        let _ = pidfd_send_signal(&self.pidfd, Signal::KILL);
    }
}

/// Where a program that something else starts meets the harness.
pub struct Meeting {
    listener: UnixListener,
    path: PathBuf,
    script: PathBuf,
}

impl World {
    pub fn meeting(&self) -> Meeting {
        let path = self.own_dir().join(&random_hex()[..8]);
        let listener = without_forks(|| UnixListener::bind(&path).unwrap());
        self.user.give(&path);
        Meeting { listener, path, script: self.file("connect.py", include_bytes!("connect.py")) }
    }

    /// The words of the agent that starts `shim`, as the program `pilot`.
    pub fn words_of_agent(&self, pilot: &str, shim: &[String]) -> Vec<String> {
        let words = [self.program(pilot), self.agent_script(), self.own_dir()].map(|word| word.display().to_string());
        words.into_iter().chain(["--".to_owned()]).chain(shim.iter().cloned()).collect()
    }

    /// A program that nothing knows: a Python under another name.
    pub fn program(&self, name: &str) -> PathBuf {
        let path = self.own_dir().join(name);
        if !path.exists() {
            place::copy_program(&std::fs::canonicalize(place::python()).unwrap(), &path);
        }
        path
    }

    /// Runs what starts something and is done. What it left in its process group ends with the answer.
    #[track_caller]
    #[must_use]
    pub fn starts(&self, words: &[String]) -> Running {
        let (program, more) = words.split_first().unwrap();
        let mut command = self.user.command(program.as_ref());
        command.args(more);
        let (mut starter, output) = Running::with_output("starter", command);
        assert!(starter.wait().success(), "{words:?}: {}", output.text());
        starter
    }
}

impl Meeting {
    /// The words that become `words` and come here; `how` is `--orphan` or nothing.
    pub fn words(&self, how: &[&str], words: &[String]) -> Vec<String> {
        let python = place::python().display().to_string();
        let mut all = vec![python, self.script.display().to_string()];
        all.extend(how.iter().map(|word| (*word).to_owned()));
        all.push(self.path.display().to_string());
        all.extend(words.iter().cloned());
        all
    }

    /// Waits until somebody comes, and shakes hands with the shim that speaks there.
    #[track_caller]
    pub fn agent(&self) -> Agent {
        let (process, stream) = self.comes();
        Agent::elsewhere(process, stream)
    }

    /// Waits until somebody comes.
    #[track_caller]
    pub fn comes(&self) -> (Elsewhere, UnixStream) {
        self.listener.set_nonblocking(true).unwrap();
        let (stream, _) = until("a connection from elsewhere", || self.listener.accept().ok());
        stream.set_nonblocking(false).unwrap();
        let peer = rustix::net::sockopt::socket_peercred(&stream).unwrap();
        (Elsewhere::of(peer.pid.as_raw_nonzero().get().unsigned_abs()), stream)
    }
}
