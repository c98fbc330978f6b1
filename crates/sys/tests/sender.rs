//! Who wrote: the kernel's word, whoever holds the descriptor.
#![allow(unsafe_code, reason = "a test must send descriptors, which has no safe face")]
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing, reason = "tests")]

use lychgate_sys::{NoSender, Received, pass_sender, peer_credentials, peer_pidfd, recv, refuse_descriptors};
use std::io::{ErrorKind, Write};
use std::os::fd::{AsFd, AsRawFd, OwnedFd};
use std::os::unix::fs::MetadataExt;
use std::os::unix::net::UnixStream;
use std::process::{Child, Command, Stdio};

/// (ours, theirs), the options set on ours.
fn pair() -> (UnixStream, UnixStream) {
    let (ours, theirs) = UnixStream::pair().unwrap();
    pass_sender(ours.as_fd()).unwrap();
    (ours, theirs)
}

/// A child that writes one line to the socket it inherits, then waits to be killed.
fn writer(socket: UnixStream) -> Child {
    Command::new("sh")
        .args(["-c", "echo hello >&0; exec sleep 1000"])
        .stdin(Stdio::from(OwnedFd::from(socket)))
        .spawn()
        .unwrap()
}

fn receive(socket: &UnixStream) -> Received {
    wait_readable(socket);
    recv(socket.as_fd(), &mut [0; 64]).unwrap()
}

fn wait_readable(socket: &UnixStream) {
    let mut poll = libc::pollfd { fd: socket.as_raw_fd(), events: libc::POLLIN, revents: 0 };
    // SAFETY: one valid pollfd.
    assert_eq!(unsafe { libc::poll(&raw mut poll, 1, 10_000) }, 1, "nothing arrived within 10 s");
}

fn inode(pidfd: &OwnedFd) -> u64 {
    std::fs::File::from(pidfd.try_clone().unwrap()).metadata().unwrap().ino()
}

fn open_descriptors() -> usize {
    std::fs::read_dir("/proc/self/fd").unwrap().count()
}

/// Writes one byte and `descriptors` copies of our standard input.
fn send_descriptors(socket: &UnixStream, descriptors: usize) -> std::io::Result<()> {
    let mut byte = *b"x";
    let mut part = libc::iovec { iov_base: byte.as_mut_ptr().cast(), iov_len: 1 };
    let mut control = [0u64; 64];
    let size = (descriptors * 4) as u32;
    assert!(descriptors <= 100, "64 words hold no more beside the header");
    // SAFETY: a msghdr of zeros is valid. `part` and `control` outlive the call and are ours alone; `control` is
    // aligned and holds one message of `size` bytes (asserted above), so its first header and data lie within it.
    let sent = unsafe {
        let mut message: libc::msghdr = std::mem::zeroed();
        message.msg_iov = &raw mut part;
        message.msg_iovlen = 1;
        message.msg_control = control.as_mut_ptr().cast();
        message.msg_controllen = libc::CMSG_SPACE(size) as _;
        let header = libc::CMSG_FIRSTHDR(&raw const message);
        (*header).cmsg_level = libc::SOL_SOCKET;
        (*header).cmsg_type = libc::SCM_RIGHTS;
        (*header).cmsg_len = libc::CMSG_LEN(size) as _;
        for index in 0..descriptors {
            libc::CMSG_DATA(header).cast::<i32>().add(index).write_unaligned(0);
        }
        libc::sendmsg(socket.as_raw_fd(), &raw const message, 0)
    };
    if sent == 1 { Ok(()) } else { Err(std::io::Error::last_os_error()) }
}

#[test]
fn bytes_come_with_the_process_that_wrote_them() {
    let (ours, mut theirs) = pair();
    theirs.write_all(b"hello").unwrap();
    let received = receive(&ours);
    assert_eq!(received.len, 5);
    assert!(!received.descriptors_sent);
    let sender = received.sender.unwrap();
    assert_eq!(sender.pid, std::process::id());
    assert_eq!(inode(&sender.pidfd), inode(&peer_pidfd(ours.as_fd()).unwrap()));
}

#[test]
fn a_child_that_writes_to_an_inherited_socket_is_another_sender_than_the_connector() {
    let (ours, theirs) = pair();
    let mut child = writer(theirs);
    let sender = receive(&ours).sender.unwrap();
    assert_eq!(sender.pid, child.id());
    assert_eq!(peer_credentials(ours.as_fd()).unwrap().pid, std::process::id(), "the connector is still this process");
    assert_ne!(inode(&sender.pidfd), inode(&peer_pidfd(ours.as_fd()).unwrap()));
    child.kill().unwrap();
    child.wait().unwrap();
}

#[test]
fn bytes_of_two_writers_never_come_in_one_receive() {
    let (ours, mut theirs) = pair();
    theirs.write_all(b"mine ").unwrap();
    let mut child = writer(theirs.try_clone().unwrap());
    let first = receive(&ours);
    assert_eq!((first.len, first.sender.unwrap().pid), (5, std::process::id()));
    assert_eq!(receive(&ours).sender.unwrap().pid, child.id());
    child.kill().unwrap();
    child.wait().unwrap();
}

