//! What a request does to memory, and the answer to it.

use std::num::NonZeroU32;

use onesided_transport::{
    CompletionKind, CompletionStatus, LocalSegment, Opcode, Payload, WorkRequest,
};

use super::{
    fabric::State,
    memory::{self, Part},
    queue_pair::{Asked, Phase},
};
use crate::{
    host::{Costs, on_link},
    stations::Verb,
    time::{Moment, Span},
};

/// How long a requester waits before it asks again for a receive request: 0.64 ms, the code 12 of
/// IB spec vol. 1, 9.7.5.2.8, as the back end over verbs does.
const RECEIVER_NOT_READY_TIMER: Span = Span(640_000_000);
/// So many retries are for ever.
const FOR_EVER: u8 = 7;

/// What became of a request that was looked at.
enum Outcome {
    Answered(CompletionStatus),
    /// The requester finds out by itself.
    Unanswered(CompletionStatus),
    /// It is looked at again after so long.
    Again(Span),
}

impl State {
    /// The responder's memory has the answer to the oldest request.
    pub(super) fn reply(&mut self, slot: usize) {
        let now = self.now;
        let asked = self.queue_pair(slot).ring.replying().carried;
        let (status, back) = match self.execute(slot, &asked) {
            Outcome::Again(span) => {
                let queue_pair = self.queue_pair_mut(slot);
                queue_pair.attempts = queue_pair.attempts.saturating_add(1);
                return queue_pair.ring.stall(now + span);
            }
            Outcome::Unanswered(status) => (status, (now, now)),
            Outcome::Answered(status) => (status, self.answer(slot, &asked, status)),
        };
        let queue_pair = self.queue_pair_mut(slot);
        queue_pair.attempts = 0;
        queue_pair.ring.replying_mut().status = status;
        queue_pair.ring.replied(back.0, back.1);
        if status != CompletionStatus::Success {
            queue_pair.phase = Phase::Failing;
            queue_pair.ring.abandon();
        }
    }

    /// Sends an answer: when the requester's card has it, and when its thread can see that.
    fn answer(&mut self, slot: usize, asked: &Asked, status: CompletionStatus) -> (Moment, Moment) {
        let wiring =
            self.wiring(slot).expect("only connected queue pairs have requests replied to");
        let (verb, costs) = match status {
            CompletionStatus::Success => (Verb::from(asked.request.opcode), asked.costs),
            // A refusal has no data.
            _ => {
                let reply_segments = on_link(&self.parameters, 0, wiring.peer.mtu_bytes);
                (Verb::Write, Costs { reply_segments, ..asked.costs })
            }
        };
        let flow = self.hosts[wiring.peer.host].responder.answer(self.now, verb, &costs);
        let host = self.queue_pair(slot).host;
        let back = self.hosts[host].requester.receive(verb, flow.after(self.one_way), &costs);
        (back, back + self.completion)
    }

    fn execute(&mut self, slot: usize, asked: &Asked) -> Outcome {
        let (request, host) = (&asked.request, self.queue_pair(slot).host);
        let attempts = self.queue_pair(slot).attempts;
        // Regions may have gone since.
        if asked.status == CompletionStatus::LocalProtectionError
            || self.is_local_wrong(host, request)
        {
            return Outcome::Unanswered(CompletionStatus::LocalProtectionError);
        }
        let wiring =
            self.wiring(slot).expect("only connected queue pairs have requests replied to");
        let Some(peer) = self.peer(slot) else {
            return match attempts > wiring.retry_count {
                true => Outcome::Unanswered(CompletionStatus::RetryExceeded),
                false => Outcome::Again(wiring.timeout),
            };
        };
        if let Err(status) = self.remote_place(peer, request) {
            self.fail(peer);
            return Outcome::Answered(status);
        }
        if request.opcode.consumes_receive() && self.receives(peer).is_empty() {
            let status = CompletionStatus::ReceiverNotReadyRetryExceeded;
            return match wiring.rnr_retry != FOR_EVER && attempts >= wiring.rnr_retry {
                true => Outcome::Answered(status),
                false => Outcome::Again(RECEIVER_NOT_READY_TIMER),
            };
        }
        if let Err((told, found)) = self.receivable(peer, request) {
            let id = self.receives_mut(peer).consume().expect("it was looked at");
            let kind = CompletionKind::Receive { length: 0, immediate: None, source: None };
            self.report_receive(peer, id, found, kind);
            self.fail(peer);
            return Outcome::Answered(told);
        }
        self.move_bytes(slot, peer, request);
        self.deliver(peer, request, None);
        Outcome::Answered(CompletionStatus::Success)
    }

