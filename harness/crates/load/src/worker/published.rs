//! The access sequence of the study's own workers.

use super::{Access, AccessKind, Accesses, ClockReadings, Direction, Draw, WorkerPlan};

/// Entries of each worker's private table (`RANDS` in `src/rc_bench/rc_resources.cpp` of the
/// study's release, github.com/sss-lehigh/nurdma, commit a6d0664).
pub const TABLE_ENTRIES: usize = 1_000_000;

/// Bytes of each worker's private table: 4 MB, in 4-byte numbers.
pub const TABLE_BYTES: usize = TABLE_ENTRIES * size_of::<u32>();

/// The largest number of the table (`RAND_MAX` of glibc, `rand(3)`).
const LARGEST: u32 = 0x7fff_ffff;

/// The accesses of the study's `rc_resources::worker` (`src/rc_bench/rc_resources.cpp` of
/// github.com/sss-lehigh/nurdma, commit a6d0664).
///
/// Access number i of worker w, with objects of b bytes and table entry r = table\[i mod 10^6\]:
///
/// | asked | their mode | bytes | offset, modulo the region | table |
/// |---|---|---|---|---|
/// | read | 0 | 1 | b·w + r + i | read |
/// | write | 1 | 1 | b·w + r + i | read |
/// | mixed | 2 | 1 | b·w + i: a walk, byte by byte | read; a write if r is below the fraction |
/// | compare-and-swap | 3 | 8 | b·w + 8·i | not read |
/// | fetch-and-add | 4 | 8 | b·w + 8·i | not read |
///
/// Repeated: the offsets with their division, the private table of 4 MB that the worker itself
/// fills and, where the table above says so, streams through; the comparison of mode 2 in single
/// precision; one reading of the real-time clock after each access; the value written (the worker's
/// number); and that a compare-and-swap expects the next worker's number, then what it found, until
/// it succeeds.
///
/// Not repeated: the numbers themselves (theirs are one `rand(3)` sequence that all threads share
/// under a lock, so that which thread gets which differs from run to run; ours are of the same
/// range, by seed); i as a 32-bit integer, which overflows after 2^31 accesses; the look at the
/// stop flag after each access (ours: each batch); the further readings of the real-time clock
/// while a worker thinks (ours: of the tick counter).
#[derive(Clone, Debug)]
pub struct AsPublished<M> {
    table: Box<[u32]>,
    /// i mod 10^6.
    entry: usize,
    /// b·w + i, or b·w + 8·i.
    walked: u64,
    region_bytes: u64,
    mode: M,
}

impl<M> AsPublished<M> {
    pub(super) fn new(plan: &WorkerPlan, mode: M) -> Self {
        let mut draw = Draw::new(plan.seed, u64::from(plan.worker));
        Self {
            table: (0..TABLE_ENTRIES).map(|_| draw.next_bits() as u32 & LARGEST).collect(),
            entry: 0,
            walked: u64::from(plan.object_bytes) * u64::from(plan.worker),
            region_bytes: plan.region_bytes,
            mode,
        }
    }

    #[inline(always)]
    fn next_entry(&mut self) -> u32 {
        let drawn = self.table[self.entry];
        self.entry += 1;
        if self.entry == self.table.len() {
            self.entry = 0;
        }
        drawn
    }

    #[inline(always)]
    fn walk(&mut self, step: u64) -> u64 {
        let walked = self.walked;
        self.walked = walked.wrapping_add(step);
        walked
    }
}

/// Their modes 0 and 1.
#[derive(Clone, Copy, Debug)]
pub struct Scattered<C>(pub(super) C);

/// Their mode 2.
#[derive(Clone, Copy, Debug)]
pub struct ByteWalk {
    below: f32,
}

/// Their modes 3 and 4.
#[derive(Clone, Copy, Debug)]
pub struct WordWalk<C>(pub(super) C);

/// Their mode 3.
#[derive(Clone, Copy, Debug)]
pub struct SwapsUntilDone;

impl ByteWalk {
    pub(super) fn new(write_fraction: f64) -> Self {
        Self { below: LARGEST as f32 * write_fraction as f32 }
    }
}

impl super::Choice for SwapsUntilDone {
    const KIND: AccessKind = AccessKind::CompareAndSwapUntilDone;

    #[inline(always)]
    fn of(&self, _bits: u64) -> Direction {
        Direction::Write
    }
}

impl<C: super::Choice> Accesses for AsPublished<Scattered<C>> {
    const KIND: AccessKind = C::KIND;
    const CLOCK: ClockReadings = ClockReadings::EachAccess;

    #[inline(always)]
    fn next_access(&mut self) -> Access {
        let drawn = u64::from(self.next_entry());
        let offset = self.walk(1).wrapping_add(drawn) % self.region_bytes;
        Access { offset, direction: self.mode.0.of(0) }
    }
}

impl Accesses for AsPublished<ByteWalk> {
    const KIND: AccessKind = AccessKind::Mixed;
    const CLOCK: ClockReadings = ClockReadings::EachAccess;

    #[inline(always)]
    fn next_access(&mut self) -> Access {
        let is_write = (self.next_entry() as f32) < self.mode.below;
        let direction = if is_write { Direction::Write } else { Direction::Read };
        Access { offset: self.walk(1) % self.region_bytes, direction }
    }
}

impl<C: super::Choice> Accesses for AsPublished<WordWalk<C>> {
    const KIND: AccessKind = C::KIND;
    const CLOCK: ClockReadings = ClockReadings::EachAccess;

    #[inline(always)]
    fn next_access(&mut self) -> Access {
        Access { offset: self.walk(8) % self.region_bytes, direction: self.mode.0.of(0) }
    }
}
