//! The flags of the server's worker threads.

use std::time::Duration;

use clap::Args;
use onesided_results::{
    RunConfiguration,
    vocabulary::{WorkerOperation, WorkerPattern},
};

use super::word;
use crate::arguments::{bytes, duration};

/// Share of writes where none is given; that of the study's Fig. 5 where the rest is the study's.
const WRITE_FRACTION: f64 = 0.5;
const PUBLISHED_WRITE_FRACTION: f64 = 0.9;
/// Bytes of an access where none are given; those of the study's program where the rest is.
const ACCESS_BYTES: u32 = 8;
const PUBLISHED_ACCESS_BYTES: u32 = 1;

/// What the server's own threads do to the memory that is accessed.
#[derive(Args, Clone, Debug)]
#[group(id = "WorkerFactors", multiple = true, conflicts_with = "table")]
#[command(next_help_heading = "Workers")]
pub(super) struct WorkerFactors {
    /// Threads of the server that use the memory that is accessed [default: 0]
    #[arg(long, value_name = "NUMBER")]
    workers: Option<u32>,
    /// Where they run: any; with a CPU each a node's number, rdma-local, rdma-remote or
    /// cpus:LIST; or each on all CPUs of a node, shared:NODE [default: any]
    #[arg(long, value_name = "PLACE")]
    worker_threads: Option<String>,
    /// read, write, mixed, compare-and-swap or fetch-and-add [default: mixed]
    #[arg(long, value_name = "OPERATION", value_parser = word::<WorkerOperation>)]
    worker_operation: Option<WorkerOperation>,
    /// Share of writes of mixed workers, 0 to 1 [default: 0.5, of as-published 0.9]
    #[arg(long, value_name = "FRACTION")]
    worker_write_fraction: Option<f64>,
    /// Bytes of each of their accesses, 1 to 64 [default: 8, of as-published 1]
    #[arg(long, value_name = "BYTES", value_parser = bytes)]
    worker_access: Option<u64>,
    /// uniform, sequential, own-line, shared-line or as-published [default: uniform]
    #[arg(long, value_name = "PATTERN", value_parser = word::<WorkerPattern>)]
    worker_pattern: Option<WorkerPattern>,
    /// The sequence of the study's own workers: short for --worker-pattern as-published
    #[arg(long, conflicts_with = "worker_pattern", requires = "workers")]
    as_published: bool,
    /// Pause between two accesses of a worker [default: 0ns]
    #[arg(long, value_name = "DURATION", value_parser = duration)]
    worker_think_time: Option<Duration>,
    /// Accesses of one worker in a second [default: as many as it can]
    #[arg(long, value_name = "PER_SECOND")]
    worker_rate: Option<f64>,
}

impl WorkerFactors {
    /// Sets what was given, and for workers that there are what was not.
    pub(super) fn set(&self, run: &mut RunConfiguration) {
        set!(run from self: workers = workers, worker_threads = worker_threads,
            worker_operation = worker_operation, worker_write_fraction = worker_write_fraction,
            worker_pattern = worker_pattern, worker_rate_per_second = worker_rate);
        if let Some(access) = self.worker_access {
            run.worker_access_bytes = Some(u32::try_from(access).unwrap_or(u32::MAX));
        }
        if let Some(pause) = self.worker_think_time {
            run.worker_think_time_ns = u64::try_from(pause.as_nanos()).unwrap_or(u64::MAX);
        }
        if self.as_published {
            run.worker_pattern = Some(WorkerPattern::AsPublished);
        }
        if run.workers > 0 {
            self.complete(run);
        }
    }

    fn complete(&self, run: &mut RunConfiguration) {
        let pattern = *run.worker_pattern.get_or_insert(WorkerPattern::Uniform);
        let (fraction, access) = match pattern {
            WorkerPattern::AsPublished => (PUBLISHED_WRITE_FRACTION, PUBLISHED_ACCESS_BYTES),
            _ => (WRITE_FRACTION, ACCESS_BYTES),
        };
        if self.worker_operation.is_none() {
            run.worker_operation = WorkerOperation::Mixed;
        }
        if run.worker_operation == WorkerOperation::Mixed {
            run.worker_write_fraction.get_or_insert(fraction);
        }
        run.worker_access_bytes.get_or_insert(access);
    }
}
