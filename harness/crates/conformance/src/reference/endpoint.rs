//! The data path of the contract on top of the fabric.

use std::{io, num::NonZeroU32, sync::Arc, thread};

use onesided_transport::{
    ConnectError, ConnectionAttributes, DATAGRAM_HEADER, Destination, Destinations, Endpoint,
    EndpointAddress, GidEntry, LocalSegment, Opcode, PathMtu, Payload, PollError, PostError,
    QueuePairAddress, ReceiveRequest, Service, WorkCompletion, WorkRequest,
};

use super::{
    defect::Defect,
    execution::execute,
    fabric::{Fabric, HeldPayload, Phase, Posted, Progress, QueuePair},
    movement::bytes_at,
};

/// Requests that one poll executes, over all queue pairs.
const STEP: usize = 8;

/// Longest datagram: the active MTU.
const MTU: u32 = PathMtu::Bytes4096.bytes();

/// Queue pairs of one thread on a fabric.
pub struct ReferenceEndpoint {
    fabric: Arc<Fabric>,
    service: Service,
    datagram_key: u32,
    /// Numbers of the queue pairs that datagrams go to, and their keys.
    destinations: Destinations<(u32, u32)>,
    /// The first of them, for mistakes.
    first_destination: Option<(u32, u32)>,
    numbers: Vec<u32>,
    completion_queues: Vec<u32>,
    /// Where the next poll begins.
    turn: usize,
    last: Option<WorkCompletion>,
}

/// Numbers of an endpoint's queue pairs, and of their completion queues.
pub(super) struct Queues {
    pub numbers: Vec<u32>,
    pub completion_queues: Vec<u32>,
}

impl Endpoint for ReferenceEndpoint {
    fn queue_pair_numbers(&self) -> &[u32] {
        &self.numbers
    }

    fn address(&self, _gid: Option<GidEntry>) -> EndpointAddress {
        let address = |&number| QueuePairAddress { number, packet_sequence_number: 0 };
        let queue_pairs = self.numbers.iter().map(address).collect();
        let datagram_key = self.datagram_key;
        EndpointAddress { local_identifier: 0, gid: None, queue_pairs, datagram_key }
    }

    fn connect(
        &mut self,
        peer: &EndpointAddress,
        attributes: &ConnectionAttributes,
    ) -> Result<(), ConnectError> {
        if !self.fabric.is(Defect::ConnectsDatagrams) {
            ConnectError::unless_connected(self.service)?;
        }
        let (own, peers) = (self.numbers.len(), peer.queue_pairs.len());
        if own != peers && !self.fabric.is(Defect::ConnectsAnyNumber) {
            return Err(ConnectError::CountDiffers { own, peer: peers });
        }
        let crossed = usize::from(self.fabric.is(Defect::CrossesQueuePairs));
        let mut state = self.fabric.state();
        for (index, number) in self.numbers.iter().enumerate() {
            let peer = peer.queue_pairs[(index + crossed) % peers].number;
            state.connected += 1;
            let order = state.connected;
            let queue_pair = state.queue_pairs.get_mut(number).expect("it was made here");
            queue_pair.phase = Phase::Connected { peer, attributes: attributes.clone(), order };
        }
        Ok(())
    }

    fn destinations(
        &mut self,
        peer: &EndpointAddress,
        _attributes: &ConnectionAttributes,
    ) -> Result<Vec<Destination>, ConnectError> {
        ConnectError::unless_of_datagrams(self.service)?;
        let one = peer.queue_pairs.first().map_or(0, |first| first.number);
        let first_only = self.fabric.is(Defect::SendsDatagramsToTheFirst);
        let to = |address: &QueuePairAddress| if first_only { one } else { address.number };
        let told = peer.queue_pairs.iter().map(|address| (to(address), peer.datagram_key));
        self.first_destination = self.first_destination.or(told.clone().next());
        Ok(self.destinations.add(told))
    }

