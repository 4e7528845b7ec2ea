//! One direction of a channel, as its receiver has it.

use std::collections::VecDeque;

use onesided_transport::{Endpoint, Opcode, Region, RemoteMemory};

use crate::{
    atomic::Ordering,
    credits::{COUNT_BITS, Credits, later},
    error::ChannelError,
    line::{LINE_BYTES, bits_of, unpack},
    memory::{Memory, remote_line},
    packet::{HEADER_WORDS, Header, Way},
    requests::{Purpose, Requests, request},
    ring::{Found, Scan, words},
};

/// Requests that are left to the other direction.
const LEFT: u32 = 4;

/// A message that has arrived and was not received.
struct Pending {
    found: Found,
    /// Of a pull: which one, and the end of its place in the outbox.
    pull: Option<(u64, u64)>,
}

/// What a receiver knows and has.
pub struct Receiving<R> {
    /// The ring, and behind it the word in which the peer tells.
    pub mailbox: Memory<R>,
    /// Lines of the ring.
    pub lines: u64,
    /// A picture of the peer's outbox: messages are read to where they are there.
    pub inbox: Memory<R>,
    /// Lines of it.
    pub inbox_lines: u64,
    /// The peer's outbox.
    pub outbox: RemoteMemory,
    scan: Scan,
    pending: VecDeque<Pending>,
    /// Where pushed messages are put together.
    bytes: Box<[u8]>,
    /// Pulls begun and ended, which they do in order.
    begun: u64,
    ended: u64,
    /// How far pulls were begun in the outbox.
    reached: u64,
    /// What is to be told, what was, and what was in a word of its own.
    pub now: Credits,
    pub said: Credits,
    pub said_alone: Credits,
}

impl<R: Region> Receiving<R> {
    /// A receiver at the start of an empty ring.
    pub fn new(mailbox: Memory<R>, inbox: Memory<R>, outbox: RemoteMemory, longest: usize) -> Self {
        let lines = mailbox.lines().len() as u64 - 1;
        let inbox_lines = inbox.lines().len() as u64;
        Self {
            mailbox,
            lines,
            inbox,
            inbox_lines,
            outbox,
            scan: Scan::default(),
            pending: VecDeque::with_capacity(lines as usize),
            bytes: vec![0; longest].into_boxed_slice(),
            begun: 0,
            ended: 0,
            reached: 0,
            now: Credits::default(),
            said: Credits::default(),
            said_alone: Credits::default(),
        }
    }

    /// What the peer tells in a word of its own.
    #[inline]
    pub fn heard(&self) -> u64 {
        bits_of(self.mailbox.lines()[self.lines as usize].0[0].load(Ordering::Acquire))
    }

    /// Notes messages that have arrived, and begins to read those that are to be pulled. Calls
    /// `hear` with what each tells.
    #[inline]
    pub fn look<E: Endpoint>(
        &mut self,
        requests: &mut Requests<E>,
        mut hear: impl FnMut(u64),
    ) -> Result<(), ChannelError> {
        while requests.room() > LEFT {
            let ring = &self.mailbox.lines()[..self.lines as usize];
            let found = self.scan.next(ring).map_err(|_| requests.refuse())?;
            let Some(found) = found else { break };
            hear(found.told);
            let pull = match found.header.way {
                Way::Push => None,
                Way::Pull => Some(self.begin(requests, &found)),
            };
            // One that cannot be read never comes, and nothing behind it does.
            let (pull, begun) = match pull {
                Some(Err(error)) => (Some((u64::MAX, 0)), Err(error)),
                pull => (pull.and_then(Result::ok), Ok(())),
            };
            self.pending.push_back(Pending { found, pull });
            begun?;
        }
        Ok(())
    }

    /// Begins to read a message.
    #[inline]
    fn begin<E: Endpoint>(
        &mut self,
        requests: &mut Requests<E>,
        found: &Found,
    ) -> Result<(u64, u64), ChannelError> {
        let (offset, length) = (found.place & ((1 << COUNT_BITS) - 1), found.header.length);
        let lines = u64::from(length).div_ceil(LINE_BYTES as u64);
        if offset + lines > self.inbox_lines {
            return Err(requests.refuse());
        }
        self.reached = later(self.reached, found.place >> COUNT_BITS);
        let number = self.begun;
        if length == 0 {
            // Nothing is to be read: it has come when those before it have.
            return Ok((number, self.reached));
        }
        let (local, remote) =
            (self.inbox.segment(offset, length), remote_line(self.outbox, offset));
        // SAFETY: the inbox lives as long as the endpoint; the sender does not use this place
        // again before it is told that the message was received.
        unsafe { requests.post(&[request(Purpose::Pull, Opcode::Read, local, remote)]) }?;
        self.begun += 1;
        Ok((self.begun, self.reached))
    }

    /// A pull has ended.
    #[inline]
    pub fn end_pull(&mut self) {
        self.ended += 1;
    }

    /// The length of the next message, if all of it is there.
    #[inline]
    pub fn next_length(&self) -> Option<usize> {
        let Pending { found, pull } = self.pending.front()?;
        let is_there = pull.is_none_or(|(number, _)| number <= self.ended);
        is_there.then_some(found.header.length as usize)
    }

    /// Hands the next message over, which must be there.
    #[inline]
    pub fn take<V>(&mut self, take: impl FnOnce(&[u8]) -> V) -> V {
        let Pending { found, pull } = self.pending.pop_front().expect("a message is there");
        let Found { position, lines, header: Header { length, .. }, place, .. } = found;
        let length = length as usize;
        let value = match pull {
            None => {
                let ring = &self.mailbox.lines()[..self.lines as usize];
                let bytes = &mut self.bytes[..length];
                unpack(bytes, words(ring, position, HEADER_WORDS));
                take(bytes)
            }
            Some((_, end)) => {
                self.now.released = end;
                let start = self.inbox.at(place & ((1 << COUNT_BITS) - 1));
                // SAFETY: inside the inbox (`begin`); the read has ended, and nothing is read to
                // the same place before the sender is told.
                take(unsafe { std::slice::from_raw_parts(start, length) })
            }
        };
        self.now.consumed = position + lines;
        value
    }

    /// Whether the peer may wait for what was not told: from a quarter of what it has. And the word
    /// of its own must not become so old that it is taken for new.
    #[inline]
    pub fn must_tell(&self) -> bool {
        let since =
            |said: Credits| (self.now.consumed - said.consumed, self.now.released - said.released);
        let ((consumed, released), alone) = (since(self.said), since(self.said_alone));
        consumed * 4 >= self.lines
            || released * 4 >= self.inbox_lines
            || alone.0.max(alone.1) >= 1 << (COUNT_BITS - 2)
    }
}
