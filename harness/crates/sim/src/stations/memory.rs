//! What caches and memory add to an operation: misses in the card's caches, copies of a line in those
//! of cores, and memory controllers and the interconnect under independent load.

use crate::{
    Locality,
    parameters::Parameters,
    scenario::{HostLoad, Workers},
};

/// The share of accesses that miss, where `used` entries are in use in turn and `entries` fit.
///
/// Replacement is random or worse than that of a program that looks ahead, so that what does not
/// fit misses in proportion. A card's replacement is not known; the papers only tell where misses
/// begin (Kalia et al., figure 13).
pub(crate) fn miss_fraction(used: f64, entries: f64) -> f64 {
    if used <= entries { 0.0 } else { 1.0 - entries / used }
}

/// What copies add to an access on average, of `round_ns` where there are any.
///
/// With direct cache access the card writes into the last-level cache that also serves the cores, and
/// nothing is added (`round_ns` is 0). Without it the write goes to memory, after one round through
/// the caches in which a copy may be: as long for many copies as for one, and whether their owners
/// load or store. Where workers range over more lines than there are workers, only some have one.
pub(crate) fn copies_ns(round_ns: f64, workers: Workers) -> f64 {
    round_ns * (workers.threads / workers.lines as f64).min(1.0)
}

/// What independent load adds to an access of the region.
///
/// Load that fits the last-level cache does not reach memory; beyond that, the share that misses
/// does. The controller of the region's node adds its wait by the share of load on it, and the
/// interconnect by the share that crosses it, if the region is on the far side.
pub(crate) fn memory_wait_ns(parameters: &Parameters, region: Locality, load: HostLoad) -> f64 {
    let bytes = load.bytes as f64;
    if bytes <= parameters.cache_bytes {
        return 0.0;
    }
    let misses = 1.0 - parameters.cache_bytes / bytes;
    let crossing = match region {
        Locality::RdmaLocal => 0.0,
        Locality::RdmaRemote => parameters.crossing_wait_ns * load.crossing,
    };
    misses * (parameters.controller_wait_ns * load.on_node + crossing)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_fits_never_misses_and_the_rest_in_proportion() {
        assert_eq!(miss_fraction(64.0, 64.0), 0.0);
        assert_eq!(miss_fraction(256.0, 64.0), 0.75);
    }

    fn of(threads: f64, lines: u64) -> f64 {
        copies_ns(100.0, Workers { threads, write_share: 0.0, lines })
    }

    #[test]
    fn one_reader_costs_as_much_as_many_and_nobody_nothing() {
        assert_eq!((of(0.0, 1), of(1.0, 1), of(16.0, 1)), (0.0, 100.0, 100.0));
    }

    #[test]
    fn of_many_lines_only_some_have_copies() {
        assert_eq!((of(2.0, 8), of(8.0, 8), of(16.0, 8)), (25.0, 100.0, 100.0));
    }
}
