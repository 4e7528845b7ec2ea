//! Batches of accesses: what a thread does between two readings of the clock.

mod touch;

use std::mem::MaybeUninit;

use onesided_load::worker::{
    AccessKind, Accesses, ClockReadings, Direction, WorkerPlan, WorkerPlanError, WorkerVisitor,
    with_worker,
};

use super::memory::SharedMemory;
use touch::{add, load, read_real_time_clock, store, swap, swap_until_done};

/// Accesses between two readings of the clock. Ours: a reading of 25 ns is 0.1 ns an access, and
/// at 1 us each, slower than any that are known, they are a fortieth of a window of 10 ms.
pub const BATCH_ACCESSES: u32 = 256;

/// What some accesses came to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Done {
    /// Of them, stores.
    pub writes: u64,
    /// Of them, atomics, which are both loads and stores.
    pub atomics: u64,
    /// Compare-and-swaps that succeeded.
    pub swapped: u64,
}

/// Carries out accesses.
pub trait Batch: Send {
    /// So many of them.
    fn run(&mut self, accesses: u32) -> Done;
}

/// The batches of a plan's accesses, on memory as long as the plan's region. To be called by the
/// thread that carries them out: tables come to be where it runs.
///
/// # Errors
/// The plan cannot be carried out.
///
/// # Panics
/// When the memory is shorter than the plan's region.
pub fn batch_of(
    memory: &SharedMemory,
    plan: &WorkerPlan,
) -> Result<Box<dyn Batch>, WorkerPlanError> {
    assert!(plan.region_bytes <= memory.length() as u64, "a region within its memory");
    with_worker(plan, Boxed { memory, worker: plan.worker, workers: plan.workers })
}

struct Boxed<'a> {
    memory: &'a SharedMemory,
    worker: u32,
    workers: u32,
}

impl WorkerVisitor for Boxed<'_> {
    type Output = Box<dyn Batch>;

    fn visit<const BYTES: usize, A: Accesses + Send + 'static>(
        self,
        accesses: A,
    ) -> Box<dyn Batch> {
        let (worker, next) = (u64::from(self.worker), u64::from((self.worker + 1) % self.workers));
        let memory = self.memory.clone();
        Box::new(Loop::<A, BYTES> { accesses, memory, worker, next, aside: Aside::new() })
    }
}

/// A cache line of the thread's own, which stays in its nearest cache.
#[repr(align(64))]
struct Aside(MaybeUninit<[u64; 8]>);

impl Aside {
    fn new() -> Self {
        Self(MaybeUninit::new([0; 8]))
    }
}

struct Loop<A, const BYTES: usize> {
    accesses: A,
    memory: SharedMemory,
    /// What is stored.
    worker: u64,
    /// What a compare-and-swap expects at first, as published.
    next: u64,
    aside: Aside,
}

impl<A: Accesses + Send, const BYTES: usize> Batch for Loop<A, BYTES> {
    fn run(&mut self, accesses: u32) -> Done {
        let start = self.memory.start().as_ptr();
        let aside = self.aside.0.as_mut_ptr().cast::<u8>();
        let (worker, next) = (self.worker, self.next);
        let mut done = Done::default();
        for _ in 0..accesses {
            let access = self.accesses.next_access();
            // SAFETY: the visitor's contract: the access lies within the plan's region, which is
            // within the memory (`batch_of`), at a multiple of its size from the start, which is on
            // a cache line.
            let at = unsafe { start.add(access.offset as usize) };
            // SAFETY: `at` as above; `aside` is a line of our own. Both are aligned to a line's
            // start or the access's size.
            unsafe {
                match A::KIND {
                    AccessKind::Reads => load::<BYTES>(at),
                    AccessKind::Writes => store::<BYTES>(at, worker),
                    AccessKind::Mixed => {
                        done.writes += mixed::<BYTES>(access.direction, at, aside, worker);
                    }
                    AccessKind::CompareAndSwap => done.swapped += swap(at),
                    AccessKind::CompareAndSwapUntilDone => swap_until_done(at, next, worker),
                    AccessKind::FetchAndAdd => add(at),
                }
            }
            if A::CLOCK == ClockReadings::EachAccess {
                read_real_time_clock();
            }
        }
        done.with_all_of(A::KIND, accesses)
    }
}

impl Done {
    /// Adds what the kind alone tells.
    fn with_all_of(mut self, kind: AccessKind, accesses: u32) -> Self {
        match kind {
            AccessKind::Reads | AccessKind::Mixed => {}
            AccessKind::Writes => self.writes += u64::from(accesses),
            AccessKind::CompareAndSwap | AccessKind::FetchAndAdd => {
                self.atomics += u64::from(accesses);
            }
            AccessKind::CompareAndSwapUntilDone => {
                self.atomics += u64::from(accesses);
                self.swapped += u64::from(accesses);
            }
        }
        self
    }
}

/// Loads or stores, without a branch: a CPU cannot foresee which, and each wrong guess would cost
/// more than the access. So both are done, the one that is not asked for to a line of our own,
/// which is in the nearest cache. Returns 1 for a store.
///
/// # Safety
/// As [`load`] and [`store`], for both addresses.
#[inline(always)]
unsafe fn mixed<const BYTES: usize>(
    direction: Direction,
    at: *mut u8,
    aside: *mut u8,
    value: u64,
) -> u64 {
    let is_write = direction == Direction::Write;
    let loaded = std::hint::select_unpredictable(is_write, aside, at);
    let stored = std::hint::select_unpredictable(is_write, at, aside);
    // SAFETY: the caller's promise.
    unsafe {
        load::<BYTES>(loaded);
        store::<BYTES>(stored, value);
    }
    u64::from(is_write)
}

#[cfg(test)]
mod tests;
