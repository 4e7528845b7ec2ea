//! A calibration against conditions whose truth is known: the model's own.
//!
//! What passing lets us claim: where the model is right, the fit finds the parameters that made the
//! conditions, from a start that is far off, and says how well the conditions tell them.

mod made;

use std::num::NonZero;

use made::{conditions, profile, truth};
use onesided_prediction::{
    Effort, FitOf, SetUp, SimulationProfile, Split, Stated, calibrate, read_profile,
};
use onesided_results::{row::ConditionRow, vocabulary::Ddio};

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

/// The profile, with a set-up of runs without direct cache access whose only parameter is free.
fn with_set_up(mut profile: SimulationProfile, like: &ConditionRow) -> SimulationProfile {
    let parameter = Stated {
        name: "line_ns.write.local".to_owned(),
        // Above what the card takes, below which no condition tells it.
        value: 190.0,
        low: None,
        high: None,
        start: None,
        free: true,
        source: "test".to_owned(),
    };
    profile.set_ups.push(SetUp {
        name: "off".to_owned(),
        code_generation: None,
        campaign: like.campaign,
        ddio: Ddio::Off,
        parameter: vec![parameter],
    });
    profile
}

#[test]
fn runs_without_direct_cache_access_tell_their_own_parameters_and_move_no_others() {
    let mut all = conditions(&truth(), EFFORT);
    let mut without = truth();
    without.line_ns.write.local = 250.0;
    // As if the card of that day were faster too: the common parameter must not follow.
    without.request_ns.write = 100.0;
    let off = conditions(&without, EFFORT);
    all.extend(off.into_iter().map(|row| ConditionRow { ddio: Ddio::Off, ..row }));
    let start = with_set_up(profile(&[("request_ns.write", 60.0)]), &all[0]);
    let fitted = |conditions: &[ConditionRow]| {
        let split = Split::Experiments(Vec::new());
        calibrate(&start, conditions, split, ONE, EFFORT, |_, _| {}).unwrap().fitted.unwrap()
    };
    let (both, some) = (fitted(&all), fitted(&all[..all.len() / 2]));
    assert_eq!(both.parts.len(), 2);
    let common = |fitted: &onesided_prediction::Fitted| value(&fitted.profile, "request_ns.write");
    assert_eq!(common(&both), common(&some), "it is told by the first part alone");
    let told = |fitted: &onesided_prediction::Fitted| fitted.profile.set_ups[0].parameter[0].value;
    assert!((told(&both) / 250.0 - 1.0).abs() < 0.05, "{}", told(&both));
    assert_eq!(told(&some), 190.0, "without conditions it stays where a fit begins");
}

#[test]
fn a_part_without_conditions_keeps_nothing_of_an_earlier_fit_and_can_be_read_again() {
    let all = conditions(&truth(), EFFORT);
    let mut before = with_set_up(profile(&[("request_ns.write", 60.0)]), &all[0]);
    let earlier = &mut before.set_ups[0].parameter[0];
    (earlier.value, earlier.low, earlier.high) = (250.0, Some(240.0), Some(260.0));
    (earlier.start, earlier.source) = (Some(190.0), "fitted long ago".to_owned());
    let fit = FitOf { ddio: Ddio::Off, conditions: 9, held_out: "others".to_owned() };
    before.fits.push(fit);
    let split = Split::Experiments(Vec::new());
    let came = calibrate(&before, &all, split, ONE, EFFORT, |_, _| {}).unwrap();
    let fitted = came.fitted.unwrap().profile;
    let parameter = &fitted.set_ups[0].parameter[0];
    assert_eq!((parameter.value, parameter.low, parameter.high), (190.0, None, None));
    assert!(parameter.source.starts_with("ours: where a fit begins"), "{}", parameter.source);
    assert!(fitted.fits.is_empty(), "{:?}", fitted.fits);
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("simulation.toml");
    std::fs::write(&path, fitted.to_text()).unwrap();
    assert_eq!(read_profile(&path).unwrap(), fitted);
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
    assert_eq!(few, "too few conditions (2) to tell the free parameters (2)");
}
