//! What is asked of a queue pair.

use onesided_vocabulary::Service;

use crate::{
    destination::Destination,
    memory::{LocalSegment, RemoteSegment},
};

/// One operation, as posted to a send queue.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WorkRequest {
    /// Handed back by the completion; the poster gives it its meaning.
    pub id: u64,
    /// Which operation, with what only it needs.
    pub opcode: Opcode,
    /// Source of a write and of a send; destination of a read and of an atomic's previous value.
    pub local: LocalSegment,
    /// The peer's memory that is accessed; unused by sends and datagrams ([`RemoteSegment::NONE`]), which go
    /// where the peer's receive request says.
    pub remote: RemoteSegment,
    /// Whether success is reported.
    pub signal: Signal,
    /// Where the bytes of a write or a send are taken from.
    pub payload: Payload,
}

/// Room for one message of the peer, as posted to a receive queue.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ReceiveRequest {
    /// Handed back by the completion; the poster gives it its meaning.
    pub id: u64,
    /// Where the bytes of a send go; without one the send must be empty.
    pub buffer: Option<LocalSegment>,
}

/// The operations (IB spec vol. 1, 9.4.1, 9.4.3 and 9.4.5). Which of them a queue pair has is a matter of its
/// service ([`Opcode::is_of`]).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Opcode {
    /// Remote memory to local memory.
    Read,
    /// Local memory to remote memory.
    Write,
    /// A write that also consumes a receive request at the peer and hands it these 32 bits.
    WriteWithImmediate {
        /// The immediate, in host byte order.
        immediate: u32,
    },
    /// Local memory to the buffer of the peer's oldest receive request, which it consumes.
    Send {
        /// 32 bits for the completion of that receive request, in host byte order.
        immediate: Option<u32>,
    },
    /// As a send, from a queue pair of datagrams to any other one: at most a packet of the path MTU.
    Datagram {
        /// The queue pair that it goes to.
        destination: Destination,
        /// 32 bits for the completion of that receive request, in host byte order.
        immediate: Option<u32>,
    },
    /// Replaces the 8 remote bytes by `swap` where they equal `compare`; the previous value is
    /// stored locally.
    CompareAndSwap {
        /// Expected value.
        compare: u64,
        /// New value.
        swap: u64,
    },
    /// Adds to the 8 remote bytes, modulo 2^64; the previous value is stored locally.
    FetchAndAdd {
        /// What is added.
        add: u64,
    },
}

impl Opcode {
    /// Bytes that an atomic works on, which must also be its alignment (IB spec vol. 1, 9.4.5).
    pub const ATOMIC_BYTES: u32 = 8;

    /// Whether the operation waits for data of the responder, and so counts against
    /// `max_rd_atomic`.
    pub const fn returns_data(self) -> bool {
        matches!(self, Self::Read | Self::CompareAndSwap { .. } | Self::FetchAndAdd { .. })
    }

    /// Whether the operation needs a receive request of the peer, and consumes it.
    pub const fn consumes_receive(self) -> bool {
        matches!(self, Self::WriteWithImmediate { .. } | Self::Send { .. } | Self::Datagram { .. })
    }

    /// Whether queue pairs of a service have the operation (IB spec vol. 1, 9.4, table 37).
    pub const fn is_of(self, service: Service) -> bool {
        match self {
            Self::Datagram { .. } => matches!(service, Service::UnreliableDatagram),
            Self::Write | Self::WriteWithImmediate { .. } | Self::Send { .. } => {
                !matches!(service, Service::UnreliableDatagram)
            }
            Self::Read | Self::CompareAndSwap { .. } | Self::FetchAndAdd { .. } => {
                matches!(service, Service::ReliableConnection)
            }
        }
    }
}

/// Whether a request that succeeds leaves a completion. One that fails always does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Signal {
    /// Success is reported through the completion queue.
    Signaled,
    /// Success is implied by the next signaled completion of the same queue pair.
    Unsignaled,
}

/// Where the bytes of a write or a send are when it is posted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Payload {
    /// In registered memory, fetched later by the device; the memory must stay unchanged until
    /// the completion.
    Gathered,
    /// Copied into the work request by the post itself; the memory is free at once and need not
    /// be registered.
    Inline,
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Destinations;

    #[test]
    fn each_service_has_its_operations() {
        let destination = Destinations::of_new_endpoint().add([()])[0];
        let all = [
            Opcode::Read,
            Opcode::Write,
            Opcode::WriteWithImmediate { immediate: 0 },
            Opcode::Send { immediate: None },
            Opcode::Datagram { destination, immediate: None },
            Opcode::CompareAndSwap { compare: 0, swap: 0 },
            Opcode::FetchAndAdd { add: 0 },
        ];
        let of = |service| all.map(|opcode| opcode.is_of(service));
        assert_eq!(of(Service::ReliableConnection), [true, true, true, true, false, true, true]);
        assert_eq!(
            of(Service::UnreliableConnection),
            [false, true, true, true, false, false, false]
        );
        assert_eq!(
            of(Service::UnreliableDatagram),
            [false, false, false, false, true, false, false]
        );
    }
}
