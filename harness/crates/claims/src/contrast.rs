//! Pairs of cells that differ in one factor.

use std::collections::{BTreeMap, BTreeSet};

use serde::Deserialize;

use crate::{
    cell::{Cell, Key, Scale},
    columns::followers,
    level::Level,
    value::{Confidence, Estimate, Origin, Origins, mean_by_spread},
};

/// A comparison of levels of one factor.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Contrast {
    /// The factor.
    pub factor: String,
    /// Levels that are compared, each by itself; by default all but `over`.
    pub of: Option<Level>,
    /// What they are compared with.
    pub over: Level,
    /// Columns that need not agree, beside those that follow from the factor.
    #[serde(default)]
    pub along: Vec<String>,
    /// Whether the mean of each side is compared.
    #[serde(default)]
    pub pool: bool,
}

/// Several cells at the level that others are compared with: which is meant?
#[derive(Debug)]
pub struct Ambiguous {
    /// What tells the first two apart, which the query does not filter, nor lets change along.
    pub names: Vec<String>,
}

/// The cells of a contrast, and how many found no partner.
#[derive(Debug)]
pub struct Compared {
    /// One for each pair.
    pub cells: Vec<Cell>,
    /// Cells of the compared levels without one at `over`.
    pub alone: usize,
}

#[derive(Default)]
struct Sides<'a> {
    of: Vec<&'a Cell>,
    over: Vec<&'a Cell>,
}

impl Contrast {
    /// Compares `cells`.
    ///
    /// # Errors
    /// When several cells at `over` fit one of the compared.
    pub fn apply(
        &self,
        cells: &[Cell],
        scale: Scale,
        confidence: Confidence,
    ) -> Result<Compared, Ambiguous> {
        let free: BTreeSet<&str> = [self.factor.as_str()]
            .into_iter()
            .chain(followers(&self.factor))
            .chain(self.along.iter().map(String::as_str))
            .collect();
        let mut groups: BTreeMap<String, (Key, Sides<'_>)> = BTreeMap::new();
        for cell in cells {
            let level = cell.key.get(self.factor.as_str());
            let is_over = self.over.admits(level, false);
            let is_of = self.of.as_ref().map_or(!is_over, |of| of.admits(level, false));
            if !is_of && !is_over {
                continue;
            }
            let mut shared = cell.key.clone();
            shared.retain(|column, _| !free.contains(column));
            let (_, sides) =
                groups.entry(format!("{shared:?}")).or_insert_with(|| (shared, Sides::default()));
            if is_of { sides.of.push(cell) } else { sides.over.push(cell) }
        }
        let mut compared = Compared { cells: Vec::new(), alone: 0 };
        for (shared, sides) in groups.into_values() {
            self.compare(shared, &sides, scale, confidence, &mut compared)?;
        }
        Ok(compared)
    }

    fn compare(
        &self,
        shared: Key,
        sides: &Sides<'_>,
        scale: Scale,
        confidence: Confidence,
        compared: &mut Compared,
    ) -> Result<(), Ambiguous> {
        if self.pool {
            let side = |cells: &[&Cell]| pooled(&shared, cells, confidence);
            match (side(&sides.of), side(&sides.over)) {
                (Some(of), Some(over)) => compared.cells.extend(pair(&of, &over, scale)),
                (Some(_), None) => compared.alone += 1,
                (None, _) => {}
            }
            return Ok(());
        }
        match sides.over[..] {
            [] => compared.alone += sides.of.len(),
            [over] => {
                compared.cells.extend(sides.of.iter().filter_map(|of| pair(of, over, scale)));
            }
            [first, second, ..] if !sides.of.is_empty() => {
                return Err(Ambiguous { names: differences(&first.key, &second.key) });
            }
            _ => {}
        }
        Ok(())
    }
}

fn differences(a: &Key, b: &Key) -> Vec<String> {
    let columns: BTreeSet<_> = a.keys().chain(b.keys()).collect();
    let differ = columns.into_iter().filter(|column| a.get(*column) != b.get(*column));
    let names: Vec<_> = differ.map(|column| (*column).to_owned()).collect();
    if names.is_empty() { vec!["run_id".to_owned()] } else { names }
}

fn pair(of: &Cell, over: &Cell, scale: Scale) -> Option<Cell> {
    let mut origins = of.origins.clone();
    add(&mut origins, &over.origins);
    Some(Cell {
        key: of.key.clone(),
        estimate: scale.compare(of.estimate, over.estimate)?,
        origins,
        rows: &of.rows | &over.rows,
        over: over.rows.clone(),
    })
}

/// Adds how many conditions have which kind of interval.
pub fn add(sum: &mut Origins, more: &Origins) {
    for (origin, count) in more {
        *sum.entry(*origin).or_default() += count;
    }
}

/// The mean of one side. A cell alone does not vary, but its replicates do, if it has some.
fn pooled(shared: &Key, cells: &[&Cell], confidence: Confidence) -> Option<Cell> {
    let estimates: Vec<Estimate> = cells.iter().map(|cell| cell.estimate).collect();
    let estimate = match estimates[..] {
        [] => return None,
        [only] if only.origin == Origin::Replicates => only,
        [only] => Estimate::bare(only.point),
        _ => mean_by_spread(&estimates, confidence),
    };
    Some(Cell {
        key: shared.clone(),
        estimate,
        origins: [(estimate.origin, 1)].into(),
        rows: cells.iter().flat_map(|cell| cell.rows.iter().copied()).collect(),
        over: [].into(),
    })
}

#[cfg(test)]
mod tests;
