//! What the counts say: the published and the robust estimator, intervals.
//!
//! - [`windows`]: counts of one run by queue pair and window.
//! - [`throughput`]: the study's estimator and the robust one.
//! - [`bootstrap`]: an interval for the mean of a series whose neighbours are alike.
//! - [`printed`]: both estimators on what the study's clients printed.
//! - [`conditions`]: runs that differ in nothing but chance, pooled.
//! - [`stored`]: tables of a folder, read together: conditions must be those of the runs.
//! - [`latency`]: what merged histograms say.
//! - [`collect`]: directories of runs as tidy tables.

pub mod bootstrap;
pub mod collect;
pub mod conditions;
pub mod latency;
pub mod printed;
pub mod stored;
pub mod throughput;
pub mod windows;

pub use collect::{CollectError, CollectedRun, Collector};
