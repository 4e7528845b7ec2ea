//! The receive queue of all queue pairs of an endpoint.
//!
//! ```text
//!   requests   begun <= posted                 a message takes the oldest when it begins,
//!   part       held                            and keeps it until it is whole,
//!   received   taken <= ended <= begun         while others may be done before it
//!   room       posted <= taken + depth
//! ```

use std::{
    cell::UnsafeCell,
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
};

use onesided_transport::{CompletionStatus, LocalSegment};

use super::{Message, NO_BUFFER, NOTHING, Received};

/// A request without what will consume it.
type Request = (u64, LocalSegment);

/// The queue: requests on their way there, and what consumed them on its way back.
pub struct SharedReceives {
    requests: Box<[UnsafeCell<Request>]>,
    /// With the index of the queue pair that the message was for.
    received: Box<[UnsafeCell<(u32, Received)>]>,
    posted: AtomicU64,
    begun: AtomicU64,
    ended: AtomicU64,
    taken: AtomicU64,
}

// SAFETY: a place of requests belongs to the endpoint's thread until it is posted, then to the responder until
// as many were ended and taken; a place of what was received to the responder until it is ended, then to the
// endpoint's thread until it has taken it and posted again. The counters hand them over (release, acquire).
unsafe impl Sync for SharedReceives {}
// SAFETY: as for `Sync`; it owns what it holds.
unsafe impl Send for SharedReceives {}

impl SharedReceives {
    /// With room for so many.
    pub fn new(depth: usize) -> Self {
        Self {
            requests: (0..depth).map(|_| UnsafeCell::new((0, NO_BUFFER))).collect(),
            received: (0..depth).map(|_| UnsafeCell::new((0, NOTHING))).collect(),
            posted: AtomicU64::new(0),
            begun: AtomicU64::new(0),
            ended: AtomicU64::new(0),
            taken: AtomicU64::new(0),
        }
    }

    fn request(&self, position: u64) -> *mut Request {
        self.requests[(position % self.requests.len() as u64) as usize].get()
    }

    fn place(&self, position: u64) -> *mut (u32, Received) {
        self.received[(position % self.received.len() as u64) as usize].get()
    }

    /// Posts one; false where there is no room. For the endpoint's thread only.
    pub fn post(&self, id: u64, buffer: Option<LocalSegment>) -> bool {
        let posted = self.posted.load(Ordering::Relaxed);
        if posted - self.taken.load(Ordering::Relaxed) >= self.requests.len() as u64 {
            return false;
        }
        // SAFETY: as many as there are places were begun, ended and taken since it was posted last.
        unsafe { *self.request(posted) = (id, buffer.unwrap_or(NO_BUFFER)) };
        self.posted.store(posted + 1, Ordering::Release);
        true
    }

    /// Whether one is there that no message has taken. For the responder only.
    fn is_ready(&self) -> bool {
        self.begun.load(Ordering::Relaxed) != self.posted.load(Ordering::Acquire)
    }

    /// Takes the oldest for a message. For the responder only.
    fn begin(&self) -> Option<Request> {
        if !self.is_ready() {
            return None;
        }
        let begun = self.begun.load(Ordering::Relaxed);
        // SAFETY: it is posted and not begun, so it is the responder's.
        let request = unsafe { *self.request(begun) };
        self.begun.store(begun + 1, Ordering::Relaxed);
        Some(request)
    }

    /// Hands back what consumed one. For the responder only.
    fn end(&self, queue_pair: u32, received: Received) {
        let ended = self.ended.load(Ordering::Relaxed);
        // SAFETY: no more are ended than begun, and no more begun than were taken and there are places.
        unsafe { *self.place(ended) = (queue_pair, received) };
        self.ended.store(ended + 1, Ordering::Release);
    }

    /// Takes the oldest that was consumed, and the index of the queue pair that its message was for. For the
    /// endpoint's thread only.
    pub fn take(&self) -> Option<(u32, Received)> {
        let taken = self.taken.load(Ordering::Relaxed);
        if taken == self.ended.load(Ordering::Acquire) {
            return None;
        }
        // SAFETY: it is ended and not taken, so it is the endpoint's.
        let received = unsafe { *self.place(taken) };
        self.taken.store(taken + 1, Ordering::Relaxed);
        Some(received)
    }
}

/// What one queue pair has of it: the queue, and the request that a message for it has begun to fill.
pub struct PartOfShared {
    queue: Arc<SharedReceives>,
    /// Its index in the endpoint.
    queue_pair: u32,
    held: UnsafeCell<Option<Request>>,
}

// SAFETY: what is held is the responder's alone; the rest is not changed.
unsafe impl Sync for PartOfShared {}

impl PartOfShared {
    /// Of the queue pair of this index.
    pub fn new(queue: &Arc<SharedReceives>, queue_pair: u32) -> Self {
        Self { queue: Arc::clone(queue), queue_pair, held: UnsafeCell::new(None) }
    }

    pub(super) fn queue(&self) -> &SharedReceives {
        &self.queue
    }

