//! Experiments between two nodes, on any back end: those of Scale-Out NUMA (004 §7), and when a write is
//! seen.
//!
//! - [`reads`]: remote reads and fetch-and-adds, by one node or by both at the same time (Fig. 7,
//!   Table 2).
//! - [`direct`]: the same reads by loads of the other node's memory, which is not asked.
//! - [`messages`]: ping-pong and streaming of messages that are pushed, pulled or either (Fig. 8), and
//!   over TCP (Fig. 1).
//! - [`round_trip`]: what a cache line takes to another core and back, below which nothing that
//!   crosses cores can be.
//! - [`visibility`]: how often the responder's CPU sees a WRITE late or out of order (programs of 003).
//! - [`Spread`]: median and quartiles of the samples of one measurement.
//!
//! A measurement lasts a given time. Latency is of samples of some operations in a row, throughput
//! of windows of time, and both are told by their medians: a sample or window in which a thread was
//! preempted is one of many. What arrived is compared with what was there, and differences are
//! counted.

pub mod direct;
mod error;
mod memory;
pub mod messages;
pub mod reads;
pub mod round_trip;
mod spread;
mod timing;
pub mod visibility;

pub use error::{FabricError, LoadError};
pub use memory::Buffers;
pub use spread::Spread;
pub use timing::{Timing, WINDOWS};
