//! Where requests go: the peer of a connection, or the queue pair of a datagram.

use onesided_transport::{Opcode, PathMtu, WorkRequest};

use super::{
    fabric::State,
    queue_pair::{Phase, SimQueuePair, Wiring},
};

/// A queue pair that requests go to.
#[derive(Clone, Copy, Debug)]
pub(super) struct Addressee {
    pub(super) number: u32,
    pub(super) host: usize,
    /// What a datagram to it carries; 0 of connections.
    pub(super) datagram_key: u32,
    pub(super) mtu_bytes: u32,
}

impl State {
    /// The queue pair of a number, as the queue pair `slot` reaches it.
    pub(super) fn addressee(
        &self,
        slot: usize,
        (number, datagram_key): (u32, u32),
        path_mtu: PathMtu,
    ) -> Addressee {
        // Where there is no such queue pair nobody answers, wherever it is asked.
        let there = self.slots.get(&number).copied().unwrap_or(slot);
        let host = self.queue_pair(there).host;
        Addressee { number, host, datagram_key, mtu_bytes: path_mtu.bytes() }
    }

    /// Where a request of a queue pair that sends goes.
    pub(super) fn addressee_of(&self, slot: usize, request: &WorkRequest) -> Addressee {
        match request.opcode {
            Opcode::Datagram { destination, .. } => {
                let endpoint = self.queue_pair(slot).endpoint;
                let known = &self.driver(endpoint).destinations;
                *known.find(destination).expect("a post refuses every other one")
            }
            _ => self.wiring(slot).expect("only connected queue pairs send without one").peer,
        }
    }

    /// Whether the endpoint of a queue pair has given out where a request goes, if that is a destination.
    pub(super) fn knows_destination(&self, slot: usize, request: &WorkRequest) -> bool {
        let Opcode::Datagram { destination, .. } = request.opcode else { return true };
        self.driver(self.queue_pair(slot).endpoint).destinations.find(destination).is_some()
    }

    /// What a queue pair goes by, as long as it is connected.
    pub(super) fn wiring(&self, slot: usize) -> Option<Wiring> {
        match self.queue_pair(slot).phase {
            Phase::Connected(wiring) => Some(wiring),
            Phase::Initialized | Phase::Open | Phase::Failing | Phase::Error => None,
        }
    }

    /// The slot of the peer of a connection, where it answers.
    pub(super) fn peer(&self, slot: usize) -> Option<usize> {
        let SimQueuePair { number, service, .. } = *self.queue_pair(slot);
        let peer = *self.slots.get(&self.wiring(slot)?.peer.number)?;
        let is_same = self.queue_pair(peer).service == service;
        (is_same && self.wiring(peer)?.peer.number == number).then_some(peer)
    }
}
