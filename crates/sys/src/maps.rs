//! Has a process executed a program since we looked? Asked of a held `/proc/PID/maps`.

use std::io;
use std::os::fd::{AsRawFd, BorrowedFd};

/// `struct procmap_query` of `linux/fs.h` (Linux 6.11).
#[repr(C)]
#[derive(Default)]
struct Query {
    size: u64,
    query_flags: u64,
    query_addr: u64,
    vma_start: u64,
    vma_end: u64,
    vma_flags: u64,
    vma_page_size: u64,
    vma_offset: u64,
    inode: u64,
    dev_major: u32,
    dev_minor: u32,
    vma_name_size: u32,
    build_id_size: u32,
    vma_name_addr: u64,
    build_id_addr: u64,
}

/// The mapping that holds the address, or the next one above it.
const COVERING_OR_NEXT: u64 = 0x10;

/// `PROCMAP_QUERY`, the request of [`image_unchanged`]: `_IOWR('f', 17, struct procmap_query)`.
pub const PROCMAP_QUERY: libc::Ioctl = libc::_IOWR::<Query>(b'f' as u32, 17);

/// True where the memory that `maps` (an open `/proc/PID/maps`) described when it was opened is still in use.
///
/// `execve` and exit give up that memory, so false means that the process runs another program image, the same
/// program anew included, or ended. It keeps working after the process turned non-dumpable.
///
/// A helper process that shares the memory (`CLONE_VM`) keeps it in use over an `execve`: true alone is no proof.
/// Compare the executable and the start of the stack as well.
///
/// Waits while anyone in that process keeps its memory map locked, which a program of ill will can do for a minute. Never
/// ask while others wait for the answer, where there is another way to know.
///
/// # Errors
/// Any other answer of the kernel, such as `ENOTTY` before Linux 6.11. Never read an error as unchanged.
pub fn image_unchanged(maps: BorrowedFd<'_>) -> io::Result<bool> {
    let mut query = Query { size: size_of::<Query>() as u64, query_flags: COVERING_OR_NEXT, ..Query::default() };
    // SAFETY: `query` is a live, exclusively borrowed value with the layout and size that the request names. Both
    // buffer sizes in it are zero, so the kernel writes to nothing else.
    let result = unsafe { libc::ioctl(maps.as_raw_fd(), PROCMAP_QUERY, &raw mut query) };
    if result == 0 {
        return Ok(true);
    }
    let error = io::Error::last_os_error();
    match error.raw_os_error() {
        Some(libc::ESRCH) => Ok(false),
        _ => Err(error),
    }
}
