//! The tables of one run: `windows.csv`, `latency.csv` and `load.csv`, beside its `run.json`.
//!
//! Integers only: they are counts, and what follows from them is computed elsewhere.

use crate::{row::roles::table_row, vocabulary::ThreadRole};

table_row! {
    /// Operations of one queue pair that completed in one window, a row of `windows.csv`.
    ///
    /// The table is dense: a window in which a queue pair completed nothing is a row with 0, so that
    /// a missing row is damage and not idleness.
    #[derive(Copy, Eq)]
    #[serde(deny_unknown_fields)]
    WindowCount in "windows.csv";
    identity {
        /// Index of the window, from 0.
        window: u32;
        /// Its start, counted from the start of the measured interval.
        start_ns: u64;
        /// Index of the queue pair over all threads, from 0.
        queue_pair: u32;
    }
    outcome {
        /// Operations completed.
        operations: u64;
    }
}

table_row! {
    /// Latencies of one queue pair that fell into one histogram bucket, a row of `latency.csv`.
    ///
    /// Buckets without a latency are left out.
    #[derive(Copy, Eq)]
    #[serde(deny_unknown_fields)]
    LatencyBucket in "latency.csv";
    identity {
        /// Index of the queue pair over all threads, from 0.
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

table_row! {
    /// Accesses of one of the server's own threads in one window, a row of `load.csv`; dense as
    /// `windows.csv` is.
    ///
    /// A thread's windows begin with the thread: before the measured interval, and at another offset
    /// than those of `windows.csv`.
    #[derive(Copy, Eq)]
    #[serde(deny_unknown_fields)]
    LoadCount in "load.csv";
    identity {
        /// What the thread is for: a worker or the independent load.
        role: ThreadRole;
        /// Index of the worker among those of its role, from 0.
        worker: u32;
        /// Index of the window, from 0.
        window: u32;
        /// Its start, counted from the start of the measured interval, as the server knows it;
        /// negative before.
        start_ns: i64;
    }
    outcome {
        /// Accesses made.
        accesses: u64;
    }
}
