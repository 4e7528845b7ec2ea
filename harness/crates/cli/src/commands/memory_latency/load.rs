//! Threads that use memory while latency is measured.

use std::{sync::Arc, time::Duration};

use anyhow::{Context, ensure};
use clap::Args;
use onesided_access::threads::{FirstTouch, Pace, Running, SharedMemory, ThreadPlan, ThreadsPlan};
use onesided_load::worker::{WorkerOperation, WorkerPattern, WorkerPlan};
use onesided_measure::Clock;
use onesided_placement::{BoundMemory, CpuSet, NodeId, PageSize};

use super::host::{Host, Loader};
use crate::arguments::bytes;

/// Bytes of one access of the load: a cache line.
const ACCESS_BYTES: u32 = 64;

/// Windows of the load's counts, which only their sum is wanted of.
const WINDOW: Duration = Duration::from_millis(100);

/// What else uses memory meanwhile. Each pair of nodes is then measured idle and under this load.
#[derive(Args, Clone, Debug)]
pub struct LoadArguments {
    /// Threads that stream through memory while latency is measured a second time
    #[arg(long, value_name = "NUMBER", requires = "load_node")]
    load_threads: Option<u32>,
    /// Node of those threads and of their memory
    #[arg(long, value_name = "NODE", requires = "load_threads")]
    load_node: Option<NodeId>,
    /// Memory that they share
    #[arg(long, value_name = "BYTES", value_parser = bytes, default_value = "256MiB")]
    load_bytes: u64,
    /// Share of writes among their accesses, 0 to 1
    #[arg(long, value_name = "FRACTION", default_value_t = 0.0, value_parser = fraction)]
    load_write_fraction: f64,
}

fn fraction(text: &str) -> Result<f64, String> {
    let number: f64 = text.parse().map_err(|_| format!("'{text}' is no number"))?;
    let fits = (0.0..=1.0).contains(&number);
    if fits { Ok(number) } else { Err("a fraction is from 0 to 1".to_owned()) }
}

/// A load that can be started, with its memory.
#[derive(Debug)]
pub struct LoadPlan {
    threads: u32,
    node: NodeId,
    cpus: CpuSet,
    memory: Arc<BoundMemory>,
    write_fraction: f64,
}

impl LoadPlan {
    /// The load that was asked for; absent if none was.
    pub fn of(arguments: &LoadArguments, host: &Host) -> anyhow::Result<Option<Self>> {
        let (Some(threads), Some(node)) = (arguments.load_threads, arguments.load_node) else {
            return Ok(None);
        };
        ensure!(threads > 0, "--load-threads 0: give 1 or more, or leave it out");
        let usable = host.usable_cpus.iter().find(|(id, _)| *id == node);
        let (_, cpus) = usable.with_context(|| {
            format!("--load-node {node}: there is no such node with CPUs that may be used")
        })?;
        for loader in &host.loaders {
            let left = cpus.difference(&loader.core).map_or(0, |left| left.count());
            ensure!(
                threads as usize <= left,
                "--load-threads {threads}: node {node} has {left} CPUs beside the core that \
                 measures from node {}; ask for {left} at most, or for another node",
                loader.node
            );
        }
        let length = usize::try_from(arguments.load_bytes).context("--load-bytes")?;
        let memory = BoundMemory::allocate(length, PageSize::Base, Some(node))
            .context("no memory for the load")?;
        let write_fraction = arguments.load_write_fraction;
        Ok(Some(Self {
            threads,
            node,
            cpus: cpus.clone(),
            memory: Arc::new(memory),
            write_fraction,
        }))
    }

    fn thread(&self, worker: u32, cpus: CpuSet) -> ThreadPlan {
        let accesses = WorkerPlan {
            pattern: WorkerPattern::Sequential,
            operation: WorkerOperation::of_write_fraction(self.write_fraction),
            write_fraction: self.write_fraction,
            object_bytes: ACCESS_BYTES,
            access_bytes: ACCESS_BYTES,
            region_bytes: self.memory.len() as u64,
            worker,
            workers: self.threads,
            seed: u64::from(worker),
        };
        ThreadPlan { cpus: Some(cpus), accesses, pace: Pace::Unpaced }
    }
}

/// A load that runs.
pub struct Load<'a> {
    plan: &'a LoadPlan,
    running: Running,
    clock: &'a Clock,
}

/// What a load did.
#[derive(Clone, Copy, Debug)]
pub struct LoadDone {
    /// Its threads.
    pub threads: u32,
    /// Their node.
    pub node: NodeId,
    /// The memory that they shared.
    pub bytes: u64,
    /// Share of writes asked for.
    pub write_fraction: f64,
    /// Accesses of all threads in a second.
    pub rate_per_second: f64,
}

impl<'a> Load<'a> {
    /// Starts the threads, one a CPU, away from the core of `loader`.
    pub fn start(plan: &'a LoadPlan, clock: &'a Clock, loader: &Loader) -> anyhow::Result<Self> {
        let cpus = plan.cpus.difference(&loader.core).context("no CPU is left for the load")?;
        let threads = (0..).zip(&cpus).take(plan.threads as usize);
        let threads = threads.map(|(worker, cpu)| plan.thread(worker, CpuSet::of(cpu))).collect();
        let running = Running::start(ThreadsPlan {
            memory: SharedMemory::of(plan.memory.clone()),
            first_touch: FirstTouch::Done,
            threads,
            clock: *clock,
            window: WINDOW,
            expected: WINDOW,
        })
        .context("cannot start the load")?;
        Ok(Self { plan, running, clock })
    }

    /// Stops the threads; what they did.
    pub fn stop(self) -> anyhow::Result<LoadDone> {
        let reports = self.running.stop().context("the load")?;
        let rate = |report: &onesided_access::threads::ThreadReport| {
            let ticks = report.ended.checked_since(report.started).unwrap_or(0);
            let seconds = self.clock.nanoseconds(ticks) as f64 / 1e9;
            if seconds > 0.0 { report.accesses() as f64 / seconds } else { 0.0 }
        };
        Ok(LoadDone {
            threads: self.plan.threads,
            node: self.plan.node,
            bytes: self.plan.memory.len() as u64,
            write_fraction: self.plan.write_fraction,
            rate_per_second: reports.iter().map(rate).sum(),
        })
    }
}
