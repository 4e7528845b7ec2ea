//! How much of a run is simulated.

use std::str::FromStr;

use onesided_results::RunConfiguration;
use onesided_sim::Moment;

/// Share of the times and operations that a run asks for, above 0 and at most 1.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Share(f64);

/// What is no share.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[error("\"{found}\" is no share: above 0 and at most 1, as 0.01")]
pub struct ShareError {
    /// What was given.
    pub found: String,
}

impl FromStr for Share {
    type Err = ShareError;

    fn from_str(found: &str) -> Result<Self, ShareError> {
        let share = found.parse().ok().filter(|share| *share > 0.0 && *share <= 1.0);
        share.map(Self).ok_or_else(|| ShareError { found: found.to_owned() })
    }
}

/// What is simulated of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Extent {
    /// Virtual time before operations are recorded.
    pub warm_up_ns: u64,
    /// Counting windows.
    pub windows: usize,
    /// Length of one.
    pub window_ns: u64,
    /// Operations after which a queue pair stops; absent: only time ends the run.
    pub operations_per_queue_pair: Option<u64>,
}

impl Share {
    /// Everything.
    pub const ALL: Self = Self(1.0);

    /// It as a number.
    pub const fn fraction(self) -> f64 {
        self.0
    }

    /// What that is of a run whose configuration was checked: whole counting windows, at least one,
    /// and at least one operation.
    pub(crate) fn extent(self, configuration: &RunConfiguration) -> Extent {
        let of =
            |whole: u64| if self == Self::ALL { whole } else { (whole as f64 * self.0) as u64 };
        let windows = configuration.duration_ms / configuration.window_ms;
        Extent {
            warm_up_ns: of(configuration.warm_up_ms.saturating_mul(NS_PER_MS)),
            windows: of(windows).max(1) as usize,
            window_ns: configuration.window_ms.saturating_mul(NS_PER_MS),
            operations_per_queue_pair: configuration
                .operations_per_queue_pair
                .map(|operations| of(operations).max(1)),
        }
    }
}

const NS_PER_MS: u64 = 1_000_000;

impl Extent {
    /// When operations begin to be recorded.
    pub(crate) fn from(self) -> Moment {
        Moment(self.warm_up_ns.saturating_mul(1_000))
    }

    /// When the run ends.
    pub(crate) fn until(self) -> Moment {
        Moment(self.warm_up_ns.saturating_add(self.measured_ns()).saturating_mul(1_000))
    }

    /// Length of the measured interval.
    pub(crate) fn measured_ns(self) -> u64 {
        self.window_ns.saturating_mul(self.windows as u64)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_share_is_above_nothing_and_at_most_all() {
        assert_eq!("0.01".parse(), Ok(Share(0.01)));
        assert_eq!("1".parse(), Ok(Share::ALL));
        for found in ["0", "-0.5", "1.01", "NaN", "1%", ""] {
            let error = found.parse::<Share>().unwrap_err().to_string();
            assert_eq!(error, format!("\"{found}\" is no share: above 0 and at most 1, as 0.01"));
        }
    }

    #[test]
    fn of_a_share_whole_windows_are_simulated_and_at_least_one() {
        let run = RunConfiguration {
            warm_up_ms: 200,
            duration_ms: 2000,
            window_ms: 10,
            operations_per_queue_pair: Some(30),
            ..RunConfiguration::default()
        };
        let extent = |share: f64| Share(share).extent(&run);
        assert_eq!(extent(1.0).until(), Moment(2_200_000_000_000));
        let tenth = extent(0.1);
        assert_eq!((tenth.windows, tenth.warm_up_ns), (20, 20_000_000));
        assert_eq!(tenth.operations_per_queue_pair, Some(3));
        let least = extent(1e-6);
        assert_eq!((least.windows, least.operations_per_queue_pair), (1, Some(1)));
    }
}
