//! What is asked of a machine.

use onesided_load::{
    LoadPlan, MixPlan, PatternPlan, ShapePlan, SlotLayout, SlotsError, region_bytes,
};

use onesided_vocabulary::Locality;

use crate::{
    parameters::Parameters,
    stations::{LinesPlan, Verb, memory_wait_ns},
    time::Moment,
};

/// How queue pairs are connected.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Connection {
    /// Largest payload of a packet; at least 1.
    pub mtu_bytes: u32,
    /// Reads and atomics of one queue pair in flight; at least 1.
    pub max_rd_atomic: u32,
    /// The longest payload that a write carries in its request; what is longer is gathered.
    pub inline_bytes: u32,
}

/// Threads of the server's host that use the region.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Workers {
    /// How many, as far as they are not pausing.
    pub threads: f64,
    /// Share of their accesses that store, 0 to 1.
    pub write_share: f64,
    /// Cache lines that they range over, each as much as any other; at least 1.
    pub lines: u64,
}

impl Workers {
    /// Nobody.
    pub const NONE: Self = Self { threads: 0.0, write_share: 0.0, lines: 1 };
}

/// Load of the server's host on other memory than the region.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct HostLoad {
    /// Share of it that the memory of the region's node takes, 0 to 1.
    pub on_node: f64,
    /// Share of it that crosses the interconnect between nodes, 0 to 1.
    pub crossing: f64,
    /// Bytes that it ranges over.
    pub bytes: u64,
}

/// A run, as the model sees it.
#[derive(Clone, Debug, PartialEq)]
pub struct Scenario {
    /// What all queue pairs of the run ask for. Its clock is virtual:
    /// `units_per_second` is [`Scenario::UNITS_PER_SECOND`].
    pub load: LoadPlan,
    /// Threads of all client hosts; each drives neighbouring queue pairs, shares differ by one at
    /// most.
    pub threads: usize,
    /// Machines that access the server's memory at once; each has neighbouring threads, shares
    /// differ by one at most.
    pub client_hosts: usize,
    /// Where the region is.
    pub region: Locality,
    /// Where the client's memory is.
    pub client: Locality,
    /// How queue pairs are connected.
    pub connection: Connection,
    /// Who else uses the region.
    pub workers: Workers,
    /// Who else uses the server's memory.
    pub host_load: HostLoad,
    /// When everybody stops, whatever is left to do.
    pub end: Moment,
}

impl Scenario {
    /// What a second is in virtual time, for [`LoadPlan::units_per_second`].
    pub const UNITS_PER_SECOND: u64 = crate::time::UNITS_PER_SECOND;

    /// The load of all queue pairs of a run, in virtual time, with the smallest region that has it:
    /// without a limit of operations, and with seed 1.
    ///
    /// # Errors
    /// When no objects of that size can be laid out.
    pub fn load_of(
        (shape, pattern, mix): (ShapePlan, PatternPlan, MixPlan),
        (slot_layout, access_bytes): (SlotLayout, u32),
        queue_pairs: usize,
    ) -> Result<LoadPlan, SlotsError> {
        Ok(LoadPlan {
            shape,
            pattern,
            mix,
            access_bytes,
            slot_layout,
            region_bytes: region_bytes(pattern, slot_layout, access_bytes, queue_pairs)?,
            queue_pairs: 0..queue_pairs,
            run_queue_pairs: queue_pairs,
            operations_per_queue_pair: None,
            units_per_second: Self::UNITS_PER_SECOND,
            seed: 1,
        })
    }

    /// Operations of one queue pair that may be outstanding.
    pub(crate) fn outstanding(&self) -> u32 {
        match self.load.shape {
            ShapePlan::ClosedLoop { window, .. } | ShapePlan::Batch { window, .. } => window,
            ShapePlan::OpenLoop { max_outstanding, .. } => max_outstanding,
        }
    }

    /// What of an operation's time depends on where the region is, by name, in nanoseconds: the way
    /// to memory, and the time that it keeps its cache line from the next. Waiting is not in it.
    pub fn parts_ns(&self, parameters: &Parameters, region: Locality) -> [(&'static str, f64); 2] {
        let verb = match self.load.mix {
            MixPlan::Single(operation) => Verb::from(operation),
            MixPlan::ReadWrite { write_fraction } if write_fraction > 0.5 => Verb::Write,
            MixPlan::ReadAtomic { atomic_fraction } if atomic_fraction > 0.5 => Verb::Atomic,
            MixPlan::ReadWrite { .. } | MixPlan::ReadAtomic { .. } => Verb::Read,
        };
        let crossing = match region {
            Locality::RdmaLocal => 0.0,
            Locality::RdmaRemote => parameters.interconnect_ns.of(verb),
        };
        let wait = memory_wait_ns(parameters, region, self.host_load);
        let lines = LinesPlan::new(parameters, region, self.workers);
        let line = match self.workers.threads {
            0.0 => "its cache line",
            _ => "its cache line, which workers take and give back,",
        };
        [
            ("the way to memory", parameters.memory_ns.of(verb) + crossing + wait),
            (line, lines.mean_ns(verb)),
        ]
    }
}
