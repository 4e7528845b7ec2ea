use onesided_estimate::bootstrap::Interval;

use super::*;
use crate::{expectation::ExpectationText, value::Origin};

fn expected(text: &str) -> Expectation {
    toml::from_str::<ExpectationText>(text).unwrap().check().unwrap()
}

/// The outcome of `[low, point, high]`.
fn of(expectation: &str, [low, point, high]: [f64; 3]) -> Outcome {
    let interval = Some(Interval { low, high });
    let estimate = Estimate { point, interval, origin: Origin::Replicates };
    judge(&estimate, &expected(expectation))
}

const EFFECT: &str = "range = [70, 80]\ntolerance = 2.5\nno-effect = 0";

#[test]
fn a_range_of_effects_agrees_if_the_point_is_in_it_and_no_effect_is_excluded() {
    assert_eq!(of(EFFECT, [60.0, 75.0, 95.0]), Outcome::Agrees);
    assert_eq!(of(EFFECT, [0.1, 67.5, 95.0]), Outcome::Agrees, "the tolerance is part of it");
    assert_eq!(of(EFFECT, [0.0, 75.0, 95.0]), Outcome::PointOnly, "no effect is not excluded");
    assert_eq!(of(EFFECT, [50.0, 60.0, 70.0]), Outcome::IntervalOnly);
    assert_eq!(of(EFFECT, [55.0, 60.0, 67.5]), Outcome::IntervalOnly, "they touch");
    assert_eq!(of(EFFECT, [10.0, 20.0, 30.0]), Outcome::DirectionOnly);
    assert_eq!(of(EFFECT, [90.0, 100.0, 110.0]), Outcome::DirectionOnly);
    assert_eq!(of(EFFECT, [0.0, 20.0, 30.0]), Outcome::Disagrees, "the direction is not sure");
    assert_eq!(of(EFFECT, [-30.0, -20.0, -10.0]), Outcome::Disagrees);
}

#[test]
fn no_difference_agrees_only_if_the_whole_interval_is_that_small() {
    let none = "equal = 0\ntolerance = 2.5";
    assert_eq!(of(none, [-2.5, 0.0, 2.5]), Outcome::Agrees);
    assert_eq!(of(none, [-3.0, 0.0, 2.0]), Outcome::PointOnly);
    assert_eq!(of(none, [2.0, 4.0, 6.0]), Outcome::IntervalOnly);
    assert_eq!(of(none, [3.0, 4.0, 6.0]), Outcome::Disagrees);
}

#[test]
fn a_bound_agrees_only_if_the_whole_interval_keeps_it() {
    let above = "at-least = 0\nno-effect = 0";
    assert_eq!(of(above, [0.0, 1.0, 2.0]), Outcome::Agrees);
    assert_eq!(of(above, [-1.0, 1.0, 2.0]), Outcome::PointOnly);
    assert_eq!(of(above, [-2.0, -1.0, 1.0]), Outcome::IntervalOnly);
    assert_eq!(of(above, [-2.0, -1.0, -0.5]), Outcome::Disagrees);
    let doubled = "at-least = 100\nno-effect = 0";
    assert_eq!(of(doubled, [10.0, 20.0, 30.0]), Outcome::DirectionOnly);
}

#[test]
fn a_value_without_an_interval_never_agrees_but_can_disagree() {
    let bare = |point| judge(&Estimate::bare(point), &expected(EFFECT));
    assert_eq!(bare(75.0), Outcome::PointOnly);
    assert_eq!(bare(20.0), Outcome::DirectionOnly);
    assert_eq!(bare(-20.0), Outcome::Disagrees);
}

#[test]
fn what_is_no_number_agrees_with_nothing() {
    let nan = f64::NAN;
    assert_eq!(of(EFFECT, [nan, nan, nan]), Outcome::Disagrees);
    assert_eq!(of("at-most = 3", [1.0, nan, 2.0]), Outcome::IntervalOnly);
    assert_eq!(of("equal = 0", [nan, 0.0, nan]), Outcome::PointOnly);
}

#[test]
fn each_verdict_comes_out_of_the_outcomes_that_it_is_defined_by() {
    use Outcome::{Agrees, DirectionOnly, Disagrees, IntervalOnly, PointOnly};
    let of =
        |parts: &[&[Outcome]]| verdict(&parts.iter().map(|part| part.to_vec()).collect::<Vec<_>>());
    assert_eq!(of(&[&[Agrees, Agrees], &[Agrees]]), Verdict::Supported);
    assert_eq!(of(&[&[Disagrees, Disagrees]]), Verdict::Contradicted);
    assert_eq!(of(&[&[Agrees, Disagrees]]), Verdict::Partly);
    for alone in [PointOnly, IntervalOnly, DirectionOnly] {
        assert_eq!(of(&[&[alone]]), Verdict::Partly);
        assert_eq!(of(&[&[Disagrees, alone]]), Verdict::Partly);
    }
    assert_eq!(of(&[&[Agrees], &[]]), Verdict::Partly, "a part was not answered");
    assert_eq!(of(&[&[], &[]]), Verdict::NotTestable);
    assert_eq!(of(&[]), Verdict::NotTestable);
}
