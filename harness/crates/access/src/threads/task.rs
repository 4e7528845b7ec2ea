//! From a plan to what each thread does.

use std::{ops::Range, time::Duration};

use onesided_load::worker::WorkerPlanError;
use onesided_placement::{CpuSet, pin_current_thread};

use super::{
    Batch, FirstTouch, SharedMemory, StartError, ThreadPlan, ThreadsPlan, batch_of,
    drive::{Pacing, Tally},
};

/// The most windows of a thread: half a gigabyte of counts.
const MOST_WINDOWS: u128 = 1 << 26;

/// Makes a thread's batches, in the thread.
pub(super) type MakeBatch = Box<dyn FnOnce() -> Result<Box<dyn Batch>, WorkerPlanError> + Send>;

/// What one thread does.
pub(super) struct Task {
    pub thread: usize,
    pub cpus: Option<CpuSet>,
    pub pacing: Pacing,
    pub make: MakeBatch,
}

impl Task {
    /// Pins the calling thread, touches its pages, makes its tables.
    pub(super) fn prepare(self) -> Result<(Box<dyn Batch>, Pacing), StartError> {
        let thread = self.thread;
        if let Some(cpus) = &self.cpus {
            pin_current_thread(cpus).map_err(|source| StartError::Pinning { thread, source })?;
        }
        let batch = (self.make)().map_err(|source| StartError::Plan { thread, source })?;
        Ok((batch, self.pacing))
    }
}

/// How accesses are counted.
#[derive(Clone, Copy, Debug)]
pub(super) struct Counting {
    windows: usize,
    window_ticks: u64,
    /// CPUs that a thread can be seen on.
    cpus: usize,
}

impl Counting {
    pub(super) fn of(plan: &ThreadsPlan) -> Result<Self, StartError> {
        let window_ticks = plan.clock.ticks_of(plan.window);
        let impossible = || StartError::Windows {
            expected_ns: plan.expected.as_nanos(),
            window_ns: plan.window.as_nanos(),
        };
        let windows = windows(plan.expected, plan.window).ok_or_else(impossible)?;
        if window_ticks == 0 {
            return Err(impossible());
        }
        Ok(Self { windows, window_ticks, cpus: configured_cpus() })
    }

    pub(super) fn tally(self) -> Tally {
        Tally::new(self.windows, self.window_ticks, self.cpus)
    }
}

fn windows(expected: Duration, window: Duration) -> Option<usize> {
    let windows = expected.as_nanos().checked_div(window.as_nanos())?;
    (windows <= MOST_WINDOWS).then(|| usize::try_from(windows).ok())?
}

/// CPUs that the machine can have, offline ones included.
fn configured_cpus() -> usize {
    // SAFETY: takes no pointer.
    let cpus = unsafe { libc::sysconf(libc::_SC_NPROCESSORS_CONF) };
    usize::try_from(cpus).unwrap_or(1).max(1)
}

/// The tasks of a plan.
pub(super) fn tasks(plan: ThreadsPlan) -> Result<Vec<Task>, StartError> {
    let count = plan.threads.len();
    if count == 0 {
        return Err(StartError::NoThreads);
    }
    let mut tasks = Vec::with_capacity(count);
    for (thread, ThreadPlan { cpus, accesses, pace }) in plan.threads.into_iter().enumerate() {
        let memory_bytes = plan.memory.length();
        if accesses.region_bytes > memory_bytes as u64 {
            let region_bytes = accesses.region_bytes;
            return Err(StartError::RegionBeyondMemory { thread, region_bytes, memory_bytes });
        }
        let pacing =
            Pacing::of(pace, &plan.clock).map_err(|rate| StartError::Rate { thread, rate })?;
        let (memory, first_touch) = (plan.memory.clone(), plan.first_touch);
        let make = Box::new(move || {
            if let FirstTouch::EachThreadItsShare { page_bytes } = first_touch {
                touch(&memory, share(memory.length(), page_bytes, thread, count), page_bytes);
            }
            batch_of(&memory, &accesses)
        });
        tasks.push(Task { thread, cpus, pacing, make });
    }
    Ok(tasks)
}

/// A thread's share of the memory, in whole pages.
fn share(length: usize, page_bytes: usize, thread: usize, threads: usize) -> Range<usize> {
    let pages = length.div_ceil(page_bytes);
    let first = |thread: usize| (pages as u128 * thread as u128 / threads as u128) as usize;
    first(thread) * page_bytes..length.min(first(thread + 1) * page_bytes)
}

fn touch(memory: &SharedMemory, bytes: Range<usize>, page_bytes: usize) {
    for offset in bytes.step_by(page_bytes) {
        memory.touch(offset);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_are_whole_pages_and_add_up_to_the_memory() {
        for (length, threads) in [(10 * 4096, 3), (4096, 4), (4096 * 3 + 5, 2), (1 << 30, 7)] {
            let shares: Vec<_> =
                (0..threads).map(|thread| share(length, 4096, thread, threads)).collect();
            assert_eq!((shares[0].start, shares[threads - 1].end), (0, length));
            assert!(shares.windows(2).all(|pair| pair[0].end == pair[1].start), "{shares:?}");
            assert!(shares.iter().all(|share| share.start.is_multiple_of(4096)));
        }
    }
}
