//! A channel: messages between two threads, in order, both ways.

use std::time::{Duration, Instant};

use onesided_transport::Transport;

use crate::{
    error::{ChannelError, ReceiveError, SendError},
    receiving::Receiving,
    requests::{Purpose, Requests},
    sending::Sending,
    waiting::{Idle, Waiting},
};

/// Longest wait on dropping a channel for what is under way. Ours: a peer that lives and is run
/// answers at once; one that was stopped must not stop us.
pub(crate) const PARTING: Duration = Duration::from_secs(2);

/// One end of a channel. It gets on in calls only: what a send could not bring under way at once
/// is sent by the next call of any kind.
pub struct Channel<T: Transport> {
    // First, so that nothing is under way when memory goes.
    pub(crate) requests: Requests<T::Endpoint>,
    pub(crate) sending: Sending<T::Region>,
    pub(crate) receiving: Receiving<T::Region>,
    pub(crate) waiting: Waiting,
}

impl<T: Transport> Channel<T> {
    /// Sends a message; waits for room where there is none. The bytes are free on return.
    ///
    /// # Errors
    /// [`SendError`], but for [`SendError::Full`].
    pub fn send(&mut self, bytes: &[u8]) -> Result<(), SendError> {
        loop {
            match self.try_send(bytes) {
                Err(SendError::Full) => self.pause(),
                sent => {
                    self.waiting.over();
                    return sent;
                }
            }
        }
    }

    /// Sends a message if there is room. The bytes are free on return.
    ///
    /// # Errors
    /// [`SendError`].
    #[inline]
    pub fn try_send(&mut self, bytes: &[u8]) -> Result<(), SendError> {
        let sent = self.send_now(bytes);
        if !matches!(sent, Err(SendError::Full)) {
            return sent;
        }
        self.progress()?;
        self.send_now(bytes)
    }

    #[inline]
    fn send_now(&mut self, bytes: &[u8]) -> Result<(), SendError> {
        let told = self.receiving.now;
        self.sending.send(&mut self.requests, told, bytes)?;
        self.receiving.said = told;
        Ok(())
    }

    /// Waits for the next message, and copies it to the front of a buffer; its length.
    ///
    /// # Errors
    /// [`ReceiveError`].
    pub fn receive(&mut self, into: &mut [u8]) -> Result<usize, ReceiveError> {
        let length = self.wait_for_message()?;
        if length > into.len() {
            return Err(ReceiveError::TooSmall { length, room: into.len() });
        }
        self.take(|bytes| into[..length].copy_from_slice(bytes));
        Ok(length)
    }

    /// Waits for the next message, and calls `take` with it where it is.
    ///
    /// # Errors
    /// When no more will come.
    pub fn receive_with<V>(&mut self, take: impl FnOnce(&[u8]) -> V) -> Result<V, ChannelError> {
        self.wait_for_message()?;
        Ok(self.take(take))
    }

    /// As [`Channel::receive_with`], if a message is there.
    ///
    /// # Errors
    /// When none is, and no more will come.
    #[inline]
    pub fn try_receive_with<V>(
        &mut self,
        take: impl FnOnce(&[u8]) -> V,
    ) -> Result<Option<V>, ChannelError> {
        match self.next_length()? {
            None => Ok(None),
            Some(_) => Ok(Some(self.take(take))),
        }
    }

    /// The length of the next message, if one is there.
    ///
    /// # Errors
    /// When none is, and no more will come.
    #[inline]
    pub fn next_length(&mut self) -> Result<Option<usize>, ChannelError> {
        if let Some(length) = self.receiving.next_length() {
            return Ok(Some(length));
        }
        // Before the poll: what is there is handed over now, and in virtual time a poll has it go on.
        let looked = self.look();
        if let Some(length) = self.receiving.next_length() {
            return Ok(Some(length));
        }
        let progressed = looked.and_then(|()| self.poll());
        // What had come before the peer went is still received.
        match self.receiving.next_length() {
            Some(length) => Ok(Some(length)),
            None => {
                progressed?;
                // Also who never waits tells in time what was received, and asks.
                self.pause();
                Ok(None)
            }
        }
    }

