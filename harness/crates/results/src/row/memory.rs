//! The table of memory latencies: by node of the CPU, node of the memory, and working set.

use super::roles::table_row;
use crate::vocabulary::{
    LatencyOrder, LatencyPages, LatencyPart, LatencyPlacement, MemoryLevel, Source,
};

table_row! {
    /// The latency of one dependent load, a row of `memory-latency.csv.gz`.
    ///
    /// Of a published text, which states nothing else, all columns from `replicate` on are absent, and
    /// `latency_low_ns`, `latency_high_ns` are the ends of a range that it states.
    MemoryLatencyRow in "memory-latency.csv.gz", MEMORY_LATENCY;
    identity {
        /// Where the numbers come from.
        source: Source;
        /// The machine's profile.
        profile: String;
    }
    factor {
        /// Node of the CPU that loads.
        cpu_node: u32, label "Node of the CPU";
        /// Node of the memory.
        memory_node: u32, label "Node of the memory";
    }
    outcome {
        /// Time of one load: the median of the repetitions.
        latency_ns: Option<f64>, rules [Positive, AtLeast("latency_low_ns")];
        /// Lower quartile of the repetitions.
        latency_low_ns: Option<f64>, rules [NotNegative, AtLeast("latency_min_ns")];
        /// Upper quartile of the repetitions.
        latency_high_ns: Option<f64>, rules [AtLeast("latency_low_ns"), AtLeast("latency_ns")];
    }
    identity {
        /// Which repetition of everything, with memory and order of its own, from 1.
        replicate: Option<u32>;
        /// What the row is part of.
        part: Option<LatencyPart>;
    }
    factor {
        /// Bytes that the loads go through, each line once before any again.
        working_set_bytes: Option<u64>, label "Working set (B)", rules [Positive];
    }
    outcome {
        /// Where the lines of such a working set are, by the sizes of caches; absent between two levels,
        /// where its time is nearer to memory's, or where the caches are not known.
        level: Option<MemoryLevel>;
        /// Shortest repetition.
        latency_min_ns: Option<f64>, rules [NotNegative];
        /// Repetitions.
        repetitions: Option<u32>, rules [Positive];
        /// Loads of one repetition.
        loads: Option<u64>, rules [Positive];
    }
    identity {
        /// The CPU that loads.
        cpu: Option<u32>;
    }
    factor {
        /// The memory's pages.
        pages: Option<LatencyPages>, label "Pages";
        /// Their size.
        page_bytes: Option<u64>, label "Size of a page (B)";
        /// The order of the lines.
        order: Option<LatencyOrder>, label "Order of the lines";
    }
    identity {
        /// What the orders of lines and cells are drawn from, with the replicate.
        seed: Option<u64>;
    }
    outcome {
        /// Whether the memory was on its node.
        placement: Option<LatencyPlacement>;
    }
    factor {
        /// Threads that used memory meanwhile; 0: none, the machine is idle but for what others do.
        load_threads: Option<u32>, label "Threads of the load";
        /// Node of those threads and of their memory; absent without such threads.
        load_node: Option<u32>, label "Node of the load";
        /// Memory that they share.
        load_bytes: Option<u64>, label "Bytes the load ranges over";
        /// Share of writes among their accesses.
        load_write_fraction: Option<f64>, label "Share of writes of the load", rules [Within(0.0, 1.0)];
    }
    outcome {
        /// Accesses of all of them in a second, from before the latency was measured until after.
        load_rate_per_second: Option<f64>, rules [NotNegative];
        /// Names of what makes the number doubtful, separated by spaces; absent if there are none:
        /// `emulated-processor` (it is made up by software, and so are its caches and times),
        /// `working-set-near-cache` (part of what is measured of memory is the last-level cache),
        /// `latency-unsteady` (most of the same loads, in the matrix, in the sweep and in other replicates, took
        /// another time, by more than a tenth), and of all rows of a measurement `another-measurement` (something
        /// else was measured on the machine meanwhile) and `cpu-stolen` (the hypervisor took CPU time for a tenth of it
        /// or more).
        doubts: Option<String>;
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;

    #[test]
    fn the_table_begins_with_the_columns_of_the_stated_one() {
        let stated =
            Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../data/stated/memory-latency.csv");
        let stated = std::fs::read_to_string(stated).unwrap();
        let header: Vec<_> = stated.lines().next().unwrap().split(',').collect();
        assert_eq!(crate::columns::<MemoryLatencyRow>()[..header.len()], header);
    }
}
