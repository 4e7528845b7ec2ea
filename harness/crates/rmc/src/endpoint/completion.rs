//! The request completion pipeline: replies become data and completions.

use std::{
    hint,
    time::{Duration, Instant},
};

use onesided_transport::{CompletionKind, CompletionStatus, Signal, WorkCompletion};

use super::{
    delivery::{deliver, fetch, wanted_of},
    generation::LEAVE,
    in_flight::Flight,
    send_queue::{Phase, SendQueue},
    set_up::RmcEndpoint,
    sink::{Completed, Sink},
    window::Copied,
};
use crate::shared::{
    delay::Stamp,
    packet::{Kind, REPLY_WORDS, Reply, Status},
};

/// Time before what was turned away is sent again. Ours: that of the verbs back end's queue pairs
/// (code 12 of IB spec vol. 1, table 45), so that a number of retries means as long here.
const RECEIVER_NOT_READY: Duration = Duration::from_micros(640);

/// Packets under way from which on a requester is in no hurry. Ours: their replies come in batches.
const MANY: usize = 16;

/// Pauses that it makes then. Ours: a few hundred cycles where a pause is long, few where not.
const MOMENT: u32 = 4;

impl RmcEndpoint {
    /// Takes replies that have arrived.
    ///
    /// It looks once: looking on at the place where the responder writes next would take that cache
    /// line from it each time. With many under way it also leaves the responder a moment.
    #[inline]
    pub(super) fn collect(&mut self, sink: &mut Sink<'_>) {
        let Some(channel) = &self.channel else { return };
        let under_way = self.in_flight.count();
        if under_way == 0 {
            return;
        }
        if under_way < MANY && self.in_flight.oldest().kind == Kind::Read {
            channel.replies.prefetch_line();
        }
        // The first one at once: whether there are more is looked at when it is taken.
        let (mut ready, mut has_looked, mut copied) = (1, false, 0);
        while ready > 0 {
            match self.collect_one(sink) {
                Some(more) => copied += more,
                None => break,
            }
            if copied >= LEAVE {
                // Others of this thread have their turn first.
                return;
            }
            ready -= 1;
            if !has_looked {
                has_looked = true;
                if let (Some(channel), 1..) = (&self.channel, self.in_flight.count()) {
                    // A peer that writes garbage shall not answer what is not under way.
                    let ahead = channel.replies.look_ahead(Reply::has_payload);
                    ready = ahead.min(self.in_flight.count());
                }
            }
        }
        if !has_looked && under_way >= MANY {
            (0..MOMENT).for_each(|_| hint::spin_loop());
        }
    }

    /// Takes the next reply; how many bytes were copied for it, absent where it has not arrived.
    #[inline]
    fn collect_one(&mut self, sink: &mut Sink<'_>) -> Option<u32> {
        let channel = self.channel.as_mut()?;
        let words = channel.replies.peek()?;
        if !self.node.local.delay.has_passed(Stamp::of_header(words[0]), channel.hop) {
            return None;
        }
        let flight = *self.in_flight.oldest();
        let name = self.in_flight.next_name();
        if flight.kind == Kind::Copy {
            return self.collect_copy(words, &flight, sink);
        }
        if !Reply::is_done(words[0], name, 1) || flight.slots != 1 {
            return self.collect_any(words, sink);
        }
        // SAFETY: the reply is of this flight, whose segment the poster keeps valid; the line is of
        // the packet that was just found.
        unsafe { deliver(&flight, words[1], channel.replies.line()) };
        self.in_flight.end(1);
        channel.replies.advance_line();
        self.idle.over();
        if !self.settle_first(&flight, sink) {
            self.settle(&flight, Status::Done);
        }
        Some(0)
    }

    /// The same of leave to copy. Not inlined: it takes no part of the time of short operations.
    #[inline(never)]
    fn collect_copy(
        &mut self,
        words: [u64; REPLY_WORDS],
        flight: &Flight,
        sink: &mut Sink<'_>,
    ) -> Option<u32> {
        let channel = self.channel.as_mut()?;
        let Flight { queue, position, .. } = *flight;
        let request = &self.queues[queue as usize].entry(position).request;
        let wanted = wanted_of(flight, request);
        let is_done = Reply::is_done(words[0], self.in_flight.next_name(), 0);
        // SAFETY: the reply is of this flight, whose segment the poster keeps valid.
        if !is_done || !unsafe { channel.copy_at_once(wanted, flight.local as *mut u8) } {
            return self.collect_any(words, sink);
        }
        if let Some(next) = self.in_flight.second().filter(|next| next.kind == Kind::Copy) {
            let request = &self.queues[next.queue as usize].entry(next.position).request;
            channel.fetch_ahead(wanted_of(next, request));
        }
        self.in_flight.end(1);
        channel.replies.advance_line();
        self.idle.over();
        if !self.settle_first(flight, sink) {
            self.settle(flight, Status::Done);
        }
        Some(flight.length)
    }

