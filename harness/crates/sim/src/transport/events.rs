//! What happens next.

use onesided_transport::{CompletionStatus, Opcode, Payload, WorkRequest};

use super::{
    addressee::Addressee,
    fabric::{MEMORY_BYTES, State},
    regions::lacks_right,
};
use crate::{
    host::{Arriving, Conditions, Costs},
    queue_pair::Stage,
    stations::Verb,
    time::{Moment, Span},
};

/// What can happen next.
#[derive(Clone, Copy, Debug)]
enum Event {
    /// Something to the queue pair of a slot.
    QueuePair(usize),
    /// Something to the message that is next.
    Message,
}

impl State {
    /// Has virtual time go on, for a thread that has nothing to take now: to the next event, which
    /// is executed, or to when any thread has a completion in its hands.
    ///
    /// A thread that has one now is given the chance to take it first: at each moment every other
    /// thread lets it pass once. So threads that are polled in turn act on completions in time, and
    /// one that is never polled holds nobody up.
    pub(super) fn go_on(&mut self, endpoint: usize) {
        let now = self.now;
        if self.takes.first().is_some_and(|(_, moment)| moment <= now)
            && self.driver_mut(endpoint).waited_at.replace(now) != Some(now)
        {
            return;
        }
        while let Some((late, _)) = self.takes.first().filter(|(_, moment)| *moment <= now) {
            self.takes.set(late, Moment::NEVER);
        }
        let take = self.takes.first().map(|(_, moment)| moment);
        match (take, self.next_event()) {
            (Some(take), event) if event.is_none_or(|(event, _)| take <= event) => self.now = take,
            (_, Some((moment, Event::QueuePair(slot)))) => self.step(slot, moment),
            (_, Some((moment, Event::Message))) => self.step_message(moment),
            (_, None) => {}
        }
    }

    /// What happens next, and when; of equal moments what was sent before.
    fn next_event(&self) -> Option<(Moment, Event)> {
        let message = self.messages.next().map(|at| (at, Event::Message));
        let queue_pair = self.next.first().map(|(slot, at)| (at, Event::QueuePair(slot)));
        message.into_iter().chain(queue_pair).min_by_key(|(at, _)| *at)
    }

    /// When the thread has its next completion in its hands.
    pub(super) fn takes_next(&self, endpoint: usize) -> Option<Moment> {
        let driver = self.endpoints[endpoint].as_ref()?;
        let visible = driver.completions.front()?.visible;
        Some(visible.max(driver.thread.free_at()) + driver.costs.poll)
    }

    /// Notes when that is.
    pub(super) fn plan_take(&mut self, endpoint: usize) {
        self.takes.set(endpoint, self.takes_next(endpoint).unwrap_or(Moment::NEVER));
    }

    /// Executes what happens to a queue pair at a moment.
    fn step(&mut self, slot: usize, moment: Moment) {
        // What waited behind something else may have been due already.
        self.now = self.now.max(moment);
        match self.queue_pair(slot).ring.stage_at(moment) {
            Stage::Issue => self.issue(slot),
            Stage::Arrive => self.arrive(slot),
            Stage::Reply => self.reply(slot),
            Stage::Complete => self.complete(slot),
            Stage::Ask => unreachable!("no queue pair of a fabric asks for requests"),
        }
        self.plan(slot);
    }

    /// Tells the tournament when the queue pair acts next.
    pub(super) fn plan(&mut self, slot: usize) {
        let next = self.queue_pair(slot).ring.next();
        self.next.set(slot, next);
    }

    /// The requester's card starts with a request.
    fn issue(&mut self, slot: usize) {
        let (now, one_way) = (self.now, self.one_way);
        let queue_pair = self.queue_pair_mut(slot);
        let request = queue_pair.ring.starts();
        let (host, asked) = (queue_pair.host, request.carried.request);
        if !queue_pair.service.is_reliable() {
            return self.send(slot, &asked);
        }
        if self.is_local_wrong(host, &asked) {
            let ring = &mut self.queue_pair_mut(slot).ring;
            ring.issuing_mut().status = CompletionStatus::LocalProtectionError;
            ring.issued(now, Span::ZERO);
            return;
        }
        let costs = self.costs(slot, &self.addressee_of(slot, &asked), &asked);
        let flow = self.hosts[host].requester.send(now, &costs).after(one_way);
        let ring = &mut self.queue_pair_mut(slot).ring;
        ring.issuing_mut().costs = costs;
        ring.issued(flow.first, flow.last.since(flow.first));
    }