    unsafe fn post(
        &mut self,
        queue_pair: usize,
        requests: &[WorkRequest],
    ) -> Result<(), PostError> {
        for (index, request) in requests.iter().enumerate() {
            let forgotten = index == 1 && requests.len() >= 16;
            if forgotten && self.fabric.is(Defect::ForgetsTheSecondOfALongList) {
                continue;
            }
            self.post_one(queue_pair, index, request)?;
        }
        if self.fabric.progress() == Progress::ByPosts {
            let (mut state, number) = (self.fabric.state(), self.numbers[queue_pair]);
            requests.iter().for_each(|_| execute(&mut state, number));
        }
        Ok(())
    }

    unsafe fn post_receives(
        &mut self,
        queue_pair: usize,
        requests: &[ReceiveRequest],
    ) -> Result<(), PostError> {
        let mut state = self.fabric.state();
        let target = state.receives_mut(self.numbers[queue_pair]);
        let before = target.posted.len();
        let parts = target.is_shared && self.fabric.is(Defect::GivesEachItsPartOfSharedReceives);
        let depth = if parts { target.depth / self.numbers.len() } else { target.depth };
        let drops = self.fabric.is(Defect::DropsReceivesWhenFull)
            || target.is_shared && self.fabric.is(Defect::DropsSharedReceivesWhenFull);
        for (request, &ReceiveRequest { id, buffer }) in requests.iter().enumerate() {
            let room = buffer.map_or(0, |buffer| buffer.length);
            let short = self.service == Service::UnreliableDatagram && room < DATAGRAM_HEADER;
            if short && !self.fabric.is(Defect::TakesShortReceivesOfDatagrams) {
                let source = io::Error::from(io::ErrorKind::InvalidInput);
                return Err(PostError::Invalid { queue_pair, request, source });
            }
            if target.posted.len() < depth {
                target.posted.push_back((id, buffer));
            } else if !drops {
                if self.fabric.is(Defect::TakesBackARefusedListOfReceives) {
                    target.posted.truncate(before);
                }
                return Err(PostError::QueueFull { queue_pair, request });
            }
        }
        if self.fabric.is(Defect::ReversesListsOfReceives) {
            target.posted.make_contiguous()[before..].reverse();
        }
        Ok(())
    }

    fn poll(&mut self, completions: &mut [WorkCompletion]) -> Result<usize, PollError> {
        let mut state = self.fabric.state();
        for _ in 0..STEP {
            let number = self.numbers[self.turn % self.numbers.len()];
            self.turn += 1;
            execute(&mut state, number);
        }
        let polled = match self.fabric.is(Defect::PollsFewCompletionQueues) {
            true => &self.completion_queues[..self.completion_queues.len().min(16)],
            false => &self.completion_queues[..],
        };
        let mut count = 0;
        for queue in polled {
            let queue = state.completion_queues.get_mut(queue).expect("it was made with them");
            while count < completions.len() {
                let Some(completion) = queue.pop_front() else { break };
                completions[count] = completion;
                count += 1;
                self.last = Some(completion);
            }
            if self.fabric.is(Defect::LosesWhatDoesNotFit) {
                queue.clear();
            }
        }
        if let Some(stale) = self.last.filter(|_| count == 0 && !completions.is_empty())
            && self.fabric.is(Defect::RepeatsTheLastCompletion)
        {
            completions[0] = stale;
            return Ok(1);
        }
        Ok(count)
    }
}

impl ReferenceEndpoint {
    /// Of queue pairs and completion queues that the fabric has.
    pub(super) fn new(
        fabric: Arc<Fabric>,
        Queues { numbers, completion_queues }: Queues,
        (service, datagram_key): (Service, u32),
    ) -> Self {
        Self {
            fabric,
            service,
            datagram_key,
            destinations: Destinations::of_new_endpoint(),
            first_destination: None,
            numbers,
            completion_queues,
            turn: 0,
            last: None,
        }
    }

