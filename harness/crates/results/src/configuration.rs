//! The whole resolved configuration of one run, as it is written into the run table and the record.

mod check;
mod idle;
mod place_words;

pub use check::{ConfigurationError, Fault};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::vocabulary::{
    AddressPattern, Arrivals, CacheState, CompletionQueues, Ddio, LoadKind, LoadPattern,
    LoadProcess, LoopShape, Operation, SlotLayout, WorkerOperation, WorkerPattern,
};

/// Everything that decides what a run does, nothing left to defaults elsewhere.
///
/// One row of the run table. An absent value means that it does not apply (or, where said, that
/// it is left to the machine); units are in the names. [`Self::check`] says what is impossible.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RunConfiguration {
    /// Name of the run, unique within its experiment and profile; also its directory's name.
    pub run_id: String,
    /// Name of the design that the run belongs to.
    pub experiment: String,
    /// Name of the machine's profile.
    pub profile: String,
    /// Which repetition of the same design point this is, from 1.
    pub replicate: u32,
    /// Seed of everything random within the run; below 2^53, so that R reads it exactly.
    pub seed: u64,
    /// Which block of the run order the run is in, from 1.
    pub block: u32,
    /// Place in the run order over all blocks, from 1.
    pub order: u32,

    /// What the client asks for.
    pub operation: Operation,
    /// Share of writes, 0 to 1; of mixed operations only.
    pub write_fraction: Option<f64>,
    /// Bytes that one request moves.
    pub access_bytes: u32,
    /// How objects lie in the server's region.
    pub slot_layout: SlotLayout,
    /// Which object a request goes to.
    pub address_pattern: AddressPattern,
    /// Skew of the zipf pattern; of that pattern only.
    pub zipf_exponent: Option<f64>,
    /// Memory that the pattern ranges over; absent for own slots, whose number decides it.
    pub working_set_bytes: Option<u64>,

    /// Queue pairs of all client hosts together.
    pub queue_pairs: u32,
    /// Threads of all client hosts together; each drives neighbouring queue pairs, shares differ by
    /// one at most.
    pub threads: u32,
    /// Machines that access the server's memory at once; each has neighbouring threads, shares
    /// differ by one at most.
    pub client_hosts: u32,
    /// Which queue pairs share a completion queue.
    pub completion_queues: CompletionQueues,
    /// Work requests that a queue pair's send queue holds.
    pub send_queue_depth: u32,
    /// Requests of one queue pair that may be outstanding.
    pub window: u32,
    /// Requests handed over in one post.
    pub post_list: u32,
    /// Every how many requests one asks for a completion.
    pub signal_every: u32,
    /// Largest payload that is copied into the work request; absent: none is.
    pub inline_bytes: Option<u32>,
    /// Path MTU.
    pub mtu_bytes: u32,
    /// Reads and atomics of one queue pair in flight; both devices' limits may lower it.
    pub max_rd_atomic: u8,
    /// Acknowledgement timeout, 4.096 µs × 2^this (IB spec 1.4, 9.7.6.1.3).
    pub timeout_exponent: u8,
    /// Retransmissions before a request fails.
    pub retry_count: u8,
    /// Retries after "receiver not ready" before a request fails.
    pub rnr_retry: u8,
    /// Hops that a routed packet may take.
    pub hop_limit: u8,
    /// Entry of the port's GID table on the client; absent: chosen by rule.
    pub gid_index: Option<u32>,

    /// When the next request is posted.
    #[serde(rename = "loop")]
    pub loop_shape: LoopShape,
    /// Spacing of scheduled requests; of open loops only.
    pub arrivals: Option<Arrivals>,
    /// Requests per second scheduled over all queue pairs; of open loops only.
    pub rate_ops_per_second: Option<f64>,
    /// Pause between a completion and the next request of a closed loop.
    pub think_time_ns: u64,

    /// Time that requests flow before they are recorded.
    pub warm_up_ms: u64,
    /// Time that requests are recorded.
    pub duration_ms: u64,
    /// Length of one counting window.
    pub window_ms: u64,
    /// Requests after which a queue pair stops; absent: only time ends the run.
    pub operations_per_queue_pair: Option<u64>,

    /// Node of the memory that is accessed, as asked.
    pub server_region: String,
    /// Place of the server's threads, as asked.
    pub server_threads: String,
    /// Node of the server's queue rings, as asked.
    pub server_rings: String,
    /// Node of the client's buffers, as asked.
    pub client_buffers: String,
    /// Place of the client's threads, as asked.
    pub client_threads: String,
    /// Node of the client's queue rings, as asked.
    pub client_rings: String,

    /// Threads of the server that use the memory that clients access.
    pub workers: u32,
    /// Place of the workers, as asked: with a place, a CPU each.
    pub worker_threads: String,
    /// What the workers do.
    pub worker_operation: WorkerOperation,
    /// Share of writes, 0 to 1; of mixed workers only.
    pub worker_write_fraction: Option<f64>,
    /// Bytes that one access of a worker moves; absent without workers.
    pub worker_access_bytes: Option<u32>,
    /// Where in the memory a worker goes; absent without workers.
    pub worker_pattern: Option<WorkerPattern>,
    /// Pause between two accesses of a worker.
    pub worker_think_time_ns: u64,
    /// Accesses of one worker in a second; absent: as many as it can.
    pub worker_rate_per_second: Option<f64>,

    /// What loads the server's machine beside clients and workers.
    pub load_kind: LoadKind,
    /// Which process does; absent without load, as the following are.
    pub load_process: Option<LoadProcess>,
    /// Size of the memory that the load ranges over, shared by its threads.
    pub load_bytes: Option<u64>,
    /// Threads of the load.
    pub load_thread_count: Option<u32>,
    /// Place of these threads, as asked; they share its CPUs.
    pub load_threads: Option<String>,
    /// Place of that memory, as asked.
    pub load_memory: Option<String>,
    /// Share of writes, 0 to 1.
    pub load_write_fraction: Option<f64>,
    /// Where in the memory a thread goes.
    pub load_pattern: Option<LoadPattern>,

    /// What is done to the server's caches before the first request.
    pub cache_state: CacheState,
    /// Whether the server's card may write into the cache.
    pub ddio: Ddio,
}

