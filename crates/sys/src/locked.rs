//! Bytes in memory that is never written to swap, left out of core dumps, and wiped when they are given back.

use std::io;
use std::ptr::NonNull;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Granularity within a shared page: a page has as many blocks as a `u64` has bits.
const BLOCK: usize = 64;
const PAGE: usize = 64 * BLOCK;

/// Secret bytes of a fixed length in locked memory (`mlock(2)`). No `Clone`, no `Display`; `Debug` shows nothing of them.
///
/// Small ones share pages, so that a vault of many credentials stays far below the limit that an ordinary user has
/// (`RLIMIT_MEMLOCK`, 8 MiB by default; 64 KiB in some containers).
pub struct LockedBytes {
    at: Span,
    len: usize,
}

/// Where bytes are.
struct Span {
    start: NonNull<u8>,
    /// A multiple of [`BLOCK`] within a shared page; whole pages of its own above that.
    room: usize,
}

impl LockedBytes {
    /// A copy of `bytes` in locked memory. The original is the caller's to wipe.
    ///
    /// # Errors
    /// The kernel gives no such memory: mostly `ENOMEM` or `EAGAIN`, the limit is reached. Nothing was copied.
    pub fn copy_of(bytes: &[u8]) -> io::Result<Self> {
        let at = if bytes.len() <= PAGE { shared().take(bytes.len())? } else { own_pages(bytes.len())? };
        // SAFETY: the span has room for at least that many bytes, nobody else has it, and it can't overlap a borrow.
        unsafe { at.start.as_ptr().copy_from_nonoverlapping(bytes.as_ptr(), bytes.len()) };
        Ok(Self { at, len: bytes.len() })
    }
}

impl std::ops::Deref for LockedBytes {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        // SAFETY: written whole in `copy_of`, mapped until the drop, and changed by nobody in between.
        unsafe { std::slice::from_raw_parts(self.at.start.as_ptr(), self.len) }
    }
}

impl Drop for LockedBytes {
    fn drop(&mut self) {
        wipe(self.at.start, self.at.room);
        if self.len <= PAGE {
            shared().give_back(&self.at);
        } else {
            // SAFETY: the mapping that `own_pages` made for this value alone; no borrow of it outlives the value.
            unsafe { libc::munmap(self.at.start.as_ptr().cast(), self.at.room) };
        }
    }
}

impl std::fmt::Debug for LockedBytes {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("LockedBytes(..)")
    }
}

// SAFETY: the value owns its bytes; they are shared only through `&self`, and then not changed.
unsafe impl Send for LockedBytes {}
// SAFETY: as above.
unsafe impl Sync for LockedBytes {}

/// Pages that small values share. They are kept once made: their number is that of the fullest moment.
struct Pages(Vec<Page>);

struct Page {
    start: NonNull<u8>,
    /// One bit for each block that is given out.
    used: u64,
}

// SAFETY: a page is memory like any other, and the lock around the list orders who changes its bits.
unsafe impl Send for Page {}

static PAGES: Mutex<Pages> = Mutex::new(Pages(Vec::new()));

fn shared() -> MutexGuard<'static, Pages> {
    // Each change of the list is one assignment, so a panic elsewhere leaves it whole.
    PAGES.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Pages {
    fn take(&mut self, len: usize) -> io::Result<Span> {
        let blocks = len.div_ceil(BLOCK).max(1);
        let found = self.0.iter_mut().find_map(|page| page.take(blocks));
        if let Some(span) = found {
            return Ok(span);
        }
        let mut page = Page { start: own_pages(PAGE)?.start, used: 0 };
        let span = page.take(blocks).ok_or(io::ErrorKind::OutOfMemory)?;
        self.0.push(page);
        Ok(span)
    }

    fn give_back(&mut self, span: &Span) {
        for page in &mut self.0 {
            let offset = span.start.as_ptr().addr().wrapping_sub(page.start.as_ptr().addr());
            if offset < PAGE {
                page.used &= !(mask(span.room / BLOCK) << (offset / BLOCK));
                return;
            }
        }
    }
}

impl Page {
    /// The first gap of that many blocks (1 to 64).
    fn take(&mut self, blocks: usize) -> Option<Span> {
        let wanted = mask(blocks);
        let first = (0..=64 - blocks).find(|first| self.used & (wanted << first) == 0)?;
        self.used |= wanted << first;
        // SAFETY: `first + blocks` is at most 64, so this is within the page.
        let start = unsafe { self.start.add(first * BLOCK) };
        Some(Span { start, room: blocks * BLOCK })
    }
}

/// So many low bits (1 to 64).
fn mask(blocks: usize) -> u64 {
    u64::MAX >> (64 - blocks)
}

