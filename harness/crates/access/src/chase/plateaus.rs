//! Which working sets a cache holds, and what a load of that cache takes.

use super::{caches::Cache, repetitions::quantile};

/// The smallest working set of a sweep in bytes. Ours: one base page.
pub const SMALLEST_BYTES: u64 = 4 << 10;

/// What working sets are rounded to in bytes, where they are not powers of two.
const STEP_BYTES: u64 = 1 << 10;

/// Where the lines of a working set are after a lap.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Level {
    /// In the cache of this level, from 1.
    Cache(u8),
    /// In memory.
    Memory,
}

/// Working sets that belong to one level, both ends included.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Range {
    /// The level.
    pub level: Level,
    /// The smallest, in bytes.
    pub from_bytes: u64,
    /// The largest, in bytes; of memory, no limit.
    pub to_bytes: Option<u64>,
}

impl Range {
    /// Whether a working set belongs to it.
    pub fn contains(&self, working_set_bytes: u64) -> bool {
        let below = self.to_bytes.is_none_or(|to| working_set_bytes <= to);
        below && working_set_bytes >= self.from_bytes
    }
}

/// What a load of one level takes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Plateau {
    /// The level, with the working sets that it was estimated from.
    pub range: Range,
    /// Working sets measured.
    pub working_sets: usize,
    /// Median over them in nanoseconds.
    pub latency_ns: f64,
    /// Shortest of them.
    pub low_ns: f64,
    /// Longest of them.
    pub high_ns: f64,
}

/// The working sets of each level: from four times the cache before it, so that that one hardly
/// has a line of the next lap left, to half of its own, so that its sets do not overflow by chance.
///
/// Where neighbouring caches are too close for that, from twice the one before; failing that, the
/// geometric mean of the two alone. Memory begins at four times the last cache. Empty where no
/// cache is known: then there is nothing to tell levels by.
pub fn ranges(caches: &[Cache]) -> Vec<Range> {
    let mut ranges = Vec::with_capacity(caches.len() + 1);
    let mut before_bytes = 0;
    for cache in caches {
        let half = cache.bytes / 2;
        let starts = [4 * before_bytes, 2 * before_bytes];
        let start = starts.iter().map(|start| (*start).max(SMALLEST_BYTES)).find(|s| *s <= half);
        let middle = (before_bytes as f64 * cache.bytes as f64).sqrt() as u64;
        let middle = (middle / STEP_BYTES * STEP_BYTES).max(SMALLEST_BYTES);
        let (from_bytes, to_bytes) = start.map_or((middle, middle), |start| (start, half));
        let level = Level::Cache(cache.level);
        ranges.push(Range { level, from_bytes, to_bytes: Some(to_bytes) });
        before_bytes = cache.bytes;
    }
    if before_bytes > 0 {
        let from_bytes = 4 * before_bytes;
        ranges.push(Range { level: Level::Memory, from_bytes, to_bytes: None });
    }
    ranges
}

/// Working sets for a sweep, ascending: powers of two and one and a half times those, from
/// [`SMALLEST_BYTES`] to `largest_bytes`, with the ends of every level's range.
pub fn working_sets(caches: &[Cache], largest_bytes: u64) -> Vec<u64> {
    let powers = (SMALLEST_BYTES.ilog2()..u64::BITS - 1).map(|power| 1_u64 << power);
    let mut sizes: Vec<u64> = powers
        .take_while(|power| *power <= largest_bytes)
        .flat_map(|power| [power, power + power / 2])
        .chain(
            ranges(caches)
                .iter()
                .flat_map(|range| [Some(range.from_bytes), range.to_bytes].into_iter().flatten()),
        )
        .chain([largest_bytes])
        .filter(|size| (SMALLEST_BYTES..=largest_bytes).contains(size))
        .collect();
    sizes.sort_unstable();
    sizes.dedup();
    sizes
}

/// The level that a working set belongs to; `None` between two levels, or where no cache is known.
pub fn level_of(caches: &[Cache], working_set_bytes: u64) -> Option<Level> {
    ranges(caches).iter().find(|range| range.contains(working_set_bytes)).map(|range| range.level)
}

/// The plateau of each level that at least one of the `(working set in bytes, nanoseconds)` is of.
pub fn plateaus(caches: &[Cache], measured: &[(u64, f64)]) -> Vec<Plateau> {
    let of = |range: Range| {
        let within = measured.iter().filter(|(bytes, _)| range.contains(*bytes));
        let mut times_ns: Vec<f64> = within.map(|(_, ns)| *ns).collect();
        times_ns.sort_by(f64::total_cmp);
        let (low_ns, high_ns) = (*times_ns.first()?, *times_ns.last()?);
        let latency_ns = quantile(&times_ns, 0.5);
        Some(Plateau { range, working_sets: times_ns.len(), latency_ns, low_ns, high_ns })
    };
    ranges(caches).into_iter().filter_map(of).collect()
}
