//! The workload that is asked about.

use std::time::Duration;

use anyhow::{Context, ensure};
use clap::{Args, ValueEnum};
use onesided_load::{MixPlan, PatternPlan, PostedOperation, ShapePlan, SlotLayout};
use onesided_results::{
    row::ConditionRow,
    vocabulary::{LoadKind, Operation},
};
use onesided_sim::{Connection, HostLoad, Locality, Moment, Scenario, Workers};

use crate::arguments::bytes;

/// What a client asks for, and who else uses the memory.
#[derive(Args)]
pub struct Workload {
    /// What clients ask for
    #[arg(long, value_name = "OPERATION", default_value = "read")]
    operation: Asked,
    /// Share of writes, of mixed operations [default: 0.5]
    #[arg(long, value_name = "SHARE")]
    write_fraction: Option<f64>,
    /// Bytes of an access
    #[arg(long, value_name = "BYTES", default_value = "8B", value_parser = bytes)]
    bytes: u64,
    /// Queue pairs, each with a thread
    #[arg(long, value_name = "NUMBER", default_value_t = 8)]
    queue_pairs: usize,
    /// Requests of a queue pair that are outstanding
    #[arg(long, value_name = "NUMBER", default_value_t = 16)]
    window: u32,
    /// Reads and atomics of a queue pair in flight
    #[arg(long, value_name = "NUMBER", default_value_t = 1)]
    max_rd_atomic: u32,
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
    #[arg(long, value_name = "OPERATION", default_value = "mixed")]
    worker_operation: WorkerAsked,
    /// Share of writes, of mixed workers [default: 0.9]
    #[arg(long, value_name = "SHARE")]
    worker_write_fraction: Option<f64>,
    /// Bytes of other memory of the server that something else ranges over all the time
    #[arg(long, value_name = "BYTES", value_parser = bytes)]
    load_bytes: Option<u64>,
}

/// What clients ask for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Asked {
    Read,
    Write,
    Mixed,
    CompareAndSwap,
    FetchAndAdd,
}

/// What workers do.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum WorkerAsked {
    Read,
    Write,
    Mixed,
    CompareAndSwap,
}

const LINE_BYTES: u64 = 64;

impl Workload {
    /// The workload, and one operation of each queue pair at a time.
    pub fn scenarios(&self, end: Moment) -> anyhow::Result<(Scenario, Scenario)> {
        self.check()?;
        let shape =
            |window| ShapePlan::ClosedLoop { window, think_time: Duration::ZERO, post_list: 1 };
        let workload = self.scenario(shape(self.window), end)?;
        let mut alone = workload.clone();
        alone.load.shape = shape(1);
        alone.load.queue_pairs = 0..1;
        alone.load.run_queue_pairs = 1;
        alone.threads = 1;
        Ok((workload, alone))
    }

    fn check(&self) -> anyhow::Result<()> {
        let (mixed, mixed_workers) =
            (self.operation == Asked::Mixed, self.worker_operation == WorkerAsked::Mixed);
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
        ensure!(self.load_bytes != Some(0), "--load-bytes 0 is no load: leave it out");
        Ok(())
    }

    /// Whether anybody else uses the memory.
    pub fn has_workers(&self) -> bool {
        self.workers > 0
    }

    /// Whether a condition has the same operation, and workers and load or none as well.
    pub fn is_like(&self, condition: &ConditionRow) -> bool {
        let operation = match self.operation {
            Asked::Read => Operation::Read,
            Asked::Write => Operation::Write,
            Asked::Mixed => Operation::Mixed,
            Asked::CompareAndSwap => Operation::CompareAndSwap,
            Asked::FetchAndAdd => Operation::FetchAndAdd,
        };
        condition.operation == operation
            && (condition.workers > 0) == (self.workers > 0)
            && (condition.load_kind == LoadKind::Independent) == self.load_bytes.is_some()
    }

    fn scenario(&self, shape: ShapePlan, end: Moment) -> anyhow::Result<Scenario> {
        let queue_pairs = self.queue_pairs;
        let access_bytes = u32::try_from(self.bytes)
            .with_context(|| format!("--bytes {}: an access has less than 4 GiB", self.bytes))?;
        let slot_layout = if self.padded { SlotLayout::Padded } else { SlotLayout::Packed };
        let what = (shape, PatternPlan::OwnSlot, self.mix());
        let load = Scenario::load_of(what, (slot_layout, access_bytes), queue_pairs)
            .with_context(|| format!("--bytes {} --queue-pairs {queue_pairs}", self.bytes))?;
        Ok(Scenario {
            threads: queue_pairs,
            client_hosts: 1,
            region: Locality::RdmaLocal,
            client: Locality::RdmaLocal,
            connection: Connection {
                mtu_bytes: self.mtu,
                max_rd_atomic: self.max_rd_atomic,
                inline_bytes: 0,
            },
            workers: Workers {
                threads: f64::from(self.workers),
                write_share: self.worker_write_share(),
                lines: (load.region_bytes / LINE_BYTES).max(1),
            },
            host_load: self.load_bytes.map_or_else(HostLoad::default, |bytes| HostLoad {
                on_node: 0.5,
                crossing: 0.5,
                bytes,
            }),
            load,
            end,
        })
    }

    fn mix(&self) -> MixPlan {
        match self.operation {
            Asked::Read => MixPlan::Single(PostedOperation::Read),
            Asked::Write => MixPlan::Single(PostedOperation::Write),
            Asked::CompareAndSwap => MixPlan::Single(PostedOperation::CompareAndSwap),
            Asked::FetchAndAdd => MixPlan::Single(PostedOperation::FetchAndAdd),
            Asked::Mixed => {
                MixPlan::ReadWrite { write_fraction: self.write_fraction.unwrap_or(0.5) }
            }
        }
    }

    fn worker_write_share(&self) -> f64 {
        match self.worker_operation {
            WorkerAsked::Read => 0.0,
            WorkerAsked::Write | WorkerAsked::CompareAndSwap => 1.0,
            WorkerAsked::Mixed => self.worker_write_fraction.unwrap_or(0.9),
        }
    }
}
