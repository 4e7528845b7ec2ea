//! Cells in which a sentence certainly holds, and cells in which it certainly fails, by the levels
//! of a factor that parts them.

use std::{
    cmp::{Ordering, Reverse},
    collections::BTreeMap,
};

use crate::{
    cell::{Cell, SAID_BY_OTHERS},
    level::Scalar,
};

/// What a cell says for certain.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Certain {
    /// The sentence holds.
    Holds,
    /// It fails.
    Fails,
    /// Neither is certain.
    Unsure,
}

/// Both subsets, by their levels.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Named {
    /// Where the sentence certainly holds: "operation write (5 of 12)".
    pub holds: String,
    /// Where it certainly fails.
    pub fails: String,
}

/// Most levels that a name lists.
const MOST_LEVELS: usize = 6;

/// Names both subsets by one factor, or by two: every cell at a level that is named says the same,
/// no level has a cell that holds and one that fails, and at least half of all cells are named.
///
/// Of several such factors the one that names most cells, then the one with the fewest levels.
pub fn named(cells: &[Cell], certain: &[Certain]) -> Option<Named> {
    let factors: Vec<_> = factors(cells).collect();
    let singles = factors.iter().map(|factor| vec![factor]);
    let by_one = best(singles, certain);
    by_one.or_else(|| {
        let pairs = factors.iter().enumerate().flat_map(|(index, first)| {
            factors[index + 1..].iter().map(move |second| vec![first, second])
        });
        best(pairs, certain)
    })
}

/// A column in which cells differ.
struct Factor {
    name: &'static str,
    levels: Vec<Option<Scalar>>,
    /// Which of the levels each cell has. Pairs of factors are many, and numbers cheap to compare.
    of_cells: Vec<usize>,
}

fn factors(cells: &[Cell]) -> impl Iterator<Item = Factor> {
    let first = cells.first();
    let columns = first.into_iter().flat_map(|first| first.key.keys().copied());
    let columns = columns.filter(|column| !SAID_BY_OTHERS.contains(column));
    let factors = columns.map(|name| Factor::of(name, cells));
    factors.filter(|factor| factor.levels.len() > 1)
}

impl Factor {
    fn of(name: &'static str, cells: &[Cell]) -> Self {
        let mut levels: Vec<Option<Scalar>> = Vec::new();
        let of_cell = |cell: &Cell| {
            let level = cell.key.get(name);
            levels.iter().position(|known| known.as_ref() == level).unwrap_or_else(|| {
                levels.push(level.cloned());
                levels.len() - 1
            })
        };
        let of_cells = cells.iter().map(of_cell).collect();
        Self { name, levels, of_cells }
    }
}

fn best<'a>(
    candidates: impl Iterator<Item = Vec<&'a Factor>>,
    certain: &[Certain],
) -> Option<Named> {
    let parted = candidates.filter_map(|factors| parted(&factors, certain));
    // Of equals the first.
    let best = parted.min_by_key(|(covered, levels, _)| (Reverse(*covered), *levels));
    best.map(|(.., named)| named)
}

#[derive(Default)]
struct Level {
    holds: usize,
    fails: usize,
    unsure: usize,
}

/// How many cells the levels of `factors` name, by how many levels, and the names.
fn parted(factors: &[&Factor], certain: &[Certain]) -> Option<(usize, usize, Named)> {
    let mut levels: BTreeMap<[usize; 2], Level> = BTreeMap::new();
    for (cell, certain) in certain.iter().enumerate() {
        let mut at = [0; 2];
        at.iter_mut().zip(factors).for_each(|(at, factor)| *at = factor.of_cells[cell]);
        let level = levels.entry(at).or_default();
        match certain {
            Certain::Holds => level.holds += 1,
            Certain::Fails => level.fails += 1,
            Certain::Unsure => level.unsure += 1,
        }
        if level.holds > 0 && level.fails > 0 {
            return None;
        }
    }
    let of = |pick: fn(&Level) -> usize| {
        let found = levels.iter().filter(|(_, level)| level.unsure == 0 && pick(level) > 0);
        let levels_at = |at: &[usize; 2]| {
            factors.iter().zip(at).map(|(factor, level)| factor.levels[*level].clone()).collect()
        };
        found.map(|(at, level)| (levels_at(at), pick(level))).collect::<Vec<(Vec<_>, _)>>()
    };
    let (holds, fails) = (of(|level| level.holds), of(|level| level.fails));
    let count = |named: &[(_, usize)]| named.iter().map(|(_, cells)| cells).sum::<usize>();
    let covered = count(&holds) + count(&fails);
    let can_be_named = |named: &[_]| (1..=MOST_LEVELS).contains(&named.len());
    if !can_be_named(&holds) || !can_be_named(&fails) || 2 * covered < certain.len() {
        return None;
    }
    let names: Vec<_> = factors.iter().map(|factor| factor.name).collect();
    let name = |named: &[(Vec<Option<Scalar>>, usize)]| {
        format!("{} ({} of {})", told(&names, named), count_of(named), certain.len())
    };
    let named = Named { holds: name(&holds), fails: name(&fails) };
    Some((covered, holds.len() + fails.len(), named))
}

