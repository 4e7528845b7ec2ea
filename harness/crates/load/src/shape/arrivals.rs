//! The schedule of an open loop.

use onesided_random::Random;

/// Bits after the point of a gap: a schedule of a million arrivals is off by less than a unit.
pub(super) const FRACTION_BITS: u32 = 32;
/// One unit of the caller's clock.
const ONE: f64 = (1_u64 << FRACTION_BITS) as f64;

/// When the operations of an open loop arrive.
pub trait Arrivals {
    /// Time from the start of the schedule to the first arrival, in 2^-32 units of the caller's
    /// clock.
    fn first(&mut self) -> u128;

    /// Time from one arrival to the next, in the same unit.
    fn gap(&mut self) -> u128;
}

/// Arrivals at equal distances.
#[derive(Clone, Copy, Debug)]
pub struct FixedInterval {
    phase: u128,
    interval: u128,
}

impl FixedInterval {
    /// Arrivals every `interval` of the caller's unit, the first after a `phase` (0 to 1) of it;
    /// absent where the interval is not within 2^-32 to 2^62, or the phase not within 0 to 1.
    ///
    /// Phases keep queue pairs with the same interval from arriving in step.
    pub fn new(interval: f64, phase: f64) -> Option<Self> {
        let in_range = is_interval(interval) && (0.0..=1.0).contains(&phase);
        in_range.then(|| Self {
            phase: (interval * phase * ONE).round() as u128,
            interval: (interval * ONE).round() as u128,
        })
    }
}

impl Arrivals for FixedInterval {
    #[inline]
    fn first(&mut self) -> u128 {
        self.phase
    }

    #[inline]
    fn gap(&mut self) -> u128 {
        self.interval
    }
}

/// Arrivals of a Poisson process: independent gaps, exponentially distributed.
#[derive(Clone, Debug)]
pub struct Poisson {
    /// Mean gap in 2^-32 units.
    mean: f64,
    random: Random,
}

impl Poisson {
    /// Arrivals with gaps of `mean_gap` of the caller's unit on average; absent where it is not
    /// within 2^-32 to 2^62.
    pub fn new(mean_gap: f64, random: Random) -> Option<Self> {
        is_interval(mean_gap).then_some(Self { mean: mean_gap * ONE, random })
    }
}

impl Arrivals for Poisson {
    #[inline]
    fn first(&mut self) -> u128 {
        self.gap()
    }

    /// Inverse of the distribution function at a number in (0, 1]: at most 37 mean gaps.
    #[inline]
    fn gap(&mut self) -> u128 {
        (-self.random.above_zero().ln() * self.mean) as u128
    }
}

fn is_interval(interval: f64) -> bool {
    (1.0 / ONE..=(1_u64 << 62) as f64).contains(&interval)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn poisson_gaps_have_the_mean_and_the_deviation_of_the_exponential_distribution() {
        const DRAWS: u32 = 200_000;
        let mut arrivals = Poisson::new(1_000.0, Random::new(7, 0)).unwrap();
        let gaps: Vec<f64> = (0..DRAWS).map(|_| arrivals.gap() as f64 / ONE).collect();
        let mean = gaps.iter().sum::<f64>() / f64::from(DRAWS);
        let variance = gaps.iter().map(|gap| (gap - mean).powi(2)).sum::<f64>() / f64::from(DRAWS);
        // Standard errors: 1 000 / sqrt(n) = 2.2 of the mean, about 1 000 × sqrt(2 / n) = 3.2 of
        // the deviation; five of each.
        assert!((mean - 1_000.0).abs() < 11.0, "mean {mean}");
        assert!((variance.sqrt() - 1_000.0).abs() < 16.0, "deviation {}", variance.sqrt());
    }

    #[test]
    fn intervals_that_no_schedule_can_hold_are_refused() {
        for interval in [0.0, -1.0, f64::NAN, f64::INFINITY, 1e19, 1e-10] {
            assert!(FixedInterval::new(interval, 0.0).is_none(), "{interval}");
            assert!(Poisson::new(interval, Random::new(0, 0)).is_none(), "{interval}");
        }
        assert!(FixedInterval::new(10.0, 1.5).is_none());
    }
}
