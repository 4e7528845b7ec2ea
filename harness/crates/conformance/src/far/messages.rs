//! What the two processes say to each other: one line of JSON a message, and behind [`Ask::Put`] and
//! [`Answer::Got`] as many bytes as they say.

use std::{
    io::{self, BufRead, Write},
    num::NonZeroU32,
};

use onesided_transport::{
    Access, CompletionKind, CompletionStatus, ConnectionAttributes, DeviceDescription,
    EndpointAddress, EndpointAttributes, LocalSegment, Opcode, Payload, RemoteMemory,
    RemoteSegment, Signal, WorkCompletion, WorkRequest,
};
use serde::{Deserialize, Serialize, de::DeserializeOwned};

/// Says a message, and the bytes behind it.
pub(super) fn say(to: &mut impl Write, message: &impl Serialize, bytes: &[u8]) -> io::Result<()> {
    let mut line = serde_json::to_vec(message)?;
    line.push(b'\n');
    line.extend_from_slice(bytes);
    to.write_all(&line)?;
    to.flush()
}

/// Hears a message; nothing where nobody says any more.
pub(super) fn hear<T: DeserializeOwned>(from: &mut impl BufRead) -> io::Result<Option<T>> {
    let mut line = String::new();
    match from.read_line(&mut line)? {
        0 => Ok(None),
        _ => Ok(Some(serde_json::from_str(&line)?)),
    }
}

/// What the other process is asked to do; handles are given by the asker.
#[derive(Debug, Serialize, Deserialize)]
pub(super) enum Ask {
    Open {
        device: u64,
    },
    Close {
        device: u64,
    },
    /// Memory between two margins, kept until the device is closed.
    Register {
        device: u64,
        region: u64,
        length: usize,
        access: Access,
    },
    Deregister {
        region: u64,
    },
    /// Counted from the start of the margin.
    Put {
        region: u64,
        offset: usize,
        length: usize,
    },
    Get {
        region: u64,
        offset: usize,
        length: usize,
    },
    Create {
        device: u64,
        endpoint: u64,
        attributes: EndpointAttributes,
    },
    Drop {
        endpoint: u64,
    },
    Connect {
        endpoint: u64,
        peer: EndpointAddress,
        attributes: ConnectionAttributes,
    },
    /// Answered by how many there are.
    Destinations {
        endpoint: u64,
        peer: EndpointAddress,
        attributes: ConnectionAttributes,
    },
    Post {
        endpoint: u64,
        queue_pair: usize,
        requests: Vec<Posted>,
    },
    PostReceives {
        endpoint: u64,
        queue_pair: usize,
        /// Of each its id and its buffer.
        requests: Vec<(u64, Option<Segment>)>,
    },
    Poll {
        endpoint: u64,
        room: usize,
    },
}

/// What comes back.
#[derive(Debug, Serialize, Deserialize)]
pub(super) enum Answer {
    Done,
    Refused(String),
    /// The receive request of this place in the list found no room.
    Full {
        request: usize,
    },
    /// That one is not acceptable.
    Invalid {
        request: usize,
        why: String,
    },
    Opened(DeviceDescription),
    /// What peers are told, and where the first registered byte is there.
    Registered {
        local_key: u32,
        remote: RemoteMemory,
        address: u64,
    },
    Got {
        length: usize,
    },
    Created(EndpointAddress),
    Destinations(u32),
    Polled(Vec<Polled>),
}

/// Local memory: address, length and key.
pub(super) type Segment = (u64, u32, u32);

/// A read or a write of memory; the suite posts nothing else from its server's end.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub(super) struct Posted {
    id: u64,
    reads: bool,
    local: Segment,
    remote: (u64, u32),
    signaled: bool,
}

impl Posted {
    /// A request whose local memory is there, at an address that `there` tells.
    pub(super) fn new(from: &WorkRequest, there: impl Fn(u64) -> u64) -> Self {
        let known = matches!(from.opcode, Opcode::Read | Opcode::Write);
        assert!(known && from.payload == Payload::Gathered, "not carried over: {from:?}");
        Self {
            id: from.id,
            reads: from.opcode == Opcode::Read,
            local: (there(from.local.address), from.local.length, from.local.key),
            remote: (from.remote.address, from.remote.key),
            signaled: from.signal == Signal::Signaled,
        }
    }
}

impl From<Posted> for WorkRequest {
    fn from(from: Posted) -> Self {
        let (address, length, key) = from.local;
        let local = LocalSegment { address, length, key };
        let (address, key) = from.remote;
        Self {
            id: from.id,
            opcode: if from.reads { Opcode::Read } else { Opcode::Write },
            local,
            remote: RemoteSegment { address, key },
            signal: if from.signaled { Signal::Signaled } else { Signal::Unsignaled },
            payload: Payload::Gathered,
        }
    }
}

/// A completion.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub(super) struct Polled {
    id: u64,
    queue_pair_number: u32,
    status: CompletionStatus,
    received: Option<(u32, Option<u32>, Option<NonZeroU32>)>,
}

impl From<&WorkCompletion> for Polled {
    fn from(from: &WorkCompletion) -> Self {
        let received = match from.kind {
            CompletionKind::Request => None,
            CompletionKind::Receive { length, immediate, source } => {
                Some((length, immediate, source))
            }
        };
        let WorkCompletion { id, queue_pair_number, status, .. } = *from;
        Self { id, queue_pair_number, status, received }
    }
}

impl From<Polled> for WorkCompletion {
    fn from(from: Polled) -> Self {
        let receive =
            |(length, immediate, source)| CompletionKind::Receive { length, immediate, source };
        let kind = from.received.map_or(CompletionKind::Request, receive);
        let Polled { id, queue_pair_number, status, .. } = from;
        Self { id, queue_pair_number, status, kind }
    }
}
