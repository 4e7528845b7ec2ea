//! What a thread of the host does to memory: clock-free generators of accesses.
//!
//! ```text
//!   WorkerPlan --with_worker--> Stream<Addresses, Choice>   (one a thread)
//!                                  | where: Uniform, Sequential, Fixed
//!                                  ' what: Reads, Writes, ReadsAndWrites, Swaps, Additions
//!                           or  AsPublished<ByteWalk, ...>
//! ```
//!
//! The plan is looked at once; what it chose is a type from then on. A step is a few instructions
//! (an access to a near cache takes about a nanosecond) and reads no memory but, as published, its
//! table. The threads that carry the accesses out are in `onesided-access`.

mod addresses;
mod choice;
mod dispatch;
mod draw;
mod error;
mod published;
#[cfg(test)]
mod tests;

pub use crate::slots::LINE_BYTES;
pub use addresses::{Addresses, Fixed, Sequential, Uniform};
pub use choice::{Additions, Choice, Reads, ReadsAndWrites, Swaps, Writes};
pub use dispatch::{WorkerVisitor, with_worker};
pub use draw::Draw;
pub use error::WorkerPlanError;
pub use onesided_vocabulary::{WorkerOperation, WorkerPattern};
pub use published::{AsPublished, TABLE_BYTES, TABLE_ENTRIES};

/// Most objects that a region may hold: [`Draw`] keeps 24 bits of 64 for the choice of operation.
pub const MOST_OBJECTS: u64 = 1 << 40;

/// The accesses of one worker.
#[derive(Clone, Debug, PartialEq)]
pub struct WorkerPlan {
    /// Where. On its own line, worker w goes to the line w of the region, modulo its lines;
    /// sequential ones start spread evenly.
    pub pattern: WorkerPattern,
    /// What; [`WorkerOperation::None`] is refused.
    pub operation: WorkerOperation,
    /// Of a mix the probability of a store, 0 to 1; kept to the nearest multiple of 2^-24.
    pub write_fraction: f64,
    /// As published its `obj_size`, the bytes of a client's object: workers start that far from
    /// each other. Of no other pattern.
    pub object_bytes: u32,
    /// Bytes of an access: 1, 2, 4, 8, 16, 32 or 64; 8 for atomics. Objects are as large, and lie
    /// at multiples of it. As published: 1, and 8 for atomics.
    pub access_bytes: u32,
    /// Bytes of the region that is accessed; bytes behind its last whole object are not.
    pub region_bytes: u64,
    /// The worker's number, from 0.
    pub worker: u32,
    /// How many workers there are.
    pub workers: u32,
    /// Of all random numbers, together with the worker's number.
    pub seed: u64,
}

impl WorkerPlan {
    /// Objects of the region.
    pub fn objects(&self) -> u64 {
        self.region_bytes / u64::from(self.access_bytes.max(1))
    }
}

/// Whether an access is a load or a store.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Direction {
    /// A load.
    Read,
    /// A store, or an atomic, which stores when it succeeds.
    Write,
}

/// One access.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Access {
    /// Its first byte, in bytes from the start of the region.
    pub offset: u64,
    /// Its direction.
    pub direction: Direction,
}

/// What a generator's accesses are; known when the loop around it is compiled.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AccessKind {
    /// All are loads.
    Reads,
    /// All are stores.
    Writes,
    /// Each says its direction.
    Mixed,
    /// Load the object, and swap what was loaded against that plus 1, once: it succeeds unless
    /// another thread came between, so that the region's words add up to the swaps that succeeded.
    CompareAndSwap,
    /// As published: swap the worker's number in, again until it succeeds.
    CompareAndSwapUntilDone,
    /// Add 1.
    FetchAndAdd,
}

/// Clock readings beside an access.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ClockReadings {
    /// None.
    None,
    /// `clock_gettime(CLOCK_REALTIME)` after each access, as published.
    EachAccess,
}

/// A worker's accesses, one after the other, without end.
pub trait Accesses {
    /// What they are.
    const KIND: AccessKind;
    /// What is to be read beside each.
    const CLOCK: ClockReadings;

    /// The next one.
    fn next_access(&mut self) -> Access;
}

/// Addresses and choices of operation from one draw an access.
#[derive(Clone, Debug)]
pub struct Stream<A, C> {
    draw: Draw,
    addresses: A,
    choice: C,
}

impl<A: Addresses, C: Choice> Accesses for Stream<A, C> {
    const KIND: AccessKind = C::KIND;
    const CLOCK: ClockReadings = ClockReadings::None;

    #[inline(always)]
    fn next_access(&mut self) -> Access {
        // What neither looks at costs nothing: the compiler leaves the draw out.
        let bits = match A::DRAWS || matches!(C::KIND, AccessKind::Mixed) {
            true => self.draw.next_bits(),
            false => 0,
        };
        Access { offset: self.addresses.next_offset(bits), direction: self.choice.of(bits) }
    }
}
