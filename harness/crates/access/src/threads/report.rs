//! What a thread did.

use onesided_measure::Ticks;
use onesided_placement::{CpuId, NodeId, Scheduling};

/// A CPU that a thread was seen on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Seen {
    /// The CPU.
    pub cpu: CpuId,
    /// Its node.
    pub node: NodeId,
    /// How often, looked at when a window ended and at the start and the end.
    pub samples: u64,
}

/// What a thread did, from the moment all threads started until it stopped.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ThreadReport {
    /// Where it ran.
    pub seen: Vec<Seen>,
    /// What it had of its CPUs, from its start to its end.
    pub scheduling: Scheduling,
    /// When all threads of the plan began, the same for all.
    pub started: Ticks,
    /// When this one stopped.
    pub ended: Ticks,
    /// Accesses in each whole window, counted from `started`. A batch of them counts where it
    /// ended.
    pub windows: Vec<u64>,
    /// Accesses after the last of these windows: in the window that the end cut off, and beyond the
    /// time that was expected.
    pub after_windows: u64,
    /// Accesses that were loads.
    pub reads: u64,
    /// Accesses that were stores.
    pub writes: u64,
    /// Accesses that were atomics, which are both.
    pub atomics: u64,
    /// Compare-and-swaps that succeeded.
    pub swapped: u64,
}

impl ThreadReport {
    /// All accesses.
    pub fn accesses(&self) -> u64 {
        self.reads + self.writes + self.atomics
    }
}
