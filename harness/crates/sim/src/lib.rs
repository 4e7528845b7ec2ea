//! One-sided RDMA in virtual time, from the parameters of a machine.
//!
//! ```text
//!  requester's thread -> requester's card -> link -> responder's card -> PCIe -> interconnect
//!        ^                                                                           |
//!        |                                                              cache line, memory controller
//!        '--- completion <- PCIe <- requester's card <- link <- PCIe <---------------'
//! ```
//!
//! - [`Parameters`]: what a machine costs, station by station.
//! - [`Scenario`]: what is asked of it: placements, local load, connection.
//! - [`simulate`]: runs the generators of `onesided-load` on it, and tells an [`Observer`].
//! - [`utilisations`]: how busy each station is at a throughput, by the utilisation law.
//! - [`check`]: whether there is anything to run.
//! - [`transport`]: the same machine behind the contract of `onesided-transport`, with real bytes.
//! - `stations`: one file a station; `host`: their part in an operation, and its costs;
//!   `queue_pair`: requests on their way; `engine`: the order of events; `tournament`: the next one.
//!
//! A run has one thread, a seed and no clock: the same input gives the same completions, to the
//! picosecond. An operation costs no allocation, and one to four events: steps that nothing can come
//! between are one.

#![deny(unsafe_code)]

mod engine;
mod host;
mod outcome;
mod parameters;
mod queue_pair;
mod scenario;
mod stations;
mod time;
mod tournament;
pub mod transport;
mod utilisation;

pub use engine::{SimulateError, check, simulate};
pub use onesided_vocabulary::Locality;
pub use outcome::{Completed, Count, Observer};
pub use parameters::{ByReach, ByVerb, Field, ParameterError, Parameters};
pub use scenario::{Connection, HostLoad, Scenario, Workers};
pub use time::{Moment, Span};
pub use utilisation::{StationUse, utilisations};
