//! The table of shapes: what the simulator says along a sweep of a paper.

use super::roles::table_row;
use crate::vocabulary::{Locality, Operation, Source};

table_row! {
    /// A point of a sweep with what the simulator says of it, a row of `shapes.csv.gz`. Of source
    /// `published` it is what a text states, and absent what it does not.
    ShapeRow in "shapes.csv.gz", SHAPES;
    identity {
        /// Where the numbers come from.
        source: Source;
        /// The back end's own name.
        back_end: String;
        /// The machine's profile.
        profile: String;
        /// Set-up of the profile that the parameters are of; absent where it has one, or a text states.
        set_up: Option<String>;
        /// Name of the sweep, as `onesided simulate --study` knows it.
        study: String;
    }
    factor {
        /// What the clients ask for; mixed: reads, and updates by two atomics each.
        operation: Operation, label "Operation";
        /// Where the memory is that they ask for, as its card sees it.
        locality: Option<Locality>, label "Locality";
        /// Bytes moved by one operation; of a mix, by a read.
        access_bytes: Option<u32>, label "Bytes per access";
        /// Queue pairs in all.
        queue_pairs: Option<u32>, label "Queue pairs";
        /// Client threads in all.
        threads: Option<u32>, label "Client threads";
        /// Machines that the threads are on.
        client_hosts: Option<u32>, label "Client hosts";
        /// Requests that a queue pair has posted at once at most.
        window: Option<u32>, label "Requests outstanding per queue pair";
        /// Requests that are posted together, after room for all of them.
        post_list: Option<u32>, label "Requests per post";
        /// Reads and atomics that a queue pair has under way at once at most.
        max_rd_atomic: Option<u32>, label "Reads in flight per queue pair";
        /// Path MTU.
        mtu_bytes: Option<u32>, label "Path MTU (B)";
        /// Objects that all queue pairs draw from; absent where each has one of its own.
        counters: Option<u64>, label "Objects drawn from";
        /// Share of updates among a key-value store's operations.
        put_fraction: Option<f64>, label "Share of updates", rules [Within(0.0, 1.0)];
    }
    outcome {
        /// Operations a second; of a key-value store its own, of which an update takes two atomics.
        throughput_ops: Option<f64>, rules [NotNegative];
        /// That by the one of the sweep's first point of the same operation.
        relative_throughput: Option<f64>, rules [NotNegative];
        /// Payload of them, in bytes a second.
        bytes_per_second: Option<f64>, rules [NotNegative];
        /// Mean time of a request from its post to its completion.
        latency_mean_ns: Option<f64>, rules [Positive];
        /// The busiest station; where none is busy for nine tenths of the time, what keeps it from it.
        limit: Option<String>;
        /// Share of time in which the busiest station is.
        limit_utilisation: Option<f64>, rules [NotNegative];
    }
}
