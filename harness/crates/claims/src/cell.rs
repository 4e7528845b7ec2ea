//! What a query finds: one value, with the factors that it belongs to.

use std::collections::{BTreeMap, BTreeSet};

use serde::Deserialize;

use crate::{
    frame::Frame,
    level::Scalar,
    number::told,
    value::{Confidence, Estimate, Origins},
};

/// The columns of a cell that rows must agree in to be compared.
pub type Key = BTreeMap<&'static str, Scalar>;

/// One value that a query finds.
#[derive(Clone, Debug, PartialEq)]
pub struct Cell {
    /// Where it belongs.
    pub key: Key,
    /// The value.
    pub estimate: Estimate,
    /// What the rows behind it have their intervals from.
    pub origins: Origins,
    /// Rows behind it, as table's rows, so that a row that several cells use is counted once.
    pub rows: BTreeSet<usize>,
    /// Those of them that the others were compared with; none where nothing was compared.
    pub over: BTreeSet<usize>,
}

impl Cell {
    /// The cell of a row with an interval of `confidence`; absent if it has no finite value there.
    pub fn of_row(frame: &Frame, row: usize, value: &str, confidence: Confidence) -> Option<Self> {
        let estimate = frame.measure(row, value).filter(|estimate| estimate.point.is_finite())?;
        let estimate = estimate.at(confidence);
        let matched = frame.columns().iter().filter(|column| column.matched);
        let key = matched.filter_map(|c| Some((c.name, frame.cell(row, c.name)?.clone())));
        Some(Self {
            key: key.collect(),
            estimate,
            origins: [(estimate.origin, 1)].into(),
            rows: [row].into(),
            over: [].into(),
        })
    }
}

/// How a contrast is told.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Scale {
    /// There is none: the value itself.
    #[default]
    Value,
    /// `of` by `over`.
    Ratio,
    /// How much more `of` is, of `over`.
    Percent,
    /// How much less `of` is, of `over`.
    LossPercent,
    /// `of` less `over`.
    Difference,
}

impl Scale {
    /// `of` compared with `over`, as ratio or difference; absent where a ratio has no meaning.
    pub fn compare(self, of: Estimate, over: Estimate) -> Option<Estimate> {
        let compared = match self {
            Self::Value | Self::Difference => Some(of.minus(over)),
            Self::Ratio | Self::Percent | Self::LossPercent => of.over(over),
        };
        compared.filter(|estimate| estimate.point.is_finite())
    }

    /// A ratio or difference as it is told.
    pub fn tell(self, compared: Estimate) -> Estimate {
        match self {
            Self::Value | Self::Ratio | Self::Difference => compared,
            Self::Percent => compared.map(|ratio| 100.0 * (ratio - 1.0)),
            Self::LossPercent => compared.map(|ratio| 100.0 * (1.0 - ratio)),
        }
    }
}

/// Columns that say again what others say, or nearly always do.
pub const SAID_BY_OTHERS: [&str; 11] = [
    "ends",
    "worker_locality",
    "threads",
    "window",
    "load_kind",
    "nic",
    "operation_label",
    "code_generation",
    "slot_layout",
    "numa_locality",
    "reached",
];

/// Names a cell among `cells`: the columns in which they differ.
pub fn name(cell: &Cell, cells: &[Cell]) -> String {
    let differs =
        |column: &str| cells.iter().any(|other| other.key.get(column) != cell.key.get(column));
    let (mut named, repeated): (Vec<_>, Vec<_>) = cell
        .key
        .iter()
        .filter(|(column, _)| differs(column))
        .partition(|(column, _)| !SAID_BY_OTHERS.contains(column));
    if named.is_empty() {
        named = repeated;
    }
    let named = named.iter().map(|(column, value)| format!("{column} {value}"));
    named.collect::<Vec<_>>().join(", ")
}

/// A value with its interval in brackets: "4.7 [4.1, 5.3]".
pub fn told_value(value: f64, interval: Option<(f64, f64)>) -> String {
    match interval {
        Some((low, high)) if low < high => {
            format!("{} [{}, {}]", told(value), told(low), told(high))
        }
        _ => told(value),
    }
}
