//! A global allocator that wipes what is freed.

use crate::locked::wipe;
use std::alloc::{GlobalAlloc, Layout, System};
use std::ptr::NonNull;

/// The system's allocator, which gets every block back as zeros: libraries for TLS and HTTP leave copies of what they send
/// in blocks that they free.
///
/// Only memory of this allocator is meant: stacks, and what a C library allocates itself, stay as they are. A block that
/// grows is a new one, and the old one is wiped.
#[derive(Debug)]
pub struct Wiping;

// SAFETY: every block is the system allocator's, asked for and given back with the same layout.
unsafe impl GlobalAlloc for Wiping {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // SAFETY: the caller's promise about the layout is the one that is needed.
        unsafe { System.alloc(layout) }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        // SAFETY: as above.
        unsafe { System.alloc_zeroed(layout) }
    }

    unsafe fn dealloc(&self, block: *mut u8, layout: Layout) {
        if let Some(start) = NonNull::new(block) {
            wipe(start, layout.size());
        }
        // SAFETY: the caller's promise about block and layout is the one that is needed.
        unsafe { System.dealloc(block, layout) }
    }
}
