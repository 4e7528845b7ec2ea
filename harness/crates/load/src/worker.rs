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
pub use published::{AsPublished, TABLE_BYTES, TABLE_ENTRIES};

/// Most objects that a region may hold: [`Draw`] keeps 24 bits of 64 for the choice of operation.
pub const MOST_OBJECTS: u64 = 1 << 40;

/// Which bytes a worker accesses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WorkerPattern {
    /// The sequence of the study's own program; see [`AsPublished`].
    AsPublished {
        /// Its `obj_size`, the bytes of a client's object: workers start that far from each other.
        object_bytes: u32,
    },
    /// Any object of the region, each equally likely.
    Uniform,
    /// One object after the other, and from the start again; workers start spread evenly.
    Sequential,
    /// Always the start of one cache line: of worker w the line w of the region, modulo its lines.
    OwnLine,
    /// Always the start of the region's first cache line, all workers the same.
    SharedLine,
}

/// What a worker does to the bytes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum WorkerOperation {
    /// Loads.
    Read,
    /// Stores.
    Write,
    /// Loads and stores, drawn independently.
    Mixed {
        /// Probability of a store, 0 to 1; kept to the nearest multiple of 2^-24.
        write_fraction: f64,
    },
    /// Compare-and-swap of 8 bytes.
    CompareAndSwap,
    /// Fetch-and-add of 8 bytes.
    FetchAndAdd,
}

impl WorkerOperation {
    /// Loads and stores with this probability of a store. At 0 and 1 it is [`Self::Read`] and
    /// [`Self::Write`], whose loops draw nothing; what is no fraction is refused with the plan.
    pub const fn of_write_fraction(write_fraction: f64) -> Self {
        match write_fraction {
            0.0 => Self::Read,
            1.0 => Self::Write,
            _ => Self::Mixed { write_fraction },
        }
    }

    /// Whether it is an atomic of 8 bytes.
    pub const fn is_atomic(self) -> bool {
        matches!(self, Self::CompareAndSwap | Self::FetchAndAdd)
    }
}

/// The accesses of one worker.
#[derive(Clone, Debug, PartialEq)]
pub struct WorkerPlan {
    /// Where.
    pub pattern: WorkerPattern,
    /// What.
    pub operation: WorkerOperation,
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