    /// Takes any reply, which is there, as above.
    #[inline(never)]
    fn collect_any(&mut self, words: [u64; REPLY_WORDS], sink: &mut Sink<'_>) -> Option<u32> {
        let channel = self.channel.as_mut()?;
        let Some(reply) = Reply::from_words(words) else {
            self.lose();
            return None;
        };
        let slots = reply.lines.max(1);
        // Lanes run alike, so the lines of the reply are before the end of the ring, too.
        let is_within = usize::from(slots) <= channel.replies.room();
        if !is_within || !self.in_flight.is_next(reply.transfer, slots) {
            self.lose();
            return None;
        }
        let flight = *self.in_flight.oldest();
        let (mut status, mut copied) = (reply.status, 0);
        if !self.service.is_reliable() {
            // What became of it over there nobody here is told.
            status = Status::Done;
        }
        if status == Status::Done {
            if flight.kind == Kind::Copy {
                let request = &self.queues[flight.queue as usize].entry(flight.position).request;
                // SAFETY: the reply is of this flight, whose segment the poster keeps valid.
                match unsafe { fetch(channel, &flight, request) } {
                    Copied::All => copied = flight.length,
                    // The region went after leave was given. The other end is told by its next
                    // request, which this queue pair, in error, refuses.
                    Copied::Gone => status = Status::AccessRefused,
                    Copied::NotYet => {
                        self.idle.look_soon();
                        return None;
                    }
                }
            } else {
                // SAFETY: as above; the line is of the packet that was just found.
                unsafe { deliver(&flight, reply.found, channel.replies.line()) };
            }
        }
        self.in_flight.end(slots);
        channel.replies.advance(words[0]);
        self.idle.over();
        if status != Status::Done || !self.settle_first(&flight, sink) {
            self.settle(&flight, status);
        }
        Some(copied)
    }

    /// Accounts for a reply that is the last one of the first request of a queue that sends, as most
    /// are; whether it is one.
    #[inline]
    fn settle_first(&mut self, flight: &Flight, sink: &mut Sink<'_>) -> bool {
        let index = flight.queue as usize;
        let queue = &mut self.queues[index];
        let position = flight.position;
        if !matches!(queue.phase, Phase::Sending) || position != queue.retired {
            return false;
        }
        let entry = queue.entry(position);
        if entry.in_flight != 1 || !entry.is_sent {
            return false;
        }
        entry.in_flight = 0;
        let (is_counted, signal, id) = (entry.is_counted, entry.request.signal, entry.request.id);
        queue.in_flight -= 1;
        queue.copies -= u32::from(flight.kind == Kind::Copy);
        queue.reads -= u32::from(is_counted);
        queue.retired += 1;
        if matches!(flight.kind, Kind::Immediate | Kind::Send | Kind::SendImmediate) {
            queue.attempts = 0;
        }
        if queue.wants_to_send() && !queue.is_queued {
            queue.is_queued = true;
            self.ready.push_back(index as u32);
        }
        if signal == Signal::Signaled {
            let (status, kind) = (CompletionStatus::Success, CompletionKind::Request);
            let queue_pair_number = self.numbers[index];
            let completion = WorkCompletion { id, queue_pair_number, status, kind };
            let releases = position + 1;
            if self.completions.is_empty() && sink.push(completion) {
                queue.released = releases;
            } else {
                self.completions.keep(Completed { completion, queue: flight.queue, releases });
            }
        }
        true
    }

    /// Accounts for any reply.
    #[inline(never)]
    fn settle(&mut self, flight: &Flight, status: Status) {
        let index = flight.queue as usize;
        let queue = &mut self.queues[index];
        queue.in_flight -= 1;
        queue.copies -= u32::from(flight.kind == Kind::Copy);
        // What waits behind copies goes on.
        if queue.copies == 0 && queue.wants_to_send() && !queue.is_queued {
            queue.is_queued = true;
            self.ready.push_back(index as u32);
        }
        let phase = queue.phase;
        let entry = queue.entry(flight.position);
        entry.in_flight -= 1;
        match status {
            // Not the last of the first request: that is settled by `settle_first`.
            Status::Done if phase == Phase::Sending => {}
            Status::Done => self.retire(index),
            Status::NotReady | Status::Behind => {
                entry.is_turned_away = true;
                if phase == Phase::Sending {
                    queue.phase = Phase::TurnedAway;
                }
                self.retire(index);
            }
            failed => {
                entry.failed.get_or_insert(status_of(failed));
                if matches!(phase, Phase::Sending | Phase::TurnedAway) {
                    queue.phase = Phase::Failed;
                }
                self.retire(index);
            }
        }
        if self.queues[index].phase == Phase::TurnedAway && self.queues[index].in_flight == 0 {
            self.back_off(index);
        }
    }

