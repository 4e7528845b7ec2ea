//! Post and poll.

use std::io;

use onesided_transport::{
    CompletionKind, CompletionStatus, ConnectError, ConnectionAttributes, DATAGRAM_HEADER,
    Destination, Endpoint, EndpointAddress, GidEntry, LocalSegment, Opcode, PathMtu, Payload,
    PollError, PostError, ReceiveRequest, RemoteSegment, Service, WorkCompletion, WorkRequest,
};

use super::{
    generation::{COPY, Ends, Sent, Way, generate},
    send_queue::Phase,
    set_up::RmcEndpoint,
    sink::Sink,
};
use crate::{
    duty,
    local::LocalNode,
    queue_pairs,
    receives::{Received, Receives},
    shared::packet::SENDER_SHIFT,
};

/// Longest message (IB spec vol. 1, 9.7.4.1.5: 2^31 bytes).
const LONGEST: u32 = 1 << 31;

/// Longest datagram: the port's MTU.
const LONGEST_DATAGRAM: u32 = PathMtu::Bytes4096.bytes();

impl Endpoint for RmcEndpoint {
    fn queue_pair_numbers(&self) -> &[u32] {
        self.numbers()
    }

    fn address(&self, _gid: Option<GidEntry>) -> EndpointAddress {
        self.own_address()
    }

    fn connect(
        &mut self,
        peer: &EndpointAddress,
        attributes: &ConnectionAttributes,
    ) -> Result<(), ConnectError> {
        self.connect_to(peer, attributes)
    }

    fn destinations(
        &mut self,
        peer: &EndpointAddress,
        attributes: &ConnectionAttributes,
    ) -> Result<Vec<Destination>, ConnectError> {
        self.add_destinations(peer, attributes)
    }

    #[inline]
    unsafe fn post(
        &mut self,
        queue_pair: usize,
        requests: &[WorkRequest],
    ) -> Result<(), PostError> {
        if !self.service.is_reliable() {
            // SAFETY: the caller's.
            return unsafe { self.post_unreliably(queue_pair, requests) };
        }
        for (index, request) in requests.iter().enumerate() {
            // SAFETY: the caller's.
            let is_sent = unsafe {
                match request.local.length < COPY {
                    true => self.post_line(queue_pair, request),
                    false => self.post_copy(queue_pair, request),
                }
            };
            if !is_sent {
                // SAFETY: the caller's.
                return unsafe { self.post_any(queue_pair, index, requests) };
            }
        }
        if let Some(channel) = &self.channel {
            channel.wake();
        }
        Ok(())
    }

    unsafe fn post_receives(
        &mut self,
        queue_pair: usize,
        requests: &[ReceiveRequest],
    ) -> Result<(), PostError> {
        for (request, &ReceiveRequest { id, buffer }) in requests.iter().enumerate() {
            let room = buffer.map_or(0, |buffer| buffer.length);
            if self.service == Service::UnreliableDatagram && room < DATAGRAM_HEADER {
                let source = io::Error::from_raw_os_error(libc::EINVAL);
                return Err(PostError::Invalid { queue_pair, request, source });
            }
            if !self.targets[queue_pair].receives.post(id, buffer) {
                return Err(PostError::QueueFull { queue_pair, request });
            }
        }
        Ok(())
    }

    #[inline]
    fn poll(&mut self, completions: &mut [WorkCompletion]) -> Result<usize, PollError> {
        let mut sink = Sink::new(completions);
        if !self.completions.is_empty() {
            self.report(&mut sink);
        }
        self.collect(&mut sink);
        if self.serves {
            duty::serve(&self.node.local, &self.node.duty);
        }
        if self.backing_off > 0 {
            self.end_waits();
        }
        if !self.ready.is_empty() {
            self.send_ready();
        }
        if !self.completions.is_empty() {
            self.report(&mut sink);
        }
        let mut count = sink.count();
        if self.has_receives {
            count += self.report_receives(&mut completions[count..]);
        }
        if count == 0 && self.idle.next() {
            self.look_around();
        }
        Ok(count)
    }
}

