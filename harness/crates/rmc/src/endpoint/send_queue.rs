//! The send queue of one queue pair.
//!
//! ```text
//!   released <= retired <= next <= tail <= released + depth
//! ```
//! Before `released` requests are forgotten; before `retired` their end is in the completion queue
//! or was silent; before `next` all their packets have been sent; before `tail` they are posted.

use std::time::Instant;

use onesided_transport::{
    CompletionStatus, LocalSegment, Opcode, Payload, RemoteSegment, Signal, WorkRequest,
};

use crate::{keys::NOBODYS, losses::Losing};

/// A request and what became of it so far.
#[derive(Clone, Copy)]
pub struct Entry {
    /// As it was posted. An inline payload's address is that of the copy.
    pub request: WorkRequest,
    /// Bytes whose packets were sent.
    pub done: u32,
    /// Packets without a reply.
    pub in_flight: u32,
    /// Whether it counts against `max_rd_atomic`.
    pub is_counted: bool,
    /// Whether all its packets were sent.
    pub is_sent: bool,
    /// Whether a packet was turned away for want of a receive request.
    pub is_turned_away: bool,
    /// Why it failed, or will when its turn comes.
    pub failed: Option<CompletionStatus>,
}

impl Entry {
    /// Sends it where it is dropped: to a key that no queue pair and no region has. Its bytes go there, too.
    fn lose(&mut self) {
        let WorkRequest { opcode, remote, .. } = &mut self.request;
        match opcode {
            Opcode::Datagram { .. } => remote.key = !remote.key,
            _ => {
                let nowhere = RemoteSegment { address: 0, key: NOBODYS };
                (*opcode, *remote) = (Opcode::Write, nowhere);
            }
        }
    }
}

const NONE: Entry = Entry {
    request: WorkRequest {
        id: 0,
        opcode: Opcode::Read,
        local: LocalSegment { address: 0, length: 0, key: 0 },
        remote: RemoteSegment { address: 0, key: 0 },
        signal: Signal::Unsignaled,
        payload: Payload::Gathered,
    },
    done: 0,
    in_flight: 0,
    is_counted: false,
    is_sent: false,
    is_turned_away: false,
    failed: None,
};

/// What a send queue does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Phase {
    /// It sends.
    Sending,
    /// A packet was turned away: it waits for the replies to the others.
    TurnedAway,
    /// It waits before it sends again what was turned away.
    BackingOff(Instant),
    /// A request failed: it flushes. The failure is told first, by the request that has it.
    Failed,
    /// The failure was told.
    Flushing,
}

/// The send queue of one queue pair.
pub struct SendQueue {
    /// What it does.
    pub phase: Phase,
    /// Whether the endpoint will come back to it to send.
    pub is_queued: bool,
    /// Whether the next packet begins a repetition.
    pub again: bool,
    /// Times that the request in front was turned away.
    pub attempts: u8,
    /// Packets without a reply.
    pub in_flight: u32,
    /// Reads and atomics under way.
    pub reads: u32,
    /// Packets without a reply after which the requester copies: nothing that stores may overtake.
    pub copies: u32,
    /// See the picture above.
    pub released: u64,
    /// See the picture above.
    pub retired: u64,
    /// See the picture above.
    pub next: u64,
    /// See the picture above.
    pub tail: u64,
    depth: u64,
    entries: Box<[Entry]>,
    inline_bytes: usize,
    inline: Box<[u8]>,
    /// Which of its messages are lost on purpose; absent where none are.
    losing: Option<Losing>,
}

impl SendQueue {
    /// With room for so many requests, and for so many bytes of inline payload of each, of which some are lost.
    pub fn new(depth: u32, inline_bytes: u32, losing: Option<Losing>) -> Self {
        let places = depth.next_power_of_two() as usize;
        let inline_bytes = inline_bytes as usize;
        Self {
            phase: Phase::Sending,
            is_queued: false,
            again: false,
            attempts: 0,
            in_flight: 0,
            reads: 0,
            copies: 0,
            released: 0,
            retired: 0,
            next: 0,
            tail: 0,
            depth: depth.into(),
            entries: vec![NONE; places].into_boxed_slice(),
            inline_bytes,
            inline: vec![0; places * inline_bytes].into_boxed_slice(),
            losing,
        }
    }