    /// Reports the requests in front of a queue that have ended, in order.
    pub(super) fn retire(&mut self, index: usize) {
        let queue = &mut self.queues[index];
        while queue.retired != queue.tail {
            let position = queue.retired;
            let Some(status) = ending(queue, position) else { break };
            let entry = queue.entry(position);
            let request = entry.request;
            let was_counted = entry.is_counted;
            queue.reads -= u32::from(was_counted);
            queue.retired += 1;
            if request.opcode.consumes_receive() {
                queue.attempts = 0;
            }
            if request.signal == Signal::Signaled || status != CompletionStatus::Success {
                let queue_pair_number = self.numbers[index];
                let kind = CompletionKind::Request;
                let completion = WorkCompletion { id: request.id, queue_pair_number, status, kind };
                let releases = position + 1;
                self.completions.keep(Completed { completion, queue: index as u32, releases });
            }
        }
        if queue.next < queue.retired {
            queue.next = queue.retired;
        }
        if matches!(queue.phase, Phase::Failed | Phase::Flushing) {
            self.targets[index].fail();
        } else if queue.wants_to_send() && !queue.is_queued {
            queue.is_queued = true;
            self.ready.push_back(index as u32);
        }
    }

    /// Waits before it sends again what was turned away, or gives up.
    fn back_off(&mut self, index: usize) {
        let queue = &mut self.queues[index];
        queue.attempts = queue.attempts.saturating_add(1);
        // 7 is for ever (IB spec vol. 1, 9.7.5.2.8).
        if queue.attempts > self.rnr_retry && self.rnr_retry != 7 {
            queue.fail(CompletionStatus::ReceiverNotReadyRetryExceeded);
            return self.retire(index);
        }
        queue.go_back();
        queue.phase = Phase::BackingOff(Instant::now() + RECEIVER_NOT_READY);
        self.backing_off += 1;
    }

    /// Lets queues send again whose wait is over.
    #[cold]
    pub(super) fn end_waits(&mut self) {
        let now = Instant::now();
        for (index, queue) in self.queues.iter_mut().enumerate() {
            if matches!(queue.phase, Phase::BackingOff(until) if until <= now) {
                queue.phase = Phase::Sending;
                self.backing_off -= 1;
                if !queue.is_queued {
                    queue.is_queued = true;
                    self.ready.push_back(index as u32);
                }
            }
        }
    }

    /// The peer is gone: everything that is posted ends.
    #[cold]
    pub(super) fn lose(&mut self) {
        self.lost = true;
        self.in_flight = super::in_flight::InFlight::new();
        self.backing_off = 0;
        for index in 0..self.queues.len() {
            let queue = &mut self.queues[index];
            (queue.in_flight, queue.copies) = (0, 0);
            for position in queue.retired..queue.tail {
                queue.entry(position).in_flight = 0;
            }
            if queue.retired != queue.tail {
                queue.fail(CompletionStatus::RetryExceeded);
                self.retire(index);
            }
        }
    }
}

/// How the request of a position ended, if it did; those before it have.
#[inline]
fn ending(queue: &mut SendQueue, position: u64) -> Option<CompletionStatus> {
    let phase = queue.phase;
    let entry = queue.entry(position);
    if entry.in_flight > 0 {
        return None;
    }
    match phase {
        Phase::Failed => match (entry.failed, entry.is_sent) {
            (None, true) => Some(CompletionStatus::Success),
            (failed, _) => {
                queue.phase = Phase::Flushing;
                Some(failed.unwrap_or(CompletionStatus::Flushed))
            }
        },
        Phase::Flushing => Some(CompletionStatus::Flushed),
        _ if entry.is_sent && !entry.is_turned_away => Some(CompletionStatus::Success),
        _ => None,
    }
}

/// The status of a completion for what a responder says.
#[cold]
fn status_of(status: Status) -> CompletionStatus {
    match status {
        Status::Done => CompletionStatus::Success,
        Status::AccessRefused => CompletionStatus::RemoteAccessError,
        Status::Invalid => CompletionStatus::RemoteInvalidRequest,
        Status::Failed => CompletionStatus::RemoteOperationError,
        // As an adapter does not answer for a queue pair that it does not have.
        Status::NoQueuePair => CompletionStatus::RetryExceeded,
        Status::NotReady | Status::Behind => CompletionStatus::ReceiverNotReadyRetryExceeded,
        // The peer's queue pair failed by itself: its rest is an answer that never comes.
        Status::Flushed => CompletionStatus::RetryExceeded,
    }
}