    /// What a request of a queue pair to another one costs.
    pub(super) fn costs(&self, slot: usize, to: &Addressee, asked: &WorkRequest) -> Costs {
        let bytes = asked.local.length;
        let queue_pair = self.queue_pair(slot);
        let (own, peer) = (&self.hosts[queue_pair.host], &self.hosts[to.host]);
        let conditions = Conditions {
            service: queue_pair.service,
            region: peer.conditions.memory,
            client: own.conditions.memory,
            host_load: peer.conditions.load,
            mtu_bytes: to.mtu_bytes,
            inline_bytes: if asked.payload == Payload::Inline { bytes } else { 0 },
            region_bytes: MEMORY_BYTES,
            is_link_shared: self.hosts.len() > 2,
            requester_queue_pairs: own.queue_pairs as f64,
            responder_queue_pairs: peer.queue_pairs as f64,
            in_flight: own.in_flight as f64,
        };
        Costs::new(&self.parameters, &conditions, Verb::from(asked.opcode), bytes)
    }

    /// The responder's card has a request.
    fn arrive(&mut self, slot: usize) {
        let now = self.now;
        let ring = &self.queue_pair(slot).ring;
        let (request, spread) = (ring.arriving(), ring.arriving_spread());
        let asked = request.carried;
        let peer = self.peer(slot).filter(|_| asked.status == CompletionStatus::Success);
        let Some(peer) = peer else {
            // Nobody answers: what follows from that is said when the answer should be there.
            return self.queue_pair_mut(slot).ring.arrived(now);
        };
        let place = self.remote_place(peer, &asked.request);
        let host = self.queue_pair(peer).host;
        let responder = &mut self.hosts[host].responder;
        let (verb, bytes) = (request.verb(), asked.request.local.length);
        let (at, status) = match place {
            Ok(offset) => {
                let arriving = Arriving { verb, spread, offset, bytes };
                (responder.take(now, arriving, &asked.costs), CompletionStatus::Success)
            }
            Err(status) => (responder.decide(now, &asked.costs), status),
        };
        let ring = &mut self.queue_pair_mut(slot).ring;
        ring.arriving_mut().status = status;
        ring.arrived(at);
    }

    /// Whether a request names local memory that it may not.
    pub(super) fn is_local_wrong(&self, host: usize, request: &WorkRequest) -> bool {
        let inline = request.payload == Payload::Inline;
        let unused = inline || request.local.length == 0;
        !unused && self.regions.local(host, request.local).is_none()
    }

    /// Where in the peer's memory a request goes, or why the peer refuses it.
    pub(super) fn remote_place(
        &self,
        peer: usize,
        request: &WorkRequest,
    ) -> Result<u64, CompletionStatus> {
        let WorkRequest { opcode, local, remote, .. } = *request;
        let host = self.queue_pair(peer).host;
        if lacks_right(self.queue_pair(peer).access, opcode) {
            return Err(CompletionStatus::RemoteInvalidRequest);
        }
        if local.length == 0 {
            return Ok(0);
        }
        if let Opcode::Send { .. } | Opcode::Datagram { .. } = opcode {
            // Whether there is a receive request, and one that takes it, is seen when it is executed.
            let buffer = self.receives(peer).buffer();
            let found = buffer.and_then(|buffer| self.regions.local_place(host, buffer));
            let header = u64::from(self.queue_pair(peer).header());
            return Ok(found.map_or(0, |(_, place)| place + header));
        }
        let found = self.regions.remote(host, remote, local.length, opcode);
        found.map(|(_, place)| place).ok_or(CompletionStatus::RemoteAccessError)
    }
}
