//! Options of Unix sockets: who connected, and who writes.

use std::io;
use std::os::fd::{AsRawFd, BorrowedFd, FromRawFd, OwnedFd, RawFd};

/// `SO_PASSRIGHTS` of `asm-generic/socket.h` (Linux 6.16); the libc crate has no name for it on this target.
const SO_PASSRIGHTS: libc::c_int = 83;

/// The connector of a socket, as the kernel recorded it at `connect` or `socketpair`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Credentials {
    /// Process id in our pid namespace; 0 where it has none there.
    pub pid: u32,
    /// Effective user id at the time.
    pub uid: u32,
    /// Effective group id at the time.
    pub gid: u32,
}

/// Makes every message on `socket` carry its writer: `SO_PASSCRED` and `SO_PASSPIDFD` (Linux 6.5), `unix(7)`.
///
/// Set it **on the listener**: accepted sockets inherit it. Set after `accept`, a message that was already waiting
/// arrives without its writer. While it is on, one `recv` never mixes two writers.
///
/// # Errors
/// `ENOPROTOOPT` on a kernel that is too old. Don't serve the socket then.
pub fn pass_sender(socket: BorrowedFd<'_>) -> io::Result<()> {
    switch(socket, libc::SO_PASSCRED, true)?;
    switch(socket, libc::SO_PASSPIDFD, true)
}

/// Turns `SO_PASSRIGHTS` off (Linux 6.16): a peer that sends descriptors gets `EPERM`.
///
/// True where the kernel did so. False is no fault: [`recv`](crate::recv()) closes what arrives and says so, and the
/// caller refuses that frame.
#[must_use]
pub fn refuse_descriptors(socket: BorrowedFd<'_>) -> bool {
    switch(socket, SO_PASSRIGHTS, false).is_ok()
}

/// A pidfd of the process that connected (`SO_PEERPIDFD`, Linux 6.5).
///
/// It names the *connector*: whoever holds the socket now may be another. Check the sender of each message.
///
/// # Errors
/// `ESRCH` or `EINVAL` where that process is gone; `ENODATA` on a socket without a peer.
pub fn peer_pidfd(socket: BorrowedFd<'_>) -> io::Result<OwnedFd> {
    let mut pidfd: RawFd = -1;
    get(socket, libc::SO_PEERPIDFD, &mut pidfd)?;
    if pidfd < 0 {
        return Err(io::Error::from_raw_os_error(libc::ESRCH));
    }
    // SAFETY: the kernel made this descriptor for us in the call above, and nobody else knows it.
    Ok(unsafe { OwnedFd::from_raw_fd(pidfd) })
}

/// Credentials of the process that connected (`SO_PEERCRED`).
///
/// A pid is a number that is used again; identity is [`peer_pidfd`].
///
/// # Errors
/// Where `socket` is no Unix socket.
pub fn peer_credentials(socket: BorrowedFd<'_>) -> io::Result<Credentials> {
    let mut found = libc::ucred { pid: 0, uid: libc::uid_t::MAX, gid: libc::gid_t::MAX };
    get(socket, libc::SO_PEERCRED, &mut found)?;
    Ok(Credentials { pid: u32::try_from(found.pid).unwrap_or(0), uid: found.uid, gid: found.gid })
}

fn switch(socket: BorrowedFd<'_>, option: libc::c_int, on: bool) -> io::Result<()> {
    let value = libc::c_int::from(on);
    // SAFETY: pointer and length describe `value`, which outlives the call; the kernel only reads it.
    let result = unsafe {
        libc::setsockopt(
            socket.as_raw_fd(),
            libc::SOL_SOCKET,
            option,
            (&raw const value).cast(),
            size_of::<libc::c_int>() as libc::socklen_t,
        )
    };
    if result == 0 { Ok(()) } else { Err(io::Error::last_os_error()) }
}

/// Types that the kernel may fill with any bytes.
trait Plain: Copy {}
impl Plain for libc::c_int {}
impl Plain for libc::ucred {}

fn get<T: Plain>(socket: BorrowedFd<'_>, option: libc::c_int, value: &mut T) -> io::Result<()> {
    let mut length = size_of::<T>() as libc::socklen_t;
    // SAFETY: pointer and length describe `value`, which is exclusively ours and valid for any bytes (`Plain`).
    let result = unsafe {
        libc::getsockopt(
            socket.as_raw_fd(),
            libc::SOL_SOCKET,
            option,
            std::ptr::from_mut(value).cast(),
            &raw mut length,
        )
    };
    if result != 0 {
        return Err(io::Error::last_os_error());
    }
    // Another length is another option than the one that was asked for.
    if length as usize == size_of::<T>() { Ok(()) } else { Err(io::ErrorKind::InvalidData.into()) }
}
