//! Receive requests: posted by the thread of an endpoint, consumed by the responder.

mod own;
mod shared;

use std::num::NonZeroU32;

use onesided_transport::{CompletionStatus, LocalSegment};

pub use self::{
    own::OwnReceives,
    shared::{PartOfShared, SharedReceives},
};

/// A receive request, and what consumed it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Received {
    /// Id of the receive request.
    pub id: u64,
    /// Where a send puts its bytes.
    pub buffer: LocalSegment,
    /// Success, or why what came could not be taken.
    pub status: CompletionStatus,
    /// Bytes that were sent or written.
    pub length: u32,
    /// The immediate.
    pub immediate: Option<u32>,
    /// Of a datagram, the number of the queue pair that sent it.
    pub source: Option<NonZeroU32>,
}

/// What has come, whose end consumes a receive request.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Message {
    /// Its bytes.
    pub length: u32,
    /// The immediate.
    pub immediate: Option<u32>,
    /// Of a datagram, the number of the queue pair that sent it.
    pub source: Option<NonZeroU32>,
}

const NO_BUFFER: LocalSegment = LocalSegment { address: 0, length: 0, key: 0 };

const NOTHING: Received = Received {
    id: 0,
    buffer: NO_BUFFER,
    status: CompletionStatus::Success,
    length: 0,
    immediate: None,
    source: None,
};

/// What messages for one queue pair take their requests from.
pub enum Receives {
    /// A queue of its own.
    Own(OwnReceives),
    /// One that other queue pairs of its endpoint have, too.
    Shared(PartOfShared),
}

impl Receives {
    /// Posts one; false where there is no room. For the endpoint's thread only.
    pub fn post(&self, id: u64, buffer: Option<LocalSegment>) -> bool {
        match self {
            Self::Own(own) => own.post(id, buffer),
            Self::Shared(part) => part.queue().post(id, buffer),
        }
    }

    /// Whether there is one to consume. For the responder only.
    pub fn is_ready(&self) -> bool {
        match self {
            Self::Own(own) => own.is_ready(),
            Self::Shared(part) => part.is_ready(),
        }
    }

    /// Where a send puts its bytes: the buffer of the one that its message takes. For the responder only.
    pub fn buffer(&self) -> Option<LocalSegment> {
        match self {
            Self::Own(own) => own.buffer(),
            Self::Shared(part) => part.buffer(),
        }
    }

    /// Consumes that one; false where there is none. For the responder only.
    pub fn consume(&self, status: CompletionStatus, message: Message) -> bool {
        match self {
            Self::Own(own) => own.consume(status, message),
            Self::Shared(part) => part.consume(status, message),
        }
    }
}
