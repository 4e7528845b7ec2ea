//! What is said where several client hosts access the memory of one server at once.
//!
//! One of them does the run table and is the *lead*; the others have joined, and wait until a run
//! needs them. Each speaks to the server only.
//!
//! ```text
//!   further client           server                lead
//!     | -- Join: device --> |                     |  keeps it for whoever needs it
//!     |                     | <-- Prepare --      |
//!     | <-- Participate --  |                     |  which part, which CPUs are taken
//!     | -- Pinned -->       |                     |
//!     | <-- Prepared --     | -- Prepared -->     |
//!     | -- Connect -->      | <-- Connect --      |
//!     | <-- Connected --    | -- Connected -->    |
//!     | <-- ReadClock --    | -- ReadClock -->    |  some round trips
//!     | -- Clock -->        | <-- Clock --        |
//!     | <-- Gather --       | -- Gather -->       |  threads meet
//!     | -- Met -->          | <-- Met --          |
//!     | <-- Start: when --  | -- Start: when -->  |  each by its own clock
//!     |                     |                     |  one-sided operations
//!     | -- PartFinished --> | <-- Finish --       |
//!     | -- Counted -->      |                     |  for each queue pair
//!     | <-- ReadClock --    | -- ReadClock -->    |  again
//!     | -- Clock -->        | <-- Clock --        |
//!     |                     | -- Counted -->      |
//!     | <-- PartOver --     | -- Finished -->     |
//! ```

use onesided_results::{
    RunConfiguration,
    record::{ClientClockRecord, DoubtRecord, FurtherClientRecord},
};
use onesided_transport::DeviceDescription;
use serde::{Deserialize, Serialize};

use super::{Completed, Measurement, PinnedClient, Verification};

/// A client host that takes part in others' runs.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Joining {
    /// Its name.
    pub host: String,
    /// Its device, with its limits and GID table.
    pub device: DeviceDescription,
}

/// A further client host's part of a run.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Participation {
    /// The whole run's configuration.
    pub configuration: RunConfiguration,
    /// Which host this one is, from 1; 0 is the lead.
    pub host: u32,
    /// What the client hosts before it are pinned to: on their machine these CPUs are taken.
    pub taken: Vec<PinnedClient>,
    /// What the run is a part of, as the lead told.
    pub measurement: Option<Measurement>,
}

/// What a further client host did.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct PartFinished {
    /// As every client says it.
    pub completed: Completed,
    /// Its end of the run, and which part it had.
    pub record: FurtherClientRecord,
    /// What speaks against its numbers.
    pub doubts: Vec<DoubtRecord>,
    /// What its buffers hold.
    pub verification: Verification,
    /// Work requests that asked for a completion.
    pub signaled: u64,
    /// Completions received.
    pub completions: u64,
    /// Length of its measured interval.
    pub measured_ns: u64,
}

/// What all further client hosts of a run did, for the lead, and how all clocks stood.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct TogetherFinished {
    /// Of each further client host, in order.
    pub parts: Vec<PartFinished>,
    /// Of each client host, the lead's first.
    pub clocks: Vec<ClientClockRecord>,
}

/// What was counted on one queue pair, as in `onesided-measure`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct CountedQueuePair {
    /// Its index over all client hosts.
    pub queue_pair: u32,
    /// Operations completed in each window.
    pub windows: Vec<u64>,
    /// Operations completed before the first window.
    pub before_start: u64,
    /// Operations completed after the last window.
    pub after_end: u64,
    /// Latencies: lowest and highest of a bucket, in ns, and how many.
    pub buckets: Vec<(u64, u64, u64)>,
    /// Latencies recorded.
    pub samples: u64,
    /// How many of them were beyond the histogram.
    pub saturated: u64,
    /// Shortest; absent without samples.
    pub min_ns: Option<u64>,
    /// Longest; absent without samples.
    pub max_ns: Option<u64>,
    /// Sum of the latencies.
    pub sum_ns: u128,
    /// Sum of their squares.
    pub sum_of_squares_ns2: u128,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_beyond_64_bits_survive_the_way() {
        let counted = CountedQueuePair {
            queue_pair: 3,
            windows: vec![0, u64::MAX],
            before_start: 1,
            after_end: 2,
            buckets: vec![(1, 2, 3)],
            samples: 3,
            saturated: 0,
            min_ns: None,
            max_ns: Some(u64::MAX),
            sum_ns: u128::from(u64::MAX) + 1,
            sum_of_squares_ns2: u128::MAX,
        };
        let text = serde_json::to_string(&counted).unwrap();
        assert_eq!(serde_json::from_str::<CountedQueuePair>(&text).unwrap(), counted);
    }
}
