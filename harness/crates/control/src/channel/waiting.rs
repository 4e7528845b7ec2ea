//! Messages between the reader and the channel's owner, bounded in bytes.

use std::{
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
        mpsc::{self, RecvTimeoutError},
    },
    time::Duration,
};

use super::ChannelError;
use crate::frame::MAX_FRAME_BYTES;

/// Most bytes of messages that may wait to be received.
///
/// Ours: four of the longest. The reader cannot stop reading instead, because behind the messages
/// are the signs of life.
pub const MAX_WAITING_BYTES: usize = 4 * (MAX_FRAME_BYTES + BYTES_PER_MESSAGE);

/// Most bytes that may wait on all channels of one listener together, beside 64 KiB of each.
/// Ours: what four clients may have at once.
pub const MAX_WAITING_BYTES_OF_ALL: usize = 4 * MAX_WAITING_BYTES;

/// What may wait on a channel however much waits on others. Ours: many times what most messages have.
const ALWAYS_BYTES: usize = 64 << 10;

/// Bytes counted for a message beside its body, so that many short ones are bounded too. Ours: what the
/// queue and the allocator take for it.
const BYTES_PER_MESSAGE: usize = 64;

/// The reader's end.
pub(super) struct Queue {
    messages: mpsc::Sender<String>,
    bytes: Arc<Bytes>,
}

/// The owner's end.
#[derive(Debug)]
pub(super) struct Waiting {
    messages: mpsc::Receiver<String>,
    bytes: Arc<Bytes>,
}

/// Bytes that wait on one channel, and on all that share a bound with it.
#[derive(Debug)]
struct Bytes {
    own: AtomicUsize,
    all: Arc<AtomicUsize>,
}

impl Bytes {
    /// Adds a message.
    fn add(&self, size: usize) -> Result<(), ChannelError> {
        let own = self.own.fetch_add(size, Ordering::Relaxed) + size;
        let all = self.all.fetch_add(size, Ordering::Relaxed) + size;
        let (waiting_bytes, limit) = if own <= ALWAYS_BYTES {
            return Ok(());
        } else if own <= MAX_WAITING_BYTES {
            (all, MAX_WAITING_BYTES_OF_ALL)
        } else {
            (own, MAX_WAITING_BYTES)
        };
        if waiting_bytes <= limit {
            Ok(())
        } else {
            Err(ChannelError::Overrun { waiting_bytes, limit })
        }
    }

    fn remove(&self, size: usize) {
        self.own.fetch_sub(size, Ordering::Relaxed);
        self.all.fetch_sub(size, Ordering::Relaxed);
    }
}

impl Drop for Bytes {
    fn drop(&mut self) {
        self.all.fetch_sub(*self.own.get_mut(), Ordering::Relaxed);
    }
}

/// An empty queue; `all` counts what waits on every channel that shares a bound with it.
pub(super) fn queue(all: Arc<AtomicUsize>) -> (Queue, Waiting) {
    let (sender, receiver) = mpsc::channel();
    let bytes = Arc::new(Bytes { own: AtomicUsize::new(0), all });
    (Queue { messages: sender, bytes: Arc::clone(&bytes) }, Waiting { messages: receiver, bytes })
}

impl Queue {
    /// Appends a message; with the owner gone it is dropped.
    ///
    /// # Errors
    /// [`ChannelError::Overrun`].
    pub(super) fn append(&self, body: String) -> Result<(), ChannelError> {
        self.bytes.add(body.len() + BYTES_PER_MESSAGE)?;
        let _ = self.messages.send(body);
        Ok(())
    }
}

impl Waiting {
    /// Takes the oldest message, waiting up to `timeout` for one.
    pub(super) fn take(&self, timeout: Duration) -> Result<String, RecvTimeoutError> {
        let body = self.messages.recv_timeout(timeout)?;
        self.bytes.remove(body.len() + BYTES_PER_MESSAGE);
        Ok(body)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_waits_is_bounded_and_taking_makes_room() {
        let (queue, waiting) = queue(Arc::default());
        let body = "x".repeat(MAX_WAITING_BYTES / 4 - BYTES_PER_MESSAGE);
        (0..4).for_each(|_| queue.append(body.clone()).unwrap());
        assert_eq!(waiting.take(Duration::ZERO).as_ref(), Ok(&body));
        queue.append(body).unwrap();
        assert!(matches!(queue.append(String::new()), Err(ChannelError::Overrun { .. })));
    }

    #[test]
    fn what_waits_on_all_is_bounded_and_a_channel_that_goes_makes_room() {
        let all = Arc::<AtomicUsize>::default();
        let body = "x".repeat(MAX_WAITING_BYTES - BYTES_PER_MESSAGE);
        let mut full: Vec<_> = (0..4).map(|_| super::queue(Arc::clone(&all))).collect();
        full.iter().for_each(|(queue, _)| queue.append(body.clone()).unwrap());
        let (queue, _waiting) = super::queue(Arc::clone(&all));
        // A client that says little is served beside four that say too much.
        queue.append("x".repeat(ALWAYS_BYTES - BYTES_PER_MESSAGE)).unwrap();
        assert!(matches!(queue.append(String::new()), Err(ChannelError::Overrun { .. })));
        full.pop();
        let (queue, _waiting) = super::queue(Arc::clone(&all));
        queue.append("x".repeat(2 * ALWAYS_BYTES)).unwrap();
    }

    #[test]
    fn messages_that_were_queued_are_given_before_the_end() {
        let (queue, waiting) = queue(Arc::default());
        queue.append("last".to_owned()).unwrap();
        drop(queue);
        assert_eq!(waiting.take(Duration::ZERO), Ok("last".to_owned()));
        assert_eq!(waiting.take(Duration::ZERO), Err(RecvTimeoutError::Disconnected));
    }
}