fn count_of<T>(named: &[(T, usize)]) -> usize {
    named.iter().map(|(_, cells)| cells).sum()
}

/// "workers 8, 16"; of two factors "operation read with workers 8, 16".
fn told<T>(factors: &[&str], named: &[(Vec<Option<Scalar>>, T)]) -> String {
    let word = |level: &Option<Scalar>| level.as_ref().map_or("none".to_owned(), Scalar::to_string);
    if let [factor] = factors {
        let mut levels: Vec<_> = named.iter().map(|(at, _)| at[0].clone()).collect();
        levels.sort_by(by_size);
        return format!("{factor} {}", levels.iter().map(word).collect::<Vec<_>>().join(", "));
    }
    let mut by_first: BTreeMap<String, Vec<Option<Scalar>>> = BTreeMap::new();
    for (at, _) in named {
        by_first.entry(word(&at[0])).or_default().push(at[1].clone());
    }
    let groups = by_first.into_iter().map(|(first, mut seconds)| {
        seconds.sort_by(by_size);
        let seconds: Vec<_> = seconds.iter().map(word).collect();
        format!("{} {first} with {} {}", factors[0], factors[1], seconds.join(", "))
    });
    groups.collect::<Vec<_>>().join(" and ")
}

/// Numbers by size, before words by letter.
fn by_size(a: &Option<Scalar>, b: &Option<Scalar>) -> Ordering {
    match (a, b) {
        (Some(Scalar::Number(a)), Some(Scalar::Number(b))) => a.total_cmp(b),
        (Some(Scalar::Word(a)), Some(Scalar::Word(b))) => a.cmp(b),
        (Some(Scalar::Number(_)), _) | (None, Some(_)) => Ordering::Less,
        (_, Some(Scalar::Number(_))) | (Some(_), None) => Ordering::Greater,
        (None, None) => Ordering::Equal,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::value::Estimate;

    fn cells(levels: &[(&str, u32)]) -> Vec<Cell> {
        let cell = |&(operation, workers): &(&str, u32)| Cell {
            key: [
                ("operation", Scalar::Word(operation.into())),
                ("workers", Scalar::Number(f64::from(workers))),
            ]
            .into(),
            estimate: Estimate::fact(1.0),
            origins: [].into(),
            rows: [].into(),
            over: [].into(),
        };
        levels.iter().map(cell).collect()
    }

    fn certain(text: &str) -> Vec<Certain> {
        let one = |letter| match letter {
            'h' => Certain::Holds,
            'f' => Certain::Fails,
            _ => Certain::Unsure,
        };
        text.chars().map(one).collect()
    }

    const FOUR: [(&str, u32); 4] = [("read", 8), ("read", 16), ("write", 8), ("write", 16)];

    #[test]
    fn a_factor_that_parts_all_cells_names_both_sides() {
        let named = named(&cells(&FOUR), &certain("ffhh")).unwrap();
        assert_eq!(named.holds, "operation write (2 of 4)");
        assert_eq!(named.fails, "operation read (2 of 4)");
    }

    #[test]
    fn two_factors_name_what_one_cannot() {
        let named = named(&cells(&FOUR), &certain("fffh")).unwrap();
        assert_eq!(named.holds, "operation write with workers 16 (1 of 4)");
        assert_eq!(
            named.fails,
            "operation read with workers 8, 16 and operation write with workers 8 (3 of 4)"
        );
    }

    #[test]
    fn a_level_with_an_unsure_cell_is_on_neither_side() {
        let named = named(&cells(&FOUR), &certain("f-hh")).unwrap();
        assert_eq!(named.holds, "operation write with workers 8, 16 (2 of 4)");
        assert_eq!(named.fails, "operation read with workers 8 (1 of 4)");
    }

    #[test]
    fn what_is_certain_of_less_than_half_or_on_one_side_only_is_not_named() {
        let eight: Vec<_> = FOUR.into_iter().chain(FOUR.map(|(o, w)| (o, w + 100))).collect();
        assert_eq!(named(&cells(&eight), &certain("f-h-----")), None);
        assert_eq!(named(&cells(&FOUR), &certain("hhhh")), None);
        assert_eq!(named(&cells(&FOUR), &certain("----")), None);
    }
}