    /// Waits until the peer has received everything that was sent, and has said so, which it does in
    /// its calls: at the latest when it waits for more, or goes. A peer that receives nothing for
    /// `at_most` is waited for no longer.
    ///
    /// # Errors
    /// When it will not; [`ChannelError::NotReceived`] leaves the channel as it was.
    pub fn drain(&mut self, at_most: Duration) -> Result<(), ChannelError> {
        let (mut heard, mut since) = (self.sending.heard, Instant::now());
        loop {
            let progressed = self.progress();
            // A peer that has taken everything may be gone before our last word reaches it.
            if self.sending.is_drained() && (self.requests.is_idle() || progressed.is_err()) {
                self.waiting.over();
                return Ok(());
            }
            progressed?;
            if heard != self.sending.heard {
                (heard, since) = (self.sending.heard, Instant::now());
            } else if since.elapsed() > at_most {
                return Err(ChannelError::NotReceived { waited: at_most });
            }
            self.pause();
        }
    }

    /// Gets on with what is under way, both ways, without waiting.
    ///
    /// # Errors
    /// When the channel has ended.
    #[inline]
    pub fn progress(&mut self) -> Result<(), ChannelError> {
        self.look()?;
        self.poll()
    }

    /// Takes note of what has arrived.
    #[inline]
    fn look(&mut self) -> Result<(), ChannelError> {
        let Self { requests, sending, receiving, .. } = self;
        sending.heard.update(receiving.heard());
        receiving.look(requests, |told| sending.heard.update(told))?;
        let heard = sending.heard;
        if heard.consumed > sending.posted || heard.released > sending.taken {
            return Err(requests.refuse());
        }
        Ok(())
    }

    /// Takes note of what is done. What fails may have been done before the peer went, and what
    /// arrived before that is looked at once more.
    #[inline]
    fn poll(&mut self) -> Result<(), ChannelError> {
        let is_waiting = self.waiting.has_looked();
        let Self { requests, sending, receiving, .. } = self;
        let done = |purpose| match purpose {
            Purpose::Packets(end) => sending.written = end,
            Purpose::Word => sending.is_telling = false,
            Purpose::Pull => receiving.end_pull(),
        };
        let polled = if is_waiting { requests.tend(done) } else { requests.poll(done) };
        if polled.is_err() {
            self.look()?;
        }
        // When it was due, the word may have been under way.
        if self.receiving.must_tell() {
            self.tell();
        }
        polled
    }

    fn wait_for_message(&mut self) -> Result<usize, ChannelError> {
        loop {
            if let Some(length) = self.next_length()? {
                return Ok(length);
            }
        }
    }

    #[inline]
    fn take<V>(&mut self, take: impl FnOnce(&[u8]) -> V) -> V {
        self.waiting.over();
        let value = self.receiving.take(take);
        if self.receiving.must_tell() {
            self.tell();
        }
        value
    }

    /// Between two looks.
    #[inline]
    fn pause(&mut self) {
        match self.waiting.next() {
            Idle::Look => {}
            Idle::Tidy if self.receiving.now != self.receiving.said => self.tell(),
            // An operation shows whether the peer lives; one that is under way does, too.
            Idle::Ask if self.requests.is_idle() => self.tell(),
            Idle::Tidy | Idle::Ask => {}
        }
    }

    /// Tells the peer what was received. A failure shows in the next call.
    fn tell(&mut self) {
        let now = self.receiving.now;
        if let Ok(true) = self.sending.tell(&mut self.requests, now) {
            self.receiving.said = now;
            self.receiving.said_alone = now;
        }
    }
}

/// Waits until what was sent has left, and the peer knows what was received, unless it is gone.
impl<T: Transport> Drop for Channel<T> {
    fn drop(&mut self) {
        let start = Instant::now();
        while start.elapsed() < PARTING && self.progress().is_ok() {
            if self.receiving.now != self.receiving.said {
                self.tell();
            } else if self.requests.is_idle() {
                return;
            }
        }
    }
}
