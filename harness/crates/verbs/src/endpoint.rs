//! The queue pairs of one thread: made, connected, and handed to the data path.

use std::{
    hash::{BuildHasher, Hasher, RandomState},
    sync::Arc,
};

use onesided_transport::{
    ConnectError, ConnectionAttributes, CreateEndpointError, Destination, DeviceDescription,
    Endpoint, EndpointAddress, EndpointAttributes, GidEntry, PollError, PostError,
    QueuePairAddress, ReceiveRequest, Service, WorkCompletion, WorkRequest, draw_datagram_key,
};

use crate::{
    connection::connect,
    context::ProtectionDomain,
    data_path::{DataPath, Handles, Rules},
    datagrams::AddressHandle,
    queue::QueuePair,
    rules::Connection,
    wiring::{Wiring, refused},
};

/// Queue pairs with their completion queue or queues. They are in `INIT` from the start, so that
/// receive requests can be posted before the peer is known.
pub struct VerbsEndpoint {
    // Uses handles of what follows, and has nothing to drop that needs them.
    data_path: DataPath,
    queue_pairs: Vec<QueuePair>,
    /// Where datagrams go: one of each peer. After the queue pairs, whose requests may name them.
    ways: Vec<AddressHandle>,
    service: Service,
    datagram_key: u32,
    numbers: Vec<u32>,
    packet_sequence_numbers: Vec<u32>,
    protection_domain: Arc<ProtectionDomain>,
    description: Arc<DeviceDescription>,
}

// SAFETY: the handles and arrays of the data path belong to this endpoint alone, and verbs take
// handles from any thread.
unsafe impl Send for VerbsEndpoint {}

impl VerbsEndpoint {
    pub(crate) fn create(
        protection_domain: &Arc<ProtectionDomain>,
        description: &Arc<DeviceDescription>,
        attributes: &EndpointAttributes,
    ) -> Result<Self, CreateEndpointError> {
        let DeviceDescription { limits, port, .. } = description.as_ref();
        let service = attributes.service;
        let is_of_datagrams = service == Service::UnreliableDatagram;
        let datagram_key = draw_datagram_key(service);
        let Wiring { queue_pairs, completion_queues, shared_receives } =
            Wiring::create(protection_domain, limits, *port, (attributes, datagram_key))?;
        let packet_sequence_numbers: Vec<_> =
            queue_pairs.iter().map(|_| packet_sequence_number()).collect();
        let mut data_path = DataPath::new(
            Handles {
                queue_pairs: queue_pairs.iter().map(QueuePair::as_ptr).collect(),
                completion_queues: completion_queues.iter().map(|queue| queue.as_ptr()).collect(),
                shared_receives: shared_receives.map(|queue| queue.as_ptr()),
            },
            attributes.send_queue_depth,
            Rules { service, longest_datagram: description.active_mtu.bytes() },
        );
        if is_of_datagrams {
            let count = queue_pairs.len();
            let numbered = queue_pairs.iter().zip(&packet_sequence_numbers);
            for (index, (queue_pair, &number)) in numbered.enumerate() {
                queue_pair.open(number).map_err(refused("queue pair", index, count))?;
            }
            data_path.open();
        }
        Ok(Self {
            data_path,
            ways: Vec::new(),
            protection_domain: Arc::clone(protection_domain),
            numbers: queue_pairs.iter().map(QueuePair::number).collect(),
            packet_sequence_numbers,
            queue_pairs,
            service,
            datagram_key,
            description: Arc::clone(description),
        })
    }
}

impl Endpoint for VerbsEndpoint {
    fn queue_pair_numbers(&self) -> &[u32] {
        &self.numbers
    }

    fn address(&self, gid: Option<GidEntry>) -> EndpointAddress {
        let numbers = self.numbers.iter().zip(&self.packet_sequence_numbers);
        EndpointAddress {
            local_identifier: self.description.local_identifier,
            gid: gid.map(|entry| entry.gid),
            datagram_key: self.datagram_key,
            queue_pairs: numbers
                .map(|(&number, &packet_sequence_number)| QueuePairAddress {
                    number,
                    packet_sequence_number,
                })
                .collect(),
        }
    }

    fn connect(
        &mut self,
        peer: &EndpointAddress,
        attributes: &ConnectionAttributes,
    ) -> Result<(), ConnectError> {
        ConnectError::unless_connected(self.service)?;
        let connection = Connection { own: &self.description, peer, attributes };
        connect(&self.queue_pairs, self.service, &self.packet_sequence_numbers, &connection)?;
        self.data_path.open();
        Ok(())
    }

    fn destinations(
        &mut self,
        peer: &EndpointAddress,
        attributes: &ConnectionAttributes,
    ) -> Result<Vec<Destination>, ConnectError> {
        ConnectError::unless_of_datagrams(self.service)?;
        let connection = Connection { own: &self.description, peer, attributes };
        let way = AddressHandle::create(&self.protection_domain, &connection)?;
        let to = |there: &QueuePairAddress| way.target(there.number, peer.datagram_key);
        let targets = self.data_path.add_destinations(peer.queue_pairs.iter().map(to));
        self.ways.push(way);
        Ok(targets)
    }

    // A call would cost as much as filling in a request.
    #[inline(always)]
    unsafe fn post(
        &mut self,
        queue_pair: usize,
        requests: &[WorkRequest],
    ) -> Result<(), PostError> {
        // SAFETY: the handles are those of the queue pairs here; the rest the caller promised.
        unsafe { self.data_path.post(queue_pair, requests) }
    }

    #[inline]
    unsafe fn post_receives(
        &mut self,
        queue_pair: usize,
        requests: &[ReceiveRequest],
    ) -> Result<(), PostError> {
        // SAFETY: as in `post`.
        unsafe { self.data_path.post_receives(queue_pair, requests) }
    }

    #[inline]
    fn poll(&mut self, completions: &mut [WorkCompletion]) -> Result<usize, PollError> {
        self.data_path.poll(completions)
    }
}

/// A first packet sequence number. It is a random one, so that packets of an earlier connection
/// with the same queue pair number are not taken for this one's (IB spec vol. 1, 9.7.1).
fn packet_sequence_number() -> u32 {
    // The standard library's hasher is keyed at random, which is all that is needed here.
    (RandomState::new().build_hasher().finish() & 0xff_ffff) as u32
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn packet_sequence_numbers_have_24_bits_and_differ() {
        let numbers: std::collections::BTreeSet<_> =
            (0..64).map(|_| packet_sequence_number()).collect();
        assert!(numbers.iter().all(|&number| number < 1 << 24));
        assert!(numbers.len() > 60, "{numbers:?}");
    }
}
