//! The contract between a run and a back end, in the vocabulary of verbs.
//!
//! ```text
//!   Transport --register--> Region            (where operations land)
//!       |
//!       '--create_endpoint--> Endpoint        (what ONE thread drives)
//!                               |  queue pair 0 ... queue pair n-1
//!                               '- completion queue(s): one, or one per queue pair
//! ```
//!
//! # Why it is cut this way
//!
//! * **An [`Endpoint`] belongs to one thread.** How many threads drive how many queue pairs is a
//!   factor of the experiments, so the contract makes the group explicit, and nothing below it
//!   needs a lock: `Endpoint` is `Send` and not shared.
//! * **It is chosen statically.** A run is generic over [`Transport`]; the only indirect call in
//!   the data path is the one that the provider's own library makes.
//! * **Post takes a slice.** Several work requests behind one doorbell are one call, so that post
//!   lists cost what the back end makes them cost and no more.
//! * **Completions are returned, never assumed.** A poll of an empty queue is the ordinary answer
//!   `0`. Every completion carries the id of its request and the number of its queue pair: some
//!   providers have returned stale successes, so a caller counts completions against signaled
//!   posts and checks each id.
//! * **No clock and no back end here.** Time belongs to `measure`, so that a simulated back end
//!   can keep virtual time behind the same contract.
//!
//! # What it costs
//!
//! A work request is copied once, from [`WorkRequest`] into the back end's own form. On the
//! verbs back end that is one 128-byte `ibv_send_wr` whose constant fields are filled beforehand.
//!
//! Semantics are those of the InfiniBand Architecture Specification, volume 1, for the services reliable
//! connection, unreliable connection and unreliable datagram; `ibv_post_send(3)` and `ibv_poll_cq(3)` describe the same in prose. The
//! crate `onesided-conformance` is the executable form of this contract.

mod completion;
mod connection;
mod destination;
mod device;
mod endpoint;
pub mod gid;
mod memory;
mod mtu;
mod request;
mod resource;
mod zeroed;

pub use completion::{CompletionKind, CompletionStatus, WorkCompletion};
pub use connection::{
    ConnectionAttributes, ConnectionLimits, EndpointAddress, NegotiateError, Negotiated,
    QueuePairAddress, draw_datagram_key, negotiate,
};
pub use destination::{Destination, Destinations};
pub use device::{
    AtomicCapability, DeviceDescription, DeviceLimits, LinkLayer, NotAvailable, PortState,
    Transport,
};
pub use endpoint::{
    ConnectError, CreateEndpointError, Endpoint, EndpointAttributes, PollError, PostError,
    QueuePairState,
};
pub use gid::{Gid, GidChoice, GidEntry, GidKind};
pub use memory::{
    Access, DATAGRAM_HEADER, LocalSegment, Region, RegisterError, RemoteMemory, RemoteSegment,
};
pub use mtu::{PathMtu, PathMtuError};
pub use onesided_vocabulary::{CompletionQueues, ReceiveQueues, Service, Word};
pub use request::{Opcode, Payload, ReceiveRequest, Signal, WorkRequest};
pub use resource::ResourceError;
pub use zeroed::{RegisteredMemory, ZeroedMemory};
