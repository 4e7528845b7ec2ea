//! Post and poll.

use std::io;

use onesided_transport::{
    ConnectError, ConnectionAttributes, Destination, Endpoint, EndpointAddress, GidEntry,
    LocalSegment, Payload, PollError, PostError, ReceiveRequest, WorkCompletion, WorkRequest,
};

use super::{
    endpoint::SimEndpoint,
    fabric::State,
    memory::{self, Mapped, Part},
    queue_pair::{Asked, Phase},
};
use crate::{stations::Verb, time::Moment};

impl Endpoint for SimEndpoint {
    fn queue_pair_numbers(&self) -> &[u32] {
        &self.numbers
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
        _attributes: &ConnectionAttributes,
    ) -> Result<Vec<Destination>, ConnectError> {
        self.add_destinations(peer)
    }

    #[expect(unsafe_code, reason = "the contract's own, and what it promises handed on")]
    unsafe fn post(
        &mut self,
        queue_pair: usize,
        requests: &[WorkRequest],
    ) -> Result<(), PostError> {
        let slot = self.slots[queue_pair];
        let mut state = self.fabric.state();
        let mut posted = Ok(());
        let mut rung = None;
        for (index, request) in requests.iter().enumerate() {
            posted = state.refused(slot, request, queue_pair, index);
            if posted.is_err() {
                break;
            }
            let LocalSegment { address, length, .. } = request.local;
            let inline = (request.payload == Payload::Inline)
                // SAFETY: the caller's; the payload is taken before this returns.
                .then(|| unsafe { Mapped::new(address, u64::from(length)) });
            let inline = inline.as_ref().and_then(|mapped| mapped.part(address, length));
            rung = Some(state.post(slot, request, inline, rung.is_some()));
        }
        if let Some(rung) = rung {
            state.ring(slot, rung);
        }
        posted
    }

    #[expect(
        unsafe_code,
        reason = "the contract's own; the buffer is registered where it is written"
    )]
    unsafe fn post_receives(
        &mut self,
        queue_pair: usize,
        requests: &[ReceiveRequest],
    ) -> Result<(), PostError> {
        let slot = self.slots[queue_pair];
        let mut state = self.fabric.state();
        for (request, &ReceiveRequest { id, buffer }) in requests.iter().enumerate() {
            if buffer.map_or(0, |buffer| buffer.length) < state.queue_pair(slot).header() {
                let rule = "the buffer of a datagram has room for the header";
                let source = io::Error::new(io::ErrorKind::InvalidInput, rule);
                return Err(PostError::Invalid { queue_pair, request, source });
            }
            if !state.receives_mut(slot).post(id, buffer) {
                return Err(PostError::QueueFull { queue_pair, request });
            }
            if matches!(state.queue_pair(slot).phase, Phase::Error) {
                state.flush_receives(slot);
            }
        }
        Ok(())
    }

    fn poll(&mut self, completions: &mut [WorkCompletion]) -> Result<usize, PollError> {
        if completions.is_empty() {
            return Ok(0);
        }
        let mut state = self.fabric.state();
        if state.takes_next(self.endpoint).is_none_or(|ready| ready > state.now) {
            state.go_on(self.endpoint);
        }
        Ok(state.take(self.endpoint, completions))
    }
}

impl State {
    /// Why a request is not accepted.
    fn refused(
        &self,
        slot: usize,
        request: &WorkRequest,
        queue_pair: usize,
        index: usize,
    ) -> Result<(), PostError> {
        let target = self.queue_pair(slot);
        if let Some(rule) = target.broken_rule(request) {
            let source = io::Error::new(io::ErrorKind::InvalidInput, rule);
            return Err(PostError::Invalid { queue_pair, request: index, source });
        }
        if !self.knows_destination(slot, request) {
            return Err(PostError::UnknownDestination { queue_pair, request: index });
        }
        match target.is_full() {
            true => Err(PostError::QueueFull { queue_pair, request: index }),
            false => Ok(()),
        }
    }

    /// The thread writes a request that is acceptable; when it has.
    fn post(
        &mut self,
        slot: usize,
        request: &WorkRequest,
        inline: Option<Part<'_>>,
        behind_one_doorbell: bool,
    ) -> Moment {
        let verb = Verb::from(request.opcode);
        let queue_pair = self.queue_pair_mut(slot);
        if let Some(inline) = inline {
            let place = queue_pair.ring.next_place();
            memory::take(inline, queue_pair.inline_mut(place, inline.length()));
        }
        queue_pair.ring.post(verb, request.remote.address, Asked::new(*request));
        queue_pair.occupied += 1;
        let (host, endpoint) = (queue_pair.host, queue_pair.endpoint);
        self.hosts[host].in_flight += 1;
        let now = self.now;
        let driver = self.driver_mut(endpoint);
        let span = driver.costs.post(verb, behind_one_doorbell);
        let written = driver.thread.serve(now, span);
        self.plan_take(endpoint);
        written
    }

    /// The thread rings the doorbell at `at`.
    fn ring(&mut self, slot: usize, at: Moment) {
        let endpoint = self.queue_pair_mut(slot).endpoint;
        let at = self.driver_mut(endpoint).costs.reaches_card(at);
        let queue_pair = self.queue_pair_mut(slot);
        match queue_pair.phase {
            Phase::Connected(_) | Phase::Open => queue_pair.ring.ring(at),
            // They are flushed with the others.
            Phase::Failing => {}
            Phase::Initialized | Phase::Error => self.flush(slot),
        }
        self.plan(slot);
    }

    /// Hands over what the thread has by now.
    fn take(&mut self, endpoint: usize, completions: &mut [WorkCompletion]) -> usize {
        let mut count = 0;
        while count < completions.len() {
            if self.takes_next(endpoint).is_none_or(|ready| ready > self.now) {
                break;
            }
            let driver = self.driver_mut(endpoint);
            let Some(reported) = driver.completions.pop_front() else { break };
            driver.thread.serve(reported.visible, driver.costs.poll);
            self.frees(&reported);
            completions[count] = reported.completion;
            count += 1;
        }
        self.plan_take(endpoint);
        count
    }
}
