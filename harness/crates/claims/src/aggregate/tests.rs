use super::*;
use crate::level::Scalar;

fn cells(values: &[f64]) -> Vec<Cell> {
    let cell = |(row, &value): (usize, &f64)| Cell {
        key: [("workers", Scalar::Number(number(row))), ("loop", Scalar::Word("closed".into()))]
            .into(),
        estimate: Estimate::fact(value),
        origins: [(Origin::Fact, 1)].into(),
        rows: [row].into(),
        over: [].into(),
    };
    values.iter().enumerate().map(cell).collect()
}

fn counted(text: &str) -> Counted {
    toml::from_str(text).unwrap()
}

fn points(aggregate: Aggregate, values: &[f64], counted: Counted) -> Vec<f64> {
    aggregate
        .apply(cells(values), counted, Confidence::USUAL)
        .iter()
        .map(|cell| cell.estimate.point)
        .collect()
}

#[test]
fn each_aggregate_is_what_its_name_says() {
    let of = |aggregate| points(aggregate, &[3.0, 1.0, 10.0, 2.0], Counted::default());
    assert_eq!(of(Aggregate::Each), [3.0, 1.0, 10.0, 2.0]);
    assert_eq!(of(Aggregate::Mean), [4.0]);
    assert_eq!(of(Aggregate::Median), [2.5]);
    assert_eq!(of(Aggregate::Min), [1.0]);
    assert_eq!(of(Aggregate::Max), [10.0]);
    assert_eq!(points(Aggregate::Median, &[3.0, 1.0, 10.0], Counted::default()), [3.0]);
}

#[test]
fn cells_are_counted_from_and_to() {
    let of = |aggregate, text: &str| points(aggregate, &[1.0, 2.0, 3.0, 4.0], counted(text));
    assert_eq!(of(Aggregate::Count, ""), [4.0]);
    assert_eq!(of(Aggregate::Count, "above = 2"), [2.0]);
    assert_eq!(of(Aggregate::Count, "at-least = 2\nbelow = 4"), [2.0]);
    assert_eq!(of(Aggregate::SharePercent, "at-most = 1"), [25.0]);
}

#[test]
fn nothing_has_no_aggregate_but_a_count() {
    for aggregate in [
        Aggregate::Each,
        Aggregate::Mean,
        Aggregate::Median,
        Aggregate::Min,
        Aggregate::Max,
        Aggregate::SharePercent,
    ] {
        assert!(points(aggregate, &[], Counted::default()).is_empty(), "{aggregate:?}");
    }
    assert_eq!(points(Aggregate::Count, &[], Counted::default()), [0.0]);
}

#[test]
fn one_value_for_many_keeps_what_they_agree_in() {
    let mean = &Aggregate::Mean.apply(cells(&[1.0, 2.0]), Counted::default(), Confidence::USUAL)[0];
    assert_eq!(mean.key.keys().copied().collect::<Vec<_>>(), ["loop"]);
    assert_eq!(mean.rows, [0, 1].into());
}

#[test]
fn bounds_that_count_nothing_are_told() {
    for possible in ["", "above = 1\nbelow = 2", "at-least = 1\nat-most = 1"] {
        assert!(counted(possible).is_possible(), "{possible}");
    }
    for impossible in
        ["above = 1\nbelow = 1", "at-least = 2\nat-most = 1", "above = 1\nat-most = 1"]
    {
        assert!(!counted(impossible).is_possible(), "{impossible}");
    }
}
