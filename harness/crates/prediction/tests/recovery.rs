//! A calibration against conditions whose truth is known: the model's own.
//!
//! What passing lets us claim: where the model is right, the fit finds the parameters that made the
//! conditions, from a start that is far off, and says how well the conditions tell them.

mod made;

use std::num::NonZero;

use made::{conditions, profile, truth};
use onesided_prediction::{Effort, Split, calibrate};

const ONE: Option<NonZero<u32>> = NonZero::new(1);
const EFFORT: Effort = Effort { warm_up_us: 20, measured_us: 200 };

fn value(profile: &onesided_prediction::SimulationProfile, name: &str) -> f64 {
    profile.stated().find(|(_, stated)| stated.name == name).unwrap().1.value
}

#[test]
fn parameters_that_made_the_conditions_are_found_and_the_others_predicted() {
    let conditions = conditions(&truth(), EFFORT);
    let start = profile(&[
        ("memory_ns.read", 300.0),
        ("transfer_ns.read.local", 90.0),
        ("request_ns.write", 60.0),
    ]);
    let split = Split::DesignPoints { seed: 3, held_out: 0.5 };
    let mut steps = 0;
    let came = calibrate(&start, &conditions, split, ONE, EFFORT, |_, _| steps += 1).unwrap();
    let fitted = &came.fitted.as_ref().unwrap().profile;
    assert!(steps > 1);
    for (name, expected) in
        [("memory_ns.read", 700.0), ("transfer_ns.read.local", 35.0), ("request_ns.write", 165.0)]
    {
        let found = value(fitted, name);
        assert!((found / expected - 1.0).abs() < 0.05, "{name}: {found} instead of {expected}");
        let (_, stated) = fitted.stated().find(|(_, stated)| stated.name == name).unwrap();
        assert!(stated.is_told(), "{name} is told by the conditions: {stated:?}");
    }
    assert!(came.on_held_out.points > 5 && came.on_fitted.points > 5);
    assert!(came.on_held_out.median_error.unwrap() < 0.01, "{:?}", came.on_held_out);
    assert_eq!(came.on_held_out.right_share(), Some(1.0));
    assert_eq!(came.rows.len(), conditions.len());
}

#[test]
fn a_start_that_is_off_predicts_worse_than_the_fit() {
    let conditions = conditions(&truth(), EFFORT);
    let start = profile(&[("memory_ns.read", 300.0)]);
    let as_it_is = calibrate(&start, &conditions, Split::All, ONE, EFFORT, |_, _| {}).unwrap();
    assert!(as_it_is.fitted.is_none(), "nothing is left to fit to");
    assert!(as_it_is.on_held_out.p90_error.unwrap() > 0.2, "{:?}", as_it_is.on_held_out);
}

#[test]
fn the_same_calibration_twice_gives_the_same_file() {
    let conditions = conditions(&truth(), EFFORT);
    let start = profile(&[("memory_ns.read", 500.0)]);
    let text = || {
        let split = Split::DesignPoints { seed: 1, held_out: 0.3 };
        let came = calibrate(&start, &conditions, split, ONE, EFFORT, |_, _| {}).unwrap();
        came.fitted.unwrap().profile.to_text()
    };
    assert_eq!(text(), text());
}

#[test]
fn a_profile_without_free_parameters_and_too_few_conditions_are_refused() {
    let conditions = conditions(&truth(), EFFORT);
    let told = |free: &[(&str, f64)], some: usize| {
        let split = Split::Experiments(Vec::new());
        let found = calibrate(&profile(free), &conditions[..some], split, ONE, EFFORT, |_, _| {});
        found.unwrap_err().to_string()
    };
    assert_eq!(told(&[], 10), "the profile has no parameter that is free");
    let few = told(&[("memory_ns.read", 500.0), ("one_way_ns", 10.0)], 2);
    assert_eq!(few, "2 conditions cannot tell 2 free parameters");
}
