//! What a verb costs on PCI Express, in bytes and packets each way, and how many fit in a second.
//!
//! A [`Link`] says which packets a [`Transfer`] takes: headers, combined writes, split completions. An
//! [`Operation`] is a verb with its options; [`Operation::steps`] lists its transfers at both sides in
//! the order of happening, each once in so many operations. [`Cost`] adds them up, [`limits`] divides
//! bandwidth by them: every number of bytes here is a sum over packets.
//! Everything is integers and fractions of them: no clock, no rounding, no measurement.
//!
//! ```text
//!   Operation --steps--> [Side, Part: Transfer, every N] --Link::transactions--> [Transaction]
//!   their sum: Link::traffic --> Cost --limits--> ops/s
//! ```
//!
//! The model is that of A. Kalia, M. Kaminsky, D. G. Andersen, *Design Guidelines for High
//! Performance RDMA Systems*, USENIX ATC 2016 (below "003", with the section). What that paper
//! leaves open is marked "ours", with its reason. It leaves out flow control and acknowledgments
//! of the link layer, less than 5 % (003 appendix A), and whatever a card does beside PCI Express:
//! a limit here is an upper bound.

#![forbid(unsafe_code)]

mod cost;
mod limit;
mod link;
mod operation;
mod parts;
mod ratio;
mod transfer;
mod verb;
mod wqe;

pub use cost::Cost;
pub use limit::{Limit, bottleneck, limits};
pub use link::{Generation, Link, LinkError};
pub use onesided_vocabulary::{
    LinkLayer, PcieEnd as End, PcieOperation as Verb, PciePayload as Payload, PciePurpose as What,
    PcieResource as Resource, PcieSide as Side, PcieTransaction as Kind,
    PcieTransport as Transport,
};
pub use operation::{
    DATAGRAM_HEADER_BYTES, LONGEST_BYTES, MOST_TOGETHER, Operation, OperationError, Post, Signals,
};
pub use parts::Part;
pub use ratio::{Ratio, to_f64};
pub use transfer::{Traffic, Transaction, Transfer};
pub use verb::{can_inline, sides, supports};
pub use wqe::{CACHE_LINE_BYTES, DOORBELL_BYTES, LONGEST_WQE_BYTES, Wqe};
