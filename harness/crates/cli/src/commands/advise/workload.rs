//! The workload that is asked about.

use std::time::Duration;

use anyhow::{Context, ensure};
use clap::Args;
use onesided_load::ShapePlan;
use onesided_prediction::covered;
use onesided_results::{
    RunConfiguration,
    row::ConditionRow,
    vocabulary::{LoadKind, LoopShape, Operation, SlotLayout, WorkerOperation},
};
use onesided_sim::{Moment, Parameters, Scenario};

use crate::arguments::{bytes, word};

/// What a client asks for, and who else uses the memory.
#[derive(Args)]
pub struct Workload {
    /// What clients ask for
    #[arg(long, value_name = "OPERATION", default_value = "read", value_parser = word::<Operation>())]
    operation: Operation,
    /// Share of writes, of mixed operations [default: 0.5]
    #[arg(long, value_name = "SHARE")]
    write_fraction: Option<f64>,
    /// Bytes of an access
    #[arg(long, value_name = "BYTES", default_value = "8B", value_parser = bytes)]
    bytes: u64,
    /// Queue pairs, each with a thread
    #[arg(long, value_name = "NUMBER", default_value_t = 8)]
    queue_pairs: u32,
    /// Requests of a queue pair that are outstanding
    #[arg(long, value_name = "NUMBER", default_value_t = 16)]
    window: u32,
    /// Reads and atomics of a queue pair in flight
    #[arg(long, value_name = "NUMBER", default_value_t = 1)]
    max_rd_atomic: u8,
    /// Path MTU: 256, 512, 1024, 2048 or 4096
    #[arg(long, value_name = "BYTES", default_value_t = 256)]
    mtu: u32,
    /// Give each object cache lines of its own
    #[arg(long)]
    padded: bool,
    /// Threads of the server that use the same memory
    #[arg(long, value_name = "NUMBER", default_value_t = 0)]
    workers: u32,
    /// What they do
    #[arg(
        long,
        value_name = "OPERATION",
        default_value = "mixed",
        value_parser = word::<WorkerOperation>()
    )]
    worker_operation: WorkerOperation,
    /// Share of writes, of mixed workers [default: 0.9]
    #[arg(long, value_name = "SHARE")]
    worker_write_fraction: Option<f64>,
    /// Bytes of other memory of the server that something else ranges over all the time
    #[arg(long, value_name = "BYTES", value_parser = bytes)]
    load_bytes: Option<u64>,
}

impl Workload {
    /// The workload, and one operation of one queue pair at a time.
    pub fn scenarios(
        &self,
        parameters: &Parameters,
        end: Moment,
    ) -> anyhow::Result<(Scenario, Scenario)> {
        self.check()?;
        let run = self.configuration()?;
        let workload = covered(&run, parameters, end).with_context(|| {
            format!("--bytes {} --queue-pairs {}", self.bytes, self.queue_pairs)
        })?;
        let mut alone = workload.clone();
        alone.load.shape =
            ShapePlan::ClosedLoop { window: 1, think_time: Duration::ZERO, post_list: 1 };
        alone.load.queue_pairs = 0..1;
        alone.load.run_queue_pairs = 1;
        alone.threads = 1;
        Ok((workload, alone))
    }

    fn check(&self) -> anyhow::Result<()> {
        let (mixed, mixed_workers) =
            (self.operation == Operation::Mixed, self.worker_operation == WorkerOperation::Mixed);
        for (flag, share, has_meaning, needs) in [
            ("--write-fraction", self.write_fraction, mixed, "--operation mixed"),
            (
                "--worker-write-fraction",
                self.worker_write_fraction,
                mixed_workers,
                "--worker-operation mixed",
            ),
        ] {
            let Some(share) = share else { continue };
            ensure!((0.0..=1.0).contains(&share), "{flag} {share} is not within 0 and 1");
            ensure!(has_meaning, "{flag} {share} is of mixed ones: it needs {needs}");
        }
        ensure!(
            [256, 512, 1024, 2048, 4096].contains(&self.mtu),
            "--mtu {}: a path MTU is 256, 512, 1024, 2048 or 4096",
            self.mtu
        );
        let idle = self.workers > 0 && self.worker_operation == WorkerOperation::None;
        ensure!(
            !idle,
            "--workers {} do nothing: say --worker-operation read, or another",
            self.workers
        );
        ensure!(self.load_bytes != Some(0), "--load-bytes 0 is no load: leave it out");
        Ok(())
    }

    /// Whether anybody else uses the memory.
    pub fn has_workers(&self) -> bool {
        self.workers > 0
    }

    /// Whether a condition has the same operation, and workers and load or none as well.
    pub fn is_like(&self, condition: &ConditionRow) -> bool {
        condition.operation == self.operation
            && (condition.workers > 0) == (self.workers > 0)
            && (condition.load_kind == LoadKind::Independent) == self.load_bytes.is_some()
    }

    /// The workload as a run.
    fn configuration(&self) -> anyhow::Result<RunConfiguration> {
        let access_bytes = u32::try_from(self.bytes)
            .with_context(|| format!("--bytes {}: an access has less than 4 GiB", self.bytes))?;
        let mixed =
            |asked: bool, share: Option<f64>, otherwise| asked.then(|| share.unwrap_or(otherwise));
        let run = RunConfiguration {
            operation: self.operation,
            write_fraction: mixed(self.operation == Operation::Mixed, self.write_fraction, 0.5),
            access_bytes,
            slot_layout: if self.padded { SlotLayout::Padded } else { SlotLayout::Packed },
            queue_pairs: self.queue_pairs,
            threads: self.queue_pairs,
            loop_shape: LoopShape::Saturating,
            window: self.window,
            max_rd_atomic: self.max_rd_atomic,
            mtu_bytes: self.mtu,
            workers: self.workers,
            worker_threads: "shared:rdma-local".to_owned(),
            worker_operation: self.worker_operation,
            worker_write_fraction: mixed(
                self.worker_operation == WorkerOperation::Mixed,
                self.worker_write_fraction,
                0.9,
            ),
            load_kind: self.load_bytes.map_or(LoadKind::None, |_| LoadKind::Independent),
            load_bytes: self.load_bytes,
            ..RunConfiguration::default()
        };
        Ok(run.without_the_idle())
    }
}
