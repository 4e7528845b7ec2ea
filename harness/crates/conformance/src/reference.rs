//! The back end `reference-in-process`: the contract by plain copies, and wrong versions of it.
//!
//! It exists so that tests need no device: those of the suite, and those of what is generic over
//! [`onesided_transport::Transport`]. Both ends share a [`Fabric`], which is one process's memory
//! behind one lock. It is never to be taken for RDMA: nothing in it says anything about speed, and
//! its name stands in every description.
//!
//! ```text
//!   ReferenceTransport --.                 .-- ReferenceTransport
//!                         '--> Fabric <---'
//!                   regions, queue pairs, completion queues, at most one Defect
//! ```
//!
//! A fabric may lose messages of unreliable services, or let them overtake each other ([`Fabric::dropping`],
//! [`Fabric::losing`], [`Fabric::reordering`]): the contract allows that. A [`Defect`] makes a fabric wrong in one
//! way. [`CAUGHT_BY`] names the property of the suite that sees it; what else a defect shows in is for other tests
//! to say.

mod defect;
mod endpoint;
mod execution;
mod fabric;
mod fixture;
mod medium;
mod movement;
mod refusal;
mod transport;

pub use defect::{CAUGHT_BY, Defect};
pub use endpoint::ReferenceEndpoint;
pub use fabric::{Fabric, Progress};
pub use fixture::ReferenceFixture;
pub use transport::{ReferenceRegion, ReferenceTransport};
