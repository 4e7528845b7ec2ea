//! From flags to threads and memory of this machine.

use std::sync::Arc;

use anyhow::{Context, ensure};
use onesided_access::threads::{FirstTouch, Pace, SharedMemory, ThreadPlan, ThreadsPlan};
use onesided_load::worker::{WorkerOperation, WorkerPlan, WorkerPlanError};
use onesided_measure::Clock;
use onesided_placement::{
    BoundMemory, CpuSet, DeviceLocality, LoadMemoryPlace, MemoryPolicy, NodeId, Residency,
    ResidencyVerdict, Resolve, ThreadPlace, Topology,
};
use onesided_results::{
    record::PlacementProof,
    vocabulary::{Moment, PlacedMemory},
};
use onesided_runner::prove_memory;

use super::Arguments;
use crate::printed::counted;

/// What can be started.
pub struct Prepared {
    pub clock: Clock,
    /// The place of the threads, as asked.
    pub asked: ThreadPlace,
    pub threads: Vec<PreparedThread>,
    memory: Arc<BoundMemory>,
    place: LoadMemoryPlace,
    plan: ThreadsPlan,
}

/// A thread's CPUs, and their node where it is one.
pub struct PreparedThread {
    pub cpus: Option<CpuSet>,
    pub node: Option<NodeId>,
}

/// Where the memory is, and whether that is where it should be.
pub struct Proof {
    pub record: PlacementProof,
    pub verdict: ResidencyVerdict,
    pub residency: Residency,
    policy: MemoryPolicy,
}

impl Prepared {
    /// Takes the memory and says who does what.
    pub fn of(arguments: &Arguments) -> anyhow::Result<Self> {
        let topology = Topology::discover()?;
        let asked: ThreadPlace = arguments.threads_on.parse().context("--threads-on")?;
        let place: LoadMemoryPlace = arguments.memory.parse().context("--memory")?;
        let locality = locality(arguments);
        let cpus = asked.resolve(&topology, &locality).context("--threads-on")?;
        let policy = place.resolve(&topology, &locality).context("--memory")?;
        let threads = threads(arguments, &asked, cpus.as_ref(), &topology)?;
        check(arguments, threads.len())?;
        let bytes = usize::try_from(arguments.bytes).unwrap_or(usize::MAX);
        let memory = BoundMemory::allocate_by(bytes, arguments.pages, policy).context("--bytes")?;
        let memory = Arc::new(memory);
        let clock = Clock::calibrate()?;
        let plan = threads_plan(arguments, &memory, &threads, clock);
        Ok(Self { clock, asked, threads, memory, place, plan })
    }

    /// What the threads do.
    pub fn plan(&self) -> ThreadsPlan {
        self.plan.clone()
    }

    /// Bytes of an access.
    pub fn access_bytes(&self) -> u32 {
        self.plan.threads[0].accesses.access_bytes
    }

    /// Asks the kernel where every page is.
    pub fn proof(&self, when: Moment) -> anyhow::Result<Proof> {
        let asked = self.place.to_string();
        let record = prove_memory(PlacedMemory::LoadBuffer, &asked, &self.memory, when)?;
        let residency = self.memory.residency()?;
        let policy = self.memory.policy().clone();
        Ok(Proof { record, verdict: policy.verdict(&residency), residency, policy })
    }
}

impl Proof {
    /// Whether the load may count as what was asked for. A preference is only that; what cannot be
    /// proven is in the record.
    pub fn is_kept(&self) -> bool {
        let must_be = matches!(self.policy, MemoryPolicy::Bind(_) | MemoryPolicy::Interleave(_));
        !must_be || self.verdict != ResidencyVerdict::Misplaced
    }
}

fn locality(arguments: &Arguments) -> DeviceLocality {
    let first = || onesided_verbs::devices().ok()?.first().map(|name| name.as_str().to_owned());
    let name = arguments.device.clone().or_else(first);
    let name = name.unwrap_or_else(|| "an RDMA device".to_owned());
    match arguments.device_node {
        Some(node) => DeviceLocality::given(&name, NodeId(node)),
        None => DeviceLocality::of(&name),
    }
}

