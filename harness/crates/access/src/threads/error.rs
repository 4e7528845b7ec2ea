//! Why threads could not be started, or died.

use std::io;

use onesided_load::worker::WorkerPlanError;
use onesided_placement::AffinityError;

/// Why threads could not be started.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum StartError {
    /// There is nothing to start.
    #[error("0 threads were asked for; ask for 1 or more")]
    NoThreads,
    /// A window that never ends, or more windows than fit.
    #[error(
        "{expected_ns} ns cannot be counted in windows of {window_ns} ns: expected at most 2^26 \
         windows, of at least one tick of the clock"
    )]
    Windows {
        /// How long the threads are to be counted.
        expected_ns: u128,
        /// The window asked for.
        window_ns: u128,
    },
    /// A thread's rate is no rate.
    #[error("thread {thread} cannot access memory {rate} times a second: expected more than 0")]
    Rate {
        /// The thread, from 0.
        thread: usize,
        /// What was asked for.
        rate: f64,
    },
    /// A thread's region reaches beyond the memory.
    #[error(
        "thread {thread} would access {region_bytes} bytes of a memory of {memory_bytes} bytes"
    )]
    RegionBeyondMemory {
        /// The thread, from 0.
        thread: usize,
        /// The region of its plan.
        region_bytes: u64,
        /// The memory.
        memory_bytes: usize,
    },
    /// A thread's accesses cannot be.
    #[error("thread {thread} cannot access memory as asked")]
    Plan {
        /// The thread, from 0.
        thread: usize,
        /// What cannot be.
        source: WorkerPlanError,
    },
    /// A thread could not be pinned.
    #[error("thread {thread} cannot be pinned")]
    Pinning {
        /// The thread, from 0.
        thread: usize,
        /// Why.
        source: AffinityError,
    },
    /// The system gave no thread.
    #[error("thread {thread} cannot be created; lower the number of threads or raise `ulimit -u`")]
    Thread {
        /// The thread, from 0.
        thread: usize,
        /// What the system answered.
        source: io::Error,
    },
    /// A thread ended before it had started.
    #[error(transparent)]
    Died(#[from] ThreadFailure),
}

/// A thread that died while others went on.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("load thread {thread} died ({why}): the load was not what was asked for")]
pub struct ThreadFailure {
    /// The thread, from 0.
    pub thread: usize,
    /// What it said.
    pub why: String,
}
