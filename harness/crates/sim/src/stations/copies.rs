//! Copies of a line in the caches of cores, which a write that goes to memory has to take away.

use crate::scenario::Workers;

/// What copies add to an access on average, of `round_ns` where there are any.
///
/// With direct cache access the card writes into the last-level cache that also serves the cores, and
/// nothing is added (`round_ns` is 0). Without it the write goes to memory, after one round through
/// the caches in which a copy may be: as long for many copies as for one, and whether their owners
/// load or store. Where workers range over more lines than there are workers, only some have one.
pub(crate) fn copies_ns(round_ns: f64, workers: Workers) -> f64 {
    round_ns * (workers.threads / workers.lines as f64).min(1.0)
}

#[cfg(test)]
mod tests {
    use super::*;

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
