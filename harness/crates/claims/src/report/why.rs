//! How a verdict came about, in one line.

use std::collections::BTreeMap;

use super::{Asked, first_found};
use crate::{
    aggregate::Aggregate,
    cell::{Cell, name, told_estimate},
    columns::Table,
    contrast::add,
    value::{Estimate, Origin, Origins},
    verdict::Outcome,
};

/// How the verdict came about, in one line.
pub fn why(asked: &[Asked<'_>], outcomes: &[Vec<Outcome>]) -> String {
    let mut told = vec![tally(outcomes)];
    let mut origins = Origins::new();
    for cell in asked.iter().flat_map(|asked| &asked.cells) {
        add(&mut origins, &cell.origins);
    }
    told.extend(behind(asked));
    told.extend(told_headline(asked));
    told.extend(worst(asked));
    for (part, selected) in (1..).zip(asked.iter().map(selected)) {
        let of_part = |told| if asked.len() > 1 { format!("part {part}: {told}") } else { told };
        told.extend(selected.map(of_part));
    }
    origins.remove(&Origin::Fact);
    if !origins.is_empty() {
        let kinds: Vec<_> =
            origins.iter().map(|(origin, count)| format!("{} {count}", origin.told())).collect();
        told.push(format!("intervals from: {}", kinds.join(", ")));
    }
    let alone: usize = asked.iter().map(|asked| asked.alone).sum();
    let valueless: usize = asked.iter().map(|asked| asked.valueless).sum();
    if alone > 0 {
        told.push(format!("{alone} without one to compare with"));
    }
    if valueless > 0 {
        told.push(format!("{valueless} without a value"));
    }
    let empty: Vec<_> = (1..).zip(asked).filter(|(_, asked)| asked.cells.is_empty()).collect();
    for (part, _) in empty {
        told.push(format!("nothing found for part {part}"));
    }
    told.join("; ")
}

/// How many runs are behind the values, how many measurements that are not runs, and how many
/// points that nobody measured.
fn behind(asked: &[Asked<'_>]) -> impl Iterator<Item = String> {
    let noun = |asked: &Asked<'_>| match asked.part.table {
        Table::Shapes => "simulated points",
        table if table.writer().is_some() => "measurements",
        _ => "runs",
    };
    ["runs", "measurements", "simulated points"].into_iter().filter_map(move |kind| {
        let of_kind: Vec<_> = asked.iter().filter(|asked| noun(asked) == kind).collect();
        let count: u32 = of_kind.iter().map(|asked| asked.runs).sum();
        (!of_kind.is_empty()).then(|| format!("{count} {kind}"))
    })
}

/// "5 of 6 cells agree, 1 by direction only".
fn tally(outcomes: &[Vec<Outcome>]) -> String {
    let all = outcomes.iter().flatten();
    let mut counts = BTreeMap::new();
    for outcome in all.clone() {
        *counts.entry(*outcome).or_insert(0) += 1;
    }
    let cells = all.count();
    let agreeing = counts.remove(&Outcome::Agrees).unwrap_or(0);
    let noun = if cells == 1 { "value agrees" } else { "values agree" };
    let mut tally = format!("{agreeing} of {cells} {noun}");
    for (outcome, count) in counts {
        tally.push_str(&format!(", {count} {outcome}"));
    }
    tally
}

/// The value that is farthest from what is expected, if any is not.
fn worst(asked: &[Asked<'_>]) -> Option<String> {
    let distances = asked.iter().flat_map(|asked| {
        asked.cells.iter().map(move |cell| {
            (asked.part.expectation.distance(cell.estimate.point), cell, &asked.cells)
        })
    });
    let farthest = distances.reduce(|a, b| if b.0 > a.0 { b } else { a });
    let (_, cell, cells) = farthest.filter(|(distance, ..)| *distance > 0.0)?;
    let value = told_estimate(&cell.estimate);
    match name(cell, cells) {
        name if name.is_empty() => Some(format!("value {value}")),
        name => Some(format!("farthest: {value} at {name}")),
    }
}

/// What the row's value, low and high are, where that is not one value with its interval.
fn told_headline(asked: &[Asked<'_>]) -> Option<String> {
    let (part, first) = first_found(asked)?;
    let of_part = (asked.len() > 1).then(|| format!("value of part {part}"));
    let cells = &first.cells;
    if cells.len() < 2 {
        return of_part;
    }
    let median = format!("median of {} values", cells.len());
    let mut told = of_part.map_or_else(|| median.clone(), |part| format!("{part}: {median}"));
    let mut intervals = cells.iter().filter_map(|cell| cell.estimate.interval).peekable();
    if intervals.peek().is_some() {
        let are_points = intervals.all(|interval| interval.low == interval.high);
        told.push_str(", [low, high] spans ");
        told.push_str(if are_points { "them" } else { "their intervals" });
    }
    Some(told)
}

/// That the value is the extreme of many, where it is: more extreme than another run would be.
fn selected(asked: &Asked<'_>) -> Option<String> {
    let extreme = match asked.part.aggregate {
        Aggregate::Min => "smallest",
        Aggregate::Max => "largest",
        _ => return None,
    };
    let [Cell { estimate: Estimate { interval, .. }, .. }] = &asked.cells[..] else {
        return None;
    };
    let of = (asked.found > 1).then(|| format!("{extreme} of {}", asked.found))?;
    let has_none = interval.is_none_or(|interval| interval.low == interval.high);
    Some(if has_none { of } else { format!("{of}: its interval does not allow for that") })
}
