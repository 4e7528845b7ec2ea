//! The tidy tables over many runs, which figures and claims are made from.

mod claim;
mod condition;
mod fabric;
mod memory;
mod pcie;
mod prediction;
mod published;
pub(crate) mod roles;
pub(crate) mod rules;
mod shape;

pub use claim::{ClaimCellRow, ClaimRow};
pub use condition::ConditionRow;
pub use fabric::{FabricMessagesRow, FabricPagerankRow, FabricReadsRow};
pub use memory::MemoryLatencyRow;
pub use pcie::{PcieHostRow, PcieOperationRow, PcieTransactionRow, PcieTransferRow, PcieVerbRow};
pub use prediction::PredictionRow;
pub use published::{
    ManifestRow, PublishedClient, PublishedClientRow, PublishedRun, PublishedRunRow, TraceRow,
};
pub use rules::Rule;
pub use shape::ShapeRow;

use self::roles::table_row;
use crate::{
    RunConfiguration,
    factors::{Factors, with_columns},
    vocabulary::{LoopShape, Operation, Source},
};

with_columns! { row {
    /// One run, a row of `runs.csv.gz`.
    ///
    /// An absent value is an empty cell: unknown to the source, or not estimable. A table may carry
    /// further columns behind these.
    RunRow in "runs.csv.gz", RUNS;
    identity {
        /// The back end's own name.
        back_end: String = String::new();
        /// The machine's profile.
        profile: String = String::new();
        /// The network card.
        nic: Option<String> = None;
        /// The design that the run belongs to.
        experiment: String = String::new();
        /// The run's name, unique within source, profile and experiment.
        run_id: String = String::new();
        /// Which repetition of the same design point, from 1.
        replicate: Option<u32> = None;
    }
    // Of the robust estimator a run that counts may have 0: its few operations may all be outside
    // the common windows.
    outcomes {
        /// Operations completed in the measured interval.
        operations: Option<u64> = None, rules [PositiveWith("throughput_ops")];
        /// Throughput by the study's estimator, operations per second.
        throughput_published_ops: Option<f64> = None, rules [PositiveIfValid];
        /// Throughput by the robust estimator, operations per second.
        throughput_ops: Option<f64> = None, rules [NotNegative];
        /// Lower end of its 95 % interval within the run.
        throughput_low_ops: Option<f64> = None, rules [LowOf("throughput_ops", "throughput_high_ops")];
        /// Upper end of its 95 % interval within the run.
        throughput_high_ops: Option<f64> = None, rules [HighOf("throughput_ops", "throughput_low_ops")];
        /// Mean latency.
        latency_mean_ns: Option<f64> = None, rules [PositiveIfValid];
        /// Population standard deviation of latencies.
        latency_sd_ns: Option<f64> = None, rules [NotNegative];
        /// Median latency.
        latency_p50_ns: Option<u64> = None;
        /// Latency that 99 % do not exceed.
        latency_p99_ns: Option<u64> = None, rules [AtLeast("latency_p50_ns")];
        /// Latency that 99.9 % do not exceed.
        latency_p999_ns: Option<u64> = None, rules [AtLeast("latency_p99_ns"), AtLeast("latency_p50_ns")];
        /// Latencies recorded; of an imported run without any, the rates that were printed.
        samples: Option<u64> = None;
        /// Whether the numbers may be used.
        valid: bool = true;
        /// Names of the doubts, separated by spaces; empty if there are none.
        doubts: String = String::new();
        /// Accesses per second that all workers achieved.
        worker_accesses_per_second: Option<f64> = None, rules [Needs("workers"), NotNegative];
        /// Accesses per second that the load achieved.
        load_accesses_per_second: Option<f64> = None, rules [NotNegative];
        /// Messages that the client sent, warm-up and drain included; absent where `messages_received` is.
        messages_sent: Option<u64> = None, since 11, rules [PositiveIfValid];
        /// How many of these the server's receive requests took. Absent of one-sided operations and
        /// ping-pongs; over a reliable connection present only where receive queues are shared or messages
        /// are empty.
        messages_received: Option<u64> = None, since 11;
    }
} }

impl RunRow {
    /// A run of which only this is known: no workers, no load, nothing done to the machine, no
    /// numbers, no doubts.
    pub fn known_by(source: Source, operation: Operation, loop_shape: LoopShape) -> Self {
        let run = RunConfiguration { operation, loop_shape, ..RunConfiguration::default() };
        Self::with(source, Factors::unknown(&run))
    }

    /// What runs of one condition agree in, as text: machine and factors.
    ///
    /// # Panics
    /// Never: all of it is plain values.
    pub fn condition_key(&self) -> String {
        let machine = (self.source, &self.back_end, &self.profile, &self.nic);
        serde_json::to_string(&(machine, self.factors())).expect("a row is plain values")
    }
}

/// Columns of factors that stand before what came out of a run, in the order of the contract.
const FACTORS_FIRST: [&str; 20] = [
    "operation",
    "worker_operation",
    "locality",
    "client_locality",
    "worker_locality",
    "queue_pairs",
    "threads",
    "access_bytes",
    "mtu_bytes",
    "max_rd_atomic",
    "window",
    "loop",
    "workers",
    "worker_write_fraction",
    "load_kind",
    "load_bytes",
    "load_node",
    "slot_layout",
    "cache_state",
    "ddio",
];

