//! What was found, as a row of `claims.csv`.

mod why;

use std::collections::BTreeSet;

use onesided_results::{
    row::ClaimRow,
    version,
    vocabulary::{Source, Verdict},
};

use crate::{
    cell::Cell,
    file::{Claim, Part, Question},
    frame::Frame,
    level::Scalar,
    number::six_digits,
    value::number,
    verdict::{Outcome, judge, verdict},
};

/// A part of a claim and what it found.
pub struct Asked<'a> {
    /// What was asked.
    pub part: &'a Part,
    /// What is held against the expectation.
    pub cells: Vec<Cell>,
    /// How many cells these were aggregated from.
    pub found: usize,
    /// Runs behind them.
    pub runs: u32,
    /// Rows that had nothing to be compared with.
    pub alone: usize,
    /// Rows without a value.
    pub valueless: usize,
    /// Machines of the rows.
    pub profiles: BTreeSet<String>,
    /// Why there is no row, if there is none and more to say.
    pub lack: Option<Lack>,
}

/// Why a part found no row.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Lack {
    /// The table has no row of this machine, or does not exist.
    Table,
    /// There are rows, but none that is valid.
    Valid {
        /// How many.
        rows: usize,
        /// What makes them doubtful, as they say it.
        doubts: BTreeSet<String>,
    },
}

impl<'a> Asked<'a> {
    /// Nothing was found: there is no such table.
    pub fn nothing(part: &'a Part) -> Self {
        Self {
            part,
            cells: Vec::new(),
            found: 0,
            runs: 0,
            alone: 0,
            valueless: 0,
            profiles: BTreeSet::new(),
            lack: Some(Lack::Table),
        }
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
        schema_version: version::CLAIMS.written,
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
        why: why::why(asked, &outcomes),
        ..not_testable(claim, source, "")
    }
}

fn nothing_found(asked: &[Asked<'_>]) -> String {
    let alone: usize = asked.iter().map(|asked| asked.alone).sum();
    let valueless: usize = asked.iter().map(|asked| asked.valueless).sum();
    match (alone, valueless) {
        (0, 0) => asked.iter().find_map(told_lack).unwrap_or_else(|| nothing_like_it(asked)),
        (0, rows) => format!("{rows} rows, none with a value of this kind"),
        (rows, _) => format!("{rows} rows, none with another to compare with"),
    }
}

/// Of tables that are not of runs: those of runs are many, of designs that sentences do not speak of.
fn told_lack(asked: &Asked<'_>) -> Option<String> {
    let table = asked.part.table;
    let command = table.writer()?;
    match asked.lack.as_ref()? {
        Lack::Table => Some(format!("there is no table of {table}: `{command}` writes one")),
        Lack::Valid { rows, doubts } => {
            let doubts: Vec<_> = doubts.iter().map(String::as_str).collect();
            Some(format!("{rows} rows, none of them valid: {}", doubts.join(", ")))
        }
    }
}

fn nothing_like_it(asked: &[Asked<'_>]) -> String {
    let mut nouns = asked.iter().map(|asked| asked.part.table.noun());
    let first = nouns.next().unwrap_or("run");
    let noun = if nouns.all(|noun| noun == first) { first } else { "run" };
    format!("no {noun} has what is asked for")
}

/// The value of the first part that found something: of one cell, its own with its interval; of
/// more, the median and the ends of all intervals.
fn headline(asked: &[Asked<'_>]) -> (Option<f64>, Option<f64>, Option<f64>) {
    let Some((_, asked)) = first_found(asked) else { return (None, None, None) };
    let cells = &asked.cells;
    let mut points: Vec<_> = cells.iter().map(|cell| cell.estimate.point).collect();
    points.sort_by(f64::total_cmp);
    let middle = &points[(points.len() - 1) / 2..=points.len() / 2];
    let median = middle.iter().sum::<f64>() / number(middle.len());
    let intervals = || cells.iter().filter_map(|cell| cell.estimate.interval);
    let low = intervals().map(|interval| interval.low).reduce(f64::min);
    let high = intervals().map(|interval| interval.high).reduce(f64::max);
    (Some(six_digits(median)), low.map(six_digits), high.map(six_digits))
}

/// The first part that found something, counted from 1.
fn first_found<'a, 'p>(asked: &'a [Asked<'p>]) -> Option<(usize, &'a Asked<'p>)> {
    (1..).zip(asked).find(|(_, asked)| !asked.cells.is_empty())
}
