//! The short way: an operation of one packet that nothing is before.
//!
//! Where its queue pair has sent all that was posted and the channel has credits, the packet of one
//! cache line, or of a long read that is copied by leave, is made of the request at once: what the
//! general way (`generation`) finds out step by step is known here. What this way does not take,
//! the general way does, which also says what is wrong with a request.

use std::ptr;

use onesided_transport::{LocalSegment, Opcode, Payload, RemoteSegment, WorkRequest};

use super::{
    generation::{COPY, LEAVE},
    in_flight::Flight,
    set_up::RmcEndpoint,
    window::Wanted,
};
use crate::{
    queue_pairs,
    shared::{
        packet::{Kind, Request},
        ring::LINE_BYTES,
    },
};

impl RmcEndpoint {
    /// Sends an operation of one line; whether it did. Nothing has happened where it did not.
    ///
    /// # Safety
    /// As [`onesided_transport::Endpoint::post`].
    #[inline]
    pub(super) unsafe fn post_line(&mut self, index: usize, request: &WorkRequest) -> bool {
        // SAFETY: the caller's.
        unsafe { self.post_short::<false>(index, request) }
    }

    /// The same of a long read. Not inlined: it takes no part of the time of short operations.
    ///
    /// # Safety
    /// As above.
    #[inline(never)]
    pub(super) unsafe fn post_copy(&mut self, index: usize, request: &WorkRequest) -> bool {
        // SAFETY: the caller's.
        unsafe { self.post_short::<true>(index, request) }
    }

    /// # Safety
    /// As above.
    #[inline]
    unsafe fn post_short<const IS_COPY: bool>(
        &mut self,
        index: usize,
        request: &WorkRequest,
    ) -> bool {
        let LocalSegment { address: local, length, key } = request.local;
        let RemoteSegment { address, key: remote_key } = request.remote;
        let line_offset = address as usize % LINE_BYTES;
        // No bytes at all are not of one line either.
        let is_of_one_line = (length as usize).wrapping_sub(1) < LINE_BYTES - line_offset;
        let (kind, add) = match request.opcode {
            Opcode::Read if IS_COPY => (Kind::Copy, 0),
            Opcode::Read => (Kind::Read, 0),
            Opcode::Write if !IS_COPY => (Kind::Write, 0),
            Opcode::FetchAndAdd { add } if length == 8 && line_offset.is_multiple_of(8) => {
                (Kind::FetchAndAdd, add)
            }
            _ => return false,
        };
        let is_short = if IS_COPY { (COPY..=LEAVE).contains(&length) } else { is_of_one_line };
        if !is_short || request.payload != Payload::Gathered || IS_COPY != (kind == Kind::Copy) {
            return false;
        }
        let Some(channel) = &mut self.channel else { return false };
        let queue = &mut self.queues[index];
        // Behind a copy another one may be asked for, and nothing else (`generation`).
        let is_next = queue.has_sent_all() && !queue.is_full() && (IS_COPY || queue.copies == 0);
        let is_in_trouble = self.lost || self.targets[index].phase() == queue_pairs::Phase::Error;
        let may_read = kind == Kind::Write || queue.reads < self.max_rd_atomic;
        let has_turn = self.in_flight.credits() > 0 && self.ready.is_empty();
        if !(is_next && may_read && has_turn) || is_in_trouble {
            return false;
        }
        if !self.node.local.regions.has(key, local, length.into()) {
            return false;
        }
        let wanted = Wanted { key: remote_key, address, length: length as usize };
        if IS_COPY && !channel.can_copy(wanted) {
            return false;
        }
        if kind == Kind::Write {
            // SAFETY: the segment is the caller's, the line free.
            unsafe {
                copy_part(local as *const u8, channel.requests.line().add(line_offset), length)
            };
        }
        let transfer = self.in_flight.start(Flight {
            queue: index as u32,
            position: queue.tail,
            kind,
            line_offset: line_offset as u8,
            slots: 1,
            length,
            local,
        });
        let packet = Request {
            transfer,
            kind,
            again: false,
            lines: u8::from(!IS_COPY),
            stamp: self.node.local.delay.stamp(),
            queue_pair: self.peers[index],
            key: remote_key,
            address,
            remaining: length,
            immediate: 0,
            add,
        };
        // SAFETY: as in `generation::send`.
        unsafe { channel.requests.publish_line(packet.words()) };
        channel.requests.prefetch_later(kind == Kind::Write);
        queue.push_sent(request);
        queue.copies += u32::from(IS_COPY);
        true
    }
}

/// Copies a line, or a part of one.
///
/// # Safety
/// Both have so many bytes, a line's at most, and nobody else accesses them.
#[inline]
pub(super) unsafe fn copy_part(from: *const u8, to: *mut u8, length: u32) {
    match length {
        // A size that the compiler knows is some instructions, any other a call.
        // SAFETY: the caller's.
        64 => unsafe { ptr::copy_nonoverlapping(from, to, 64) },
        // SAFETY: as above.
        8 => unsafe { ptr::copy_nonoverlapping(from, to, 8) },
        // SAFETY: as above.
        length => unsafe { ptr::copy_nonoverlapping(from, to, length as usize) },
    }
}

#[cfg(all(test, not(loom)))]
mod tests;
