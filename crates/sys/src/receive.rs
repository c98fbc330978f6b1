//! Receiving bytes together with the process that wrote them.

use std::io;
use std::mem;
use std::os::fd::{AsRawFd, BorrowedFd, FromRawFd, OwnedFd, RawFd};

/// `SCM_PIDFD` of `linux/socket.h`; the libc crate has no name for it.
const SCM_PIDFD: libc::c_int = 0x04;

// SAFETY: CMSG_SPACE only computes.
const CREDENTIALS_SPACE: usize = unsafe { libc::CMSG_SPACE(size_of::<libc::ucred>() as u32) } as usize;
// SAFETY: as above.
const PIDFD_SPACE: usize = unsafe { libc::CMSG_SPACE(size_of::<RawFd>() as u32) } as usize;

/// Room for exactly the two messages that we ask for. Descriptors that a peer adds displace the pidfd, the kernel
/// says that it truncated, and the sender is refused.
#[repr(C, align(8))]
struct Control([u8; CREDENTIALS_SPACE + PIDFD_SPACE]);

/// The process that wrote a piece of the stream.
#[derive(Debug)]
pub struct Sender {
    /// Thread group id in our pid namespace. For display: identity is the pidfd.
    pub pid: u32,
    /// Real user id. Root may claim any.
    pub uid: u32,
    /// Real group id. Root may claim any.
    pub gid: u32,
    /// The process itself.
    pub pidfd: OwnedFd,
}

/// Why the writer is not known. Each of them refuses the bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NoSender {
    /// Nothing was written: the stream ended.
    EndOfStream,
    /// The control messages did not fit, so one of them may be missing.
    Truncated,
    /// No credentials came: the socket options were off, or the bytes older than them.
    MissingCredentials,
    /// No pidfd came: likewise.
    MissingPidfd,
    /// The kernel could not make a pidfd (descriptor limit, or the writer is reaped). The error number.
    NoPidfd(i32),
    /// The credentials name no process in our pid namespace.
    ForeignPid,
}

/// What one receive brought.
#[derive(Debug)]
pub struct Received {
    /// Bytes written to the buffer. 0 is the end of the stream.
    pub len: usize,
    /// Who wrote them. On an error the bytes must not be used.
    pub sender: Result<Sender, NoSender>,
    /// The peer sent descriptors. They are closed already; refuse the frame.
    pub descriptors_sent: bool,
}

/// Receives bytes and their writer from a Unix stream socket on which [`pass_sender`](crate::pass_sender()) was set.
///
/// Never blocks, and makes every descriptor close-on-exec. Bytes of two writers never come in one call.
///
/// # Errors
/// `WouldBlock` where nothing waits; `InvalidInput` for an empty buffer, whose zero would read as the end.
pub fn recv(socket: BorrowedFd<'_>, buffer: &mut [u8]) -> io::Result<Received> {
    if buffer.is_empty() {
        return Err(io::ErrorKind::InvalidInput.into());
    }
    let mut control = Control([0; _]);
    let mut part = libc::iovec { iov_base: buffer.as_mut_ptr().cast(), iov_len: buffer.len() };
    // SAFETY: a msghdr of zeros is valid: no name, no parts, no control.
    let mut message: libc::msghdr = unsafe { mem::zeroed() };
    message.msg_iov = &raw mut part;
    message.msg_iovlen = 1;
    message.msg_control = control.0.as_mut_ptr().cast();
    message.msg_controllen = control.0.len() as _;

    let flags = libc::MSG_CMSG_CLOEXEC | libc::MSG_DONTWAIT;
    let received = loop {
        // SAFETY: `message` points at `part` and `control`, both alive, exclusively ours and of the lengths given;
        // `part` points into `buffer`, which is borrowed mutably for the whole call.
        let result = unsafe { libc::recvmsg(socket.as_raw_fd(), &raw mut message, flags) };
        if let Ok(len) = usize::try_from(result) {
            break len;
        }
        let error = io::Error::last_os_error();
        if error.kind() != io::ErrorKind::Interrupted {
            return Err(error);
        }
    };

    // Parsed before anything is judged: every descriptor must find an owner.
    let attached = Attached::take(&message);
    Ok(Received {
        len: received,
        descriptors_sent: attached.descriptors_sent,
        sender: attached.judge(received, message.msg_flags & libc::MSG_CTRUNC != 0),
    })
}

