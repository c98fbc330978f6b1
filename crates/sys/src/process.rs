//! What a process asks of the kernel about itself.

use std::io;

/// Turns this process's dumpable flag on or off (`prctl(2)`, `PR_SET_DUMPABLE`).
///
/// Off: other processes of the same user can neither trace it nor read its memory, descriptors, environment or
/// executable. That also blinds a gateway of the same user, so look at a process before it does this. `execve` turns
/// the flag on again.
///
/// # Errors
/// Where the kernel refuses. Treat that as fatal in a process that holds secrets.
pub fn set_dumpable(dumpable: bool) -> io::Result<()> {
    // SAFETY: PR_SET_DUMPABLE takes one integer and touches no memory of ours.
    let result = unsafe { libc::prctl(libc::PR_SET_DUMPABLE, libc::c_ulong::from(dumpable), 0, 0, 0) };
    if result == 0 { Ok(()) } else { Err(io::Error::last_os_error()) }
}

/// From now on no memory of this process can become code that was writable: neither both at once, nor one after the
/// other (`PR_SET_MDWE`, Linux 6.3). Child processes are free of it (Linux 6.6). It can't be taken back.
///
/// # Errors
/// Where the kernel refuses.
pub fn refuse_writable_code() -> io::Result<()> {
    let what = libc::PR_MDWE_REFUSE_EXEC_GAIN | libc::PR_MDWE_NO_INHERIT;
    // SAFETY: PR_SET_MDWE takes one integer and touches no memory of ours.
    let result = unsafe { libc::prctl(libc::PR_SET_MDWE, libc::c_ulong::from(what), 0, 0, 0) };
    if result == 0 { Ok(()) } else { Err(io::Error::last_os_error()) }
}

/// Milliseconds since the kernel booted, suspend included (`clock_gettime(2)`, `CLOCK_BOOTTIME`). Never steps back.
#[must_use]
pub fn boottime_ms() -> u64 {
    let mut now = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: `now` is a valid timespec that outlives the call. The clock exists since Linux 2.6.39, so the call
    // can't fail; if it did, `now` would stay initialised.
    unsafe { libc::clock_gettime(libc::CLOCK_BOOTTIME, &raw mut now) };
    let seconds = u64::try_from(now.tv_sec).unwrap_or(0);
    let nanoseconds = u64::try_from(now.tv_nsec).unwrap_or(0);
    seconds.saturating_mul(1_000).saturating_add(nanoseconds / 1_000_000)
}
