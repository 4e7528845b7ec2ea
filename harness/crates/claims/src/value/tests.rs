use proptest::prelude::*;

use super::*;

fn estimate(low: f64, point: f64, high: f64) -> Estimate {
    let interval = Some(Interval { low, high });
    Estimate { point, interval, origin: Origin::Replicates, freedom: 4.0 }
}

fn near(a: f64, b: f64) -> bool {
    (a - b).abs() <= 1e-9 * b.abs().max(1.0)
}

#[test]
fn a_difference_has_the_interval_that_is_computed_by_hand() {
    // Below: 3 of the first and 4 of the second; above: 6 and 8.
    let difference = estimate(7.0, 10.0, 16.0).minus(estimate(-4.0, 4.0, 8.0));
    let interval = difference.interval.unwrap();
    assert!(near(difference.point, 6.0) && near(interval.low, 1.0) && near(interval.high, 16.0));
}

#[test]
fn a_ratio_has_the_interval_of_the_difference_of_logarithms() {
    let e = std::f64::consts::E;
    let ratio = estimate(1.0, e.powi(3), e.powi(3)).over(estimate(1.0, 1.0, e.powi(4))).unwrap();
    let interval = ratio.interval.unwrap();
    assert!(near(ratio.point, e.powi(3)) && near(interval.low, e.powi(-2)), "{ratio:?}");
    assert!(near(interval.high, e.powi(3)), "{ratio:?}");
}

#[test]
fn there_is_no_ratio_of_what_is_not_positive() {
    assert_eq!(Estimate::fact(1.0).over(Estimate::fact(0.0)), None);
    assert_eq!(Estimate::fact(-1.0).over(Estimate::fact(1.0)), None);
    // An interval that reaches below 0 leaves the ratio without a bound on that side.
    let ratio = estimate(-1.0, 1.0, 2.0).over(Estimate::fact(1.0)).unwrap();
    assert!(ratio.interval.unwrap().low < 1e-300, "{ratio:?}");
}

#[test]
fn a_decreasing_function_swaps_the_ends() {
    let interval = estimate(1.0, 2.0, 4.0).map(|value| 100.0 * (1.0 - value)).interval.unwrap();
    assert!(near(interval.low, -300.0) && near(interval.high, 0.0));
}

#[test]
fn a_mean_is_as_sure_as_its_terms_together() {
    let mean =
        mean(&[estimate(0.0, 3.0, 6.0), estimate(-1.0, 3.0, 7.0)], Confidence::USUAL).unwrap();
    let interval = mean.interval.unwrap();
    assert!(near(interval.low, 0.5) && near(interval.high, 5.5), "{mean:?}");
    assert_eq!(mean.origin, Origin::Replicates);
}

#[test]
fn a_mean_of_bare_values_is_as_sure_as_they_are_alike() {
    // Mean 2, deviation 1 of three: half is 4.303 / √3.
    let mean = mean(&[1.0, 2.0, 3.0].map(Estimate::bare), Confidence::USUAL).unwrap();
    let interval = mean.interval.unwrap();
    assert_eq!(mean.origin, Origin::Cells);
    assert!((interval.high - 2.0 - 2.484).abs() < 1e-3, "{mean:?}");
    assert_eq!(super::mean(&[], Confidence::USUAL), None);
    assert_eq!(super::mean(&[Estimate::bare(5.0)], Confidence::USUAL), Some(Estimate::bare(5.0)));
}

#[test]
fn values_that_are_no_estimates_over_runs_are_averaged_by_how_they_vary() {
    let within = |point| Estimate { origin: Origin::WithinRun, ..estimate(0.9, point, 1.1) };
    let mean = mean(&[within(1.0), within(2.0), within(3.0)], Confidence::USUAL).unwrap();
    assert_eq!((mean.origin, mean.freedom), (Origin::Cells, 2.0));
}

#[test]
fn a_higher_confidence_makes_each_arm_longer_by_the_ratio_of_the_quantiles() {
    // Student with 4 degrees of freedom: 2.7764 at 95 %, 4.6041 at 99 %.
    let ratio = 4.6041 / 2.7764;
    let linear = estimate(-1.0, 1.0, 2.0).at(Confidence::of_each(5)).interval.unwrap();
    assert!((linear.low - (1.0 - 2.0 * ratio)).abs() < 1e-3, "{linear:?}");
    assert!((linear.high - (1.0 + ratio)).abs() < 1e-3, "{linear:?}");
    let e = std::f64::consts::E;
    let log = estimate(1.0, e, e * e).at(Confidence::of_each(5)).interval.unwrap();
    assert!((log.high - (1.0 + ratio).exp()).abs() < 1e-2, "{log:?}");
    assert_eq!(estimate(1.0, 2.0, 3.0).at(Confidence::of_each(1)), estimate(1.0, 2.0, 3.0));
    assert_eq!(Estimate::fact(2.0).at(Confidence::of_each(9)), Estimate::fact(2.0));
}

#[test]
fn what_is_made_from_a_bare_value_is_bare() {
    let difference = Estimate::fact(3.0).minus(Estimate::bare(1.0));
    assert_eq!((difference.point, difference.interval), (2.0, None));
    assert_eq!(difference.origin, Origin::None);
}

proptest! {
    #[test]
    fn a_ratio_is_turned_over_when_its_terms_are_swapped(
        (a, b) in (0.1..1e7_f64, 0.1..1e7_f64),
        (below, above) in (0.5..1.0_f64, 1.0..2.0_f64),
    ) {
        let first = estimate(a * below, a, a * above);
        let second = estimate(b * below, b, b * above);
        let (ratio, inverse) = (first.over(second).unwrap(), second.over(first).unwrap());
        let (ends, inverse_ends) = (ratio.interval.unwrap(), inverse.interval.unwrap());
        prop_assert!((ratio.point * inverse.point - 1.0).abs() < 1e-9);
        prop_assert!((ends.low * inverse_ends.high - 1.0).abs() < 1e-9);
        prop_assert!(ends.low <= ratio.point && ratio.point <= ends.high);
    }

    #[test]
    fn a_ratio_does_not_depend_on_the_unit(a in 0.1..1e7_f64, b in 0.1..1e7_f64) {
        let of = |unit: f64| {
            let scaled = |value: f64| estimate(0.9 * value, value, 1.2 * value).map(|v| v * unit);
            scaled(a).over(scaled(b)).unwrap().interval.unwrap()
        };
        prop_assert!((of(1.0).low / of(1000.0).low - 1.0).abs() < 1e-9);
    }
}
