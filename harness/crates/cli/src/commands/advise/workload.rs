//! The workload that is asked about.

use std::time::Duration;

use anyhow::{Context, bail, ensure};
use clap::Args;
use onesided_load::ShapePlan;
use onesided_prediction::covered;
use onesided_results::{
    RunConfiguration,
    row::ConditionRow,
    vocabulary::{AddressPattern, LoadKind, LoopShape, Operation, SlotLayout, WorkerOperation},
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
    /// Which bytes of the memory each access is to [default: own-slot, an object for each queue pair;
    /// with --working-set: uniform]
    #[arg(long, value_name = "PATTERN", value_parser = word::<AddressPattern>())]
    address_pattern: Option<AddressPattern>,
    /// Bytes of the memory that accesses range over [default: as many as there are objects of queue
    /// pairs, which is what was measured]
    #[arg(long, value_name = "BYTES", value_parser = bytes)]
    working_set: Option<u64>,
    /// Threads of the server that use the same memory
    #[arg(long, value_name = "NUMBER", default_value_t = 0)]
    workers: u32,
    /// What they do [default: mixed]
    #[arg(long, value_name = "OPERATION", value_parser = word::<WorkerOperation>())]
    worker_operation: Option<WorkerOperation>,
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
            (self.operation == Operation::Mixed, self.worker_operation() == WorkerOperation::Mixed);
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
        let named = self.worker_operation.filter(|_| self.workers == 0);
        if let Some(operation) = named {
            bail!(
                "--worker-operation {operation} is of no workers: say how many, --workers NUMBER"
            );
        }
        let idle = self.workers > 0 && self.worker_operation() == WorkerOperation::None;
        ensure!(
            !idle,
            "--workers {} do nothing: say --worker-operation read, or another",
            self.workers
        );
        ensure!(self.load_bytes != Some(0), "--load-bytes 0 is no load: leave it out");
        Ok(())
    }

    fn worker_operation(&self) -> WorkerOperation {
        self.worker_operation.unwrap_or(WorkerOperation::Mixed)
    }

    fn address_pattern(&self) -> AddressPattern {
        let otherwise = match self.working_set {
            Some(_) => AddressPattern::Uniform,
            None => AddressPattern::OwnSlot,
        };
        self.address_pattern.unwrap_or(otherwise)
    }

    fn slot_layout(&self) -> SlotLayout {
        if self.padded { SlotLayout::Padded } else { SlotLayout::Packed }
    }

    /// What the answer rests on beside what was asked, as a sentence.
    pub fn assumed(&self) -> String {
        let region = match (self.address_pattern(), self.working_set) {
            (AddressPattern::OwnSlot, _) => format!(
                "each of the {} queue pairs has an object of {} bytes of its own, {} one after another",
                self.queue_pairs,
                self.bytes,
                self.slot_layout()
            ),
            (pattern, Some(bytes)) => format!("accesses range over {bytes} bytes, {pattern}"),
            (pattern, None) => format!("accesses range over all objects, {pattern}"),
        };
        let workers = match self.workers {
            0 => "",
            _ => "; workers are on the memory's node",
        };
        format!("Assumed: {region}{workers}; the client is on its card's node.")
    }

    /// Whether a condition is this very workload, wherever its memory is.
    pub fn is_it(&self, condition: &ConditionRow) -> bool {
        let mixed = self.worker_operation() == WorkerOperation::Mixed;
        let fraction = self.worker_write_fraction.unwrap_or(0.9);
        let same_workers = condition.workers == self.workers
            && (self.workers == 0
                || condition.worker_operation == self.worker_operation()
                    && (!mixed || condition.worker_write_fraction == Some(fraction)));
        self.is_like(condition)
            && same_workers
            && condition.access_bytes == self.bytes_of_an_access()
            && condition.queue_pairs == self.queue_pairs
            && condition.mtu_bytes == Some(self.mtu)
            && condition.slot_layout.is_none_or(|layout| layout == self.slot_layout())
            && condition.load_bytes == self.load_bytes
    }

    fn bytes_of_an_access(&self) -> u32 {
        u32::try_from(self.bytes).unwrap_or(u32::MAX)
    }

    /// Whether anybody else uses the memory.
    pub fn has_workers(&self) -> bool {
        self.workers > 0
    }

    /// Whether a condition has the same operation, workers and load or none as well, and accesses to
    /// the same bytes.
    pub fn is_like(&self, condition: &ConditionRow) -> bool {
        condition.operation == self.operation
            && (condition.workers > 0) == (self.workers > 0)
            && (condition.load_kind == LoadKind::Independent) == self.load_bytes.is_some()
            && condition.address_pattern.unwrap_or(AddressPattern::OwnSlot)
                == self.address_pattern()
            && condition.working_set_bytes == self.working_set
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
            slot_layout: self.slot_layout(),
            address_pattern: self.address_pattern(),
            working_set_bytes: self.working_set,
            queue_pairs: self.queue_pairs,
            threads: self.queue_pairs,
            loop_shape: LoopShape::Saturating,
            window: self.window,
            max_rd_atomic: self.max_rd_atomic,
            mtu_bytes: self.mtu,
            workers: self.workers,
            worker_threads: "shared:rdma-local".to_owned(),
            worker_operation: self.worker_operation(),
            worker_write_fraction: mixed(
                self.worker_operation() == WorkerOperation::Mixed,
                self.worker_write_fraction,
                0.9,
            ),
            load_kind: self.load_bytes.map_or(LoadKind::None, |_| LoadKind::Independent),
            load_bytes: self.load_bytes,
            ..RunConfiguration::default()
        };
        Ok(run.without_the_meaningless())
    }
}