/// Whole new pages: locked, not in core dumps, and empty in a child process.
fn own_pages(len: usize) -> io::Result<Span> {
    let room = len.next_multiple_of(PAGE);
    let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS;
    // SAFETY: a new mapping at an address of the kernel's choice; it replaces nothing.
    let mapped = unsafe { libc::mmap(std::ptr::null_mut(), room, libc::PROT_READ | libc::PROT_WRITE, flags, -1, 0) };
    if mapped == libc::MAP_FAILED {
        return Err(io::Error::last_os_error());
    }
    // SAFETY: each concerns the new mapping alone, which nobody else knows yet.
    let refused = unsafe {
        libc::mlock(mapped, room) != 0
            || libc::madvise(mapped, room, libc::MADV_DONTDUMP) != 0
            || libc::madvise(mapped, room, libc::MADV_WIPEONFORK) != 0
    };
    if refused {
        let error = io::Error::last_os_error();
        // SAFETY: as above; it is not used any more.
        unsafe { libc::munmap(mapped, room) };
        return Err(error);
    }
    let start = NonNull::new(mapped.cast()).ok_or(io::ErrorKind::OutOfMemory)?;
    Ok(Span { start, room })
}

/// Zeroes, in a way that no compiler leaves out because nobody reads it.
pub(crate) fn wipe(start: NonNull<u8>, len: usize) {
    // SAFETY: both callers own these bytes, mapped and writable, and are about to give them back.
    unsafe { libc::explicit_bzero(start.as_ptr().cast(), len) };
}

#[cfg(test)]
#[expect(clippy::unwrap_used, clippy::indexing_slicing, reason = "tests")]
mod tests {
    use super::*;

    /// `VmFlags` of the mapping that an address lies in (proc_pid_smaps(5)).
    fn flags_at(address: usize) -> String {
        let mut inside = false;
        for line in std::fs::read_to_string("/proc/self/smaps").unwrap().lines() {
            let range = line.split(' ').next().and_then(|word| word.split_once('-'));
            let bounds = range.and_then(|(start, end)| {
                Some((usize::from_str_radix(start, 16).ok()?, usize::from_str_radix(end, 16).ok()?))
            });
            if let Some((start, end)) = bounds {
                inside = (start..end).contains(&address);
            } else if let Some(flags) = line.strip_prefix("VmFlags:").filter(|_| inside) {
                return flags.to_owned();
            }
        }
        String::new()
    }

    #[test]
    fn small_and_large_values_lie_in_memory_that_is_locked_and_not_dumped() {
        for len in [0, 1, 32, 64, 65, PAGE, PAGE + 1, 3 * PAGE] {
            let bytes: Vec<u8> = (0..len).map(|at| u8::try_from(at % 251).unwrap()).collect();
            let locked = LockedBytes::copy_of(&bytes).unwrap();
            assert_eq!(*locked, *bytes);
            let flags = flags_at(locked.at.start.as_ptr().addr());
            for flag in ["lo", "dd", "wf"] {
                assert!(flags.split_whitespace().any(|one| one == flag), "{len}: {flag} of {flags}");
            }
        }
    }

    #[test]
    fn what_is_given_back_is_wiped_and_used_again() {
        // No other test shares these pages.
        let mut pages = Pages(Vec::new());
        let spans: Vec<Span> = (0..64).map(|_| pages.take(BLOCK).unwrap()).collect();
        assert_eq!((pages.0.len(), pages.0[0].used), (1, u64::MAX));
        pages.give_back(&spans[7]);
        pages.give_back(&spans[8]);
        assert_eq!(pages.take(BLOCK + 1).unwrap().start, spans[7].start, "two blocks, where two are free");
        assert_eq!(pages.take(PAGE).unwrap().room, PAGE);
        assert_eq!(pages.0.len(), 2);

        let value = LockedBytes::copy_of(b"canary").unwrap();
        let start = value.at.start;
        drop(value);
        // SAFETY: shared pages stay mapped.
        let left = unsafe { std::slice::from_raw_parts(start.as_ptr(), 6) };
        assert_ne!(left, b"canary");
    }

    #[test]
    fn values_of_many_threads_never_share_a_byte() {
        let threads: Vec<_> = (0..8u8)
            .map(|mark| {
                std::thread::spawn(move || {
                    for round in 0..500 {
                        let bytes = vec![mark; 1 + round % 300];
                        let (one, other) = (LockedBytes::copy_of(&bytes), LockedBytes::copy_of(&bytes));
                        assert!(*one.unwrap() == *bytes && *other.unwrap() == *bytes);
                    }
                })
            })
            .collect();
        threads.into_iter().for_each(|thread| thread.join().unwrap());
    }
}