/// Columns that stand behind it, as version 3 had them; all others follow as they are declared.
const FURTHER: [&str; 23] = [
    "address_pattern",
    "working_set_bytes",
    "think_time_ns",
    "post_list",
    "signal_every",
    "inline_bytes",
    "client_memory_locality",
    "client_ring_locality",
    "server_ring_locality",
    "worker_threads",
    "worker_pattern",
    "worker_access_bytes",
    "worker_think_time_ns",
    "worker_rate_per_second",
    "worker_accesses_per_second",
    "load_process",
    "load_thread_count",
    "load_threads",
    "load_memory",
    "load_write_fraction",
    "load_pattern",
    "load_accesses_per_second",
    "client_hosts",
];

/// The columns of a row in the order in which they are written: those that were promised stay
/// where they are, wherever a factor is declared. Outcomes that came `later` stand behind all.
pub(crate) fn in_order(
    identity: &[&'static str],
    factors: &[&'static str],
    outcomes: &[&'static str],
    later: &[(&'static str, u32)],
) -> Vec<&'static str> {
    let all = || [identity, factors, outcomes].concat();
    let of = |promised: &[&'static str]| {
        promised.iter().copied().filter(|name| all().contains(name)).collect::<Vec<_>>()
    };
    let mut columns = identity.to_vec();
    columns.extend(of(&FACTORS_FIRST));
    let is_later = |name: &&&str| later.iter().any(|(later, _)| later == *name);
    let first = |name: &&&str| !FURTHER.contains(*name) && !is_later(name);
    columns.extend(outcomes.iter().filter(first));
    columns.extend(of(&FURTHER));
    let others: Vec<_> = factors.iter().filter(|name| !columns.contains(name)).collect();
    columns.extend(others);
    columns.extend(later.iter().map(|(name, _)| name));
    columns
}

table_row! {
    /// One queue pair of a run, a row of `clients.csv.gz`.
    ClientRow in "clients.csv.gz", CLIENTS;
    identity {
        /// Where the numbers come from.
        source: Source;
        /// The machine's profile.
        profile: String;
        /// The design that the run belongs to.
        experiment: String;
        /// The run's name.
        run_id: String;
        /// Index of the queue pair, from 0.
        queue_pair: u32;
    }
    outcome {
        /// Operations completed in the measured interval.
        operations: u64;
        /// Latencies recorded; of an imported client without any, the rates that were printed.
        samples: Option<u64>;
        /// Mean latency.
        latency_mean_ns: Option<f64>, rules [Positive];
        /// Population standard deviation of latencies.
        latency_sd_ns: Option<f64>, rules [NotNegative];
        /// Latency that 1 % do not exceed.
        latency_p1_ns: Option<u64>;
        /// Latency that 5 % do not exceed.
        latency_p5_ns: Option<u64>, rules [AtLeast("latency_p1_ns")];
        /// Latency that 25 % do not exceed.
        latency_p25_ns: Option<u64>, rules [AtLeast("latency_p5_ns")];
        /// Median latency.
        latency_p50_ns: Option<u64>, rules [AtLeast("latency_p25_ns")];
        /// Latency that 75 % do not exceed.
        latency_p75_ns: Option<u64>, rules [AtLeast("latency_p50_ns")];
        /// Latency that 95 % do not exceed.
        latency_p95_ns: Option<u64>, rules [AtLeast("latency_p75_ns")];
        /// Latency that 99 % do not exceed.
        latency_p99_ns: Option<u64>, rules [AtLeast("latency_p95_ns")];
    }
}

table_row! {
    /// Operations of one queue pair in one window of a run, a row of `windows.csv.gz`.
    #[derive(Eq)]
    WindowRow in "windows.csv.gz", WINDOWS;
    identity {
        /// Where the numbers come from.
        source: Source;
        /// The machine's profile.
        profile: String;
        /// The design that the run belongs to.
        experiment: String;
        /// The run's name.
        run_id: String;
        /// Index of the window, from 0.
        window: u32;
        /// Its start, counted from the start of the measured interval.
        start_ns: u64;
        /// Index of the queue pair, from 0.
        queue_pair: u32;
    }
    outcome {
        /// Operations completed.
        operations: u64;
    }
}

table_row! {
    /// Latencies of one queue pair in one histogram bucket of a run, a row of `latency.csv.gz`.
    #[derive(Eq)]
    LatencyRow in "latency.csv.gz", LATENCY;
    identity {
        /// Where the numbers come from.
        source: Source;
        /// The machine's profile.
        profile: String;
        /// The design that the run belongs to.
        experiment: String;
        /// The run's name.
        run_id: String;
        /// Index of the queue pair, from 0.
        queue_pair: u32;
        /// Smallest latency that belongs to the bucket.
        lowest_ns: u64;
        /// Largest latency that belongs to the bucket.
        highest_ns: u64, rules [AtLeast("lowest_ns")];
    }
    outcome {
        /// Latencies that fell into it.
        count: u64, rules [Positive];
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::table::Row as _;

    #[test]
    fn the_columns_of_the_contract_come_in_their_order() {
        let contract = "schema_version source back_end profile nic experiment run_id replicate \
            operation worker_operation locality client_locality worker_locality queue_pairs \
            threads access_bytes mtu_bytes max_rd_atomic window loop workers \
            worker_write_fraction load_kind load_bytes load_node slot_layout cache_state ddio \
            operations throughput_published_ops throughput_ops throughput_low_ops \
            throughput_high_ops latency_mean_ns latency_sd_ns latency_p50_ns latency_p99_ns \
            latency_p999_ns samples valid doubts";
        let columns = RunRow::columns();
        let contract: Vec<_> = contract.split_whitespace().collect();
        assert_eq!(columns[..contract.len()], contract, "further columns come behind these");
    }
}
