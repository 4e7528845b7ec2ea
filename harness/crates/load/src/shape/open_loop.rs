//! Operations that arrive on a schedule, whatever completes.

use std::num::NonZeroU32;

use super::{Arrivals, Shape, Turn, arrivals::FRACTION_BITS, without_completed};
use crate::generator::Instant;

/// Posts each operation when it arrives, or as soon after as the queue has room.
///
/// The schedule begins with the first question and does not depend on completions: an operation
/// that had to wait counts its latency from its arrival, so that a slow stretch is seen by every
/// operation that a user would have asked for meanwhile (no coordinated omission).
#[derive(Clone, Debug)]
pub struct OpenLoop<A> {
    arrivals: A,
    max_outstanding: u32,
    outstanding: u32,
    schedule: Option<Schedule>,
}

/// A schedule that has begun.
#[derive(Clone, Copy, Debug)]
struct Schedule {
    start: Instant,
    /// From the start to the next arrival, with [`FRACTION_BITS`] after the point.
    elapsed: u128,
}

impl Schedule {
    #[inline]
    fn arrival(self) -> Instant {
        let elapsed = u64::try_from(self.elapsed >> FRACTION_BITS).unwrap_or(u64::MAX);
        Instant(self.start.0.saturating_add(elapsed))
    }
}

impl<A: Arrivals> OpenLoop<A> {
    /// A loop whose schedule has not begun.
    pub const fn new(arrivals: A, max_outstanding: NonZeroU32) -> Self {
        Self { arrivals, max_outstanding: max_outstanding.get(), outstanding: 0, schedule: None }
    }
}

impl<A: Arrivals> Shape for OpenLoop<A> {
    const TIMED: bool = true;

    #[inline]
    fn next(&mut self, now: Instant, _remaining: u64) -> Turn {
        let arrivals = &mut self.arrivals;
        let schedule =
            self.schedule.get_or_insert_with(|| Schedule { start: now, elapsed: arrivals.first() });
        let intended = schedule.arrival();
        if intended > now {
            return Turn::WaitUntil(intended);
        }
        if self.outstanding == self.max_outstanding {
            return Turn::WaitForCompletion;
        }
        schedule.elapsed = schedule.elapsed.saturating_add(arrivals.gap());
        self.outstanding += 1;
        Turn::Post { intended }
    }

    #[inline]
    fn completed(&mut self, operations: u32, _now: Instant) {
        self.outstanding = without_completed(self.outstanding, operations);
    }

    #[inline]
    fn outstanding(&self) -> u32 {
        self.outstanding
    }

    #[inline]
    fn backlog(&self, now: Instant) -> Option<u64> {
        let behind = |schedule: Schedule| now.0.saturating_sub(schedule.arrival().0);
        Some(self.schedule.map_or(0, behind))
    }
}
