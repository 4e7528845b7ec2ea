//! What a load that hits and a load that misses cost here and now.

use super::{lines, sample, time_of};

/// The private buffer. Ours: a sample of 512 lines, and no more than a second-level cache holds, so
/// that calibrating pushes little out.
const BUFFER_BYTES: usize = 512 * 1024;

/// Of either kind.
const LOADS: usize = 512;

/// Misses must take at least so much longer than hits. Ours: between a last-level cache and memory
/// there is a factor of 2 or more on every server; with the cost of the fences in both, 1.5.
pub(super) const LEAST_FACTOR: f64 = 1.5;

/// Times of known hits and known misses.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Calibration {
    pub hit_median_ticks: u64,
    pub miss_median_ticks: u64,
    /// Below it a load counts as a hit; absent where hits and misses cannot be told apart.
    pub threshold_ticks: Option<u64>,
}

impl Calibration {
    /// Times hits and as many misses in a buffer of its own, taken in turn, so that both
    /// meet the same frequency and the same disturbances.
    pub(super) fn here(flusher: &lines::Flusher) -> Self {
        let buffer = vec![1_u8; BUFFER_BYTES];
        let lines = sample::lines_of(buffer.as_ptr(), buffer.len(), flusher.line_bytes(), LOADS);
        let inside = |line: &&*const u8| sample::first_of_page(**line) >= buffer.as_ptr();
        let (mut hits, mut misses) = (Vec::with_capacity(LOADS), Vec::with_capacity(LOADS));
        for line in lines.iter().filter(inside) {
            // SAFETY: the line and the first of its page lie in the buffer, which lives on.
            unsafe {
                flusher.each([*line].into_iter());
                misses.push(time_of(*line));
                hits.push(time_of(*line));
            }
        }
        Self::of(hits, misses)
    }

    /// The threshold is in the middle between the slow hits and the fast misses (9 in 10 of each
    /// are on their side of these); there is none where these overlap.
    pub(super) fn of(mut hits: Vec<u64>, mut misses: Vec<u64>) -> Self {
        hits.sort_unstable();
        misses.sort_unstable();
        let (hit, miss) = (quantile(&hits, 5), quantile(&misses, 5));
        let (slow_hit, fast_miss) = (quantile(&hits, 9), quantile(&misses, 1));
        let apart = fast_miss > slow_hit && miss as f64 >= LEAST_FACTOR * hit as f64;
        Self {
            hit_median_ticks: hit,
            miss_median_ticks: miss,
            threshold_ticks: apart.then(|| slow_hit + (fast_miss - slow_hit).div_ceil(2)),
        }
    }
}

fn quantile(sorted: &[u64], tenths: usize) -> u64 {
    sorted[(sorted.len() * tenths / 10).min(sorted.len() - 1)]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_threshold_is_between_hits_and_misses_whatever_a_few_outliers_say() {
        let hits = [[30; 95].as_slice(), &[5000; 5]].concat();
        let misses = [[200; 95].as_slice(), &[31; 5]].concat();
        let calibration = Calibration::of(hits, misses);
        let expected = Calibration {
            hit_median_ticks: 30,
            miss_median_ticks: 200,
            threshold_ticks: Some(115),
        };
        assert_eq!(calibration, expected);
    }

    #[test]
    fn where_times_overlap_or_are_close_there_is_no_threshold() {
        let threshold = |hits, misses| Calibration::of(hits, misses).threshold_ticks;
        assert_eq!(threshold(vec![100; 50], vec![100; 50]), None);
        assert_eq!(threshold(vec![100; 50], vec![149; 50]), None);
        assert_eq!(threshold((0..100).collect(), (80..180).collect()), None);
        assert_eq!(threshold(vec![100; 50], vec![50; 50]), None);
        assert_eq!(threshold([[30; 40], [300; 40]].concat(), vec![200; 80]), None);
        assert_eq!(threshold(vec![100; 50], vec![150; 50]), Some(125));
    }
}
