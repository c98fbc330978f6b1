//! A process for the tests to look at. Copies of it, under other names, play agents, launchers and shims.
//!
//! `actor relay -- PROGRAM ARGUMENT…` starts a program and waits for it. `actor serve SOCKET` connects, says `hello`,
//! and obeys lines, their words separated by tabs, until the socket closes:
//!
//! * `say` writes `said` back, and `hide` turns non-dumpable first;
//! * `start PROGRAM ARGUMENT…` starts a program, `run` waits for it too and then writes `ran`;
//! * `lend PROGRAM ARGUMENT…` starts one that inherits the socket as its standard input;
//! * `pass` hands the socket by SCM_RIGHTS to a process that was started without it, which writes `passed`;
//! * `exec PROGRAM ARGUMENT…` becomes another program.
#![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "a test's helper dies loudly where it must not go on")]

use rustix::net::{
    RecvAncillaryBuffer, RecvAncillaryMessage, RecvFlags, SendAncillaryBuffer, SendAncillaryMessage, SendFlags,
    recvmsg, sendmsg,
};
use std::io::{BufRead, BufReader, IoSlice, IoSliceMut, Read, Write};
use std::mem::MaybeUninit;
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::net::UnixStream;
use std::os::unix::process::CommandExt;
use std::process::{Command, Stdio};

fn main() {
    let arguments: Vec<String> = std::env::args().collect();
    if let Some(dashes) = arguments.iter().position(|argument| argument == "--") {
        command(&arguments[dashes + 1..]).status().unwrap();
    } else if arguments[1] == "take" {
        take();
    } else {
        serve(arguments.last().unwrap());
    }
}

fn serve(socket: &str) {
    let mut socket = UnixStream::connect(socket).unwrap();
    socket.write_all(b"hello\n").unwrap();
    let mut lines = BufReader::with_capacity(1, socket.try_clone().unwrap()).lines();
    while let Some(Ok(line)) = lines.next() {
        let words: Vec<String> = line.split('\t').map(str::to_owned).collect();
        match words[0].as_str() {
            "say" => socket.write_all(b"said\n").unwrap(),
            "hide" => {
                lychgate_sys::set_dumpable(false).unwrap();
                socket.write_all(b"said\n").unwrap();
            }
            "start" => drop(command(&words[1..]).spawn().unwrap()),
            "run" => {
                command(&words[1..]).status().unwrap();
                socket.write_all(b"ran\n").unwrap();
            }
            "lend" => {
                let lent = OwnedFd::from(socket.try_clone().unwrap());
                drop(command(&words[1..]).stdin(Stdio::from(lent)).spawn().unwrap());
            }
            "pass" => pass(&socket),
            "exec" => {
                let failed = command(&words[1..]).exec();
                socket.write_all(format!("{failed}\n").as_bytes()).unwrap();
            }
            _ => return,
        }
    }
}

fn command(words: &[String]) -> Command {
    let mut command = Command::new(&words[0]);
    command.args(&words[1..]);
    command
}

/// Starts a copy of this program with one end of a pair as its standard input, and sends it `socket` over the other.
fn pass(socket: &UnixStream) {
    let (ours, theirs) = UnixStream::pair().unwrap();
    let program = std::env::current_exe().unwrap();
    let taker = Command::new(program).arg("take").stdin(Stdio::from(OwnedFd::from(theirs))).spawn().unwrap();
    let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(1))];
    let mut ancillary = SendAncillaryBuffer::new(&mut space);
    let descriptors = [socket.as_fd()];
    assert!(ancillary.push(SendAncillaryMessage::ScmRights(&descriptors)));
    sendmsg(&ours, &[IoSlice::new(b"x")], &mut ancillary, SendFlags::empty()).unwrap();
    drop(taker);
}

fn take() {
    let stdin = std::io::stdin();
    let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(1))];
    let mut ancillary = RecvAncillaryBuffer::new(&mut space);
    recvmsg(stdin.as_fd(), &mut [IoSliceMut::new(&mut [0])], &mut ancillary, RecvFlags::empty()).unwrap();
    for message in ancillary.drain() {
        if let RecvAncillaryMessage::ScmRights(descriptors) = message {
            for descriptor in descriptors {
                let mut socket = UnixStream::from(descriptor);
                socket.write_all(b"passed\n").unwrap();
                // Lives until the other side is done with looking.
                let _ = socket.read(&mut [0]);
            }
        }
    }
}
