//! The request generation pipeline: requests become packets, a cache line at a time.

use std::ptr;

use onesided_transport::{Opcode, WorkRequest};

use super::{
    channel::Channel,
    in_flight::{Flight, InFlight},
    send_queue::{Entry, Phase, SendQueue},
    window::Wanted,
};
use crate::shared::{
    delay::HopDelay,
    packet::{Kind, Request, SENDER_SHIFT},
    ring::LINE_BYTES,
};

/// What became of a queue that was to send.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sent {
    /// All that it has and may.
    All,
    /// As much as is fair, or as there were credits.
    Some,
}

/// Cache lines of one queue pair before the next one's turn. Ours: a small transfer at once.
const TURN: u32 = 32;

/// Cache lines of a train. Ours: from here on a header's share of a line no longer shows
/// (`ci/bench-rmc`), and eight are under way at a time.
const TRAIN: u32 = 32;

/// Shortest read that asks for leave to copy, unless one before it does. Ours: well above a few
/// lines, of which a train takes no longer, as what is posted behind a copy waits for it.
pub const COPY: u32 = 1024;

/// Bytes that are copied by leave of one packet, and about as many in one poll. Ours: some
/// microseconds.
pub const LEAVE: u32 = 1 << 16;

/// Where packets go, and what they all have in common.
pub struct Way<'a> {
    /// The lanes.
    pub channel: &'a mut Channel,
    /// Packets under way.
    pub in_flight: &'a mut InFlight,
    /// Time on the fabric.
    pub delay: &'a HopDelay,
    /// Reads and atomics that may be under way on a queue pair.
    pub max_rd_atomic: u32,
}

/// A queue pair's index here, and its peer's number.
#[derive(Clone, Copy, Debug)]
pub struct Ends {
    /// Here.
    pub queue: u32,
    /// There.
    pub peer: u32,
}

/// One packet of a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Piece {
    kind: Kind,
    address: u64,
    lines: u8,
    length: u32,
    remaining: u32,
    is_last: bool,
}

impl Piece {
    /// Slots that it has in the lanes.
    #[inline]
    fn slots(&self) -> u8 {
        self.lines.max(1)
    }
}

/// The packet that follows the first `done` bytes of a request, where there is room for so many
/// lines, one at least.
#[inline]
fn piece(request: &WorkRequest, done: u32, room: u32) -> Piece {
    let total = request.local.length;
    let remaining = total - done;
    // Of a send it counts from the start of the message.
    let address = match request.opcode {
        Opcode::Send { .. } => done.into(),
        // Above it the sender's number, as the request has it.
        Opcode::Datagram { .. } => {
            request.remote.address >> SENDER_SHIFT << SENDER_SHIFT | u64::from(done)
        }
        _ => request.remote.address.wrapping_add(done.into()),
    };
    let offset = address as u32 % LINE_BYTES as u32;
    let length = remaining.min(room * LINE_BYTES as u32 - offset);
    let lines = (offset + length).div_ceil(LINE_BYTES as u32).max(1) as u8;
    let all = length == remaining;
    let (kind, is_last) = match request.opcode {
        Opcode::Read => (Kind::Read, all),
        Opcode::Write => (Kind::Write, all),
        Opcode::Send { immediate: None } | Opcode::Datagram { immediate: None, .. } => {
            (Kind::Send, all)
        }
        Opcode::Send { immediate: Some(_) } | Opcode::Datagram { immediate: Some(_), .. } => {
            (Kind::SendImmediate, all)
        }
        Opcode::CompareAndSwap { .. } => (Kind::CompareAndSwap, true),
        Opcode::FetchAndAdd { .. } => (Kind::FetchAndAdd, true),
        Opcode::WriteWithImmediate { .. } if done == 0 && all => (Kind::Immediate, true),
        // Behind the last line one more packet, which is about the whole transfer.
        Opcode::WriteWithImmediate { .. } if done == total => {
            let address = request.remote.address;
            let (kind, remaining) = (Kind::Immediate, total);
            return Piece { kind, address, lines: 0, length: 0, remaining, is_last: true };
        }
        Opcode::WriteWithImmediate { .. } => (Kind::Write, false),
    };
    Piece { kind, address, lines, length, remaining, is_last }
}

/// The packet that asks for leave to copy what follows the first `done` bytes of a request, where it
/// is a read of any and that can be done. Not inlined: it takes no part of the time of short operations.
#[inline(never)]
fn leave(request: &WorkRequest, done: u32, channel: &mut Channel) -> Option<Piece> {
    let remaining = request.local.length - done;
    if request.opcode != Opcode::Read || remaining == 0 {
        return None;
    }
    let address = request.remote.address.wrapping_add(done.into());
    let length = remaining.min(LEAVE);
    let wanted = Wanted { key: request.remote.key, address, length: length as usize };
    let is_last = length == remaining;
    let kind = Kind::Copy;
    let can = channel.can_copy(wanted);
    can.then_some(Piece { kind, address, lines: 0, length, remaining, is_last })
}

