//! Requests and replies, and how they are laid out in header words.
//!
//! Every packet says all that it takes to execute it: there is no transfer at the responder, only
//! packets (004 §6). A transfer of several cache lines is unrolled by the requester; each packet
//! carries what is left of its transfer, so that the first one already fails when the last would.
//! Lines that follow each other may share one header, as a train (`ring`): what would be said again
//! in each line's is said once, and each line is still executed on its own.
//!
//! Of a region in a segment (`region`) a long read has no lines at all: its packet asks for leave
//! to copy, which is given or refused by the same rules and in the same order as the read would
//! be, and the requester copies the lines itself when the reply is there.
//!
//! ```text
//!            15..0  23..16  31..24         39..32  63..40
//!   request  lap    tid     kind | flags   lines   stamp
//!            queue pair 31..0 | key 63..32
//!            address of the first byte of the packet; of a datagram
//!            bytes before the packet 31..0 | number of the sending queue pair 63..32
//!            remaining 31..0 | immediate 63..32, or what is added to a word
//!   reply    lap    tid     status         lines   stamp
//!            the word that an atomic found
//! ```
//! Payload stands in the lines at the offset that it has in the lines of the target, and goes on to
//! the end of the transfer or of the lines. The operands of a swap, compare and swap, are the first
//! words of the line.

use std::num::NonZeroU32;

use onesided_transport::Opcode;

use super::{
    delay::Stamp,
    ring::{LAP_BITS, LINE_BYTES, LINES_SHIFT},
};

/// Words of a request's header.
pub const REQUEST_WORDS: usize = 4;
/// Words of a reply's header.
pub const REPLY_WORDS: usize = 2;

/// Where a datagram's address has the number of the queue pair that sends it.
pub const SENDER_SHIFT: u32 = 32;

/// What a request asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Bytes of the target.
    Read,
    /// Bytes for the target.
    Write,
    /// As a write, and a receive request is consumed when its payload, the end of the transfer,
    /// is in place; `remaining` is the length of the whole transfer, which starts at `address`.
    Immediate,
    /// Swap a word where it is equal to another.
    CompareAndSwap,
    /// Add to a word.
    FetchAndAdd,
    /// Leave to copy `remaining` bytes of the target from its node's segment oneself.
    Copy,
    /// Bytes for the buffer of the oldest receive request: `address` is how many bytes of the message are
    /// before them, whole lines, and the payload begins with the first line. The packet with the last of them
    /// consumes the receive request. That those before it have come is the requester's to see to: a member
    /// of the context that leaves some out hands over a buffer with what was in it.
    Send,
    /// The same, of a message with an immediate.
    SendImmediate,
}

const KINDS: [Kind; 8] = [
    Kind::Read,
    Kind::Write,
    Kind::Immediate,
    Kind::CompareAndSwap,
    Kind::FetchAndAdd,
    Kind::Copy,
    Kind::Send,
    Kind::SendImmediate,
];

/// Set on the first packet that is sent again after the receiver was not ready.
const AGAIN: u64 = 0x80;

/// A packet of the first virtual lane.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Request {
    /// The requester's name for it, which the reply repeats.
    pub transfer: u8,
    /// What is asked for.
    pub kind: Kind,
    /// Whether it begins the repetition of what was turned away.
    pub again: bool,
    /// Cache lines of payload, there or back, one after another; none where the packet is about
    /// what went before.
    pub lines: u8,
    /// When it was sent.
    pub stamp: Stamp,
    /// Number of the queue pair that it is for.
    pub queue_pair: u32,
    /// Remote key of the region.
    pub key: u32,
    /// Where the packet's bytes are; of a send, how many bytes of the message are before them, and of a datagram
    /// above that the number of the queue pair that sends it ([`Request::sender`]).
    pub address: u64,
    /// Bytes of the transfer from `address` on.
    pub remaining: u32,
    /// What [`Kind::Immediate`] and [`Kind::SendImmediate`] deliver.
    pub immediate: u32,
    /// What [`Kind::FetchAndAdd`] adds.
    pub add: u64,
}

impl Request {
    /// As header words.
    #[inline]
    pub fn words(&self) -> [u64; REQUEST_WORDS] {
        let kind = self.kind as u64 | if self.again { AGAIN } else { 0 };
        [
            u64::from(self.transfer) << LAP_BITS
                | kind << 24
                | u64::from(self.lines) << LINES_SHIFT
                | u64::from(self.stamp.0) << 40,
            u64::from(self.queue_pair) | u64::from(self.key) << 32,
            self.address,
            match self.kind {
                Kind::FetchAndAdd => self.add,
                _ => u64::from(self.remaining) | u64::from(self.immediate) << 32,
            },
        ]
    }

    /// Whether the header with this first word has a payload.
    #[inline]
    pub fn has_payload(first: u64) -> bool {
        const WITHOUT: u64 =
            1 << Kind::Read as u64 | 1 << Kind::Copy as u64 | 1 << Kind::FetchAndAdd as u64;
        WITHOUT >> (first >> 24 & 0x0f) & 1 == 0
    }

