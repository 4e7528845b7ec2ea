//! A thread's load, as described at run time.

use std::{num::NonZeroU32, ops::Range, time::Duration};

use onesided_vocabulary::SlotLayout;

use crate::{
    generator::PostedOperation,
    slots::{Slots, SlotsError},
};

/// The load of one thread: what its queue pairs ask for, among all of the run.
#[derive(Clone, Debug, PartialEq)]
pub struct LoadPlan {
    /// When.
    pub shape: ShapePlan,
    /// Where.
    pub pattern: PatternPlan,
    /// What.
    pub mix: MixPlan,
    /// Bytes of each access; 8 for atomics.
    pub access_bytes: u32,
    /// How objects lie in the peer's region.
    pub slot_layout: SlotLayout,
    /// Size of the peer's region; [`region_bytes`] says how large it must be.
    pub region_bytes: u64,
    /// The thread's queue pairs, by their numbers in the run.
    pub queue_pairs: Range<usize>,
    /// How many queue pairs the run has.
    pub run_queue_pairs: usize,
    /// Operations that each queue pair posts; absent: as many as it can.
    pub operations_per_queue_pair: Option<u64>,
    /// Units of [`crate::Instant`] in a second.
    pub units_per_second: u64,
    /// Of all random numbers, together with a queue pair's number in the run. The same seed gives
    /// the same operations, addresses and arrivals, however queue pairs are spread over threads.
    pub seed: u64,
}

/// When operations are asked for.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum ShapePlan {
    /// After the completion of others.
    ClosedLoop {
        /// Operations outstanding on a queue pair: 1 is a closed loop, the queue's depth saturates
        /// it.
        window: u32,
        /// Pause of each place in the window after a completion.
        think_time: Duration,
        /// Operations posted behind one doorbell; at most the window.
        post_list: u32,
    },
    /// After the completion of all others.
    Batch {
        /// Operations of a batch on a queue pair.
        window: u32,
        /// Operations posted behind one doorbell; at most the window.
        post_list: u32,
    },
    /// On a schedule.
    OpenLoop {
        /// The schedule of a queue pair.
        arrivals: ArrivalPlan,
        /// Operations outstanding on a queue pair before arrivals have to wait.
        max_outstanding: u32,
    },
}

/// The schedule of an open loop.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum ArrivalPlan {
    /// At equal distances; the queue pairs of a run are spread evenly over one interval.
    FixedInterval {
        /// Arrivals on one queue pair.
        operations_per_second: f64,
    },
    /// A Poisson process on each queue pair.
    Poisson {
        /// Mean arrivals on one queue pair.
        operations_per_second: f64,
    },
}

/// Which objects are accessed.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum PatternPlan {
    /// Each queue pair one object of its own.
    OwnSlot,
    /// All queue pairs walk the working set, from starts spread evenly.
    Sequential {
        /// What all queue pairs access together.
        working_set_bytes: u64,
    },
    /// All queue pairs draw from the working set.
    Uniform {
        /// What all queue pairs access together.
        working_set_bytes: u64,
    },
    /// All queue pairs draw from the working set, by Zipf's law.
    Zipf {
        /// What all queue pairs access together.
        working_set_bytes: u64,
        /// Above 0; 0.99 in YCSB.
        exponent: f64,
    },
}

/// Which operations are asked for.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum MixPlan {
    /// Always this one.
    Single(PostedOperation),
    /// Reads and writes, drawn independently.
    ReadWrite {
        /// Probability of a write, 0 to 1.
        write_fraction: f64,
    },
    /// Reads of the objects and 8-byte fetch-and-adds at their beginning, drawn independently.
    ReadAtomic {
        /// Probability of an atomic, 0 to 1.
        atomic_fraction: f64,
    },
}

