//! What the server's own threads do to memory.

use onesided_load::worker::{LINE_BYTES, WorkerOperation, WorkerPattern, WorkerPlan};
use onesided_results::{RunConfiguration, vocabulary::LoadPattern};

use crate::requests::object_bytes;

/// Bytes that one access of the independent load moves: what a CPU moves at once (ours; the study's
/// load moved a double).
const LOAD_ACCESS_BYTES: u32 = 8;

/// What a worker does to a region of `region_bytes`.
pub fn worker(configuration: &RunConfiguration, region_bytes: u64, worker: u32) -> WorkerPlan {
    let pattern = configuration.worker_pattern.unwrap_or(WorkerPattern::Uniform);
    let by_line = matches!(pattern, WorkerPattern::OwnLine | WorkerPattern::SharedLine);
    WorkerPlan {
        pattern,
        operation: configuration.worker_operation,
        write_fraction: configuration.worker_write_fraction.unwrap_or(0.0),
        object_bytes: object_bytes(configuration),
        access_bytes: configuration.worker_access_bytes.unwrap_or(1),
        // The line that a small region is on is all the region's own: memory comes in pages.
        region_bytes: if by_line {
            region_bytes.next_multiple_of(LINE_BYTES)
        } else {
            region_bytes
        },
        worker,
        workers: configuration.workers,
        seed: configuration.seed,
    }
}

/// What a thread of the independent load does to its memory. Its random numbers are others than those of
/// the workers, who have the run's own seed.
pub fn independent(configuration: &RunConfiguration, thread: u32) -> WorkerPlan {
    let write_fraction = configuration.load_write_fraction.unwrap_or(0.0);
    WorkerPlan {
        pattern: configuration.load_pattern.unwrap_or(LoadPattern::Uniform).of_a_worker(),
        operation: WorkerOperation::of_write_fraction(write_fraction),
        write_fraction,
        object_bytes: LOAD_ACCESS_BYTES,
        access_bytes: LOAD_ACCESS_BYTES,
        region_bytes: configuration.load_bytes.unwrap_or(0),
        worker: thread,
        workers: configuration.load_thread_count.unwrap_or(1),
        seed: configuration.seed ^ (1 << 52),
    }
}