/// Sends what a queue has, as far as credits and fairness go.
///
/// # Safety
/// Local segments of its requests are as the contract asks of posts.
#[inline]
pub unsafe fn generate(queue: &mut SendQueue, ends: Ends, way: &mut Way<'_>) -> Sent {
    let mut turn = TURN;
    while queue.wants_to_send() {
        let position = queue.next;
        let (reads, copies, again) = (queue.reads, queue.copies, queue.again);
        let entry = queue.entry(position);
        if entry.failed.is_some() {
            // What is wrong here is told when everything before it is.
            queue.phase = Phase::Failed;
            break;
        }
        let request = entry.request;
        let done = entry.done;
        let is_long = request.opcode == Opcode::Read && request.local.length - done >= COPY;
        let leave = match copies > 0 || is_long {
            true => leave(&request, done, way.channel),
            false => None,
        };
        if copies > 0 && leave.is_none() {
            // What is copied when the reply is there is as it was before what follows: nothing that
            // the responder executes may be between, but more to be copied may. The reply brings us
            // back.
            return Sent::All;
        }
        if entry.request.opcode.returns_data() && !entry.is_counted {
            if reads >= way.max_rd_atomic {
                // The reply to one of them brings us back.
                return Sent::All;
            }
            entry.is_counted = true;
            queue.reads += 1;
        }
        let credits = way.in_flight.credits() as u32;
        let is_datagram = matches!(request.opcode, Opcode::Datagram { .. });
        // The packets of a datagram follow each other: others' would be taken for parts of it.
        let turn_left = if is_datagram && done > 0 { TRAIN } else { turn };
        if is_datagram && done == 0 && request.local.length.div_ceil(LINE_BYTES as u32) > credits {
            return Sent::Some;
        }
        let room = turn_left.min(TRAIN).min(credits);
        let room = room.min(way.channel.requests.room() as u32);
        if room == 0 {
            return Sent::Some;
        }
        queue.in_flight += 1;
        queue.again = false;
        let entry = queue.entry(position);
        let piece = leave.unwrap_or_else(|| piece(&request, done, room));
        // SAFETY: there are credits; segments are the caller's.
        unsafe { send(entry, ends, (position, piece), again, way) };
        turn = turn.saturating_sub(piece.slots().into());
        queue.copies += u32::from(piece.kind == Kind::Copy);
        queue.next += u64::from(piece.is_last);
    }
    Sent::All
}

/// Sends the next packet of the request at a position.
///
/// # Safety
/// There are credits for them; the local segment is as the contract asks of posts.
#[inline]
unsafe fn send(
    entry: &mut Entry,
    ends: Ends,
    (position, piece): (u64, Piece),
    again: bool,
    way: &mut Way<'_>,
) {
    let request = &entry.request;
    let Piece { kind, address, lines, length, remaining, is_last } = piece;
    let line_offset = address as usize % LINE_BYTES;
    let local = request.local.address + u64::from(entry.done);
    let line = way.channel.requests.line();
    let (mut immediate, mut added) = (0, 0);
    match request.opcode {
        Opcode::Read => {}
        Opcode::Write
        | Opcode::WriteWithImmediate { .. }
        | Opcode::Send { .. }
        | Opcode::Datagram { .. } => {
            immediate = match request.opcode {
                Opcode::WriteWithImmediate { immediate } => immediate,
                Opcode::Send { immediate } | Opcode::Datagram { immediate, .. } => {
                    immediate.unwrap_or(0)
                }
                _ => 0,
            };
            // SAFETY: the segment is readable and the part of the line free, both `length` long.
            unsafe {
                ptr::copy_nonoverlapping(
                    local as *const u8,
                    line.add(line_offset),
                    length as usize,
                );
            }
        }
        // SAFETY: a line is aligned and holds eight words.
        Opcode::CompareAndSwap { compare, swap } => unsafe {
            line.cast::<u64>().write(compare);
            line.cast::<u64>().add(1).write(swap);
        },
        Opcode::FetchAndAdd { add } => added = add,
    }
    let transfer = way.in_flight.start(Flight {
        queue: ends.queue,
        position,
        kind,
        line_offset: line_offset as u8,
        slots: piece.slots(),
        length,
        local,
    });
    let packet = Request {
        transfer,
        kind,
        again,
        lines,
        stamp: way.delay.stamp(),
        queue_pair: match request.opcode {
            Opcode::Datagram { .. } => request.remote.address as u32,
            _ => ends.peer,
        },
        key: request.remote.key,
        address,
        remaining,
        immediate,
        add: added,
    };
    // SAFETY: there were credits, so so many slots are without a packet that waits for its reply,
    // and the responder answers in the order of the lane: they are the next ones.
    unsafe { way.channel.requests.publish(packet.words()) };
    entry.done += length;
    entry.in_flight += 1;
    entry.is_sent = is_last;
}

#[cfg(test)]
mod tests;
