use super::*;
use crate::{
    level::Scalar,
    value::{Confidence, Origin},
};

fn cell(row: usize, key: &[(&'static str, &str)], value: f64) -> Cell {
    let scalar = |text: &str| text.parse().map_or(Scalar::Word(text.into()), Scalar::Number);
    Cell {
        key: key.iter().map(|(column, text)| (*column, scalar(text))).collect(),
        estimate: Estimate::fact(value),
        origins: [(Origin::Fact, 1)].into(),
        rows: [row].into(),
        over: [].into(),
    }
}

fn contrast(text: &str) -> Contrast {
    toml::from_str(text).unwrap()
}

const LOCALITY: &str = "factor = 'locality'\nof = 'rdma-remote'\nover = 'rdma-local'";

fn points(compared: &Compared) -> Vec<f64> {
    compared.cells.iter().map(|cell| cell.estimate.point).collect()
}

#[test]
fn pairs_agree_in_everything_but_the_factor_and_what_follows_from_it() {
    let cells = [
        cell(
            0,
            &[("locality", "rdma-local"), ("worker_locality", "rdma-local"), ("workers", "8")],
            2.0,
        ),
        cell(
            1,
            &[("locality", "rdma-remote"), ("worker_locality", "rdma-remote"), ("workers", "8")],
            6.0,
        ),
        cell(
            2,
            &[("locality", "rdma-remote"), ("worker_locality", "rdma-remote"), ("workers", "9")],
            7.0,
        ),
    ];
    let compared = contrast(LOCALITY).apply(&cells, Scale::Ratio, Confidence::USUAL).unwrap();
    assert_eq!((points(&compared), compared.alone), (vec![3.0], 1));
    assert_eq!(compared.cells[0].rows, [0, 1].into());
    assert_eq!(compared.cells[0].over, [0].into());
    assert_eq!(compared.cells[0].origins, [(Origin::Fact, 2)].into());
}

#[test]
fn a_column_that_is_let_change_need_not_agree() {
    let cells = [
        cell(0, &[("locality", "rdma-local"), ("regime", "usual")], 2.0),
        cell(1, &[("locality", "rdma-remote"), ("regime", "fast")], 6.0),
    ];
    assert_eq!(
        points(&contrast(LOCALITY).apply(&cells, Scale::Ratio, Confidence::USUAL).unwrap()),
        [0.0; 0]
    );
    let along = contrast(&format!("{LOCALITY}\nalong = ['regime']"));
    assert_eq!(points(&along.apply(&cells, Scale::Difference, Confidence::USUAL).unwrap()), [4.0]);
}

#[test]
fn every_other_level_is_compared_where_none_is_named() {
    let cells = [
        cell(0, &[("queue_pairs", "1"), ("threads", "2")], 2.0),
        cell(1, &[("queue_pairs", "2"), ("threads", "4")], 3.0),
        cell(2, &[("queue_pairs", "4"), ("threads", "8")], 4.0),
    ];
    let compared = contrast("factor = 'queue_pairs'\nover = 1")
        .apply(&cells, Scale::Ratio, Confidence::USUAL)
        .unwrap();
    assert_eq!(points(&compared), [1.5, 2.0]);
    let named = contrast("factor = 'queue_pairs'\nof = { at-least = 3 }\nover = 1");
    assert_eq!(points(&named.apply(&cells, Scale::Ratio, Confidence::USUAL).unwrap()), [2.0]);
}

#[test]
fn several_rows_to_compare_with_are_an_error_that_says_what_tells_them_apart() {
    let cells = [
        cell(0, &[("locality", "rdma-local"), ("mtu_bytes", "256")], 2.0),
        cell(1, &[("locality", "rdma-local"), ("mtu_bytes", "512")], 3.0),
        cell(2, &[("locality", "rdma-remote"), ("mtu_bytes", "256")], 4.0),
    ];
    let along = contrast(&format!("{LOCALITY}\nalong = ['mtu_bytes']"));
    let error = along.apply(&cells, Scale::Ratio, Confidence::USUAL).unwrap_err();
    assert_eq!(error.names, ["mtu_bytes"]);
    let repeated = [cells[0].clone(), cells[0].clone(), cells[2].clone()];
    let error = along.apply(&repeated, Scale::Ratio, Confidence::USUAL).unwrap_err();
    assert_eq!(error.names, ["run_id"]);
    // Nothing is asked of them, so nothing is ambiguous.
    assert!(along.apply(&cells[..2], Scale::Ratio, Confidence::USUAL).unwrap().cells.is_empty());
}

#[test]
fn pooled_sides_are_compared_by_their_means() {
    let values = [("0", 1.0), ("1", 3.0), ("2", 9.0), ("3", 11.0)];
    let cells: Vec<_> = (0..)
        .zip(values)
        .map(|(row, (index, value))| cell(row, &[("queue_pair", index)], value))
        .collect();
    let pooled = contrast(
        "factor = 'queue_pair'\nof = { at-least = 2 }\nover = { at-most = 1 }\npool = true",
    );
    let compared = pooled.apply(&cells, Scale::Difference, Confidence::USUAL).unwrap();
    assert_eq!(points(&compared), [8.0]);
    assert_eq!(compared.cells[0].estimate.origin, Origin::Cells);
    assert_eq!(pooled.apply(&cells[2..], Scale::Difference, Confidence::USUAL).unwrap().alone, 1);
    assert_eq!(pooled.apply(&cells[..2], Scale::Difference, Confidence::USUAL).unwrap().alone, 0);
}

#[test]
fn a_ratio_with_nothing_below_is_left_out() {
    let cells =
        [cell(0, &[("locality", "rdma-local")], 0.0), cell(1, &[("locality", "rdma-remote")], 6.0)];
    assert!(
        contrast(LOCALITY).apply(&cells, Scale::Ratio, Confidence::USUAL).unwrap().cells.is_empty()
    );
}

#[test]
fn a_side_of_one_cell_keeps_the_interval_of_its_replicates_and_no_other() {
    use onesided_estimate::bootstrap::Interval;
    let pooled_over = |origin| {
        let interval = Some(Interval { low: 2.0, high: 4.0 });
        let estimate = Estimate { point: 3.0, interval, origin, freedom: 2.0 };
        let cells = [
            Cell { estimate, ..cell(0, &[("locality", "rdma-local")], 0.0) },
            cell(1, &[("locality", "rdma-remote")], 5.0),
            cell(2, &[("locality", "rdma-remote")], 5.0),
        ];
        let pooled = contrast(&format!("{LOCALITY}\npool = true"));
        pooled.apply(&cells, Scale::Difference, Confidence::USUAL).unwrap().cells[0]
            .estimate
            .interval
    };
    assert_eq!(pooled_over(Origin::Replicates), Some(Interval { low: 1.0, high: 3.0 }));
    assert_eq!(pooled_over(Origin::WithinRun), None);
}
