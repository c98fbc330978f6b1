//! Has a process executed a program? Told by the kernel's process connector (`linux/cn_proc.h`), which a process can
//! neither stop nor deceive. Ordinary users may listen since Linux 6.6.

use std::io;
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd};
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};

/// `CN_IDX_PROC` and `CN_VAL_PROC` of `linux/connector.h`: the multicast group and its message kind.
const PROC: u32 = 1;
/// `PROC_CN_MCAST_LISTEN`.
const LISTEN: u32 = 1;
/// `PROC_EVENT_EXEC`, the one kind that is sent to us.
const EXEC: u32 = 2;
/// `PROC_EVENT_NONE`: the answer to a subscription.
const NONE: u32 = 0;
/// `PROC_EVENT_ALL`: only a subscription to everything is answered.
const ALL: u32 = u32::MAX;

/// Where `struct cn_msg` has what is acknowledged: a subscription's own number, and in its answer one more.
const ACKNOWLEDGED_AT: usize = 28;
/// Where the kind of an event and its thread group stand in a message: after `struct nlmsghdr` (16 bytes) and
/// `struct cn_msg` (20 bytes) comes `struct proc_event`.
const WHAT_AT: usize = 36;
const GROUP_AT: usize = 56;

/// Watches one process for `execve`, from its creation until it is dropped. Costs one descriptor.
#[derive(Debug)]
pub struct ExecWatch {
    socket: OwnedFd,
    pid: u32,
    /// A report is read once and counts for ever.
    seen: AtomicBool,
}

impl ExecWatch {
    /// Begins to watch the process that has the number `pid` now. Hold it by a pidfd before: a number is used again.
    ///
    /// # Errors
    /// Where the kernel gives no such reports: before Linux 6.6, built without them, or in a container (another pid or
    /// user namespace than the first). Other detectors must do then.
    pub fn start(pid: u32) -> io::Result<Self> {
        let kind = libc::SOCK_DGRAM | libc::SOCK_CLOEXEC | libc::SOCK_NONBLOCK;
        // SAFETY: takes no pointer.
        let raw = unsafe { libc::socket(libc::AF_NETLINK, kind, libc::NETLINK_CONNECTOR) };
        if raw < 0 {
            return Err(io::Error::last_os_error());
        }
        // SAFETY: the kernel made this descriptor for us in the call above, and nobody else knows it.
        let socket = unsafe { OwnedFd::from_raw_fd(raw) };
        let watch = Self { socket, pid, seen: AtomicBool::new(false) };
        // The filter stands before the first report can come, so that what others do never fills the buffer.
        let subscription = SUBSCRIPTIONS.fetch_add(1, Ordering::Relaxed) ^ std::process::id().rotate_left(16);
        only(&watch.socket, pid)?;
        join(&watch.socket)?;
        listen(&watch.socket, ALL, subscription)?;
        watch.await_answer(subscription)?;
        listen(&watch.socket, EXEC, subscription)?;
        while watch.next()?.is_some() {}
        Ok(watch)
    }

    /// The kernel answers a subscription before `send` returns. Without that answer it ignored it, whatever else is
    /// heard: in a container the reports are the first namespace's, and a number means another process there.
    fn await_answer(&self, subscription: u32) -> io::Result<()> {
        loop {
            match self.next()? {
                Some(Heard::Answer(to)) if to == subscription => return Ok(()),
                Some(_) => {}
                None => return Err(io::ErrorKind::Unsupported.into()),
            }
        }
    }

    /// True where the process executed a program since the watch began, the same one included; also where reports may
    /// have been lost.
    #[must_use]
    pub fn executed(&self) -> bool {
        loop {
            match self.next() {
                Ok(Some(_)) => {}
                Ok(None) => return self.seen.load(Ordering::Acquire),
                Err(_) => self.seen.store(true, Ordering::Release),
            }
            if self.seen.load(Ordering::Acquire) {
                return true;
            }
        }
    }

    /// Takes the next message; `None` where none waits.
    fn next(&self) -> io::Result<Option<Heard>> {
        let mut message = [0_u8; 256];
        // SAFETY: an all-zero sockaddr_nl is a valid one; the kernel fills it.
        let mut from: libc::sockaddr_nl = unsafe { std::mem::zeroed() };
        let mut from_length = size_of::<libc::sockaddr_nl>() as libc::socklen_t;
        // SAFETY: both buffers are exclusively ours and described by the lengths beside them.
        let length = unsafe {
            libc::recvfrom(
                self.socket.as_raw_fd(),
                message.as_mut_ptr().cast(),
                message.len(),
                0,
                (&raw mut from).cast(),
                &raw mut from_length,
            )
        };
        let Ok(length) = usize::try_from(length) else {
            let error = io::Error::last_os_error();
            return match error.kind() {
                io::ErrorKind::WouldBlock => Ok(None),
                io::ErrorKind::Interrupted => Ok(Some(Heard::Nothing)),
                _ => Err(error),
            };
        };
        let told = message.get(..length).unwrap_or_default();
        // Port 0 is the kernel. Anybody else's word is not heard.
        let heard = if from.nl_pid == 0 { hear(told, self.pid) } else { Heard::Nothing };
        if heard == Heard::Execution {
            self.seen.store(true, Ordering::Release);
        }
        Ok(Some(heard))
    }
}

/// Numbers subscriptions, so that an answer to somebody else's is not taken for ours.
static SUBSCRIPTIONS: AtomicU32 = AtomicU32::new(0);

