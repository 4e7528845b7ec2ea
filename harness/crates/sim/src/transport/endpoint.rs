//! Set-up of the queue pairs of one thread.

use std::{collections::VecDeque, io, sync::Arc};

use onesided_transport::{
    ConnectError, ConnectionAttributes, EndpointAddress, EndpointAttributes, QueuePairAddress,
    QueuePairState, ReceiveQueues,
};

use super::{
    fabric::{Driver, SimFabric, State},
    limits,
    queue_pair::{Phase, SimQueuePair, Wiring},
    receives::ReceiveQueue,
};
use crate::{host::ThreadCosts, stations::Server, time::Moment};

/// Numbers of queue pairs have 24 bits.
const NUMBERS: u32 = 1 << 24;

/// Queue pairs of one thread of a host.
#[derive(Debug)]
pub struct SimEndpoint {
    pub(super) fabric: Arc<SimFabric>,
    pub(super) endpoint: usize,
    pub(super) slots: Vec<usize>,
    pub(super) numbers: Vec<u32>,
}

impl SimEndpoint {
    /// Of what a fabric has made.
    pub(super) fn new(
        fabric: &Arc<SimFabric>,
        endpoint: usize,
        slots: Vec<usize>,
        numbers: Vec<u32>,
    ) -> Self {
        Self { fabric: Arc::clone(fabric), endpoint, slots, numbers }
    }

    pub(super) fn own_address(&self) -> EndpointAddress {
        let address = |&number| QueuePairAddress { number, packet_sequence_number: 0 };
        let queue_pairs = self.numbers.iter().map(address).collect();
        let state = self.fabric.state();
        let host = self.slots.first().map_or(0, |slot| state.queue_pair(*slot).host);
        let local_identifier = u16::try_from(host).unwrap_or(u16::MAX);
        EndpointAddress { local_identifier, gid: None, queue_pairs, datagram_key: 0 }
    }

    pub(super) fn connect_to(
        &mut self,
        peer: &EndpointAddress,
        attributes: &ConnectionAttributes,
    ) -> Result<(), ConnectError> {
        let (own, peers) = (self.slots.len(), peer.queue_pairs.len());
        if own != peers {
            return Err(ConnectError::CountDiffers { own, peer: peers });
        }
        let mut state = self.fabric.state();
        for (index, (slot, peer)) in self.slots.iter().zip(&peer.queue_pairs).enumerate() {
            let connected = !matches!(state.queue_pair(*slot).phase, Phase::Initialized);
            let connected = connected.then(|| "it was connected before".to_owned());
            if let Some(broken_rule) = limits::broken_rule(attributes).or(connected) {
                let to = QueuePairState::ReadyToReceive;
                let source = io::Error::from(io::ErrorKind::InvalidInput);
                return Err(ConnectError::Transition {
                    queue_pair: index,
                    to,
                    broken_rule,
                    source,
                });
            }
            state.connect(*slot, peer.number, attributes);
        }
        Ok(())
    }
}

impl Drop for SimEndpoint {
    fn drop(&mut self) {
        self.fabric.state().remove_endpoint(self.endpoint, &self.slots);
    }
}

/// The first free place of a list, which grows by one where there is none.
fn free_place<T>(list: &mut Vec<Option<T>>) -> usize {
    let free = list.iter().position(Option::is_none);
    free.unwrap_or_else(|| {
        list.push(None);
        list.len() - 1
    })
}

impl State {
    /// Adds a thread of a host with its queue pairs: its place, and their slots and numbers.
    pub(super) fn add_endpoint(
        &mut self,
        host: usize,
        attributes: &EndpointAttributes,
    ) -> (usize, Vec<usize>, Vec<u32>) {
        let endpoint = free_place(&mut self.endpoints);
        let EndpointAttributes {
            send_queue_depth, receive_queue_depth: depth, queue_pairs, ..
        } = *attributes;
        let is_shared = attributes.receive_queues == ReceiveQueues::Shared;
        let receive_queues = if is_shared { 1 } else { queue_pairs };
        let entries = queue_pairs * send_queue_depth as usize + receive_queues * depth as usize;
        let completions = VecDeque::with_capacity(entries);
        let thread = Server::default();
        let costs = ThreadCosts::new(&self.parameters, self.hosts[host].conditions.memory);
        self.endpoints[endpoint] = Some(Driver { thread, costs, completions, waited_at: None });
        self.takes.grow(self.endpoints.len());
        let (mut slots, mut numbers) = (Vec::new(), Vec::new());
        let mut receives = None;
        for _ in 0..queue_pairs {
            let slot = free_place(&mut self.queue_pairs);
            let number = self.new_number();
            let place = receives.filter(|_| is_shared).unwrap_or_else(|| {
                let place = free_place(&mut self.receive_queues);
                self.receive_queues[place] = Some(ReceiveQueue::new(depth, is_shared));
                place
            });
            receives = Some(place);
            let queue_pair = SimQueuePair::new(number, host, (endpoint, place), attributes);
            self.queue_pairs[slot] = Some(queue_pair);
            self.slots.insert(number, slot);
            slots.push(slot);
            numbers.push(number);
        }
        self.next.grow(self.queue_pairs.len());
        self.hosts[host].queue_pairs += attributes.queue_pairs;
        (endpoint, slots, numbers)
    }

    fn new_number(&mut self) -> u32 {
        loop {
            self.numbers = self.numbers % (NUMBERS - 1) + 1;
            if !self.slots.contains_key(&self.numbers) {
                return self.numbers;
            }
        }
    }

    fn connect(&mut self, slot: usize, peer: u32, attributes: &ConnectionAttributes) {
        // Where there is no such peer nobody answers, wherever it is asked.
        let there = self.slots.get(&peer).copied().unwrap_or(slot);
        let peer_host = self.queue_pair(there).host;
        let wiring = Wiring::new(peer, peer_host, attributes);
        self.queue_pair_mut(slot).connect(wiring, attributes.max_rd_atomic);
    }

    /// Ends a thread and its queue pairs; what they have under way happens no more.
    fn remove_endpoint(&mut self, endpoint: usize, slots: &[usize]) {
        self.endpoints[endpoint] = None;
        self.takes.set(endpoint, Moment::NEVER);
        for slot in slots {
            self.next.set(*slot, Moment::NEVER);
            let gone = self.queue_pairs[*slot].take().expect("only its endpoint removes it");
            self.slots.remove(&gone.number);
            self.receive_queues[gone.receives] = None;
            let host = &mut self.hosts[gone.host];
            host.queue_pairs -= 1;
            host.in_flight -= gone.ring.outstanding() as usize;
        }
    }
}
