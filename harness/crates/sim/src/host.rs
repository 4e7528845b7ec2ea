//! A host's stations by their part in an operation, and what an operation costs each of them.
//!
//! ```text
//!   Requester: card -> link ~> Responder: card -> PCI Express, buffer, lock slot, line -> memory
//!        PCI Express <~ link <- PCI Express <-'
//! ```
//!
//! The engine and the back end of the contract both lead operations through these.

mod costs;
mod requester;
mod responder;
mod thread;

pub(crate) use costs::{ATOMIC_BYTES, Conditions, Costs, atomic_ns, on_link};
pub(crate) use requester::Requester;
pub(crate) use responder::{Arriving, Responder};
pub(crate) use thread::ThreadCosts;
