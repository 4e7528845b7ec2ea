use serde_json::json;

use super::*;

const MEASURED: Measured = Measured { value: "value", low: "low", high: "high" };

/// A condition of that many runs, as its table has it; absent ends are absent.
fn condition(
    locality: &str,
    bytes: u32,
    runs: u32,
    value: f64,
    ends: Option<(f64, f64)>,
) -> Record {
    let (low, high) = (ends.map(|ends| ends.0), ends.map(|ends| ends.1));
    let row = json!({
        "source": "published", "profile": "p", "operation": "read", "locality": locality,
        "access_bytes": bytes, "queue_pairs": 8, "workers": 0, "runs": runs, "value": value,
        "low": low, "high": high,
    });
    row.as_object().unwrap().clone()
}

/// Ends of the interval of `runs` runs whose logarithms deviate by `sd`.
fn ends(value: f64, sd: f64, runs: u32) -> Option<(f64, f64)> {
    let quantile = Confidence::USUAL.quantile(f64::from(runs) - 1.0);
    let half = quantile * sd / f64::from(runs).sqrt();
    Some((value * libm::exp(-half), value * libm::exp(half)))
}

fn half_of(estimate: &Estimate) -> f64 {
    let interval = estimate.interval.unwrap();
    libm::log(interval.high / estimate.point)
}

#[test]
fn conditions_that_are_alike_have_intervals_alike_whether_repeated_or_not() {
    // Deviations 0.1 with 4 degrees of freedom and 0.2 with 1: variance (0.04 + 0.04) / 5 = 0.016 at
    // each level; the class has 5 + 4 degrees of freedom, the group 5 + 4 of those.
    let repeated = condition("rdma-local", 8, 5, 10.0, ends(10.0, 0.1, 5));
    let pair = condition("rdma-local", 8, 2, 20.0, ends(20.0, 0.2, 2));
    let single = condition("rdma-local", 8, 1, 30.0, None);
    let spread = Spread::of(MEASURED, &[repeated.clone(), pair.clone(), single.clone()]);
    let half = |condition| {
        let estimate = spread.estimate(condition, None).unwrap();
        assert_eq!((estimate.origin, estimate.freedom), (Origin::LikeConditions, 9.0));
        half_of(&estimate)
    };
    let of_one = half(&single);
    assert!((half(&pair) * 2_f64.sqrt() - of_one).abs() < 1e-12);
    assert!((half(&repeated) * 5_f64.sqrt() - of_one).abs() < 1e-12);
    // Student's quantile of 9 degrees of freedom is 2.2622.
    assert!((of_one - 2.2622 * 0.016_f64.sqrt()).abs() < 1e-3, "{of_one}");
}

#[test]
fn a_group_has_its_own_variance_and_its_class_s_for_four_degrees_of_freedom() {
    // Both groups have 8 degrees of freedom, of deviations 0.1 and 0.3: the class has 0.05, the group
    // of the first (0.01 * 8 + 0.05 * 4) / 12 = 0.0233.
    let first = condition("rdma-local", 8, 9, 10.0, ends(10.0, 0.1, 9));
    let other = condition("rdma-local", 64, 9, 10.0, ends(10.0, 0.3, 9));
    let single = condition("rdma-local", 512, 1, 10.0, None);
    let spread = Spread::of(MEASURED, &[first.clone(), other, single.clone()]);
    let found = spread.variance(&first).unwrap();
    assert!((found.variance - 0.28 / 12.0).abs() < 1e-9 && found.freedom == 12.0, "{found:?}");
    let found = spread.variance(&single).unwrap();
    assert!((found.variance - 0.05).abs() < 1e-9 && found.freedom == 4.0, "{found:?}");
    let mut write = single;
    write.insert("operation".to_owned(), json!("write"));
    let found = spread.variance(&write).unwrap();
    assert!((found.variance - 0.05).abs() < 1e-9, "no write was repeated: {found:?}");
}

#[test]
fn another_machine_program_or_loop_lends_nothing() {
    let single = condition("rdma-local", 8, 1, 30.0, None);
    let within = Interval { low: 29.0, high: 31.0 };
    for column in ["profile", "code_generation", "loop", "source", "back_end"] {
        let mut other = condition("rdma-local", 8, 9, 10.0, ends(10.0, 0.1, 9));
        other.insert(column.to_owned(), json!("other"));
        let spread = Spread::of(MEASURED, &[other]);
        let estimate = spread.estimate(&single, Some(within)).unwrap();
        assert_eq!((estimate.interval, estimate.origin), (Some(within), Origin::WithinRun));
        assert_eq!(spread.estimate(&single, None), Some(Estimate::bare(30.0)));
    }
}

#[test]
fn replicates_that_are_the_only_ones_and_few_speak_for_themselves() {
    let pair = condition("rdma-local", 8, 2, 20.0, ends(20.0, 0.2, 2));
    let estimate = Spread::of(MEASURED, std::slice::from_ref(&pair)).estimate(&pair, None).unwrap();
    assert_eq!((estimate.origin, estimate.freedom), (Origin::Replicates, 1.0));
    assert!((half_of(&estimate) - 12.706 * 0.2 / 2_f64.sqrt()).abs() < 1e-3, "{estimate:?}");
}

#[test]
fn a_condition_without_the_value_has_no_estimate() {
    let spread = Spread::of(MEASURED, &[]);
    let mut row = condition("rdma-local", 8, 1, 1.0, None);
    row.insert("value".to_owned(), json!(null));
    assert_eq!(spread.estimate(&row, None), None);
}
