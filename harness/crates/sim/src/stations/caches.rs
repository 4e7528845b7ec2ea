//! The card's caches: of queue pairs' state, and of work requests in flight.

/// The share of accesses that miss, where `used` entries are in use in turn and `entries` fit.
///
/// Replacement is random or worse than that of a program that looks ahead, so that what does not
/// fit misses in proportion. A card's replacement is not known; the papers only tell where misses
/// begin (Kalia et al., figure 13).
pub(crate) fn miss_fraction(used: f64, entries: f64) -> f64 {
    if used <= entries { 0.0 } else { 1.0 - entries / used }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_fits_never_misses_and_the_rest_in_proportion() {
        assert_eq!(miss_fraction(64.0, 64.0), 0.0);
        assert_eq!(miss_fraction(256.0, 64.0), 0.75);
    }
}
