//! One ring of links through the lines of a working set.

use std::{marker::PhantomData, ptr};

use super::{
    Order,
    error::ChaseError,
    memory::ChaseMemory,
    order::{GROUP_BYTES, LINE_BYTES, visits},
    walk::{Link, UNROLLED, walk},
};

/// Working sets are whole groups of lines, in bytes.
pub const WORKING_SET_STEP_BYTES: u64 = GROUP_BYTES;

/// The largest working set: lines are numbered with 32 bits while the ring is made.
pub const LARGEST_WORKING_SET_BYTES: u64 = (u32::MAX as u64 + 1 - 4) * LINE_BYTES;

/// A ring through every line of the first bytes of a memory; walking it goes on where the last
/// walk ended.
#[derive(Debug)]
pub struct Cycle<'memory> {
    at: Link,
    lines: u64,
    /// The links are in the memory, and nothing else may write there.
    memory: PhantomData<&'memory mut ChaseMemory>,
}

impl<'memory> Cycle<'memory> {
    /// Links the lines of the first `working_set_bytes` of `memory`, in an order that is the same
    /// for the same seed.
    ///
    /// # Errors
    /// A working set that is empty, no multiple of [`WORKING_SET_STEP_BYTES`], or larger than the
    /// memory or than [`LARGEST_WORKING_SET_BYTES`].
    pub fn build(
        memory: &'memory mut ChaseMemory,
        working_set_bytes: u64,
        order: Order,
        seed: u64,
    ) -> Result<Self, ChaseError> {
        let at_most = LARGEST_WORKING_SET_BYTES.min(memory.bytes());
        let whole = working_set_bytes.is_multiple_of(WORKING_SET_STEP_BYTES);
        if working_set_bytes == 0 || working_set_bytes > at_most || !whole {
            let step_bytes = WORKING_SET_STEP_BYTES;
            return Err(ChaseError::WorkingSet { working_set_bytes, step_bytes, at_most });
        }
        let lines = (working_set_bytes / LINE_BYTES) as u32;
        let visits = visits(lines, order, seed);
        let start = memory.as_ptr();
        // SAFETY: the line is within the memory, by the check above.
        let place = |line: u32| unsafe { start.add(line as usize * LINE_BYTES as usize) };
        let mut next = visits[0];
        for line in visits.iter().rev() {
            // SAFETY: as above; lines are aligned, and the exclusive borrow keeps others away.
            unsafe { place(*line).cast::<Link>().write(place(next)) };
            next = *line;
        }
        Ok(Self { at: place(visits[0]), lines: u64::from(lines), memory: PhantomData })
    }

    /// Lines in the ring.
    pub fn lines(&self) -> u64 {
        self.lines
    }

    /// Loads that a walk makes which is asked for `loads`: whole turns of the unrolled loop.
    pub fn rounded(loads: u64) -> u64 {
        loads.div_ceil(UNROLLED) * UNROLLED
    }

    /// Makes [`Self::rounded`] dependent loads.
    pub fn walk(&mut self, loads: u64) {
        // SAFETY: every line of the ring holds the address of another one, in memory that this
        // value borrows.
        self.at = unsafe { walk(self.at, loads.div_ceil(UNROLLED)) };
    }

    /// Offsets of all lines in the order of their visit from where the last walk ended, read from
    /// the memory itself; as many as there are lines, or more if the ring were not one.
    pub fn offsets(&self) -> Vec<u64> {
        let mut at = self.at;
        let mut offsets = Vec::with_capacity(self.lines as usize);
        let mut lowest = at;
        loop {
            offsets.push(at.addr() as u64);
            lowest = lowest.min(at);
            // SAFETY: as in `walk`.
            at = unsafe { at.cast::<Link>().read() };
            if ptr::eq(at, self.at) || offsets.len() as u64 > self.lines {
                break;
            }
        }
        offsets.iter_mut().for_each(|offset| *offset -= lowest.addr() as u64);
        offsets
    }
}
