//! One CPU, one memory, one or more working sets.

use std::thread;

use onesided_measure::Clock;
use onesided_placement::{CpuId, CpuSet, NodeId, Residency, current_cpu, pin_current_thread};

use super::{
    Order, Pages,
    cycle::Cycle,
    error::ChaseError,
    memory::ChaseMemory,
    repetitions::{Effort, Latency, measure},
};

/// What to measure.
#[derive(Clone, Debug)]
pub struct Probe {
    /// The CPU that loads.
    pub cpu: CpuId,
    /// The node of the memory; `None`: wherever the kernel puts it.
    pub memory_node: Option<NodeId>,
    /// The working sets in bytes, in the order to measure them.
    pub working_sets_bytes: Vec<u64>,
    /// The memory's pages; `None`: as [`ChaseMemory::allocate`] chooses.
    pub pages: Option<Pages>,
    /// The order of the lines.
    pub order: Order,
    /// Of that order: the same seed makes the same.
    pub seed: u64,
    /// How much is measured.
    pub effort: Effort,
}

/// What one working set took.
#[derive(Clone, Debug)]
pub struct Reading {
    /// Bytes that a lap visits.
    pub working_set_bytes: u64,
    /// The time of one load.
    pub latency: Latency,
    /// What the memory's pages were.
    pub pages: Pages,
    /// Their size in bytes.
    pub page_bytes: u64,
    /// Where they were when the loads had been made.
    pub residency: Residency,
}

/// Measures from a thread of its own, which is pinned before it touches any memory. `each` hears
/// of every working set as soon as it is measured.
///
/// # Errors
/// Memory or CPU that cannot be had, a working set that cannot be chased through.
///
/// # Panics
/// When `each` does.
pub fn probe(
    probe: &Probe,
    clock: &Clock,
    each: impl FnMut(&Reading) + Send,
) -> Result<Vec<Reading>, ChaseError> {
    thread::scope(|scope| {
        let thread = thread::Builder::new().name("chase".to_owned());
        let thread = thread
            .spawn_scoped(scope, || on_this_thread(probe, clock, each))
            .map_err(|source| ChaseError::Thread { source })?;
        thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
    })
}

fn on_this_thread(
    probe: &Probe,
    clock: &Clock,
    mut each: impl FnMut(&Reading),
) -> Result<Vec<Reading>, ChaseError> {
    let cpu = probe.cpu;
    pin_current_thread(&CpuSet::of(cpu)).map_err(|source| ChaseError::Affinity { cpu, source })?;
    let largest = probe.working_sets_bytes.iter().max().ok_or(ChaseError::NoWorkingSet)?;
    let mut memory = ChaseMemory::allocate(*largest, probe.pages, probe.memory_node)?;
    let mut readings = Vec::with_capacity(probe.working_sets_bytes.len());
    for working_set_bytes in &probe.working_sets_bytes {
        let mut cycle = Cycle::build(&mut memory, *working_set_bytes, probe.order, probe.seed)?;
        let latency = measure(&mut cycle, clock, probe.effort);
        let (found, _) = current_cpu();
        if found != cpu {
            return Err(ChaseError::Moved { asked: cpu, found });
        }
        let reading = Reading {
            working_set_bytes: *working_set_bytes,
            latency,
            pages: memory.pages(),
            page_bytes: memory.page_bytes(),
            residency: memory.residency()?,
        };
        each(&reading);
        readings.push(reading);
    }
    Ok(readings)
}
