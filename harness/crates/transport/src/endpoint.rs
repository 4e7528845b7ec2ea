//! What one thread drives: a group of queue pairs and their completion queue(s).

use std::fmt;

use onesided_vocabulary::{CompletionQueues, ReceiveQueues, Service};
use serde::{Deserialize, Serialize};

use crate::{
    completion::WorkCompletion,
    connection::{ConnectionAttributes, EndpointAddress},
    destination::Destination,
    device::DeviceLimits,
    gid::GidEntry,
    memory::Access,
    request::{ReceiveRequest, WorkRequest},
};

/// What an endpoint is made of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct EndpointAttributes {
    /// The service of all of them.
    pub service: Service,
    /// How many queue pairs; at least 1.
    pub queue_pairs: usize,
    /// Work requests that may be posted and not completed, per queue pair; at least 1.
    pub send_queue_depth: u32,
    /// Receive requests that may be posted, per receive queue; 0 where neither sends nor immediates are
    /// expected.
    pub receive_queue_depth: u32,
    /// Whose the receive queues are.
    pub receive_queues: ReceiveQueues,
    /// Largest inline payload in bytes; 0: none.
    pub inline_bytes: u32,
    /// How completions are collected.
    pub completion_queues: CompletionQueues,
    /// What peers may do through these queue pairs; a region's access must allow it, too.
    pub access: Access,
}

impl EndpointAttributes {
    /// What is asked of a device, beside its limits: name, asked for, limit.
    pub fn beside(&self, limits: &DeviceLimits) -> [(&'static str, u64, u64); 4] {
        let count = self.queue_pairs as u64;
        let (send, receive) =
            (u64::from(self.send_queue_depth), u64::from(self.receive_queue_depth));
        let entries = match (self.completion_queues, self.receive_queues) {
            (CompletionQueues::PerThread, ReceiveQueues::PerQueuePair) => {
                (send + receive).saturating_mul(count)
            }
            (CompletionQueues::PerThread, ReceiveQueues::Shared) => {
                send.saturating_mul(count).saturating_add(receive)
            }
            // One queue pair may get all that a shared queue takes.
            (CompletionQueues::PerQueuePair, _) => send + receive,
        };
        let depth = u64::from(limits.queue_depth);
        let receives = match self.receive_queues {
            ReceiveQueues::PerQueuePair => ("receive queue depth", receive, depth),
            ReceiveQueues::Shared => (
                "shared receive queue depth",
                receive,
                u64::from(limits.shared_receive_queue_depth),
            ),
        };
        [
            ("queue pairs", count, u64::from(limits.queue_pairs)),
            ("send queue depth", send, depth),
            receives,
            (
                "completion queue entries (depth x queue pairs of one completion queue)",
                entries,
                u64::from(limits.completion_queue_entries),
            ),
        ]
    }

    /// Checks them against the limits of a device that has `taken` queue pairs already, and payloads of
    /// `inline_bytes` at the most.
    ///
    /// # Errors
    /// [`CreateEndpointError::AboveLimit`].
    pub fn check(
        &self,
        limits: &DeviceLimits,
        taken: usize,
        inline_bytes: u32,
    ) -> Result<(), CreateEndpointError> {
        let [(what, count, most), ..] = self.beside(limits);
        let queue_pairs = (what, count.saturating_add(taken as u64), most);
        let inline = ("inline bytes", u64::from(self.inline_bytes), u64::from(inline_bytes));
        // Queue pairs first: what else there is too much of may follow from their number.
        let others = self.beside(limits).into_iter().skip(1);
        let asked = [queue_pairs].into_iter().chain(others).chain([inline]);
        match asked.into_iter().find(|(_, asked, limit)| asked > limit) {
            Some((what, asked, limit)) => {
                Err(CreateEndpointError::AboveLimit { what, asked, limit })
            }
            None => Ok(()),
        }
    }
}

/// Queue pairs of one thread. Dropping it destroys them.
///
/// The set-up half (`address`, `connect`, `destinations`) may allocate and block. The data path (`post`,
/// `post_receives`, `poll`) does not allocate, lock or block.
pub trait Endpoint: Send {
    /// The numbers of the queue pairs, by index.
    fn queue_pair_numbers(&self) -> &[u32];

