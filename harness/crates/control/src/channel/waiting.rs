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

/// Bytes counted for a message beside its body, so that many short ones are bounded too.
const BYTES_PER_MESSAGE: usize = size_of::<String>();

/// The reader's end.
pub(super) struct Queue {
    messages: mpsc::Sender<String>,
    bytes: Arc<AtomicUsize>,
}

/// The owner's end.
#[derive(Debug)]
pub(super) struct Waiting {
    messages: mpsc::Receiver<String>,
    bytes: Arc<AtomicUsize>,
}

/// An empty queue.
pub(super) fn queue() -> (Queue, Waiting) {
    let (sender, receiver) = mpsc::channel();
    let bytes = Arc::new(AtomicUsize::new(0));
    (Queue { messages: sender, bytes: Arc::clone(&bytes) }, Waiting { messages: receiver, bytes })
}

impl Queue {
    /// Appends a message; with the owner gone it is dropped.
    ///
    /// # Errors
    /// [`ChannelError::Overrun`].
    pub(super) fn append(&self, body: String) -> Result<(), ChannelError> {
        let size = body.len() + BYTES_PER_MESSAGE;
        let waiting_bytes = self.bytes.fetch_add(size, Ordering::Relaxed) + size;
        if waiting_bytes > MAX_WAITING_BYTES {
            return Err(ChannelError::Overrun { waiting_bytes, limit: MAX_WAITING_BYTES });
        }
        let _ = self.messages.send(body);
        Ok(())
    }
}

impl Waiting {
    /// Takes the oldest message, waiting up to `timeout` for one.
    pub(super) fn take(&self, timeout: Duration) -> Result<String, RecvTimeoutError> {
        let body = self.messages.recv_timeout(timeout)?;
        self.bytes.fetch_sub(body.len() + BYTES_PER_MESSAGE, Ordering::Relaxed);
        Ok(body)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_waits_is_bounded_and_taking_makes_room() {
        let (queue, waiting) = queue();
        let body = "x".repeat(MAX_WAITING_BYTES / 4 - BYTES_PER_MESSAGE);
        (0..4).for_each(|_| queue.append(body.clone()).unwrap());
        assert_eq!(waiting.take(Duration::ZERO).as_ref(), Ok(&body));
        queue.append(body).unwrap();
        assert!(matches!(queue.append(String::new()), Err(ChannelError::Overrun { .. })));
    }

    #[test]
    fn messages_that_were_queued_are_given_before_the_end() {
        let (queue, waiting) = queue();
        queue.append("last".to_owned()).unwrap();
        drop(queue);
        assert_eq!(waiting.take(Duration::ZERO), Ok("last".to_owned()));
        assert_eq!(waiting.take(Duration::ZERO), Err(RecvTimeoutError::Disconnected));
    }
}
