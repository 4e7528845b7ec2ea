//! How long one dependent load takes, by node of the thread, node of the memory and working set.
//!
//! A thread pinned to one CPU follows pointers through memory bound to one node. Each load's
//! address is the last load's result, so that no load begins before the one before it has ended,
//! and the time of many divided by their number is the latency of one. Lines come in a random
//! order ([`Order`]), each once a lap, so that no prefetcher knows the next.
//!
//! ```text
//!   Probe --probe--> thread on Probe::cpu
//!                      ChaseMemory   bound to Probe::memory_node, page size found out, not assumed
//!                      Cycle         over the first bytes of it, for each working set
//!                      walk          laps to warm up, then repetitions of as many loads each
//!                      Residency     of every page, after the last load
//! ```
//!
//! Latencies rise in steps as the working set outgrows one cache after the other: [`plateaus`]
//! names the steps by what [`caches`] the kernel tells of. The same idea is in `lat_mem_rd` of
//! lmbench (McVoy, Staelin, USENIX 1996) and in multichase, which `ci/bench-memory` compares with.

pub mod caches;
mod cycle;
mod error;
mod memory;
mod order;
pub mod plateaus;
mod probe;
mod repetitions;
mod walk;

pub use cycle::{Cycle, LARGEST_WORKING_SET_BYTES, WORKING_SET_STEP_BYTES};
pub use error::ChaseError;
pub use memory::ChaseMemory;
pub use onesided_vocabulary::{LatencyOrder as Order, LatencyPages as Pages};
pub use order::{BLOCK_BYTES, GROUP_BYTES, LINE_BYTES, visits};
pub use probe::{Probe, Reading, probe};
pub use repetitions::{Effort, Latency};