    /// Of a datagram: who sends it, and the same request with nothing but the place in the message as address.
    pub fn sender(&self) -> (Option<NonZeroU32>, Self) {
        let sender = NonZeroU32::new((self.address >> SENDER_SHIFT) as u32);
        (sender, Self { address: u64::from(self.address as u32), ..*self })
    }

    /// Bytes of payload.
    #[inline]
    pub fn length(&self) -> usize {
        let room = usize::from(self.lines) * LINE_BYTES;
        let room = room.saturating_sub(self.address as usize % LINE_BYTES);
        room.min(self.remaining as usize)
    }

    /// From header words, where there is room for so many lines; absent where they are no request.
    #[inline]
    pub fn from_words(words: [u64; REQUEST_WORDS], room: usize) -> Option<Self> {
        let kind = words[0] >> 24 & 0xff;
        let lines = (words[0] >> LINES_SHIFT) as u8;
        let address = words[2];
        // A peer that writes garbage shall not make us leave the ring.
        let kind = *KINDS.get((kind & !AGAIN) as usize).filter(|_| usize::from(lines) <= room)?;
        let (remaining, immediate, add) = match kind {
            Kind::FetchAndAdd => (Opcode::ATOMIC_BYTES, 0, words[3]),
            _ => (words[3] as u32, (words[3] >> 32) as u32, 0),
        };
        Some(Self {
            transfer: (words[0] >> LAP_BITS) as u8,
            kind,
            again: words[0] >> 24 & AGAIN != 0,
            lines,
            stamp: Stamp::of_header(words[0]),
            queue_pair: words[1] as u32,
            key: (words[1] >> 32) as u32,
            address,
            remaining,
            immediate,
            add,
        })
    }
}

/// How a request ended at the responder.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Status {
    /// Done.
    Done,
    /// The region does not allow it: key, bounds or right.
    AccessRefused,
    /// The queue pair does not allow it, or a message is longer than its receive request.
    Invalid,
    /// There is no such queue pair, or it has another peer.
    NoQueuePair,
    /// No receive request is posted; nothing more is executed until it is sent again.
    NotReady,
    /// Not executed: an earlier one of the queue pair found the receiver not ready.
    Behind,
    /// Not executed: the queue pair is in error.
    Flushed,
    /// The responder's own memory is not what it said: the buffer of a receive request.
    Failed,
}

const STATUSES: [Status; 8] = [
    Status::Done,
    Status::AccessRefused,
    Status::Invalid,
    Status::NoQueuePair,
    Status::NotReady,
    Status::Behind,
    Status::Flushed,
    Status::Failed,
];

/// A packet of the second virtual lane.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Reply {
    /// That of the request.
    pub transfer: u8,
    /// How it ended.
    pub status: Status,
    /// Whether its lines have a payload.
    pub payload: bool,
    /// As many as the request's.
    pub lines: u8,
    /// When it was sent.
    pub stamp: Stamp,
    /// What an atomic found.
    pub found: u64,
}

/// Set where a reply has a payload in its line.
const PAYLOAD: u64 = 0x80;

impl Reply {
    /// Whether the header with this first word says that what has this name and so many lines is
    /// done, with a payload or without.
    #[inline]
    pub fn is_done(first: u64, transfer: u8, lines: u8) -> bool {
        const WHAT: u64 = 0xff << LINES_SHIFT | (0xff & !PAYLOAD) << 24 | 0xff << LAP_BITS;
        const DONE: u64 = (Status::Done as u64) << 24;
        let named = u64::from(transfer) << LAP_BITS | u64::from(lines) << LINES_SHIFT;
        first & WHAT == DONE | named
    }

    /// Whether the header with this first word has a payload.
    #[inline]
    pub fn has_payload(first: u64) -> bool {
        first >> 24 & PAYLOAD != 0
    }

    /// As header words.
    #[inline]
    pub fn words(&self) -> [u64; REPLY_WORDS] {
        let status = (self.status as u64 | if self.payload { PAYLOAD } else { 0 }) << 24;
        let lines = u64::from(self.lines) << LINES_SHIFT;
        let stamp = u64::from(self.stamp.0) << 40;
        [u64::from(self.transfer) << LAP_BITS | status | lines | stamp, self.found]
    }

    /// From header words; absent where they are no reply.
    #[inline]
    pub fn from_words(words: [u64; REPLY_WORDS]) -> Option<Self> {
        let status = *STATUSES.get((words[0] >> 24 & 0xff & !PAYLOAD) as usize)?;
        Some(Self {
            transfer: (words[0] >> LAP_BITS) as u8,
            status,
            payload: Self::has_payload(words[0]),
            lines: (words[0] >> LINES_SHIFT) as u8,
            stamp: Stamp::of_header(words[0]),
            found: words[1],
        })
    }
}

#[cfg(test)]
mod tests;
