//! One value for many cells.

use serde::Deserialize;

use crate::{
    cell::Cell,
    contrast::add,
    value::{Confidence, Estimate, Origin, mean, number},
};

/// What is done with the cells of a query.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Aggregate {
    /// Each is asked by itself.
    #[default]
    Each,
    /// Their arithmetic mean.
    Mean,
    /// The middle one, or the mean of the two in the middle.
    Median,
    /// The smallest.
    Min,
    /// The largest.
    Max,
    /// How many there are, of those that are counted.
    Count,
    /// Which share of all is counted, in percent.
    SharePercent,
}

/// Cells that are counted: values from and to.
#[derive(Clone, Copy, Debug, Default, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct Counted {
    above: Option<f64>,
    below: Option<f64>,
    at_least: Option<f64>,
    at_most: Option<f64>,
}

impl Counted {
    fn holds(self, value: f64) -> bool {
        self.above.is_none_or(|bound| value > bound)
            && self.below.is_none_or(|bound| value < bound)
            && self.at_least.is_none_or(|bound| value >= bound)
            && self.at_most.is_none_or(|bound| value <= bound)
    }

    /// Whether there are values that are counted.
    pub fn is_possible(self) -> bool {
        let low = self.above.into_iter().chain(self.at_least).fold(f64::NEG_INFINITY, f64::max);
        let high = self.below.into_iter().chain(self.at_most).fold(f64::INFINITY, f64::min);
        let strict = self.above == Some(low) || self.below == Some(high);
        low < high || (low == high && !strict)
    }
}

impl Aggregate {
    /// Whether `counted` says something to it.
    pub fn counts(self) -> bool {
        matches!(self, Self::Count | Self::SharePercent)
    }

    /// The cells that are asked. A count of nothing is 0; everything else of nothing is nothing.
    pub fn apply(self, cells: Vec<Cell>, counted: Counted, confidence: Confidence) -> Vec<Cell> {
        let estimate = match self {
            Self::Each => return cells,
            Self::Min => return extreme(cells, |a, b| a < b),
            Self::Max => return extreme(cells, |a, b| a > b),
            Self::Mean => mean(&estimates(&cells), confidence),
            Self::Median => median(&cells, confidence),
            Self::Count => Some(Estimate::fact(number(how_many(&cells, counted)))),
            Self::SharePercent if cells.is_empty() => None,
            Self::SharePercent => {
                let share = number(how_many(&cells, counted)) / number(cells.len());
                Some(Estimate::fact(100.0 * share))
            }
        };
        estimate.map(|estimate| summary(&cells, estimate)).into_iter().collect()
    }
}

fn estimates(cells: &[Cell]) -> Vec<Estimate> {
    cells.iter().map(|cell| cell.estimate).collect()
}

fn how_many(cells: &[Cell], counted: Counted) -> usize {
    cells.iter().filter(|cell| counted.holds(cell.estimate.point)).count()
}

/// The first cell that is beyond all others, with its own interval: being the extreme of many makes
/// it more extreme than another run would be, which the interval does not say.
fn extreme(cells: Vec<Cell>, beyond: fn(f64, f64) -> bool) -> Vec<Cell> {
    let first = cells.into_iter().reduce(|best, cell| {
        if beyond(cell.estimate.point, best.estimate.point) { cell } else { best }
    });
    first.into_iter().collect()
}

fn median(cells: &[Cell], confidence: Confidence) -> Option<Estimate> {
    let mut sorted = estimates(cells);
    sorted.sort_by(|a, b| a.point.total_cmp(&b.point));
    let middle = sorted.len().checked_sub(1)? / 2;
    mean(&sorted[middle..=sorted.len() / 2], confidence)
}

/// A cell for all: what they agree in, what they are made from.
fn summary(cells: &[Cell], estimate: Estimate) -> Cell {
    let mut all = Cell {
        key: cells.first().map(|cell| cell.key.clone()).unwrap_or_default(),
        estimate,
        origins: [].into(),
        rows: [].into(),
        over: [].into(),
    };
    for cell in cells {
        all.key.retain(|column, value| cell.key.get(column) == Some(value));
        add(&mut all.origins, &cell.origins);
        all.rows.extend(&cell.rows);
        all.over.extend(&cell.over);
    }
    if estimate.origin == Origin::Cells {
        all.origins = [(Origin::Cells, u32::try_from(cells.len()).unwrap_or(u32::MAX))].into();
    }
    all
}

#[cfg(test)]
mod tests;