    /// What a peer must know to connect, or to send datagrams here; `gid` is the entry chosen towards that
    /// peer.
    fn address(&self, gid: Option<GidEntry>) -> EndpointAddress;

    /// Connects each queue pair to the peer's of the same index, ready to send and receive.
    ///
    /// # Errors
    /// When the counts differ, or a state transition is refused: says which, and with what. Queue pairs of
    /// datagrams have no connection.
    fn connect(
        &mut self,
        peer: &EndpointAddress,
        attributes: &ConnectionAttributes,
    ) -> Result<(), ConnectError>;

    /// Learns the queue pairs of a peer, in order, to send them datagrams. Queue pairs of datagrams are ready
    /// from the start, and take in what carries their key.
    ///
    /// # Errors
    /// When the peer cannot be reached, or the queue pairs here are not of datagrams.
    fn destinations(
        &mut self,
        peer: &EndpointAddress,
        attributes: &ConnectionAttributes,
    ) -> Result<Vec<Destination>, ConnectError>;

    /// Posts all of `requests`, in order, behind one doorbell.
    ///
    /// The slice is free for reuse on return.
    ///
    /// # Errors
    /// [`PostError`] says which request was refused; those before it were posted. An operation that the
    /// service has not ([`crate::Opcode::is_of`]), a datagram that is longer than the port's active MTU and a
    /// destination that the endpoint has not given out are refused here, and leave the queue pair as it was.
    ///
    /// # Safety
    /// Local segments must be memory of this process that stays mapped until the completion, is
    /// not otherwise accessed where the operation writes it, and is readable where the payload is
    /// [`crate::Payload::Inline`].
    unsafe fn post(&mut self, queue_pair: usize, requests: &[WorkRequest])
    -> Result<(), PostError>;

    /// Posts all of `requests`, in order, with few calls of the provider. A peer's sends and writes with
    /// immediate consume them in that order. A send puts its bytes into the buffer, all of which must be
    /// registered; without a buffer the send must be empty. A send that is longer than the buffer fails, and
    /// puts both queue pairs in error.
    ///
    /// Over an unreliable service a send that finds no receive request is dropped, and one that is longer than
    /// the buffer does not arrive: it may put the receiving queue pair in error. The buffer of a datagram
    /// begins with room for [`crate::DATAGRAM_HEADER`] bytes; a shorter one, or none, is refused.
    ///
    /// Receive requests of a queue pair in error may end as [`crate::CompletionStatus::Flushed`], or never:
    /// their memory is free once the endpoint is dropped.
    ///
    /// With [`ReceiveQueues::Shared`] all queue pairs have one receive queue, and any of them names it. A
    /// message takes its oldest request, whichever queue pair it comes for: that one is in the completion. So
    /// messages that come at the same time may complete in another order than their requests were posted in.
    /// What a queue pair in error has not taken stays for the others.
    ///
    /// # Errors
    /// As [`Endpoint::post`].
    ///
    /// # Safety
    /// As [`Endpoint::post`], for the buffers.
    unsafe fn post_receives(
        &mut self,
        queue_pair: usize,
        requests: &[ReceiveRequest],
    ) -> Result<(), PostError>;

    /// Takes completions that are there into the front of `completions`; returns how many, 0 when
    /// none is.
    ///
    /// # Errors
    /// When the completion queue itself broke, for instance by an overrun.
    fn poll(&mut self, completions: &mut [WorkCompletion]) -> Result<usize, PollError>;
}

/// Why an endpoint could not be made.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum CreateEndpointError {
    /// An attribute is above what the device has.
    #[error("{what} {asked} is above the device's limit of {limit}")]
    AboveLimit {
        /// Which attribute.
        what: &'static str,
        /// What was asked for.
        asked: u64,
        /// What the device says it has.
        limit: u64,
    },
    /// The device has no queue pairs of the service.
    #[error("{device} has no queue pairs of the service {service}; it has those of: {there}")]
    NoService {
        /// Which device.
        device: String,
        /// What was asked for.
        service: Service,
        /// What it has.
        there: String,
    },
    /// The device has no shared receive queues for queue pairs of the service.
    #[error(
        "queue pairs of the service {service} cannot share a receive queue on {device}; those that can: {there}"
    )]
    NoSharedReceives {
        /// Which device.
        device: String,
        /// Of the queue pairs.
        service: Service,
        /// Services of which they can.
        there: String,
    },
    /// The device ran out, or refused for a reason of its own.
    #[error("cannot create {what} {index} of {count}")]
    Refused {
        /// Which object.
        what: &'static str,
        /// Which one, from 0.
        index: usize,
        /// Of how many.
        count: usize,
        /// The provider's error.
        source: std::io::Error,
    },
}