impl RmcEndpoint {
    /// Posts the requests from the first of this index on, whatever they are.
    ///
    /// # Safety
    /// As [`Endpoint::post`].
    #[inline(never)]
    unsafe fn post_any(
        &mut self,
        queue_pair: usize,
        first: usize,
        requests: &[WorkRequest],
    ) -> Result<(), PostError> {
        let mut posted = Ok(());
        for (index, request) in requests.iter().enumerate().skip(first) {
            // SAFETY: the caller's.
            if let Err(refused) = unsafe { self.push(queue_pair, index, request) } {
                posted = Err(refused);
                break;
            }
        }
        self.ring_doorbell(queue_pair);
        posted
    }

    /// Posts requests of an unreliable service, some of which are lost where that was asked for.
    ///
    /// # Safety
    /// As [`Endpoint::post`].
    unsafe fn post_unreliably(
        &mut self,
        queue_pair: usize,
        requests: &[WorkRequest],
    ) -> Result<(), PostError> {
        if !self.queues[queue_pair].is_losing() {
            // SAFETY: the caller's.
            return unsafe { self.post_any(queue_pair, 0, requests) };
        }
        let mut posted = Ok(());
        for (index, request) in requests.iter().enumerate() {
            // SAFETY: the caller's.
            posted = unsafe { self.push(queue_pair, index, request) };
            if posted.is_err() {
                break;
            }
            self.lose_newest(queue_pair);
        }
        self.ring_doorbell(queue_pair);
        posted
    }

    /// Has what was posted last lost, if its turn is. What a queue pair in error flushes is no message.
    fn lose_newest(&mut self, queue_pair: usize) {
        let is_over = self.lost || self.targets[queue_pair].phase() == queue_pairs::Phase::Error;
        if !is_over && self.queues[queue_pair].lose_newest() {
            self.node.local.losses.count();
        }
    }

    /// Adds a request to its send queue.
    ///
    /// # Safety
    /// As [`Endpoint::post`].
    #[inline]
    unsafe fn push(
        &mut self,
        queue_pair: usize,
        index: usize,
        request: &WorkRequest,
    ) -> Result<(), PostError> {
        let queue = &mut self.queues[queue_pair];
        let is_of_service = request.opcode.is_of(self.service);
        if !is_of_service || self.channel.is_none() || !is_acceptable(request, queue.inline_bytes())
        {
            let source = io::Error::from_raw_os_error(libc::EINVAL);
            return Err(PostError::Invalid { queue_pair, request: index, source });
        }
        if queue.is_full() {
            return Err(PostError::QueueFull { queue_pair, request: index });
        }
        let mut request = *request;
        if let Opcode::Datagram { destination, .. } = request.opcode {
            let Some(&(number, key)) = self.destinations.find(destination) else {
                return Err(PostError::UnknownDestination { queue_pair, request: index });
            };
            // Where it goes and who sends it have no other place in the queue.
            let own = u64::from(self.numbers[queue_pair]) << SENDER_SHIFT;
            request.remote = RemoteSegment { address: own | u64::from(number), key };
        }
        let failed = match request.payload {
            Payload::Inline => {
                // SAFETY: the caller's; the length was checked.
                request.local.address = unsafe { queue.keep_inline(request.local) };
                None
            }
            Payload::Gathered => local_error(&self.node.local, &request),
        };
        queue.push(request, failed);
        Ok(())
    }

    /// Sends what was posted, or has it sent in turn.
    #[inline]
    fn ring_doorbell(&mut self, index: usize) {
        let queue = &mut self.queues[index];
        let target_failed = self.targets[index].phase() == queue_pairs::Phase::Error;
        if self.lost || target_failed || queue.phase != Phase::Sending {
            return self.ring_doorbell_in_trouble(index);
        }
        if queue.is_queued {
            return;
        }
        if !self.ready.is_empty() {
            queue.is_queued = true;
            return self.ready.push_back(index as u32);
        }
        if self.send(index) == Sent::Some {
            self.queues[index].is_queued = true;
            self.ready.push_back(index as u32);
        }
        if let Some(channel) = &self.channel {
            channel.wake();
        }
    }

