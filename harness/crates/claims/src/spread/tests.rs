use serde_json::json;

use super::*;

const MEASURED: Measured = Measured { value: "value", low: "low", high: "high" };

/// A condition of that many runs, as its table has it; absent ends are absent.
fn condition(locality: &str, runs: u32, value: f64, ends: Option<(f64, f64)>) -> Record {
    let (low, high) = (ends.map(|ends| ends.0), ends.map(|ends| ends.1));
    let row = json!({
        "source": "published", "profile": "p", "operation": "read", "locality": locality,
        "queue_pairs": 8, "workers": 0, "runs": runs, "value": value, "low": low, "high": high,
    });
    row.as_object().unwrap().clone()
}

/// Ends of the interval of `runs` runs whose logarithms deviate by `sd`.
fn ends(value: f64, sd: f64, runs: u32) -> Option<(f64, f64)> {
    let half = t_975(f64::from(runs) - 1.0) * sd / f64::from(runs).sqrt();
    Some((value * libm::exp(-half), value * libm::exp(half)))
}

fn half_of(estimate: &Estimate) -> f64 {
    let interval = estimate.interval.unwrap();
    libm::log(interval.high / estimate.point)
}

#[test]
fn three_runs_speak_for_themselves() {
    let own = condition("rdma-local", 3, 10.0, ends(10.0, 0.1, 3));
    let spread = Spread::of(MEASURED, std::slice::from_ref(&own));
    let estimate = spread.estimate(&own, None).unwrap();
    assert_eq!(estimate.origin, Origin::Replicates);
    assert!((half_of(&estimate) - 4.3027 * 0.1 / 3_f64.sqrt()).abs() < 1e-4);
}

#[test]
fn one_run_and_two_have_the_pooled_variance_of_like_conditions() {
    // Deviations 0.1 with 4 degrees of freedom and 0.2 with 1: variance (0.04 + 0.04) / 5 = 0.016.
    let pair = condition("rdma-local", 2, 20.0, ends(20.0, 0.2, 2));
    let single = condition("rdma-local", 1, 30.0, None);
    let all = [condition("rdma-local", 5, 10.0, ends(10.0, 0.1, 5)), pair.clone(), single.clone()];
    let spread = Spread::of(MEASURED, &all);
    let within = Some(Interval { low: 29.9, high: 30.1 });
    let estimate = spread.estimate(&single, within).unwrap();
    assert_eq!(estimate.origin, Origin::LikeConditions);
    let expected = 2.5706 * 0.016_f64.sqrt();
    assert!((half_of(&estimate) - expected).abs() < 1e-4, "{estimate:?}");
    let estimate = spread.estimate(&pair, None).unwrap();
    assert_eq!(estimate.origin, Origin::LikeConditions);
    assert!((half_of(&estimate) - expected / 2_f64.sqrt()).abs() < 1e-4, "{estimate:?}");
}

#[test]
fn unlike_conditions_lend_nothing() {
    let single = condition("rdma-remote", 1, 30.0, None);
    let spread = Spread::of(MEASURED, &[condition("rdma-local", 9, 10.0, ends(10.0, 0.1, 9))]);
    let within = Interval { low: 29.0, high: 31.0 };
    let estimate = spread.estimate(&single, Some(within)).unwrap();
    assert_eq!((estimate.interval, estimate.origin), (Some(within), Origin::WithinRun));
    assert_eq!(spread.estimate(&single, None), Some(Estimate::bare(30.0)));
    let mut loaded = condition("rdma-local", 1, 30.0, None);
    loaded.insert("workers".to_owned(), json!(8));
    assert_eq!(spread.estimate(&loaded, None), Some(Estimate::bare(30.0)));
}

#[test]
fn a_condition_without_the_value_has_no_estimate() {
    let spread = Spread::of(MEASURED, &[]);
    let mut row = condition("rdma-local", 1, 1.0, None);
    row.insert("value".to_owned(), json!(null));
    assert_eq!(spread.estimate(&row, None), None);
}
