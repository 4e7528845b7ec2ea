//! Requests of unreliable services: once they have left the card, nobody there asks what becomes of them.
//!
//! ```text
//!   card -> link -> completion           at the requester: sent, and its memory free
//!             '~~> card -> PCI Express    at the responder: taken, or dropped in silence
//! ```

use std::{cmp::Reverse, collections::BinaryHeap, num::NonZeroU32};

use onesided_transport::{CompletionStatus, Payload, Service, WorkRequest};

use super::{addressee::Addressee, fabric::State, memory, queue_pair::Phase};
use crate::{
    host::{Arriving, Costs},
    stations::Verb,
    time::{Moment, Span},
};

/// What was sent and is not in memory yet. It outlives the queue pair that has sent it.
#[derive(Debug)]
struct Message {
    /// The number of the queue pair that has sent it.
    from: u32,
    service: Service,
    to: Addressee,
    request: WorkRequest,
    /// As they were when the card started with it.
    bytes: Vec<u8>,
    costs: Costs,
    /// How long after its first packet the last one arrives.
    spread: Span,
    stage: Stage,
}

/// What happens to a message next.
#[derive(Clone, Copy, Debug)]
enum Stage {
    /// The responder's card has it.
    Arrive,
    /// The responder's memory has it.
    Land,
}

/// Messages under way. Places are used again, with the room for bytes that they have.
#[derive(Debug, Default)]
pub(super) struct Messages {
    /// When something happens to the message of a place; of equal moments in the order of queueing.
    queue: BinaryHeap<Reverse<(Moment, u64, usize)>>,
    queued: u64,
    places: Vec<Message>,
    free: Vec<usize>,
}

impl Messages {
    /// When something happens next.
    pub(super) fn next(&self) -> Option<Moment> {
        self.queue.peek().map(|Reverse((at, _, _))| *at)
    }

    /// Room for bytes, of a message that is over where there is one.
    fn room(&mut self) -> Vec<u8> {
        let free = self.free.last().map(|place| &mut self.places[*place].bytes);
        free.map(std::mem::take).unwrap_or_default()
    }

    /// Adds a message to which something happens at `at`.
    fn add(&mut self, at: Moment, message: Message) {
        let place = match self.free.pop() {
            Some(place) => {
                self.places[place] = message;
                place
            }
            None => {
                self.places.push(message);
                self.places.len() - 1
            }
        };
        self.queue_at(at, place);
    }

    fn queue_at(&mut self, at: Moment, place: usize) {
        self.queue.push(Reverse((at, self.queued, place)));
        self.queued += 1;
    }
}

impl State {
    /// The requester's card sends the request that it has started with, and is done with it when the link has
    /// all of it: nothing comes back.
    pub(super) fn send(&mut self, slot: usize, request: &WorkRequest) {
        let now = self.now;
        let host = self.queue_pair(slot).host;
        if self.is_local_wrong(host, request) {
            let queue_pair = self.queue_pair_mut(slot);
            queue_pair.ring.issuing_mut().status = CompletionStatus::LocalProtectionError;
            queue_pair.ring.ended(now, now);
            queue_pair.ring.abandon();
            queue_pair.phase = Phase::Failing;
            return;
        }
        let to = self.addressee_of(slot, request);
        let costs = self.costs(slot, &to, request);
        let bytes = self.taken(slot, request);
        let sent = self.hosts[host].requester.send(now, &costs);
        let completion = self.completion;
        let queue_pair = self.queue_pair_mut(slot);
        queue_pair.ring.ended(sent.last, sent.last + completion);
        let (from, service) = (queue_pair.number, queue_pair.service);
        let (request, spread, stage) = (*request, sent.last.since(sent.first), Stage::Arrive);
        let message = Message { from, service, to, request, bytes, costs, spread, stage };
        self.messages.add(sent.first + self.one_way, message);
    }

    /// The bytes of the request that the card has started with, as they are now.
    fn taken(&mut self, slot: usize, request: &WorkRequest) -> Vec<u8> {
        let length = request.local.length as usize;
        let mut bytes = self.messages.room();
        bytes.resize(length, 0);
        let queue_pair = self.queue_pair(slot);
        if length == 0 {
            return bytes;
        }
        if request.payload == Payload::Inline {
            let place = queue_pair.ring.issuing_place();
            bytes.copy_from_slice(queue_pair.inline(place, length));
        } else {
            let here = self.regions.local(queue_pair.host, request.local);
            memory::take(here.expect("the local segment was looked at"), &mut bytes);
        }
        bytes
    }

    /// Executes what happens to a message at a moment, the next of all.
    pub(super) fn step_message(&mut self, moment: Moment) {
        // What waited behind something else may have been due already.
        self.now = self.now.max(moment);
        let Some(Reverse((_, _, place))) = self.messages.queue.pop() else { return };
        match self.messages.places[place].stage {
            Stage::Arrive => self.message_arrives(place),
            Stage::Land => {
                self.message_lands(place);
                self.messages.free.push(place);
            }
        }
    }

    /// The responder's card has a message: it goes on to memory, or is dropped.
    fn message_arrives(&mut self, place: usize) {
        let now = self.now;
        let message = &self.messages.places[place];
        let Message { request, costs, spread, .. } = *message;
        let Some(&peer) = self.slots.get(&message.to.number) else {
            return self.messages.free.push(place);
        };
        let (offset, host) = (self.place_of(peer, message), self.queue_pair(peer).host);
        let responder = &mut self.hosts[host].responder;
        let Some(offset) = offset else {
            responder.decide(now, &costs);
            return self.messages.free.push(place);
        };
        let bytes = request.local.length;
        let at = responder.take(now, Arriving { verb: Verb::Write, spread, offset, bytes }, &costs);
        let peer = self.queue_pair_mut(peer);
        peer.landed_at = peer.landed_at.max(at);
        let landed_at = peer.landed_at;
        self.messages.places[place].stage = Stage::Land;
        self.messages.queue_at(landed_at, place);
    }

    /// The responder's memory has a message, unless it is dropped: what it was for may have gone meanwhile,
    /// and which receive request it gets is only seen now.
    fn message_lands(&mut self, place: usize) {
        let message = &self.messages.places[place];
        let Message { request, from, service, .. } = *message;
        let is_datagram = service == Service::UnreliableDatagram;
        let source = NonZeroU32::new(from).filter(|_| is_datagram);
        let Some(&peer) = self.slots.get(&message.to.number) else { return };
        let is_taken =
            self.place_of(peer, message).is_some() && self.receivable(peer, &request).is_ok();
        if !is_taken {
            return;
        }
        if request.local.length > 0 {
            memory::put(&message.bytes, self.memory_there(peer, &request));
        }
        self.deliver(peer, &request, source);
    }

    /// Where in memory a message goes for a queue pair, as far as a card knows when it has it; none where it
    /// is dropped.
    fn place_of(&self, peer: usize, message: &Message) -> Option<u64> {
        let target = self.queue_pair(peer);
        let is_admitted = match target.phase {
            Phase::Connected(wiring) => wiring.peer.number == message.from,
            Phase::Open => target.datagram_key == message.to.datagram_key,
            Phase::Initialized | Phase::Failing | Phase::Error => false,
        };
        let runs_dry = message.request.opcode.consumes_receive() && self.receives(peer).is_empty();
        if target.service != message.service || !is_admitted || runs_dry {
            return None;
        }
        self.remote_place(peer, &message.request).ok()
    }
}