    #[cold]
    fn ring_doorbell_in_trouble(&mut self, index: usize) {
        let queue = &mut self.queues[index];
        if self.lost {
            queue.fail(CompletionStatus::RetryExceeded);
        } else if self.targets[index].phase() == queue_pairs::Phase::Error {
            // A peer broke a rule of this queue pair: what waits is flushed.
            queue.fail(CompletionStatus::Flushed);
        }
        self.retire(index);
    }

    /// Queue pairs that wait for their turn, as long as there are credits.
    fn send_ready(&mut self) {
        let mut turns = self.ready.len();
        while turns > 0 && self.in_flight.credits() > 0 {
            turns -= 1;
            let Some(index) = self.ready.pop_front() else { break };
            match self.send(index as usize) {
                Sent::All => self.queues[index as usize].is_queued = false,
                Sent::Some => self.ready.push_back(index),
            }
        }
        if let Some(channel) = &self.channel {
            channel.wake();
        }
    }

    #[inline]
    fn send(&mut self, index: usize) -> Sent {
        let Some(channel) = &mut self.channel else { return Sent::All };
        let mut way = Way {
            channel,
            in_flight: &mut self.in_flight,
            delay: &self.node.local.delay,
            max_rd_atomic: self.max_rd_atomic,
        };
        let ends = Ends { queue: index as u32, peer: self.peers[index] };
        let queue = &mut self.queues[index];
        // SAFETY: requests come from posts, whose callers keep what the contract asks.
        let sent = unsafe { generate(queue, ends, &mut way) };
        if queue.phase == Phase::Failed {
            self.retire(index);
        }
        sent
    }

    /// Hands out completions that were kept.
    fn report(&mut self, sink: &mut Sink<'_>) {
        let queues = &mut self.queues;
        let released = |queue: u32, releases| queues[queue as usize].released = releases;
        self.completions.report(sink, released);
    }

    /// Hands out completions of receive requests.
    fn report_receives(&mut self, completions: &mut [WorkCompletion]) -> usize {
        let mut count = 0;
        if let Some(shared) = &self.shared {
            while count < completions.len() {
                let Some((index, received)) = shared.take() else { break };
                completions[count] = completion_of(received, self.numbers[index as usize]);
                count += 1;
            }
            return count;
        }
        for (target, &queue_pair_number) in self.targets.iter().zip(&self.numbers) {
            let Receives::Own(receives) = &target.receives else { continue };
            while count < completions.len() {
                let Some(received) = receives.take() else { break };
                completions[count] = completion_of(received, queue_pair_number);
                count += 1;
            }
        }
        count
    }
}

/// What a receive request ended with.
fn completion_of(received: Received, queue_pair_number: u32) -> WorkCompletion {
    let Received { id, status, length, immediate, source, .. } = received;
    let kind = CompletionKind::Receive { length, immediate, source };
    WorkCompletion { id, queue_pair_number, status, kind }
}

/// Whether a request is one at all.
#[inline]
fn is_acceptable(request: &WorkRequest, inline_bytes: usize) -> bool {
    let LocalSegment { length, .. } = request.local;
    let fits = match (request.payload, request.opcode) {
        (_, Opcode::Datagram { .. }) if length > LONGEST_DATAGRAM => false,
        (Payload::Gathered, _) => length <= LONGEST,
        (
            Payload::Inline,
            Opcode::Write
            | Opcode::WriteWithImmediate { .. }
            | Opcode::Send { .. }
            | Opcode::Datagram { .. },
        ) => length as usize <= inline_bytes,
        (Payload::Inline, _) => false,
    };
    let atomic =
        matches!(request.opcode, Opcode::CompareAndSwap { .. } | Opcode::FetchAndAdd { .. });
    let aligned = request.remote.address.is_multiple_of(u64::from(Opcode::ATOMIC_BYTES));
    fits && (!atomic || aligned && length == Opcode::ATOMIC_BYTES)
}

/// What is wrong with the local segment of a request.
#[inline]
fn local_error(local: &LocalNode, request: &WorkRequest) -> Option<CompletionStatus> {
    let LocalSegment { address, length, key } = request.local;
    if length == 0 {
        return None;
    }
    let region = local.regions.find(key);
    let covered = region.is_some_and(|region| region.covers(address, length.into()));
    (!covered).then_some(CompletionStatus::LocalProtectionError)
}