    /// Whether there is no room.
    #[inline]
    pub fn is_full(&self) -> bool {
        self.tail - self.released >= self.depth
    }

    /// Longest inline payload.
    pub fn inline_bytes(&self) -> usize {
        self.inline_bytes
    }

    /// The request of a position.
    #[inline]
    pub fn entry(&mut self, position: u64) -> &mut Entry {
        let place = position as usize & (self.entries.len() - 1);
        &mut self.entries[place]
    }

    /// Adds a request. There must be room.
    #[inline]
    pub fn push(&mut self, request: WorkRequest, failed: Option<CompletionStatus>) {
        *self.entry(self.tail) = Entry { request, failed, ..NONE };
        self.tail += 1;
    }

    /// Whether some of its messages are lost on purpose.
    pub fn is_losing(&self) -> bool {
        self.losing.is_some()
    }

    /// Loses the newest request if its turn is, and says whether it did. There must be one. What fails here is
    /// never on the way, nor is what comes after it.
    pub fn lose_newest(&mut self) -> bool {
        if self.entry(self.tail - 1).failed.is_some() {
            self.losing = None;
        }
        let is_lost = self.losing.as_mut().is_some_and(Losing::loses_next);
        if is_lost {
            self.entry(self.tail - 1).lose();
        }
        is_lost
    }

    /// Adds a request whose only packet was sent. There must be room, and nothing that waits.
    #[inline]
    pub fn push_sent(&mut self, request: &WorkRequest) {
        let is_counted = request.opcode.returns_data();
        let entry = self.entry(self.tail);
        // Apart from each other: the compiler copies the request as a whole then.
        entry.request = *request;
        let Entry { done, in_flight, is_sent, is_turned_away, failed, .. } = entry;
        (*done, *in_flight, *is_sent) = (request.local.length, 1, true);
        (*is_turned_away, *failed) = (false, None);
        entry.is_counted = is_counted;
        self.reads += u32::from(is_counted);
        self.in_flight += 1;
        self.tail += 1;
        self.next = self.tail;
    }

    /// Takes the bytes of an inline payload; where they are now.
    ///
    /// # Safety
    /// They can be read, and are no more than [`SendQueue::inline_bytes`].
    pub unsafe fn keep_inline(&mut self, local: LocalSegment) -> u64 {
        let place = self.tail as usize & (self.entries.len() - 1);
        let kept = &mut self.inline[place * self.inline_bytes..][..local.length as usize];
        // SAFETY: the caller's; the copy is ours.
        unsafe { kept.as_mut_ptr().copy_from(local.address as *const u8, kept.len()) };
        kept.as_ptr() as u64
    }

    /// Whether there is something to send and nothing against it.
    #[inline]
    pub fn wants_to_send(&self) -> bool {
        self.next != self.tail && matches!(self.phase, Phase::Sending)
    }

    /// Whether all that was posted has been sent, and more may be.
    #[inline]
    pub fn has_sent_all(&self) -> bool {
        let is_sending = matches!(self.phase, Phase::Sending);
        self.next == self.tail && is_sending && !self.is_queued && !self.again
    }

    /// Ends it with a failure of the oldest request that is not retired; the others are flushed.
    pub fn fail(&mut self, status: CompletionStatus) {
        if matches!(self.phase, Phase::Failed | Phase::Flushing) {
            return;
        }
        self.phase = Phase::Failed;
        if self.retired != self.tail {
            let oldest = self.retired;
            self.entry(oldest).failed.get_or_insert(status);
        }
    }

    /// Goes back to the oldest request that was not executed.
    pub fn go_back(&mut self) {
        for position in self.retired..self.tail.min(self.next + 1) {
            let entry = self.entry(position);
            let was_counted = entry.is_counted;
            *entry = Entry { request: entry.request, failed: entry.failed, ..NONE };
            self.reads -= u32::from(was_counted);
        }
        self.next = self.retired;
        self.again = true;
    }
}
