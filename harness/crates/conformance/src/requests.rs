//! Work requests, said briefly. All are signaled and gathered unless changed.

use onesided_transport::{
    Destination, Destinations, LocalSegment, Opcode, Payload, RemoteSegment, Signal, WorkRequest,
};

/// A request of any opcode.
pub(crate) fn request(
    id: u64,
    opcode: Opcode,
    local: LocalSegment,
    remote: RemoteSegment,
) -> WorkRequest {
    let (signal, payload) = (Signal::Signaled, Payload::Gathered);
    WorkRequest { id, opcode, local, remote, signal, payload }
}

/// Local to remote.
pub(crate) fn write(id: u64, local: LocalSegment, remote: RemoteSegment) -> WorkRequest {
    request(id, Opcode::Write, local, remote)
}

/// Local to remote, with 32 bits for the peer.
pub(crate) fn write_with_immediate(
    id: u64,
    immediate: u32,
    local: LocalSegment,
    remote: RemoteSegment,
) -> WorkRequest {
    request(id, Opcode::WriteWithImmediate { immediate }, local, remote)
}

/// Local to the buffer of the peer's oldest receive request.
pub(crate) fn send(id: u64, immediate: Option<u32>, local: LocalSegment) -> WorkRequest {
    request(id, Opcode::Send { immediate }, local, RemoteSegment::NONE)
}

/// Local to the buffer of the oldest receive request of a destination.
pub(crate) fn datagram(
    id: u64,
    destination: Destination,
    immediate: Option<u32>,
    local: LocalSegment,
) -> WorkRequest {
    request(id, Opcode::Datagram { destination, immediate }, local, RemoteSegment::NONE)
}

/// A destination that no endpoint has given out.
pub(crate) fn nowhere() -> Destination {
    Destinations::of_new_endpoint().add([()])[0]
}

/// Remote to local.
pub(crate) fn read(id: u64, local: LocalSegment, remote: RemoteSegment) -> WorkRequest {
    request(id, Opcode::Read, local, remote)
}

/// Adds `add` to a remote word.
pub(crate) fn fetch_and_add(
    id: u64,
    add: u64,
    local: LocalSegment,
    remote: RemoteSegment,
) -> WorkRequest {
    request(id, Opcode::FetchAndAdd { add }, local, remote)
}

/// Replaces `compare` by `swap` in a remote word.
pub(crate) fn compare_and_swap(
    id: u64,
    (compare, swap): (u64, u64),
    local: LocalSegment,
    remote: RemoteSegment,
) -> WorkRequest {
    request(id, Opcode::CompareAndSwap { compare, swap }, local, remote)
}

/// The same, without a completion on success.
pub(crate) fn unsignaled(request: WorkRequest) -> WorkRequest {
    WorkRequest { signal: Signal::Unsignaled, ..request }
}

/// The same, with its bytes taken by the post.
pub(crate) fn inline(request: WorkRequest) -> WorkRequest {
    WorkRequest { payload: Payload::Inline, ..request }
}
