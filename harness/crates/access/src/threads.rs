//! Threads that use memory while something else is measured: workers on the memory that clients
//! access, and load that has nothing to do with it.
//!
//! ```text
//!   ThreadsPlan -> Running::start -> (threads load) -> Running::stop -> Vec<ThreadReport>
//!                    |  pin, make the generator, touch   (set-up: `running`, `task`)
//!                    '  batches until told to stop       (data path: `batch`, `drive`)
//! ```
//!
//! A thread carries out batches of accesses and looks at the clock, and at whether it is to stop,
//! between them. What it does was decided before: a batch is compiled for each pattern, operation
//! and width.

mod batch;
mod drive;
mod error;
mod memory;
mod report;
mod running;
mod task;
pub mod termination;

use std::time::Duration;

use onesided_load::worker::WorkerPlan;
use onesided_measure::Clock;
use onesided_placement::CpuSet;

pub use batch::{BATCH_ACCESSES, Batch, Done, batch_of};
pub use error::{StartError, ThreadFailure};
pub use memory::{MemoryUnsuitable, SharedMemory};
pub use report::{Seen, ThreadReport};
pub use running::Running;

/// How fast a thread accesses memory. A thread that waits spins: one that sleeps lets its core
/// slow down, and wakes up late.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Pace {
    /// As fast as it can.
    Unpaced,
    /// With a pause after each access.
    Think(Duration),
    /// So many accesses per second, at equal distances. Above 10^6, in bursts of accesses at
    /// distances of a microsecond, for reading the clock before each access would be the load. A
    /// thread that falls behind catches up, so that the mean rate is kept where it can be.
    Rate(f64),
}

/// Who touches the memory first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FirstTouch {
    /// It has been touched.
    Done,
    /// Each thread writes a zero to every page of its share, an equal part in the order of the
    /// threads, after it has been pinned: pages come to be where their threads run.
    EachThreadItsShare {
        /// Bytes of a page.
        page_bytes: usize,
    },
}

/// One thread.
#[derive(Clone, Debug, PartialEq)]
pub struct ThreadPlan {
    /// The CPUs it may run on; absent: any.
    pub cpus: Option<CpuSet>,
    /// What it does. Its region is the whole of the memory.
    pub accesses: WorkerPlan,
    /// How fast.
    pub pace: Pace,
}

/// Threads on one piece of memory.
#[derive(Clone, Debug)]
pub struct ThreadsPlan {
    /// What they access.
    pub memory: SharedMemory,
    /// Who touches it first.
    pub first_touch: FirstTouch,
    /// The threads.
    pub threads: Vec<ThreadPlan>,
    /// The clock that paces them and tells windows apart.
    pub clock: Clock,
    /// Length of a counting window.
    pub window: Duration,
    /// How long they will run at the most: windows are counted for so long, later accesses are
    /// only added up.
    pub expected: Duration,
}