/// Refuses by its flag what threads cannot do, before memory is taken.
fn check(arguments: &Arguments, threads: usize) -> anyhow::Result<()> {
    let flag = |error: &WorkerPlanError| match error {
        WorkerPlanError::AccessBytes { .. } => "--width",
        WorkerPlanError::WriteFraction { .. } => "--write-fraction",
        WorkerPlanError::Worker { .. } => "--threads",
        _ => "--bytes",
    };
    let plan = accesses(arguments, 0, threads);
    plan.check().map_err(|error| anyhow::Error::new(error.clone()).context(flag(&error)))?;
    if let Some(rate) = arguments.rate {
        ensure!(
            rate > 0.0 && rate.is_finite(),
            "--rate: memory cannot be accessed {rate} times a second: expected more than 0"
        );
    }
    Ok(())
}

fn threads(
    arguments: &Arguments,
    asked: &ThreadPlace,
    cpus: Option<&CpuSet>,
    topology: &Topology,
) -> anyhow::Result<Vec<PreparedThread>> {
    let listed = match asked {
        ThreadPlace::Cpus(cpus) if !arguments.in_turn && !arguments.on_all => Some(cpus.count()),
        _ => None,
    };
    let count = arguments.threads.map(|threads| threads.get() as usize);
    let count = count.or(listed).unwrap_or(1);
    if let Some(listed) = listed {
        ensure!(
            count <= listed,
            "--threads {count} on --threads-on {asked}: {} listed, and each thread takes one; list \
             more, ask for fewer, or name a node, whose CPUs are shared",
            counted(listed, "CPU")
        );
    }
    let usable = cpus.map_or_else(|| topology.online_cpus.as_ref(), Some).map(CpuSet::count);
    if let Some(usable) = usable
        && count > usable
    {
        say!("load: {} share {}", counted(count, "thread"), counted(usable, "CPU"));
    }
    let Some(cpus) = cpus else {
        return Ok((0..count).map(|_| PreparedThread { cpus: None, node: None }).collect());
    };
    if arguments.on_all || matches!(asked, ThreadPlace::Shared(_)) {
        let thread = || PreparedThread { cpus: Some(cpus.clone()), node: node_of(topology, cpus) };
        return Ok((0..count).map(|_| thread()).collect());
    }
    let each = cpus
        .into_iter()
        .cycle()
        .take(count)
        .map(|cpu| PreparedThread { cpus: Some(CpuSet::of(cpu)), node: topology.node_of_cpu(cpu) });
    Ok(each.collect())
}

/// The node that CPUs are all of.
fn node_of(topology: &Topology, cpus: &CpuSet) -> Option<NodeId> {
    let node = topology.node_of_cpu(cpus.first())?;
    cpus.iter().all(|cpu| topology.node_of_cpu(cpu) == Some(node)).then_some(node)
}

/// What one of so many threads does.
fn accesses(arguments: &Arguments, thread: u32, threads: usize) -> WorkerPlan {
    let access_bytes = u32::try_from(arguments.width).unwrap_or(u32::MAX);
    WorkerPlan {
        pattern: arguments.pattern.of_a_worker(),
        operation: WorkerOperation::of_write_fraction(arguments.write_fraction),
        write_fraction: arguments.write_fraction,
        object_bytes: access_bytes,
        access_bytes,
        region_bytes: arguments.bytes,
        worker: thread,
        workers: threads as u32,
        seed: arguments.seed,
    }
}

fn threads_plan(
    arguments: &Arguments,
    memory: &Arc<BoundMemory>,
    threads: &[PreparedThread],
    clock: Clock,
) -> ThreadsPlan {
    let pace = match (arguments.rate, arguments.think_time) {
        (Some(rate), _) => Pace::Rate(rate),
        (None, Some(pause)) => Pace::Think(pause),
        (None, None) => Pace::Unpaced,
    };
    let each = threads.iter().zip(0..).map(|(thread, index)| ThreadPlan {
        cpus: thread.cpus.clone(),
        accesses: accesses(arguments, index, threads.len()),
        pace,
    });
    ThreadsPlan {
        memory: SharedMemory::of(memory.clone()),
        first_touch: match memory.policy() {
            MemoryPolicy::FirstTouch => {
                FirstTouch::EachThreadItsShare { page_bytes: memory.page_bytes() }
            }
            _ => FirstTouch::Done,
        },
        threads: each.collect(),
        clock,
        window: arguments.window,
        expected: arguments.duration.unwrap_or(arguments.count_windows_for),
    }
}
