//! Mean and interval of values that vary in proportion.

use statrs::distribution::{ContinuousCDF, StudentsT};

use crate::bootstrap::Interval;

/// A geometric mean with what runs say about it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Pooled {
    /// Geometric mean.
    pub mean: f64,
    /// Its 95 % interval, Student's t on logarithms; absent for one value.
    pub interval: Option<Interval>,
    /// Standard deviation of the logarithms, with n − 1; absent for one value.
    pub log_sd: Option<f64>,
}

/// Pools `values`; absent if there is none, or one is not positive: it has no logarithm.
pub fn pooled(values: &[f64]) -> Option<Pooled> {
    if values.is_empty() || values.iter().any(|&value| value <= 0.0) {
        return None;
    }
    if let [only] = *values {
        return Some(Pooled { mean: only, interval: None, log_sd: None });
    }
    #[expect(clippy::cast_precision_loss, reason = "runs are counted in hundreds")]
    let count = values.len() as f64;
    // Not of the standard library, whose last digit differs from machine to machine.
    let logs: Vec<f64> = values.iter().map(|&value| libm::log(value)).collect();
    let mean = logs.iter().sum::<f64>() / count;
    let squares = logs.iter().map(|log| (log - mean) * (log - mean)).sum::<f64>();
    let log_sd = (squares / (count - 1.0)).sqrt();
    let half = t_975(count - 1.0) * log_sd / count.sqrt();
    let interval = Interval { low: libm::exp(mean - half), high: libm::exp(mean + half) };
    Some(Pooled { mean: libm::exp(mean), interval: Some(interval), log_sd: Some(log_sd) })
}

/// What 97.5 % of Student's distribution with that many degrees of freedom do not exceed.
fn t_975(freedom: f64) -> f64 {
    StudentsT::new(0.0, 1.0, freedom).expect("degrees of freedom are positive").inverse_cdf(0.975)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn near(a: f64, b: f64) -> bool {
        (a - b).abs() < 1e-3 * b.abs()
    }

    #[test]
    fn quantiles_of_student_are_those_of_the_textbook() {
        // NIST/SEMATECH e-Handbook of Statistical Methods, table 1.3.6.7.2, column 0.975.
        let table = [(1.0, 12.706), (2.0, 4.303), (4.0, 2.776), (9.0, 2.262), (30.0, 2.042)];
        for (freedom, expected) in table {
            assert!((t_975(freedom) - expected).abs() < 6e-4, "{freedom}: {}", t_975(freedom));
        }
    }

    #[test]
    fn two_values_have_the_interval_that_is_computed_by_hand() {
        // log2 4 = 2 and log2 16 = 4: mean 3, deviation √2, half 12.706 · √2 / √2 = 12.706.
        let pooled = pooled(&[4.0, 16.0]).unwrap();
        assert!(near(pooled.mean, 8.0), "{pooled:?}");
        assert!(near(pooled.log_sd.unwrap(), 2_f64.sqrt() * 2_f64.ln()));
        let interval = pooled.interval.unwrap();
        assert!((interval.high.log2() - 15.706).abs() < 1e-2, "{pooled:?}");
        assert!((interval.low.log2() + 9.706).abs() < 1e-2, "{pooled:?}");
    }

    #[test]
    fn one_value_is_its_own_mean_without_an_interval() {
        assert_eq!(pooled(&[5.5]), Some(Pooled { mean: 5.5, interval: None, log_sd: None }));
    }

    #[test]
    fn nothing_and_what_has_no_logarithm_is_not_pooled() {
        assert_eq!(pooled(&[]), None);
        assert_eq!(pooled(&[1.0, 0.0]), None);
    }

    #[test]
    fn equal_values_have_an_interval_of_no_width() {
        let pooled = pooled(&[3.0; 4]).unwrap();
        let interval = pooled.interval.unwrap();
        assert!(near(interval.low, 3.0) && near(interval.high, 3.0), "{pooled:?}");
    }
}
