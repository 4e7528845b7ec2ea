//! Set-up of the queue pairs of one thread.

use std::{collections::VecDeque, io, sync::Arc};

use onesided_transport::{
    ConnectError, ConnectionAttributes, Destination, Destinations, EndpointAddress,
    EndpointAttributes, QueuePairAddress, QueuePairState, ReceiveQueues, Service,
};

use super::{
    fabric::{Driver, SimFabric, State},
    limits::{self, ACTIVE_MTU},
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
    pub(super) service: Service,
    pub(super) endpoint: usize,
    pub(super) slots: Vec<usize>,
    pub(super) numbers: Vec<u32>,
}

impl SimEndpoint {
    /// Of what a fabric has made.
    pub(super) fn new(
        fabric: &Arc<SimFabric>,
        service: Service,
        endpoint: usize,
        (slots, numbers): (Vec<usize>, Vec<u32>),
    ) -> Self {
        Self { fabric: Arc::clone(fabric), service, endpoint, slots, numbers }
    }

    pub(super) fn own_address(&self) -> EndpointAddress {
        let address = |&number| QueuePairAddress { number, packet_sequence_number: 0 };
        let queue_pairs = self.numbers.iter().map(address).collect();
        let state = self.fabric.state();
        let first = self.slots.first().map(|slot| state.queue_pair(*slot));
        let host = first.map_or(0, |first| first.host);
        let datagram_key = first.map_or(0, |first| first.datagram_key);
        let local_identifier = u16::try_from(host).unwrap_or(u16::MAX);
        EndpointAddress { local_identifier, gid: None, queue_pairs, datagram_key }
    }

    pub(super) fn connect_to(
        &mut self,
        peer: &EndpointAddress,
        attributes: &ConnectionAttributes,
    ) -> Result<(), ConnectError> {
        ConnectError::unless_connected(self.service)?;
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

    pub(super) fn add_destinations(
        &mut self,
        peer: &EndpointAddress,
    ) -> Result<Vec<Destination>, ConnectError> {
        ConnectError::unless_of_datagrams(self.service)?;
        let mut state = self.fabric.state();
        let Some(&slot) = self.slots.first() else { return Ok(Vec::new()) };
        let addressee = |address: &QueuePairAddress| {
            state.addressee(slot, (address.number, peer.datagram_key), ACTIVE_MTU)
        };
        let addressees: Vec<_> = peer.queue_pairs.iter().map(addressee).collect();
        Ok(state.driver_mut(self.endpoint).destinations.add(addressees))
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
        let (waited_at, destinations) = (None, Destinations::of_new_endpoint());
        self.endpoints[endpoint] =
            Some(Driver { thread, costs, completions, waited_at, destinations });
        self.takes.grow(self.endpoints.len());
        let (mut slots, mut numbers) = (Vec::new(), Vec::new());
        let datagram_key = self.draw_datagram_key(attributes.service);
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
            let queue_pair =
                SimQueuePair::new((number, datagram_key), host, (endpoint, place), attributes);
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

    /// A key for the datagrams of a new endpoint; 0 of connections. Its highest bit is for who has
    /// privileges (IB spec vol. 1, 10.2.5).
    fn draw_datagram_key(&mut self, service: Service) -> u32 {
        match service {
            Service::UnreliableDatagram => (self.keys.next_bits() & 0x7fff_ffff) as u32,
            Service::ReliableConnection | Service::UnreliableConnection => 0,
        }
    }

    fn connect(&mut self, slot: usize, peer: u32, attributes: &ConnectionAttributes) {
        let peer = self.addressee(slot, (peer, 0), attributes.path_mtu);
        let phase = Phase::Connected(Wiring::new(peer, attributes));
        self.queue_pair_mut(slot).begin(phase, attributes.max_rd_atomic);
    }

    /// Ends a thread and its queue pairs; what they have under way happens no more, but for messages of
    /// unreliable services that have left the card.
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