    /// Whether the oldest receive request of the peer takes a send: if not, what its sender is told, and what
    /// the receive request ends with.
    pub(super) fn receivable(
        &self,
        peer: usize,
        request: &WorkRequest,
    ) -> Result<(), (CompletionStatus, CompletionStatus)> {
        let length = request.local.length;
        let (Opcode::Send { .. } | Opcode::Datagram { .. }, 1..) = (request.opcode, length) else {
            return Ok(());
        };
        let buffer = self.receives(peer).buffer().filter(|_| self.filled(peer, length).is_some());
        let Some(buffer) = buffer else {
            let (told, found) =
                (CompletionStatus::RemoteInvalidRequest, CompletionStatus::LocalLengthError);
            return Err((told, found));
        };
        let (told, found) =
            (CompletionStatus::RemoteOperationError, CompletionStatus::LocalProtectionError);
        self.regions.local(self.queue_pair(peer).host, buffer).map(drop).ok_or((told, found))
    }

    /// What of the buffer of a queue pair's oldest receive request a message of so many bytes fills; none
    /// where it has no such room.
    fn filled(&self, slot: usize, length: u32) -> Option<LocalSegment> {
        let buffer = self.receives(slot).buffer()?;
        let header = self.queue_pair(slot).header();
        let room = buffer.length.checked_sub(header)?;
        let address = buffer.address + u64::from(header);
        (length <= room).then_some(LocalSegment { address, length, ..buffer })
    }

    /// The memory of the peer that an operation with bytes works on: everything has been looked at.
    pub(super) fn memory_there(&self, peer: usize, request: &WorkRequest) -> Part<'_> {
        let WorkRequest { opcode, local, remote, .. } = *request;
        let host = self.queue_pair(peer).host;
        let there = match opcode {
            Opcode::Send { .. } | Opcode::Datagram { .. } => {
                let filled = self.filled(peer, local.length);
                filled.and_then(|filled| self.regions.local(host, filled))
            }
            _ => self.regions.remote(host, remote, local.length, opcode).map(|(part, _)| part),
        };
        there.expect("the peer's memory was looked at")
    }

    /// Does what was asked: everything has been looked at.
    fn move_bytes(&self, slot: usize, peer: usize, request: &WorkRequest) {
        let WorkRequest { opcode, local, payload, .. } = *request;
        if local.length == 0 {
            return;
        }
        let own = self.queue_pair(slot);
        let there = self.memory_there(peer, request);
        if payload == Payload::Inline {
            let place = own.ring.replying_place();
            return memory::put(own.inline(place, there.length()), there);
        }
        let here = self.regions.local(own.host, local).expect("the local segment was looked at");
        match opcode {
            Opcode::Read => memory::copy(there, here),
            Opcode::Write
            | Opcode::WriteWithImmediate { .. }
            | Opcode::Send { .. }
            | Opcode::Datagram { .. } => {
                memory::copy(here, there);
            }
            Opcode::CompareAndSwap { compare, swap } => {
                let previous = memory::compare_and_swap(there, compare, swap);
                memory::put(&previous.to_ne_bytes(), here);
            }
            Opcode::FetchAndAdd { add } => {
                let previous = memory::fetch_and_add(there, add);
                memory::put(&previous.to_ne_bytes(), here);
            }
        }
    }

    /// Consumes a receive request of the peer, where the operation does. `source` is the queue pair that has sent
    /// a datagram.
    pub(super) fn deliver(
        &mut self,
        peer: usize,
        request: &WorkRequest,
        source: Option<NonZeroU32>,
    ) {
        let immediate = match request.opcode {
            Opcode::WriteWithImmediate { immediate } => Some(immediate),
            Opcode::Send { immediate } | Opcode::Datagram { immediate, .. } => immediate,
            _ => return,
        };
        let Some(id) = self.receives_mut(peer).consume() else { return };
        let kind = CompletionKind::Receive { length: request.local.length, immediate, source };
        self.report_receive(peer, id, CompletionStatus::Success, kind);
    }
}