/// Why a connection could not be made.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ConnectError {
    /// The peer has another number of queue pairs.
    #[error("the peer has {peer} queue pairs and this side {own}: they connect one to one")]
    CountDiffers {
        /// Here.
        own: usize,
        /// There.
        peer: usize,
    },
    /// The service has no such thing: datagrams no connection, connections no destinations.
    #[error("queue pairs of the service {service} have no {what}")]
    NotOfService {
        /// Of the queue pairs here.
        service: Service,
        /// What they have not.
        what: &'static str,
    },
    /// The way to where datagrams are to go cannot be made.
    #[error("no datagrams can go there: {broken_rule}")]
    NoWay {
        /// Which rule stands against it, as far as it can be told.
        broken_rule: String,
        /// The provider's error.
        source: std::io::Error,
    },
    /// A state transition was refused.
    #[error("queue pair {queue_pair} cannot go to {to}: {broken_rule}")]
    Transition {
        /// Index of the queue pair.
        queue_pair: usize,
        /// The state it was to enter.
        to: QueuePairState,
        /// Which rule the attributes break, as far as it can be told.
        broken_rule: String,
        /// The provider's error.
        source: std::io::Error,
    },
}

/// States of a queue pair on the way to being connected (IB spec vol. 1, 10.3.1).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum QueuePairState {
    /// Created, with port and access rights.
    Initialized,
    /// Knows its peer, answers requests.
    ReadyToReceive,
    /// Sends requests.
    ReadyToSend,
}

impl fmt::Display for QueuePairState {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Self::Initialized => "initialized",
            Self::ReadyToReceive => "ready-to-receive",
            Self::ReadyToSend => "ready-to-send",
        })
    }
}

impl ConnectError {
    /// Refuses a connection to queue pairs of datagrams.
    ///
    /// # Errors
    /// [`Self::NotOfService`].
    pub fn unless_connected(service: Service) -> Result<(), Self> {
        match service {
            Service::UnreliableDatagram => Err(Self::NotOfService { service, what: "connection" }),
            _ => Ok(()),
        }
    }

    /// Refuses destinations to queue pairs of connections.
    ///
    /// # Errors
    /// [`Self::NotOfService`].
    pub fn unless_of_datagrams(service: Service) -> Result<(), Self> {
        match service {
            Service::UnreliableDatagram => Ok(()),
            _ => Err(Self::NotOfService { service, what: "destinations of datagrams" }),
        }
    }
}

/// Why a post was refused. The requests before `request` were posted.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum PostError {
    /// The send or receive queue has no room left.
    #[error("queue pair {queue_pair}: the queue is full at request {request} of the list")]
    QueueFull {
        /// Index of the queue pair.
        queue_pair: usize,
        /// Position in the list that was posted.
        request: usize,
    },
    /// The request itself is not acceptable: a misaligned atomic, too long an inline payload, a
    /// queue pair that is not connected.
    #[error("queue pair {queue_pair}: request {request} of the list is not acceptable")]
    Invalid {
        /// Index of the queue pair.
        queue_pair: usize,
        /// Position in the list that was posted.
        request: usize,
        /// The provider's error.
        source: std::io::Error,
    },
    /// A datagram goes to a destination that the endpoint has not given out.
    #[error(
        "queue pair {queue_pair}: request {request} of the list is a datagram to a destination that another \
         endpoint has given out"
    )]
    UnknownDestination {
        /// Index of the queue pair.
        queue_pair: usize,
        /// Position in the list that was posted.
        request: usize,
    },
}

/// A completion queue that broke.
#[derive(Debug, thiserror::Error)]
#[error("the completion queue cannot be polled any more (provider code {code})")]
pub struct PollError {
    /// What the provider returned.
    pub code: i32,
}