/// Why a plan cannot be carried out.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum PlanError {
    /// The thread has no queue pairs, or ones that the run has not.
    #[error("queue pairs {first} to before {end} are not some of the run's {run_queue_pairs}")]
    QueuePairs {
        /// The thread's first.
        first: usize,
        /// After the thread's last.
        end: usize,
        /// How many the run has.
        run_queue_pairs: usize,
    },
    /// Nothing may be outstanding.
    #[error("a window of 0 lets nothing be posted; it is 1 or more")]
    EmptyWindow,
    /// The list has no operations or would never fit.
    #[error("a post list of {post_list} is not within 1 and the window of {window}")]
    PostList {
        /// Operations behind one doorbell.
        post_list: u32,
        /// Operations outstanding.
        window: u32,
    },
    /// Not a fraction.
    #[error("a write fraction of {write_fraction} is not within 0 to 1")]
    WriteFraction {
        /// What was asked for.
        write_fraction: f64,
    },
    /// Not a fraction.
    #[error("an atomic fraction of {atomic_fraction} is not within 0 to 1")]
    AtomicFraction {
        /// What was asked for.
        atomic_fraction: f64,
    },
    /// Not a rate, or one that the caller's clock cannot schedule.
    #[error(
        "{operations_per_second} operations per second are not above 0, or cannot be scheduled by \
         a clock of {units_per_second} units per second"
    )]
    Rate {
        /// What was asked for.
        operations_per_second: f64,
        /// The caller's clock.
        units_per_second: u64,
    },
    /// Zipf's law has no such exponent.
    #[error("a Zipf exponent of {exponent} is not above 0")]
    ZipfExponent {
        /// What was asked for.
        exponent: f64,
    },
    /// A pause longer than the caller's clock can tell.
    #[error(
        "a think time of {think_time:?} is beyond a clock of {units_per_second} units per second"
    )]
    ThinkTime {
        /// What was asked for.
        think_time: Duration,
        /// The caller's clock.
        units_per_second: u64,
    },
    /// A clock that stands still.
    #[error("a clock of 0 units per second tells no time")]
    NoClock,
    /// The objects cannot lie as asked.
    #[error(transparent)]
    Slots(#[from] SlotsError),
}

/// How large the server's region must be for a load.
///
/// # Errors
/// When objects cannot lie as asked.
pub fn region_bytes(
    pattern: PatternPlan,
    slot_layout: SlotLayout,
    access_bytes: u32,
    run_queue_pairs: usize,
) -> Result<u64, SlotsError> {
    slots(pattern, slot_layout, access_bytes, run_queue_pairs).map(|slots| slots.region_bytes())
}

fn slots(
    pattern: PatternPlan,
    slot_layout: SlotLayout,
    access_bytes: u32,
    run_queue_pairs: usize,
) -> Result<Slots, SlotsError> {
    match pattern {
        PatternPlan::OwnSlot => Slots::new(slot_layout, access_bytes, run_queue_pairs as u64),
        PatternPlan::Sequential { working_set_bytes }
        | PatternPlan::Uniform { working_set_bytes }
        | PatternPlan::Zipf { working_set_bytes, .. } => {
            Slots::filling(slot_layout, access_bytes, working_set_bytes, run_queue_pairs as u64)
        }
    }
}

impl LoadPlan {
    /// The objects of this load, which fit the region and the operations.
    ///
    /// # Errors
    /// [`PlanError::Slots`] where they do not.
    pub fn slots(&self) -> Result<Slots, PlanError> {
        let slots = slots(self.pattern, self.slot_layout, self.access_bytes, self.run_queue_pairs)?;
        slots.check_fit(self.region_bytes)?;
        if matches!(self.mix, MixPlan::Single(operation) if operation.is_atomic()) {
            slots.check_atomics()?;
        }
        if matches!(self.mix, MixPlan::ReadAtomic { .. }) {
            slots.check_atomics_within()?;
        }
        Ok(slots)
    }

    pub(crate) fn check_queue_pairs(&self) -> Result<(), PlanError> {
        let Range { start: first, end } = self.queue_pairs;
        let run_queue_pairs = self.run_queue_pairs;
        if first < end && end <= run_queue_pairs {
            Ok(())
        } else {
            Err(PlanError::QueuePairs { first, end, run_queue_pairs })
        }
    }

    /// A think time in the caller's unit, to the nearest.
    pub(crate) fn think_units(&self, think_time: Duration) -> Result<u64, PlanError> {
        let units_per_second = self.units_per_second;
        let units = (think_time.as_nanos())
            .checked_mul(u128::from(units_per_second))
            .and_then(|product| u64::try_from((product + 500_000_000) / 1_000_000_000).ok());
        units.ok_or(PlanError::ThinkTime { think_time, units_per_second })
    }

    /// The mean distance of arrivals in the caller's unit.
    pub(crate) fn arrival_interval(&self, operations_per_second: f64) -> f64 {
        self.units_per_second as f64 / operations_per_second
    }
}

/// A window that lets something be posted.
pub(crate) fn window(outstanding: u32) -> Result<NonZeroU32, PlanError> {
    NonZeroU32::new(outstanding).ok_or(PlanError::EmptyWindow)
}
