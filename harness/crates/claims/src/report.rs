//! What was found, as a row of `claims.csv`.

use std::collections::{BTreeMap, BTreeSet};

use onesided_results::{
    SCHEMA_VERSION,
    row::ClaimRow,
    vocabulary::{Source, Verdict},
};

use crate::{
    cell::{Cell, name, told_estimate},
    contrast::add,
    file::{Claim, Part, Question},
    frame::Frame,
    level::Scalar,
    number::six_digits,
    value::{Origin, Origins, number},
    verdict::{Outcome, judge, verdict},
};

/// A part of a claim and what it found.
pub struct Asked<'a> {
    /// What was asked.
    pub part: &'a Part,
    /// What is held against the expectation.
    pub cells: Vec<Cell>,
    /// Runs behind them.
    pub runs: u32,
    /// Rows that had nothing to be compared with.
    pub alone: usize,
    /// Rows without a value.
    pub valueless: usize,
    /// Machines of the rows.
    pub profiles: BTreeSet<String>,
}

impl<'a> Asked<'a> {
    /// Nothing was found: there is no such table.
    pub fn nothing(part: &'a Part) -> Self {
        Self { part, cells: Vec::new(), runs: 0, alone: 0, valueless: 0, profiles: BTreeSet::new() }
    }
}

/// Machines of the rows behind `cells`.
pub fn profiles(frame: &Frame, cells: &[Cell]) -> BTreeSet<String> {
    let rows = cells.iter().flat_map(|cell| &cell.rows);
    let profile = |row: &usize| match frame.cell(*row, "profile") {
        Some(Scalar::Word(word)) => Some(word.to_string()),
        _ => None,
    };
    rows.filter_map(profile).collect()
}

/// The row of a claim that this source cannot answer, and why.
pub fn not_testable(claim: &Claim, source: Source, why: &str) -> ClaimRow {
    ClaimRow {
        schema_version: SCHEMA_VERSION,
        id: claim.id.clone(),
        paper: claim.paper.to_string(),
        section: claim.section.clone(),
        source,
        profile: None,
        value: None,
        low: None,
        high: None,
        unit: claim.unit.clone(),
        expected: expected(claim),
        verdict: Verdict::NotTestable,
        why: why.to_owned(),
        figure: claim.figure.map(str::to_owned),
        quote: claim.sentence.clone(),
        kind: claim.kind,
    }
}

fn expected(claim: &Claim) -> String {
    let Question::Parts(parts) = &claim.question else { return String::new() };
    let mut told: Vec<_> = parts.iter().map(|part| part.expectation.told.as_str()).collect();
    told.dedup();
    told.join("; ")
}

/// The row of a claim whose parts found what `asked` says.
pub fn row(claim: &Claim, source: Source, asked: &[Asked<'_>]) -> ClaimRow {
    let judged = |asked: &Asked<'_>| {
        let cells = asked.cells.iter();
        cells.map(|cell| judge(&cell.estimate, &asked.part.expectation)).collect()
    };
    let outcomes: Vec<Vec<Outcome>> = asked.iter().map(judged).collect();
    let verdict = verdict(&outcomes);
    if verdict == Verdict::NotTestable {
        return not_testable(claim, source, &nothing_found(asked));
    }
    let (value, low, high) = headline(asked);
    let profiles: BTreeSet<_> = asked.iter().flat_map(|asked| &asked.profiles).collect();
    let profiles = profiles.into_iter().map(String::as_str).collect::<Vec<_>>().join(" ");
    ClaimRow {
        profile: Some(profiles).filter(|profiles| !profiles.is_empty()),
        value,
        low,
        high,
        verdict,
        why: why(asked, &outcomes),
        ..not_testable(claim, source, "")
    }
}

fn nothing_found(asked: &[Asked<'_>]) -> String {
    let alone: usize = asked.iter().map(|asked| asked.alone).sum();
    let valueless: usize = asked.iter().map(|asked| asked.valueless).sum();
    match (alone, valueless) {
        (0, 0) => "no row is asked for that is there".to_owned(),
        (0, rows) => format!("{rows} rows, none with a value of this kind"),
        (rows, _) => format!("{rows} rows, none with another to compare with"),
    }
}

/// The value of the first part that found something: of one cell, its own with its interval; of
/// more, the median and the ends of all intervals.
fn headline(asked: &[Asked<'_>]) -> (Option<f64>, Option<f64>, Option<f64>) {
    let Some(cells) = asked.iter().map(|asked| &asked.cells).find(|cells| !cells.is_empty()) else {
        return (None, None, None);
    };
    let mut points: Vec<_> = cells.iter().map(|cell| cell.estimate.point).collect();
    points.sort_by(f64::total_cmp);
    let middle = &points[(points.len() - 1) / 2..=points.len() / 2];
    let median = middle.iter().sum::<f64>() / number(middle.len());
    let intervals = || cells.iter().filter_map(|cell| cell.estimate.interval);
    let low = intervals().map(|interval| interval.low).reduce(f64::min);
    let high = intervals().map(|interval| interval.high).reduce(f64::max);
    (Some(six_digits(median)), low.map(six_digits), high.map(six_digits))
}

/// How the verdict came about, in one line.
fn why(asked: &[Asked<'_>], outcomes: &[Vec<Outcome>]) -> String {
    let mut told = vec![tally(outcomes)];
    let runs: u32 = asked.iter().map(|asked| asked.runs).sum();
    let mut origins = Origins::new();
    for cell in asked.iter().flat_map(|asked| &asked.cells) {
        add(&mut origins, &cell.origins);
    }
    told.push(format!("{runs} runs"));
    if let Some(worst) = worst(asked) {
        told.push(worst);
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