    /// The request of the message that is coming: the one held, or else the oldest, which is held from now on.
    fn hold(&self) -> Option<Request> {
        // SAFETY: for the responder only, as everything that calls this.
        let held = unsafe { &mut *self.held.get() };
        if held.is_none() {
            *held = self.queue.begin();
        }
        *held
    }

    /// Whether a message would find one. For the responder only.
    pub fn is_ready(&self) -> bool {
        // SAFETY: as in `hold`.
        unsafe { (*self.held.get()).is_some() || self.queue.is_ready() }
    }

    /// Where the message that is coming puts its bytes. For the responder only.
    pub fn buffer(&self) -> Option<LocalSegment> {
        self.hold().map(|(_, buffer)| buffer)
    }

    /// Consumes its request; false where there is none. For the responder only.
    pub fn consume(&self, status: CompletionStatus, message: Message) -> bool {
        let Some((id, buffer)) = self.hold() else { return false };
        // SAFETY: as in `hold`.
        unsafe { *self.held.get() = None };
        let Message { length, immediate, source } = message;
        self.queue.end(self.queue_pair, Received { id, buffer, status, length, immediate, source });
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parts(depth: usize) -> (Arc<SharedReceives>, [PartOfShared; 2]) {
        let queue = Arc::new(SharedReceives::new(depth));
        let parts = [0, 1].map(|index| PartOfShared::new(&queue, index));
        (queue, parts)
    }

    fn consume(part: &PartOfShared, length: u32) -> bool {
        part.consume(CompletionStatus::Success, Message { length, ..Message::default() })
    }

    /// Queue pair, id and length of the oldest that was consumed.
    fn taken(queue: &SharedReceives) -> Option<(u32, u64, u32)> {
        queue.take().map(|(queue_pair, received)| (queue_pair, received.id, received.length))
    }

    #[test]
    fn whichever_queue_pair_gets_a_message_takes_the_oldest_request() {
        let (queue, [first, second]) = parts(2);
        assert!(!first.is_ready() && !consume(&second, 1));
        assert!(queue.post(7, None) && queue.post(8, None) && !queue.post(9, None));
        assert!(consume(&second, 1) && consume(&first, 2) && !consume(&first, 3));
        assert!(!queue.post(9, None), "what was not taken still occupies its place");
        assert_eq!([taken(&queue), taken(&queue)], [Some((1, 7, 1)), Some((0, 8, 2))]);
        assert_eq!(taken(&queue), None);
        assert!(queue.post(9, None) && consume(&second, 4));
        assert_eq!(taken(&queue), Some((1, 9, 4)));
    }

    #[test]
    fn a_message_keeps_its_request_while_others_are_done() {
        let buffer = |id: u64| LocalSegment { address: 64 * id, length: 64, key: 7 };
        let (queue, [first, second]) = parts(3);
        for id in 1..=3 {
            assert!(queue.post(id, Some(buffer(id))));
        }
        assert_eq!(first.buffer(), Some(buffer(1)));
        assert_eq!((second.buffer(), first.buffer()), (Some(buffer(2)), Some(buffer(1))));
        assert!(consume(&second, 2) && consume(&second, 3));
        assert!(!second.is_ready() && first.is_ready());
        assert_eq!([taken(&queue), taken(&queue)], [Some((1, 2, 2)), Some((1, 3, 3))]);
        // One is under way: there is room for two.
        assert!(queue.post(4, None) && queue.post(5, None) && !queue.post(6, None));
        assert!(consume(&first, 1));
        assert_eq!(taken(&queue), Some((0, 1, 1)));
    }

    #[test]
    fn a_queue_of_no_depth_takes_nothing() {
        let (queue, [part, _]) = parts(0);
        assert!(!queue.post(1, None) && !part.is_ready() && part.buffer().is_none());
        assert!(!consume(&part, 0) && queue.take().is_none());
    }

    #[test]
    fn requests_of_two_threads_come_back_once_each() {
        let (queue, [first, second]) = parts(4);
        let all = 20_000;
        std::thread::scope(|scope| {
            scope.spawn(move || {
                let mut consumed = 0;
                while consumed < all {
                    // Now the one, now the other; sometimes a message is long.
                    let part = if consumed % 3 == 0 { &first } else { &second };
                    if consumed % 5 == 0 {
                        first.buffer();
                    }
                    match consume(part, consumed as u32) {
                        true => consumed += 1,
                        false => std::thread::yield_now(),
                    }
                }
            });
            let (mut posted, mut seen) = (0, vec![false; all as usize]);
            let mut back = 0;
            while back < all {
                while posted < all && queue.post(posted, None) {
                    posted += 1;
                }
                match queue.take() {
                    Some((_, Received { id, length, .. })) => {
                        assert_eq!(
                            u64::from(length),
                            back,
                            "they end in the order of their messages"
                        );
                        assert!(!std::mem::replace(&mut seen[id as usize], true), "twice: {id}");
                        back += 1;
                    }
                    None => std::thread::yield_now(),
                }
            }
        });
    }
}
