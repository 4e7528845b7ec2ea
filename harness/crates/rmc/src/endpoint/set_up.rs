//! A thread's queue pairs: what is set up, and given back.

use std::{collections::VecDeque, io, sync::Arc, time::Duration};

use onesided_transport::{
    CompletionQueues, ConnectError, ConnectionAttributes, CreateEndpointError, Destination,
    Destinations, EndpointAddress, EndpointAttributes, QueuePairAddress, QueuePairState,
    ReceiveQueues, Service, draw_datagram_key,
};

use super::{
    channel::Channel,
    idle::{Idle, SHORTEST_PATIENCE},
    in_flight::InFlight,
    send_queue::SendQueue,
    sink::CompletionQueues as Kept,
};
use crate::{
    fabric::INSTANCE_MASK,
    limits,
    node::Node,
    queue_pairs::Target,
    receives::{OwnReceives, PartOfShared, Receives, SharedReceives},
    serving::Serving,
};

/// Queue pairs of one thread on a node.
#[repr(align(128))]
pub struct RmcEndpoint {
    pub(crate) node: Arc<Node>,
    pub(super) numbers: Vec<u32>,
    pub(super) targets: Vec<Arc<Target>>,
    /// Before `in_flight` is dropped nothing must be executed any more: first.
    pub(crate) channel: Option<Channel>,
    /// Numbers of the peer's queue pairs.
    pub(super) peers: Vec<u32>,
    pub(super) service: Service,
    pub(super) datagram_key: u32,
    /// Of datagrams: numbers of the queue pairs that they go to, and their keys.
    pub(super) destinations: Destinations<(u32, u32)>,
    /// The node that they are of, and its opening.
    destination_node: Option<(u16, u32)>,
    pub(super) queues: Vec<SendQueue>,
    pub(super) in_flight: InFlight,
    /// Queue pairs that have something to send, longest waiting first.
    pub(super) ready: VecDeque<u32>,
    /// Completions that were not polled as they arrived.
    pub(super) completions: Kept,
    pub(super) has_receives: bool,
    /// The receive queue of all queue pairs, where they share one.
    pub(super) shared: Option<Arc<SharedReceives>>,
    pub(super) max_rd_atomic: u32,
    pub(super) rnr_retry: u8,
    /// Queue pairs that wait before they send again.
    pub(super) backing_off: usize,
    pub(super) idle: Idle,
    /// Time without any answer after which the peer is taken for lost.
    pub(super) patience: Duration,
    pub(super) lost: bool,
    /// Whether its polls execute what others ask of the node.
    pub(super) serves: bool,
}

impl RmcEndpoint {
    /// Makes queue pairs on a node.
    pub(crate) fn new(
        node: &Arc<Node>,
        attributes: &EndpointAttributes,
    ) -> Result<Self, CreateEndpointError> {
        attributes.check(&limits::LIMITS, 0, limits::INLINE_BYTES)?;
        let EndpointAttributes { service, queue_pairs: count, send_queue_depth, .. } = *attributes;
        let receives = attributes.receive_queue_depth as usize;
        let shared = match attributes.receive_queues {
            ReceiveQueues::PerQueuePair => None,
            ReceiveQueues::Shared => Some(Arc::new(SharedReceives::new(receives))),
        };
        let (queues, each) = match attributes.completion_queues {
            CompletionQueues::PerThread => (1, count * send_queue_depth as usize),
            CompletionQueues::PerQueuePair => (count, send_queue_depth as usize),
        };
        let mut endpoint = Self {
            node: Arc::clone(node),
            numbers: Vec::with_capacity(count),
            targets: Vec::with_capacity(count),
            channel: None,
            // Of datagrams each request says where it goes.
            peers: vec![0; if service == Service::UnreliableDatagram { count } else { 0 }],
            service,
            datagram_key: draw_datagram_key(service),
            destinations: Destinations::of_new_endpoint(),
            destination_node: None,
            queues: Vec::with_capacity(count),
            in_flight: InFlight::new(),
            ready: VecDeque::with_capacity(count),
            completions: Kept::new(queues, each),
            has_receives: receives > 0,
            shared,
            max_rd_atomic: 1,
            rnr_retry: 0,
            backing_off: 0,
            idle: Idle::default(),
            patience: SHORTEST_PATIENCE,
            lost: false,
            serves: node.local.serving == Serving::Polls,
        };
        for index in 0..count {
            let receives = match &endpoint.shared {
                None => Receives::Own(OwnReceives::new(receives)),
                Some(queue) => Receives::Shared(PartOfShared::new(queue, index as u32)),
            };
            let target =
                Arc::new(Target::new(service, endpoint.datagram_key, attributes.access, receives));
            // What was made before is given back by the drop of the endpoint.
            let number = node.local.queue_pairs.add(&target).ok_or_else(|| {
                let source = io::Error::other("the node has no more numbers");
                CreateEndpointError::Refused { what: "queue pair", index, count, source }
            })?;
            endpoint.numbers.push(number);
            endpoint.targets.push(target);
            let losing = node.local.losses.of_queue_pair().filter(|_| !service.is_reliable());
            let inline_bytes = attributes.inline_bytes;
            endpoint.queues.push(SendQueue::new(send_queue_depth, inline_bytes, losing));
        }
        Ok(endpoint)
    }