/// What a message says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Heard {
    /// The watched process executed a program.
    Execution,
    /// A subscription of this number was taken.
    Answer(u32),
    /// Something about others, or nothing that is understood.
    Nothing,
}

fn hear(message: &[u8], pid: u32) -> Heard {
    match (number(message, WHAT_AT), number(message, GROUP_AT), number(message, ACKNOWLEDGED_AT)) {
        (Some(EXEC), Some(group), _) if group == pid => Heard::Execution,
        (Some(NONE), _, Some(acknowledged)) => Heard::Answer(acknowledged.wrapping_sub(1)),
        _ => Heard::Nothing,
    }
}

fn number(message: &[u8], at: usize) -> Option<u32> {
    message.get(at..at + 4).and_then(|bytes| bytes.try_into().ok()).map(u32::from_ne_bytes)
}

/// Binds to the multicast group.
fn join(socket: &OwnedFd) -> io::Result<()> {
    // SAFETY: an all-zero sockaddr_nl is a valid one.
    let mut address: libc::sockaddr_nl = unsafe { std::mem::zeroed() };
    address.nl_family = libc::AF_NETLINK as libc::sa_family_t;
    address.nl_groups = PROC;
    let length = size_of::<libc::sockaddr_nl>() as libc::socklen_t;
    // SAFETY: pointer and length describe `address`, which outlives the call; the kernel only reads it.
    done(unsafe { libc::bind(socket.as_raw_fd(), (&raw const address).cast(), length) })
}

/// Subscribes to these kinds: `nlmsghdr`, `cn_msg`, and `struct proc_input` (Linux 6.6).
fn listen(socket: &OwnedFd, kinds: u32, subscription: u32) -> io::Result<()> {
    let input = [LISTEN, kinds];
    let words = [
        // length, kind (NLMSG_DONE) and flags, sequence, port
        16 + 20 + 8,
        u32::from_ne_bytes(if cfg!(target_endian = "little") { [3, 0, 0, 0] } else { [0, 3, 0, 0] }),
        0,
        0,
        // index, value, sequence, acknowledged
        PROC,
        PROC,
        0,
        subscription,
    ];
    let mut message: Vec<u8> = words.iter().flat_map(|word: &u32| word.to_ne_bytes()).collect();
    message.extend(8_u16.to_ne_bytes());
    message.extend(0_u16.to_ne_bytes());
    message.extend(input.iter().flat_map(|word| word.to_ne_bytes()));
    // SAFETY: pointer and length describe `message`, which outlives the call; the kernel only reads it.
    let sent = unsafe { libc::send(socket.as_raw_fd(), message.as_ptr().cast(), message.len(), 0) };
    if sent < 0 { Err(io::Error::last_os_error()) } else { Ok(()) }
}

/// Lets only executions of `pid` in, and answers to subscriptions (`SO_ATTACH_FILTER`), so that what others do can't fill
/// the buffer. A subscription to [`EXEC`] alone keeps the answers to others out as well.
fn only(socket: &OwnedFd, pid: u32) -> io::Result<()> {
    let load = (libc::BPF_LD | libc::BPF_W | libc::BPF_ABS) as u16;
    let equal = (libc::BPF_JMP | libc::BPF_JEQ | libc::BPF_K) as u16;
    let answer = (libc::BPF_RET | libc::BPF_K) as u16;
    let step = |code, jt, jf, k| libc::sock_filter { code, jt, jf, k };
    // The filter reads words as big-endian ones.
    let mut program = [
        step(load, 0, 0, WHAT_AT as u32),
        step(equal, 3, 0, NONE.to_be()),
        step(equal, 0, 3, EXEC.to_be()),
        step(load, 0, 0, GROUP_AT as u32),
        step(equal, 0, 1, pid.to_be()),
        step(answer, 0, 0, u32::MAX),
        step(answer, 0, 0, 0),
    ];
    let filter = libc::sock_fprog { len: program.len() as u16, filter: program.as_mut_ptr() };
    let length = size_of::<libc::sock_fprog>() as libc::socklen_t;
    // SAFETY: `filter` describes `program`; both outlive the call, and the kernel copies them.
    done(unsafe {
        libc::setsockopt(
            socket.as_raw_fd(),
            libc::SOL_SOCKET,
            libc::SO_ATTACH_FILTER,
            (&raw const filter).cast(),
            length,
        )
    })
}

fn done(result: libc::c_int) -> io::Result<()> {
    if result == 0 { Ok(()) } else { Err(io::Error::last_os_error()) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn message(what: u32, group: u32, acknowledged: u32) -> Vec<u8> {
        let mut message = vec![0; 76];
        for (at, value) in [(WHAT_AT, what), (GROUP_AT, group), (ACKNOWLEDGED_AT, acknowledged)] {
            message.splice(at..at + 4, value.to_ne_bytes());
        }
        message
    }

    #[test]
    fn only_an_answer_with_our_number_is_one_and_only_our_process_is_watched() {
        assert_eq!(hear(&message(EXEC, 41, 7), 41), Heard::Execution);
        assert_eq!(hear(&message(EXEC, 42, 7), 41), Heard::Nothing);
        assert_eq!(hear(&message(1, 41, 7), 41), Heard::Nothing, "a fork");
        assert_eq!(hear(&message(NONE, 0, 8), 41), Heard::Answer(7));
        assert_eq!(hear(&[0; 20], 41), Heard::Nothing, "too short");
    }
}
