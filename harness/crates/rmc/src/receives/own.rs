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

use onesided_transport::{CompletionStatus, LocalSegment};

use super::{Message, NO_BUFFER, NOTHING, Received};

/// The receive queue of one queue pair.
pub struct OwnReceives {
    places: Box<[UnsafeCell<Received>]>,
    posted: AtomicU64,
    consumed: AtomicU64,
    taken: AtomicU64,
}

// SAFETY: a place belongs to the endpoint's thread until it is posted, then to the responder until
// it is consumed, then to the endpoint again; the counters hand it over (release, acquire).
unsafe impl Sync for OwnReceives {}
// SAFETY: as for `Sync`; it owns what it holds.
unsafe impl Send for OwnReceives {}

impl OwnReceives {
    /// With room for so many.
    pub fn new(depth: usize) -> Self {
        Self {
            places: (0..depth).map(|_| UnsafeCell::new(NOTHING)).collect(),
            posted: AtomicU64::new(0),
            consumed: AtomicU64::new(0),
            taken: AtomicU64::new(0),
        }
    }

    fn place(&self, position: u64) -> *mut Received {
        self.places[(position % self.places.len() as u64) as usize].get()
    }

    /// Posts one; false where there is no room. For the endpoint's thread only.
    pub fn post(&self, id: u64, buffer: Option<LocalSegment>) -> bool {
        let posted = self.posted.load(Ordering::Relaxed);
        if posted - self.taken.load(Ordering::Relaxed) >= self.places.len() as u64 {
            return false;
        }
        let buffer = buffer.unwrap_or(NO_BUFFER);
        // SAFETY: the place was taken before, so it is the endpoint's.
        unsafe { *self.place(posted) = Received { id, buffer, ..NOTHING } };
        self.posted.store(posted + 1, Ordering::Release);
        true
    }

    /// Whether there is one to consume. For the responder only.
    pub fn is_ready(&self) -> bool {
        self.consumed.load(Ordering::Relaxed) != self.posted.load(Ordering::Acquire)
    }

    /// Where a send puts its bytes: the buffer of the oldest one. For the responder only.
    pub fn buffer(&self) -> Option<LocalSegment> {
        let consumed = self.consumed.load(Ordering::Relaxed);
        // SAFETY: the place is posted and not consumed, so it is the responder's.
        self.is_ready().then(|| unsafe { (*self.place(consumed)).buffer })
    }

    /// Consumes the oldest one; false where there is none. For the responder only.
    pub fn consume(&self, status: CompletionStatus, message: Message) -> bool {
        if !self.is_ready() {
            return false;
        }
        let consumed = self.consumed.load(Ordering::Relaxed);
        // SAFETY: the place is posted and not consumed, so it is the responder's.
        let place = unsafe { &mut *self.place(consumed) };
        let Message { length, immediate, source } = message;
        *place = Received { status, length, immediate, source, ..*place };
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

    fn post(receives: &OwnReceives, id: u64) -> bool {
        receives.post(id, None)
    }

    fn consume(receives: &OwnReceives, length: u32, immediate: u32) -> bool {
        let message = Message { length, immediate: Some(immediate), source: None };
        receives.consume(CompletionStatus::Success, message)
    }

    #[test]
    fn receives_are_consumed_and_taken_in_order_and_bounded() {
        let receives = OwnReceives::new(2);
        assert!(!consume(&receives, 0, 0));
        assert!(post(&receives, 1) && post(&receives, 2) && !post(&receives, 3));
        assert!(consume(&receives, 8, 70));
        assert!(!post(&receives, 3), "what was not taken still occupies its place");
        let first = Received { id: 1, length: 8, immediate: Some(70), ..NOTHING };
        assert_eq!(receives.take(), Some(first));
        assert_eq!(receives.take(), None);
        assert!(post(&receives, 3));
        assert!(consume(&receives, 9, 71) && consume(&receives, 10, 72));
        assert!(!consume(&receives, 0, 0));
        assert_eq!(receives.take().map(|received| received.id), Some(2));
        assert_eq!(receives.take().map(|received| received.id), Some(3));
    }

    #[test]
    fn the_buffer_is_that_of_the_oldest_which_was_not_consumed() {
        let receives = OwnReceives::new(2);
        assert_eq!(receives.buffer(), None);
        let buffer = LocalSegment { address: 64, length: 8, key: 7 };
        assert!(receives.post(1, Some(buffer)) && receives.post(2, None));
        assert_eq!(receives.buffer(), Some(buffer));
        assert!(receives.consume(CompletionStatus::LocalLengthError, Message::default()));
        assert_eq!(receives.buffer(), Some(NO_BUFFER));
        let failed = CompletionStatus::LocalLengthError;
        assert_eq!(receives.take(), Some(Received { id: 1, buffer, status: failed, ..NOTHING }));
    }

    #[test]
    fn a_queue_of_no_depth_takes_nothing() {
        let receives = OwnReceives::new(0);
        assert!(!post(&receives, 1) && !consume(&receives, 0, 0));
        assert_eq!(receives.take(), None);
    }
}
