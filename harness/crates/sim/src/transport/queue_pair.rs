//! A queue pair: its ring and its connection.

use onesided_transport::{
    Access, CompletionStatus, ConnectionAttributes, DATAGRAM_HEADER, EndpointAttributes,
    LocalSegment, Opcode, Payload, RemoteSegment, Service, Signal, WorkRequest,
};

use super::{addressee::Addressee, limits::ACTIVE_MTU};
use crate::{
    host::Costs,
    queue_pair::QueuePair,
    stations::Verb,
    time::{Moment, Span},
};

/// The unit of time-outs: 4.096 µs (IB spec vol. 1, 9.7.6.1.3).
const TIMEOUT_UNIT: Span = Span(4_096_000);

/// What is known of a request under way.
#[derive(Clone, Copy, Debug)]
pub(super) struct Asked {
    pub(super) request: WorkRequest,
    /// Success until something is wrong with it.
    pub(super) status: CompletionStatus,
    pub(super) costs: Costs,
}

impl Asked {
    pub(super) fn new(request: WorkRequest) -> Self {
        Self { request, status: CompletionStatus::Success, costs: Costs::default() }
    }

    /// Where nothing was posted yet.
    fn nothing() -> Self {
        Self::new(WorkRequest {
            id: 0,
            opcode: Opcode::Read,
            local: LocalSegment { address: 0, length: 0, key: 0 },
            remote: RemoteSegment { address: 0, key: 0 },
            signal: Signal::Unsignaled,
            payload: Payload::Gathered,
        })
    }
}

impl From<Opcode> for Verb {
    fn from(opcode: Opcode) -> Self {
        match opcode {
            Opcode::Read => Self::Read,
            Opcode::Write
            | Opcode::WriteWithImmediate { .. }
            | Opcode::Send { .. }
            | Opcode::Datagram { .. } => Self::Write,
            Opcode::CompareAndSwap { .. } | Opcode::FetchAndAdd { .. } => Self::Atomic,
        }
    }
}

/// Where a queue pair is in its life.
#[derive(Clone, Copy, Debug)]
pub(super) enum Phase {
    Initialized,
    Connected(Wiring),
    /// Of datagrams: it has no peer, and each request says where it goes.
    Open,
    /// A request has failed, and its thread cannot know yet.
    Failing,
    Error,
}

/// What a connected queue pair goes by.
#[derive(Clone, Copy, Debug)]
pub(super) struct Wiring {
    pub(super) peer: Addressee,
    /// How long an answer is waited for.
    pub(super) timeout: Span,
    pub(super) retry_count: u8,
    pub(super) rnr_retry: u8,
}

impl Wiring {
    pub(super) fn new(peer: Addressee, attributes: &ConnectionAttributes) -> Self {
        let ConnectionAttributes { timeout_exponent, retry_count, rnr_retry, .. } = *attributes;
        let timeout = TIMEOUT_UNIT.times(1 << timeout_exponent);
        Self { peer, timeout, retry_count, rnr_retry }
    }
}

/// A queue pair with its send queue.
#[derive(Debug)]
pub(super) struct SimQueuePair {
    pub(super) number: u32,
    pub(super) service: Service,
    /// What datagrams to it carry; 0 of connections.
    pub(super) datagram_key: u32,
    pub(super) host: usize,
    /// The endpoint that it belongs to.
    pub(super) endpoint: usize,
    pub(super) access: Access,
    pub(super) phase: Phase,
    pub(super) ring: QueuePair<Asked>,
    /// Requests whose completion, or that of one behind them, was not polled.
    pub(super) occupied: u32,
    depth: u32,
    /// Requests that are done since the last one with a completion.
    pub(super) silent: u32,
    /// The place of its receive queue.
    pub(super) receives: usize,
    inline_bytes: usize,
    /// Inline payloads, one after the other by the place of their request.
    inline: Box<[u8]>,
    /// Times that the request in front was tried in vain.
    pub(super) attempts: u8,
    /// When the last message of an unreliable service that came for it was in memory: none lands before one
    /// that arrived earlier.
    pub(super) landed_at: Moment,
}

impl SimQueuePair {
    /// Not connected; of datagrams it needs to be nothing more.
    pub(super) fn new(
        (number, datagram_key): (u32, u32),
        host: usize,
        (endpoint, receives): (usize, usize),
        attributes: &EndpointAttributes,
    ) -> Self {
        let mut queue_pair = Self {
            number,
            service: attributes.service,
            datagram_key,
            host,
            endpoint,
            access: attributes.access,
            phase: Phase::Initialized,
            ring: QueuePair::new(1, 1, Asked::nothing()),
            occupied: 0,
            depth: attributes.send_queue_depth,
            silent: 0,
            receives,
            inline_bytes: attributes.inline_bytes as usize,
            inline: Box::default(),
            attempts: 0,
            landed_at: Moment::default(),
        };
        if attributes.service == Service::UnreliableDatagram {
            queue_pair.begin(Phase::Open, 1);
        }
        queue_pair
    }

    /// Sends and receives from now on, with so many reads and atomics under way at most.
    pub(super) fn begin(&mut self, phase: Phase, max_rd_atomic: u8) {
        self.ring = QueuePair::new(self.depth, u32::from(max_rd_atomic), Asked::nothing());
        self.inline = vec![0; self.ring.places() * self.inline_bytes].into();
        self.phase = phase;
    }

    /// Bytes that the buffers of its receive requests begin with, before what was sent.
    pub(super) fn header(&self) -> u32 {
        match self.service {
            Service::UnreliableDatagram => DATAGRAM_HEADER,
            Service::ReliableConnection | Service::UnreliableConnection => 0,
        }
    }

    /// Which rule a request breaks, of those that a post sees.
    pub(super) fn broken_rule(&self, request: &WorkRequest) -> Option<&'static str> {
        let WorkRequest { opcode, local, remote, payload, .. } = request;
        let verb = Verb::from(*opcode);
        let word = Opcode::ATOMIC_BYTES;
        let rules = [
            (
                matches!(self.phase, Phase::Initialized),
                "a queue pair is connected before it is posted to",
            ),
            (
                verb == Verb::Atomic && !remote.address.is_multiple_of(u64::from(word)),
                "the address of an atomic is a multiple of 8",
            ),
            (!opcode.is_of(self.service), "the service of the queue pair has the operation"),
            (
                matches!(opcode, Opcode::Datagram { .. }) && local.length > ACTIVE_MTU.bytes(),
                "a datagram is not longer than the active MTU",
            ),
            (verb == Verb::Atomic && local.length != word, "an atomic is of 8 bytes"),
            (
                *payload == Payload::Inline && verb != Verb::Write,
                "only writes and sends are inline",
            ),
            (
                *payload == Payload::Inline && local.length as usize > self.inline_bytes,
                "the inline payload is above what the queue pair was made for",
            ),
        ];
        rules.into_iter().find_map(|(broken, rule)| broken.then_some(rule))
    }

    /// Whether no further request may be posted.
    pub(super) fn is_full(&self) -> bool {
        self.occupied >= self.depth
    }

    /// Where the inline payload of the request at `place` is.
    pub(super) fn inline(&self, place: usize, length: usize) -> &[u8] {
        &self.inline[place * self.inline_bytes..][..length]
    }

    /// As [`Self::inline`], to write it.
    pub(super) fn inline_mut(&mut self, place: usize, length: usize) -> &mut [u8] {
        &mut self.inline[place * self.inline_bytes..][..length]
    }
}
