//! Workers and load as threads of the server's process.

use std::{sync::Arc, time::Duration};

use onesided_access::threads::{
    FirstTouch, Pace, Running, SharedMemory, ThreadFailure, ThreadPlan, ThreadsPlan,
};
use onesided_load::worker::WorkerPlan;
use onesided_placement::{
    BoundMemory, CpuSet, LoadMemoryPlace, MemoryPolicy, PageSize, Resolve, bytes_of_page,
};
use onesided_results::{
    RunConfiguration,
    record::{CpuSample, PlacementProof, ThreadProof},
    vocabulary::{Moment, Phase, PlacedMemory, ThreadRole},
};
use onesided_transport::Transport;

use super::report::{Interval, LoadThread, expected};
use crate::{error::RunError, pins, places::prove_memory, site::Site, thread::activity};

/// Running threads of one role.
pub(super) struct Threads {
    running: Running,
    role: ThreadRole,
    asked: String,
    pins: Vec<Option<CpuSet>>,
    window_ns: u64,
    /// Of the load: what it is on, and in which words that was asked for.
    memory: Option<(Arc<BoundMemory>, String)>,
}

impl Threads {
    /// Workers on the region.
    pub(super) fn work<T: Transport>(
        site: &Site<'_, T>,
        configuration: &RunConfiguration,
        region: SharedMemory,
        region_bytes: u64,
        pins: Vec<Option<CpuSet>>,
    ) -> Result<Self, RunError> {
        let accesses = |worker| onesided_plan::worker(configuration, region_bytes, worker);
        let plan = ThreadsPlan {
            memory: region,
            first_touch: FirstTouch::Done,
            threads: thread_plans(&pins, accesses, worker_pace(configuration)),
            clock: site.clock,
            window: window(configuration),
            expected: expected(configuration),
        };
        let asked = configuration.worker_threads.clone();
        Self::start(ThreadRole::Worker, asked, pins, plan, None)
    }

    /// Independent load on memory of its own.
    pub(super) fn load<T: Transport>(
        site: &Site<'_, T>,
        configuration: &RunConfiguration,
        pins: Vec<Option<CpuSet>>,
    ) -> Result<Self, RunError> {
        let (words, policy) = load_memory(site, configuration)?;
        let failed = |source| RunError::new(Phase::SetUp, format!("load_memory = {words}"), source);
        let first_touch = match policy {
            MemoryPolicy::FirstTouch => {
                FirstTouch::EachThreadItsShare { page_bytes: bytes_of_page(PageSize::Base) }
            }
            _ => FirstTouch::Done,
        };
        let bytes = configuration.load_bytes.unwrap_or(0);
        let memory =
            BoundMemory::allocate_by(bytes as usize, PageSize::Base, policy).map_err(failed)?;
        let memory = Arc::new(memory);
        let accesses = |thread| onesided_plan::independent(configuration, thread);
        let plan = ThreadsPlan {
            memory: SharedMemory::of(Arc::clone(&memory)),
            first_touch,
            threads: thread_plans(&pins, accesses, Pace::Unpaced),
            clock: site.clock,
            window: window(configuration),
            expected: expected(configuration),
        };
        let asked = configuration.load_threads.clone().unwrap_or_default();
        Self::start(ThreadRole::Load, asked, pins, plan, Some((memory, words)))
    }

    fn start(
        role: ThreadRole,
        asked: String,
        pins: Vec<Option<CpuSet>>,
        plan: ThreadsPlan,
        memory: Option<(Arc<BoundMemory>, String)>,
    ) -> Result<Self, RunError> {
        let window_ns = plan.window.as_nanos() as u64;
        let running = Running::start(plan)
            .map_err(|source| RunError::new(Phase::SetUp, format!("the {role} threads"), source))?;
        Ok(Self { running, role, asked, pins, window_ns, memory })
    }

    /// Where the load's memory is now; workers have none of their own.
    pub(super) fn prove(&self, when: Moment) -> Result<Vec<PlacementProof>, RunError> {
        let Some((memory, words)) = &self.memory else { return Ok(Vec::new()) };
        let proof = prove_memory(PlacedMemory::LoadBuffer, words, memory, when);
        Ok(vec![proof.map_err(|source| {
            RunError::new(Phase::SetUp, "where the pages of load-buffer are", source)
        })?])
    }

    /// Stops the threads.
    pub(super) fn stop<T: Transport>(
        self,
        site: &Site<'_, T>,
        interval: Interval,
    ) -> Result<Vec<LoadThread>, RunError> {
        let died = |source: ThreadFailure| {
            RunError::new(Phase::Measure, format!("a {} died", self.role), source)
        };
        let reports = self.running.stop().map_err(died)?;
        let threads = reports.into_iter().enumerate().map(|(index, report)| {
            let pin = self.pins[index].as_ref();
            let node = pin.and_then(|cpus| pins::node_of(&site.topology, cpus));
            let seen = report.seen.iter().map(|seen| CpuSample {
                cpu: seen.cpu.0,
                node: seen.node.0,
                samples: seen.samples,
            });
            let since = |later: u64, earlier: u64| {
                site.clock.nanoseconds(later.saturating_sub(earlier)) as i64
            };
            let (start, t0) = (report.started.0, interval.t0.0);
            let elapsed_ns = site.clock.nanoseconds(report.ended.0.saturating_sub(start));
            let accesses = report.accesses();
            LoadThread {
                proof: ThreadProof {
                    role: self.role,
                    thread: index as u32,
                    asked: self.asked.clone(),
                    asked_cpus: pin.map(ToString::to_string),
                    resolved_node: node.map(|node| node.0),
                    seen: seen.collect(),
                    activity: Some(activity(report.scheduling, elapsed_ns)),
                },
                starts_ns: since(start, t0) - since(t0, start),
                window_ns: self.window_ns,
                accesses,
                reads: report.reads,
                writes: report.writes,
                swaps_won: report.swapped,
                windows: report.windows,
            }
        });
        Ok(threads.collect())
    }
}

/// The place of the load's memory as asked, and what it means on this machine.
pub(super) fn load_memory<T: Transport>(
    site: &Site<'_, T>,
    configuration: &RunConfiguration,
) -> Result<(String, MemoryPolicy), RunError> {
    let words = configuration.load_memory.clone().unwrap_or_default();
    let resolve = || -> Result<_, Box<dyn std::error::Error + Send + Sync>> {
        let place: LoadMemoryPlace = words.parse()?;
        Ok(place.resolve(&site.topology, &site.locality)?)
    };
    let policy = resolve().map_err(|source| {
        RunError::boxed(Phase::SetUp, format!("load_memory = {words}"), source)
    })?;
    Ok((words, policy))
}

fn window(configuration: &RunConfiguration) -> Duration {
    Duration::from_millis(configuration.window_ms)
}

fn thread_plans(
    pins: &[Option<CpuSet>],
    accesses: impl Fn(u32) -> WorkerPlan,
    pace: Pace,
) -> Vec<ThreadPlan> {
    let plan = |(thread, cpus): (u32, &Option<CpuSet>)| ThreadPlan {
        cpus: cpus.clone(),
        accesses: accesses(thread),
        pace,
    };
    (0..).zip(pins).map(plan).collect()
}

fn worker_pace(configuration: &RunConfiguration) -> Pace {
    match (configuration.worker_rate_per_second, configuration.worker_think_time_ns) {
        (Some(rate), _) => Pace::Rate(rate),
        (None, 0) => Pace::Unpaced,
        (None, pause) => Pace::Think(Duration::from_nanos(pause)),
    }
}
