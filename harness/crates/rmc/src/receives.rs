//! Receive requests of a queue pair: posted by its endpoint's thread, consumed by the responder.
//!
//! ```text
//!   taken <= consumed <= posted <= taken + depth
//! ```
//! Each position is first a receive request, then what consumed it, then free.

use std::{
    cell::UnsafeCell,
    sync::atomic::{AtomicU64, Ordering},
};

/// What consumed a receive request.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Received {
    /// Id of the receive request.
    pub id: u64,
    /// Bytes that were written.
    pub length: u32,
    /// The immediate.
    pub immediate: u32,
}

/// The receive queue of one queue pair.
pub struct Receives {
    places: Box<[UnsafeCell<Received>]>,
    posted: AtomicU64,
    consumed: AtomicU64,
    taken: AtomicU64,
}

// SAFETY: a place belongs to the endpoint's thread until it is posted, then to the responder until
// it is consumed, then to the endpoint again; the counters hand it over (release, acquire).
unsafe impl Sync for Receives {}
// SAFETY: as for `Sync`; it owns what it holds.
unsafe impl Send for Receives {}

impl Receives {
    /// With room for so many.
    pub fn new(depth: usize) -> Self {
        Self {
            places: (0..depth).map(|_| UnsafeCell::new(Received::default())).collect(),
            posted: AtomicU64::new(0),
            consumed: AtomicU64::new(0),
            taken: AtomicU64::new(0),
        }
    }

    fn place(&self, position: u64) -> *mut Received {
        self.places[(position % self.places.len() as u64) as usize].get()
    }

    /// Posts one; false where there is no room. For the endpoint's thread only.
    pub fn post(&self, id: u64) -> bool {
        let posted = self.posted.load(Ordering::Relaxed);
        if posted - self.taken.load(Ordering::Relaxed) >= self.places.len() as u64 {
            return false;
        }
        // SAFETY: the place was taken before, so it is the endpoint's.
        unsafe { *self.place(posted) = Received { id, ..Received::default() } };
        self.posted.store(posted + 1, Ordering::Release);
        true
    }

    /// Whether there is one to consume. For the responder only.
    pub fn is_ready(&self) -> bool {
        self.consumed.load(Ordering::Relaxed) != self.posted.load(Ordering::Acquire)
    }

    /// Consumes the oldest one; false where there is none. For the responder only.
    pub fn consume(&self, length: u32, immediate: u32) -> bool {
        if !self.is_ready() {
            return false;
        }
        let consumed = self.consumed.load(Ordering::Relaxed);
        // SAFETY: the place is posted and not consumed, so it is the responder's.
        unsafe {
            (*self.place(consumed)).length = length;
            (*self.place(consumed)).immediate = immediate;
        }
        self.consumed.store(consumed + 1, Ordering::Release);
        true
    }

    /// Takes the oldest that was consumed. For the endpoint's thread only.
    pub fn take(&self) -> Option<Received> {
        let taken = self.taken.load(Ordering::Relaxed);
        if taken == self.consumed.load(Ordering::Acquire) {
            return None;
        }
        // SAFETY: the place is consumed and not taken, so it is the endpoint's.
        let received = unsafe { *self.place(taken) };
        self.taken.store(taken + 1, Ordering::Relaxed);
        Some(received)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn receives_are_consumed_and_taken_in_order_and_bounded() {
        let receives = Receives::new(2);
        assert!(!receives.consume(0, 0));
        assert!(receives.post(1) && receives.post(2) && !receives.post(3));
        assert!(receives.consume(8, 70));
        assert!(!receives.post(3), "what was not taken still occupies its place");
        assert_eq!(receives.take(), Some(Received { id: 1, length: 8, immediate: 70 }));
        assert_eq!(receives.take(), None);
        assert!(receives.post(3));
        assert!(receives.consume(9, 71) && receives.consume(10, 72) && !receives.consume(0, 0));
        assert_eq!(receives.take().map(|received| received.id), Some(2));
        assert_eq!(receives.take().map(|received| received.id), Some(3));
    }

    #[test]
    fn a_queue_of_no_depth_takes_nothing() {
        let receives = Receives::new(0);
        assert!(!receives.post(1) && !receives.consume(0, 0));
        assert_eq!(receives.take(), None);
    }
}