/// Fields that say which run it is rather than what it does.
const IDENTITY: [&str; 7] =
    ["run_id", "experiment", "profile", "replicate", "seed", "block", "order"];

impl RunConfiguration {
    /// Names of the fields as written, in their order.
    pub fn fields() -> &'static [&'static str] {
        crate::columns::<Self>()
    }

    /// Names of the fields that a design may vary: all but those that say which run it is.
    pub fn factors() -> impl Iterator<Item = &'static str> {
        Self::fields().iter().copied().filter(|field| !IDENTITY.contains(field))
    }
}

/// One thread with one queue pair reads 8 bytes in a closed loop for two seconds.
///
/// Ours, because: 8 bytes and a closed loop are the study's (§V); path MTU 1024 is what Soft-RoCE
/// reaches over a 1500-byte network; 16 reads in flight is what common cards answer, where the
/// study's code had 1; retry counts stop at 6 because 7 means for ever, to some devices.
impl Default for RunConfiguration {
    fn default() -> Self {
        Self {
            run_id: "ad-hoc".to_owned(),
            experiment: "ad-hoc".to_owned(),
            profile: "unnamed".to_owned(),
            replicate: 1,
            seed: 1,
            block: 1,
            order: 1,
            operation: Operation::Read,
            write_fraction: None,
            access_bytes: 8,
            slot_layout: SlotLayout::Packed,
            address_pattern: AddressPattern::OwnSlot,
            zipf_exponent: None,
            working_set_bytes: None,
            queue_pairs: 1,
            threads: 1,
            client_hosts: 1,
            completion_queues: CompletionQueues::PerThread,
            send_queue_depth: 128,
            window: 1,
            post_list: 1,
            signal_every: 1,
            inline_bytes: None,
            mtu_bytes: 1024,
            max_rd_atomic: 16,
            timeout_exponent: 14,
            retry_count: 6,
            rnr_retry: 6,
            hop_limit: 64,
            gid_index: None,
            loop_shape: LoopShape::Closed,
            arrivals: None,
            rate_ops_per_second: None,
            think_time_ns: 0,
            warm_up_ms: 200,
            duration_ms: 2000,
            window_ms: 10,
            operations_per_queue_pair: None,
            server_region: "rdma-local".to_owned(),
            server_threads: "any".to_owned(),
            server_rings: "any".to_owned(),
            client_buffers: "any".to_owned(),
            client_threads: "any".to_owned(),
            client_rings: "any".to_owned(),
            workers: 0,
            worker_threads: "any".to_owned(),
            worker_operation: WorkerOperation::None,
            worker_write_fraction: None,
            worker_access_bytes: None,
            worker_pattern: None,
            worker_think_time_ns: 0,
            worker_rate_per_second: None,
            load_kind: LoadKind::None,
            load_process: None,
            load_bytes: None,
            load_thread_count: None,
            load_threads: None,
            load_memory: None,
            load_write_fraction: None,
            load_pattern: None,
            cache_state: CacheState::Default,
            ddio: Ddio::Default,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_default_is_possible_and_survives_json() {
        let configuration = RunConfiguration::default();
        configuration.check().unwrap();
        let text = serde_json::to_string(&configuration).unwrap();
        assert!(text.contains("\"loop\":\"closed\""), "{text}");
        assert_eq!(serde_json::from_str::<RunConfiguration>(&text).unwrap(), configuration);
    }

    #[test]
    fn a_field_that_does_not_exist_is_refused() {
        let mut value = serde_json::to_value(RunConfiguration::default()).unwrap();
        value["queue_pair"] = 3.into();
        let error = serde_json::from_value::<RunConfiguration>(value).unwrap_err().to_string();
        assert!(error.contains("unknown field `queue_pair`"), "{error}");
    }

    #[test]
    fn factors_are_the_fields_without_those_that_name_the_run() {
        let factors: Vec<_> = RunConfiguration::factors().collect();
        assert_eq!(factors.len(), RunConfiguration::fields().len() - IDENTITY.len());
        assert_eq!(factors[0], "operation");
        assert!(factors.contains(&"loop") && !factors.contains(&"seed"));
    }
}
