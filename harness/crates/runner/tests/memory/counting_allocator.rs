//! The system's allocator, counting.

use std::{
    alloc::{GlobalAlloc, Layout, System},
    cell::Cell,
    sync::atomic::{AtomicUsize, Ordering},
};

struct Counting;

#[global_allocator]
static ALLOCATOR: Counting = Counting;

thread_local! {
    // Without an initialiser to run or anything to drop, so that the allocator may use it.
    static ALLOCATIONS: Cell<u64> = const { Cell::new(0) };
}

static IN_USE: AtomicUsize = AtomicUsize::new(0);
static HIGHEST: AtomicUsize = AtomicUsize::new(0);

/// How often the calling thread has allocated or reallocated.
pub fn allocations_of_this_thread() -> u64 {
    ALLOCATIONS.get()
}

/// Bytes that the process has allocated and not freed.
pub fn bytes_in_use() -> usize {
    IN_USE.load(Ordering::Relaxed)
}

/// The most there were since [`reset_highest_use`].
pub fn highest_use() -> usize {
    HIGHEST.load(Ordering::Relaxed)
}

/// Begins anew with what is in use now.
pub fn reset_highest_use() {
    HIGHEST.store(bytes_in_use(), Ordering::Relaxed);
}

fn taken(bytes: usize) {
    ALLOCATIONS.set(ALLOCATIONS.get() + 1);
    let now = IN_USE.fetch_add(bytes, Ordering::Relaxed) + bytes;
    HIGHEST.fetch_max(now, Ordering::Relaxed);
}

// SAFETY: everything is done by the system's allocator; counting neither allocates nor unwinds.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        taken(layout.size());
        // SAFETY: as the caller promises.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, memory: *mut u8, layout: Layout) {
        IN_USE.fetch_sub(layout.size(), Ordering::Relaxed);
        // SAFETY: as the caller promises.
        unsafe { System.dealloc(memory, layout) }
    }

    unsafe fn realloc(&self, memory: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        taken(size);
        IN_USE.fetch_sub(layout.size(), Ordering::Relaxed);
        // SAFETY: as the caller promises.
        unsafe { System.realloc(memory, layout, size) }
    }
}
