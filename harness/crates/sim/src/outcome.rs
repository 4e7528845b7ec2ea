//! Who is told of what happened.

use crate::time::Moment;

/// An operation whose completion its thread has taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Completed {
    /// Index of the queue pair in the run.
    pub queue_pair: usize,
    /// When it should have been posted; see `onesided_load::Post::intended`.
    pub intended: Moment,
    /// When its thread had the completion in its hands.
    pub at: Moment,
}

/// Somebody who is told each completion: those of a thread in the order of its time, those of
/// several threads in an order of no meaning, the same in each run.
pub trait Observer {
    /// An operation completed.
    fn completed(&mut self, completed: Completed);
}

/// Counts what completes in an interval, and adds up its latencies.
#[derive(Clone, Debug)]
pub struct Count {
    from: Moment,
    until: Moment,
    operations: u64,
    latency_ps: u128,
}

impl Count {
    /// Of completions from `from` to before `until`.
    pub const fn between(from: Moment, until: Moment) -> Self {
        Self { from, until, operations: 0, latency_ps: 0 }
    }

    /// Operations that completed.
    pub const fn operations(&self) -> u64 {
        self.operations
    }

    /// Operations per second of the interval.
    pub fn rate(&self) -> f64 {
        self.operations as f64 / (self.until.since(self.from).ns() * 1e-9)
    }

    /// Their mean latency in nanoseconds; absent without any.
    pub fn mean_latency_ns(&self) -> Option<f64> {
        (self.operations > 0).then(|| self.latency_ps as f64 / self.operations as f64 / 1_000.0)
    }
}

impl Observer for Count {
    #[inline]
    fn completed(&mut self, completed: Completed) {
        if completed.at >= self.from && completed.at < self.until {
            self.operations += 1;
            self.latency_ps += u128::from(completed.at.since(completed.intended).0);
        }
    }
}