#[test]
fn every_descriptor_that_a_receive_makes_is_closed_on_exec() {
    let (ours, mut theirs) = pair();
    theirs.write_all(b"x").unwrap();
    let sender = receive(&ours).sender.unwrap();
    // SAFETY: F_GETFD on a descriptor we own.
    let flags = unsafe { libc::fcntl(sender.pidfd.as_raw_fd(), libc::F_GETFD) };
    assert_eq!(flags & libc::FD_CLOEXEC, libc::FD_CLOEXEC);
}

#[test]
fn without_the_options_there_is_no_sender() {
    let (ours, mut theirs) = UnixStream::pair().unwrap();
    theirs.write_all(b"hello").unwrap();
    assert_eq!(receive(&ours).sender.unwrap_err(), NoSender::MissingCredentials);
}

#[test]
fn the_end_of_the_stream_has_no_sender() {
    let (ours, theirs) = pair();
    drop(theirs);
    let received = receive(&ours);
    assert_eq!((received.len, received.sender.unwrap_err()), (0, NoSender::EndOfStream));
}

#[test]
fn an_empty_buffer_is_refused_because_its_zero_would_read_as_the_end() {
    let (ours, mut theirs) = pair();
    theirs.write_all(b"x").unwrap();
    assert_eq!(recv(ours.as_fd(), &mut []).unwrap_err().kind(), ErrorKind::InvalidInput);
}

#[test]
fn nothing_to_read_does_not_block() {
    let (ours, _theirs) = pair();
    assert_eq!(recv(ours.as_fd(), &mut [0; 8]).unwrap_err().kind(), ErrorKind::WouldBlock);
}

#[test]
fn a_kernel_that_can_refuses_descriptors_at_the_sender() {
    let (ours, theirs) = pair();
    if refuse_descriptors(ours.as_fd()) {
        assert_eq!(send_descriptors(&theirs, 1).unwrap_err().raw_os_error(), Some(libc::EPERM));
    } else {
        send_descriptors(&theirs, 1).unwrap();
        assert!(receive(&ours).descriptors_sent, "an older kernel delivers them, and the receive says so");
    }
}

/// In a process of its own, because the count of open descriptors is the process's.
#[test]
fn descriptors_that_arrive_are_reported_and_closed() {
    if std::env::var_os("LYCHGATE_TEST_ALONE").is_none() {
        return alone("descriptors_that_arrive_are_reported_and_closed", "");
    }
    let (ours, theirs) = pair();
    let before = open_descriptors();
    for count in [1, 2, 3, 60] {
        send_descriptors(&theirs, count).unwrap();
        let received = receive(&ours);
        assert!(received.descriptors_sent, "{count}");
        assert_eq!(received.sender.unwrap_err(), NoSender::Truncated, "{count}: they displace the pidfd");
        assert_eq!(open_descriptors(), before, "{count}");
    }
}

#[test]
fn at_the_descriptor_limit_there_is_no_sender() {
    if std::env::var_os("LYCHGATE_TEST_ALONE").is_none() {
        return alone("at_the_descriptor_limit_there_is_no_sender", "ulimit -n 30; ");
    }
    let (ours, mut theirs) = pair();
    theirs.write_all(b"x").unwrap();
    let mut filling = Vec::new();
    while let Ok(file) = std::fs::File::open("/dev/null") {
        filling.push(file);
    }
    wait_readable(&ours);
    let received = recv(ours.as_fd(), &mut [0; 8]).unwrap();
    drop(filling);
    assert_eq!((received.len, received.sender.unwrap_err()), (1, NoSender::NoPidfd(libc::EMFILE)));
}

#[test]
fn a_writer_that_is_gone_is_named_or_refused_but_never_somebody_else() {
    let (ours, theirs) = pair();
    let mut child =
        Command::new("sh").args(["-c", "echo hello >&0"]).stdin(Stdio::from(OwnedFd::from(theirs))).spawn().unwrap();
    let pid = child.id();
    child.wait().unwrap();
    match receive(&ours).sender {
        Ok(sender) => {
            let mut poll = libc::pollfd { fd: sender.pidfd.as_raw_fd(), events: libc::POLLIN, revents: 0 };
            // SAFETY: one valid pollfd.
            unsafe { libc::poll(&raw mut poll, 1, 0) };
            assert_ne!(poll.revents, 0, "its pidfd says that it ended");
            assert_eq!(sender.pid, pid);
        }
        Err(why) => assert!(matches!(why, NoSender::NoPidfd(_) | NoSender::ForeignPid), "{why:?}"),
    }
}

/// Runs one test of this file in a process of its own, after `setup` of a shell.
fn alone(test: &str, setup: &str) {
    let program = std::env::current_exe().unwrap();
    let output = Command::new("sh")
        .args(["-c", &format!("{setup}exec \"$0\" --exact \"$1\" --test-threads 1"), program.to_str().unwrap(), test])
        .env("LYCHGATE_TEST_ALONE", "1")
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success() && said.contains("1 passed"), "{said}{}", String::from_utf8_lossy(&output.stderr));
}
