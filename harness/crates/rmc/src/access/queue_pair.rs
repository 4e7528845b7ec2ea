//! A queue pair of the access library: its slots, and its connections to the context's nodes.

use std::{collections::VecDeque, rc::Rc};

use onesided_transport::{
    Access, CompletionQueues, CompletionStatus, ConnectionAttributes, Endpoint, EndpointAddress,
    EndpointAttributes, ReceiveQueues, RemoteMemory, ResourceError, Service, Transport,
    WorkCompletion,
};

use super::{
    error::SetUpError,
    memory::{Buffer, Memory, Segment},
    peer::Peer,
};
use crate::{device::RmcDevice, fabric::NODES, limits::LIMITS};

/// Completions that are taken at a time. Ours: as many as a look at the lane finds.
const BATCH: usize = 16;

/// What a node's queue pair tells those of its peers before they connect. How it gets to them is
/// the program's affair.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Introduction {
    /// The node.
    pub node: u16,
    /// The segment that its peers may access.
    pub segment: RemoteMemory,
    /// Where each of its peers reaches it.
    pub addresses: Vec<(u16, EndpointAddress)>,
}

/// What a slot is used for.
pub(super) enum Slot {
    /// Nothing.
    Free,
    /// Given out.
    Held,
    /// Of an operation, whose buffer stays as long.
    UnderWay {
        /// Where the peer is in the list.
        peer: usize,
        /// Its buffer.
        _memory: Rc<Memory>,
    },
}

/// A queue pair of one thread: up to so many operations under way, on any of its nodes.
pub struct QueuePair {
    // Before the slots, whose buffers operations use.
    pub(super) peers: Vec<Peer>,
    /// Where a node is in the list.
    pub(super) routes: Box<[Option<u16>]>,
    /// The last one is that of operations that are waited for.
    pub(super) slots: Box<[Slot]>,
    pub(super) free: Vec<usize>,
    /// Operations with a slot that are posted and not done.
    pub(super) under_way: usize,
    /// Operations that are done and not told.
    pub(super) done: VecDeque<(usize, CompletionStatus)>,
    /// What the last poll found.
    pub(super) ended: Box<[WorkCompletion; BATCH]>,
    /// How the operation that is waited for ended.
    pub(super) waited_for: Option<CompletionStatus>,
    /// A word that atomics that are waited for are answered in.
    pub(super) word: Buffer<u64>,
    own: u16,
}

impl QueuePair {
    /// A queue pair with slots for so many operations, on these nodes. Each of them makes one
    /// that names this node, and they connect when all are introduced.
    ///
    /// # Errors
    /// When slots or peers are beyond what a node has ([`onesided_transport::DeviceLimits`]).
    pub fn new(device: &RmcDevice, peers: &[u16], slots: usize) -> Result<Self, SetUpError> {
        let depth = u32::try_from(slots + 1).unwrap_or(u32::MAX);
        let attributes = EndpointAttributes {
            service: Service::ReliableConnection,
            queue_pairs: 1,
            send_queue_depth: depth,
            receive_queue_depth: 0,
            receive_queues: ReceiveQueues::PerQueuePair,
            inline_bytes: 0,
            completion_queues: CompletionQueues::PerThread,
            access: Access::REMOTE,
        };
        let mut routes = vec![None; NODES.into()].into_boxed_slice();
        let mut list = Vec::with_capacity(peers.len());
        for &node in peers {
            let endpoint = device.create_endpoint(&attributes).map_err(ResourceError::from)?;
            if let Some(route) = routes.get_mut(usize::from(node)) {
                *route = Some(list.len() as u16);
            }
            list.push(Peer { endpoint, node, segment: None, under_way: 0, is_gone: false });
        }
        Ok(Self {
            peers: list,
            routes,
            slots: (0..=slots).map(|_| Slot::Free).collect(),
            free: (0..slots).rev().collect(),
            under_way: 0,
            done: VecDeque::with_capacity(slots),
            ended: Box::new([WorkCompletion::EMPTY; BATCH]),
            waited_for: None,
            word: Buffer::new(device, 1).map_err(ResourceError::from)?,
            own: device.description().local_identifier,
        })
    }

    /// What the peers must know, with the segment that is theirs to access.
    pub fn introduce(&self, segment: &Segment) -> Introduction {
        let address = |peer: &Peer| (peer.node, peer.endpoint.address(None));
        let addresses = self.peers.iter().map(address).collect();
        Introduction { node: self.own, segment: segment.remote(), addresses }
    }

    /// Connects it to its peers. Operations on a peer may begin when it has connected, too: how that is
    /// known is the program's affair, as are introductions.
    ///
    /// # Errors
    /// When one was not introduced, or cannot be reached.
    pub fn connect(&mut self, introductions: &[Introduction]) -> Result<(), SetUpError> {
        let attributes = ConnectionAttributes::reliable(LIMITS.max_rd_atomic_as_requester);
        let own = self.own;
        for Peer { endpoint, node, segment, .. } in &mut self.peers {
            let node = *node;
            let not_introduced = SetUpError::NotIntroduced { node, own };
            let told = introductions.iter().find(|told| told.node == node);
            let Some(told) = told else { return Err(not_introduced) };
            let address = told.addresses.iter().find(|(peer, _)| *peer == own);
            let Some((_, address)) = address else { return Err(not_introduced) };
            endpoint
                .connect(address, &attributes)
                .map_err(|source| SetUpError::Connect { node, source })?;
            *segment = Some(told.segment);
        }
        Ok(())
    }

    /// How many operations with a slot can be under way.
    pub fn slots(&self) -> usize {
        self.slots.len() - 1
    }
}
