//! What rings and versions are made of: the language's atomics and cells, or those of loom.
//!
//! Compiled with `--cfg loom`, rings are run by a model of the memory (`ring::model`), which tries
//! every order that the language allows, and in which an access to a line that is the other's fails.

#[cfg(loom)]
use loom::cell::UnsafeCell;
#[cfg(loom)]
pub use loom::sync::atomic::{AtomicU64, Ordering, fence};
#[cfg(not(loom))]
use std::cell::UnsafeCell;
#[cfg(not(loom))]
pub use std::sync::atomic::{AtomicU64, Ordering, fence};

/// Slots of a lane, and so credits of a requester. Ours: what is under way at one line every 2 ns
/// over a round trip of 500 ns, and as many as a transfer id of 8 bits tells apart.
pub const SLOTS: usize = if cfg!(loom) { 2 } else { 256 };

/// Bytes of a cache line, which is the unit of the protocol.
pub const LINE_BYTES: usize = 64;

/// The payload of a packet, as it is in shared memory.
#[repr(C, align(64))]
pub struct SharedLine(UnsafeCell<[u8; LINE_BYTES]>);

#[cfg(not(loom))]
impl SharedLine {
    /// The address of a line and those behind it, for who writes them now.
    ///
    /// # Safety
    /// The lines exist.
    #[inline]
    pub unsafe fn to_write(lines: *const [Self; SLOTS], index: usize) -> *mut u8 {
        // SAFETY: the caller's; the address is of all lines, so that one may go on to the next.
        unsafe { UnsafeCell::raw_get(&raw const (*lines.cast::<Self>().add(index)).0).cast() }
    }

    /// The address of a line and those behind it, for who reads them now.
    ///
    /// # Safety
    /// The lines exist.
    #[inline]
    pub unsafe fn to_read(lines: *const [Self; SLOTS], index: usize) -> *const u8 {
        // SAFETY: the caller's.
        unsafe { Self::to_write(lines, index) }
    }
}

/// The model takes the asking for the access to the first of them.
#[cfg(loom)]
impl SharedLine {
    /// A line on its own.
    #[cfg(test)]
    pub fn empty() -> Self {
        Self(UnsafeCell::new([0; LINE_BYTES]))
    }

    /// As above.
    pub unsafe fn to_write(lines: *const [Self; SLOTS], index: usize) -> *mut u8 {
        // SAFETY: the caller's.
        unsafe { (&(*lines)[index].0).with_mut(|line| line.cast()) }
    }

    /// As above.
    pub unsafe fn to_read(lines: *const [Self; SLOTS], index: usize) -> *const u8 {
        // SAFETY: the caller's.
        unsafe { (&(*lines)[index].0).with(|line| line.cast()) }
    }
}