    fn post_one(
        &mut self,
        queue_pair: usize,
        index: usize,
        request: &WorkRequest,
    ) -> Result<(), PostError> {
        let mut state = self.fabric.state();
        let target = state.queue_pairs.get_mut(&self.numbers[queue_pair]).expect("it is ours");
        let mut request = *request;
        if !self.is_acceptable(target, &mut request) {
            let source = io::Error::from(io::ErrorKind::InvalidInput);
            return Err(PostError::Invalid { queue_pair, request: index, source });
        }
        let halved = self.fabric.is(Defect::GivesHalfTheDepth) && target.send_depth > 64;
        let depth = if halved { target.send_depth / 2 } else { target.send_depth };
        if target.send.len() >= depth {
            return match self.fabric.is(Defect::DropsRequestsWhenFull) {
                true => Ok(()),
                false => Err(PostError::QueueFull { queue_pair, request: index }),
            };
        }
        let late = self.fabric.is(Defect::TakesInlineBytesLate)
            || self.fabric.is(Defect::TakesInlineBytesOfSendsLate)
            || self.fabric.is(Defect::TakesInlineBytesOfDatagramsLate);
        let LocalSegment { address, length, .. } = request.local;
        let payload = match request.payload {
            Payload::Inline if !late => HeldPayload::Bytes(bytes_at(address, length as usize)),
            _ => HeldPayload::Nothing,
        };
        let to = match request.opcode {
            Opcode::Datagram { destination, .. } => {
                let to = self.way_to(destination);
                Some(to.ok_or(PostError::UnknownDestination { queue_pair, request: index })?)
            }
            _ => None,
        };
        let first = self.fabric.is(Defect::NamesTheFirstSenderOfDatagrams);
        let sender = self.numbers[if first { 0 } else { queue_pair }];
        let source = to.and_then(|_| NonZeroU32::new(sender));
        target.send.push_back(Posted { request, to, source, survived: false, payload });
        if self.fabric.is(Defect::RefusesOnceItWasFull) && target.send.len() == depth {
            target.send_depth = 0;
        }
        drop(state);
        match self.fabric.defect() {
            Some(Defect::Panics) => panic!("the reference was told to panic"),
            Some(Defect::Blocks) => loop {
                thread::park();
            },
            _ => Ok(()),
        }
    }

    /// The number of the queue pair that a destination is, and its key.
    fn way_to(&self, destination: Destination) -> Option<(u32, u32)> {
        match self.fabric.defect() {
            Some(Defect::SendsDatagramsToTheFirstPeer) => self.first_destination,
            Some(Defect::TakesDestinationsOfOthers) => {
                self.destinations.find(destination).copied().or(self.first_destination)
            }
            _ => self.destinations.find(destination).copied(),
        }
    }

    /// Whether a queue pair takes a request, which a mistake may change on the way.
    fn is_acceptable(&self, target: &QueuePair, request: &mut WorkRequest) -> bool {
        let connected = !matches!(target.phase, Phase::Initialized);
        let atomic =
            matches!(request.opcode, Opcode::CompareAndSwap { .. } | Opcode::FetchAndAdd { .. });
        let aligned = request.remote.address.is_multiple_of(u64::from(Opcode::ATOMIC_BYTES));
        let most = target.inline_bytes as u32;
        let fits = request.payload != Payload::Inline || request.local.length <= most;
        let cut = !fits && self.fabric.is(Defect::CutsLongInlinePayloads);
        if cut {
            request.local.length = most;
        }
        let is_of_service = match request.opcode {
            Opcode::Read if self.fabric.is(Defect::TakesReadsOfEveryService) => true,
            opcode => opcode.is_of(target.service),
        };
        let is_sendable = match request.opcode {
            Opcode::Datagram { .. } => {
                request.local.length <= MTU || self.fabric.is(Defect::TakesLongDatagrams)
            }
            _ => true,
        };
        is_of_service
            && is_sendable
            && (connected || self.fabric.is(Defect::PostsBeforeConnecting))
            && (!atomic || aligned || self.fabric.is(Defect::AcceptsMisalignedAtomics))
            && (fits || cut)
    }
}

impl Drop for ReferenceEndpoint {
    fn drop(&mut self) {
        let mut state = self.fabric.state();
        for number in &self.numbers {
            let gone = state.queue_pairs.remove(number).expect("only we remove it");
            state.receive_queues.remove(number);
            state.poisoned |= self.fabric.is(Defect::IsPoisonedByADrop) && !gone.send.is_empty();
        }
        for queue in self.completion_queues.iter().filter(|&&queue| queue != 0) {
            state.completion_queues.remove(queue);
        }
    }
}