    pub(crate) fn numbers(&self) -> &[u32] {
        &self.numbers
    }

    /// The node stands for the local identifier; its opening, which tells it from an earlier or
    /// another fabric's node of that number, for the packet sequence number, which there is none.
    pub(crate) fn own_address(&self) -> EndpointAddress {
        let own = &self.node.local.own;
        let packet_sequence_number = own.instance() as u32 & INSTANCE_MASK;
        let address = |&number: &u32| QueuePairAddress { number, packet_sequence_number };
        let queue_pairs = self.numbers.iter().map(address).collect();
        EndpointAddress {
            local_identifier: own.number,
            gid: None,
            queue_pairs,
            datagram_key: self.datagram_key,
        }
    }

    /// Takes a channel to the peer's node and lets that node's requests in.
    pub(crate) fn connect_to(
        &mut self,
        peer: &EndpointAddress,
        attributes: &ConnectionAttributes,
    ) -> Result<(), ConnectError> {
        ConnectError::unless_connected(self.service)?;
        let (own, theirs) = (self.numbers.len(), peer.queue_pairs.len());
        if own != theirs {
            return Err(ConnectError::CountDiffers { own, peer: theirs });
        }
        let node = peer.local_identifier;
        let instance = peer.queue_pairs.first().map_or(0, |first| first.packet_sequence_number);
        let channel = Channel::take(&self.node.local, node, instance).map_err(|source| {
            let to = QueuePairState::ReadyToSend;
            let folder = self.node.local.context.folder().display();
            let broken_rule = format!("no channel to node {node} of {folder}: {source}");
            ConnectError::Transition { queue_pair: 0, to, broken_rule, source }
        })?;
        self.channel = Some(channel);
        self.peers = peer.queue_pairs.iter().map(|address| address.number).collect();
        self.agree(attributes);
        for target in &self.targets {
            target.connect(node);
        }
        Ok(())
    }

    /// Takes a channel to the node of the first peer; all others must be of that node.
    pub(crate) fn add_destinations(
        &mut self,
        peer: &EndpointAddress,
        attributes: &ConnectionAttributes,
    ) -> Result<Vec<Destination>, ConnectError> {
        ConnectError::unless_of_datagrams(self.service)?;
        let instance = peer.queue_pairs.first().map_or(0, |first| first.packet_sequence_number);
        let node = (peer.local_identifier, instance);
        match self.destination_node {
            None => {
                let channel =
                    Channel::take(&self.node.local, node.0, node.1).map_err(|source| {
                        let folder = self.node.local.context.folder().display();
                        let broken_rule =
                            format!("no channel to node {} of {folder}: {source}", node.0);
                        ConnectError::NoWay { broken_rule, source }
                    })?;
                self.channel = Some(channel);
                self.destination_node = Some(node);
                self.agree(attributes);
            }
            Some(there) if there == node => {}
            Some((there, _)) => {
                let broken_rule = format!(
                    "an endpoint of this back end sends datagrams to one node, which is {there}: \
                     node {} needs an endpoint of its own",
                    node.0
                );
                let source = io::Error::from(io::ErrorKind::Unsupported);
                return Err(ConnectError::NoWay { broken_rule, source });
            }
        }
        let told = peer.queue_pairs.iter().map(|address| (address.number, peer.datagram_key));
        Ok(self.destinations.add(told))
    }

    fn agree(&mut self, attributes: &ConnectionAttributes) {
        self.max_rd_atomic = u32::from(attributes.max_rd_atomic).max(1);
        self.rnr_retry = attributes.rnr_retry;
        // 4.096 µs x 2^exponent, each time (IB spec vol. 1, 9.9.2.1.1).
        let timeout = Duration::from_nanos(4_096 << attributes.timeout_exponent.min(31));
        let patience = timeout.saturating_mul(u32::from(attributes.retry_count) + 1);
        self.patience = patience.max(SHORTEST_PATIENCE);
    }
}

impl Drop for RmcEndpoint {
    fn drop(&mut self) {
        // First what we ask of others, so that nothing of it happens after this drop.
        self.channel = None;
        let local = &self.node.local;
        self.numbers.iter().for_each(|&number| local.queue_pairs.hide(number));
        local.settle();
        self.numbers.iter().for_each(|&number| local.queue_pairs.free(number));
    }
}