/// The control messages of one receive.
#[derive(Default)]
struct Attached {
    credentials: Option<libc::ucred>,
    pidfd: Option<Result<OwnedFd, i32>>,
    descriptors_sent: bool,
}

impl Attached {
    fn take(message: &libc::msghdr) -> Self {
        let mut found = Self::default();
        // SAFETY: `message` came out of a successful recvmsg and still describes the control buffer.
        let mut next = unsafe { libc::CMSG_FIRSTHDR(message) };
        while !next.is_null() {
            // SAFETY: FIRSTHDR and NXTHDR return only headers that lie whole within the buffer, and aligned.
            let header = unsafe { next.read() };
            // SAFETY: as above; the pointer is to the first byte behind the header.
            let data = unsafe { libc::CMSG_DATA(next) };
            // SAFETY: CMSG_LEN only computes.
            let overhead = unsafe { libc::CMSG_LEN(0) } as usize;
            let length = (header.cmsg_len as usize).saturating_sub(overhead);
            if header.cmsg_level == libc::SOL_SOCKET {
                // SAFETY: the kernel wrote `length` bytes of a message of this type at `data`.
                unsafe { found.take_one(header.cmsg_type, data, length) };
            }
            // SAFETY: `next` is a header of this message's buffer.
            next = unsafe { libc::CMSG_NXTHDR(message, next) };
        }
        found
    }

    /// # Safety
    /// `data` must point at `length` readable bytes that the kernel wrote as a control message of type `kind`, and
    /// this must be called once for each message: descriptors in it become ours.
    unsafe fn take_one(&mut self, kind: libc::c_int, data: *const u8, length: usize) {
        match kind {
            libc::SCM_CREDENTIALS if length >= size_of::<libc::ucred>() => {
                // SAFETY: enough bytes, checked; any bytes are a ucred; alignment is not assumed.
                self.credentials = Some(unsafe { data.cast::<libc::ucred>().read_unaligned() });
            }
            SCM_PIDFD if length >= size_of::<RawFd>() => {
                // SAFETY: enough bytes, checked; alignment is not assumed.
                let raw = unsafe { data.cast::<RawFd>().read_unaligned() };
                self.pidfd = Some(if raw < 0 {
                    Err(raw.saturating_neg())
                } else {
                    // SAFETY: not negative, so the kernel made this descriptor for us; nobody else knows it.
                    Ok(unsafe { OwnedFd::from_raw_fd(raw) })
                });
            }
            libc::SCM_RIGHTS => {
                self.descriptors_sent = true;
                for index in 0..length / size_of::<RawFd>() {
                    // SAFETY: `index` counts whole descriptors within `length` bytes; alignment is not assumed.
                    let raw = unsafe { data.cast::<RawFd>().add(index).read_unaligned() };
                    if raw >= 0 {
                        // SAFETY: the kernel made this descriptor for us; we take it in order to close it.
                        drop(unsafe { OwnedFd::from_raw_fd(raw) });
                    }
                }
            }
            _ => {}
        }
    }

    fn judge(self, received: usize, truncated: bool) -> Result<Sender, NoSender> {
        if truncated {
            return Err(NoSender::Truncated);
        }
        if received == 0 {
            return Err(NoSender::EndOfStream);
        }
        let credentials = self.credentials.ok_or(NoSender::MissingCredentials)?;
        let pidfd = self.pidfd.ok_or(NoSender::MissingPidfd)?.map_err(NoSender::NoPidfd)?;
        let pid = u32::try_from(credentials.pid).ok().filter(|pid| *pid != 0).ok_or(NoSender::ForeignPid)?;
        Ok(Sender { pid, uid: credentials.uid, gid: credentials.gid, pidfd })
    }
}
