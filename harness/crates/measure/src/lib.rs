//! The clock, and per-thread recorders of windows and latencies; counts only.
//!
//! * [`Clock`]: a calibrated tick counter, and [`TickRate`], its arithmetic without the reading.
//! * [`Record`]: what a data path tells; [`Discard`] during warm-up, [`Recorder`] from the common
//!   start on.
//! * [`ThreadCounts`], [`RunCounts`]: what is left after the run, by queue pair; merged afterwards,
//!   so that threads share nothing while they measure.
//!
//! Nothing here estimates a throughput or an interval: `onesided-estimate` infers.

mod clock;
mod counts;
mod latency;
mod record;
mod recorder;
mod run;
mod ticks;

pub use clock::{Clock, ClockDescription, ClockError, ClockSource, Drift};
pub use counts::{Bucket, LatencyCounts, QueuePairCounts, ThreadCounts};
pub use latency::{HIGHEST_LATENCY_NS, MOST_BUCKETS, SIGNIFICANT_DIGITS};
pub use record::{Discard, Record};
pub use recorder::{Recorder, RecorderPlan};
pub use run::{MergeError, RunCounts};
pub use ticks::{TickRate, Ticks};
