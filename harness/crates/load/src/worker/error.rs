//! Why a worker's plan cannot be carried out.

use super::MOST_OBJECTS;

/// Why a worker's plan cannot be carried out.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum WorkerPlanError {
    /// No instruction, nor a whole number of them, accesses so many bytes.
    #[error("an access of {access_bytes} bytes is none of 1, 2, 4, 8, 16, 32 and 64")]
    AccessBytes {
        /// What was asked for.
        access_bytes: u32,
    },
    /// Atomics are of 8 bytes.
    #[error("an atomic access has 8 bytes, asked: {access_bytes}")]
    AtomicBytes {
        /// What was asked for.
        access_bytes: u32,
    },
    /// The study's workers access single bytes.
    #[error("as published, reads and writes have 1 byte, asked: {access_bytes}")]
    PublishedBytes {
        /// What was asked for.
        access_bytes: u32,
    },
    /// The study's atomics would cross words.
    #[error(
        "as published, atomics need objects and a region of multiples of 8 bytes, asked: objects \
         of {object_bytes} in a region of {region_bytes}"
    )]
    PublishedAlignment {
        /// The study's `obj_size`.
        object_bytes: u32,
        /// The region.
        region_bytes: u64,
    },
    /// The region holds no object, or no cache line where one is accessed.
    #[error("a region of {region_bytes} bytes is too small: {needed_bytes} bytes are accessed")]
    RegionTooSmall {
        /// The region.
        region_bytes: u64,
        /// What must fit.
        needed_bytes: u64,
    },
    /// More objects than the draw tells apart.
    #[error(
        "a region of {region_bytes} bytes holds {objects} objects, more than the {MOST_OBJECTS} \
         that are drawn from; ask for wider accesses"
    )]
    RegionTooLarge {
        /// The region.
        region_bytes: u64,
        /// Its objects.
        objects: u64,
    },
    /// Nothing is to be done.
    #[error("the operation is none: a worker has one")]
    NoOperation,
    /// Not a fraction.
    #[error("a write fraction of {write_fraction} is not within 0 to 1")]
    WriteFraction {
        /// What was asked for.
        write_fraction: f64,
    },
    /// There is no such worker.
    #[error("worker {worker} is not one of {workers}, which count from 0")]
    Worker {
        /// The worker.
        worker: u32,
        /// How many there are.
        workers: u32,
    },
}
