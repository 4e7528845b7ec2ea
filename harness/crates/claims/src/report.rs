//! What was found, as a row of `claims.csv`.

mod why;

use std::collections::BTreeSet;

use onesided_results::{
    row::ClaimRow,
    version,
    vocabulary::{Basis, Source, Verdict, counted},
};

use crate::{
    cell::Cell,
    expectation::Expectation,
    file::{Claim, Part, Question},
    frame::Frame,
    judged::Judged,
    level::Scalar,
    number::six_digits,
    value::number,
    verdict::{Reading, of_parts},
};

/// A part of a claim and what it found.
pub struct Asked<'a> {
    /// What was asked.
    pub part: &'a Part,
    /// What is expected of this source and machine.
    pub expectation: Expectation,
    /// What is held against it, with intervals of 95 %.
    pub cells: Vec<Cell>,
    /// The same with intervals that have 95 % all together.
    pub together: Vec<Cell>,
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
    /// The numbers that the sentence states are of other machines.
    Elsewhere(&'static str),
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
            expectation: part.expectation.clone(),
            cells: Vec::new(),
            together: Vec::new(),
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
        quantifier: claim.quantifier,
        generous: Verdict::NotTestable,
        basis: claim.basis.filter(|_| source == Source::Simulated),
    }
}

fn expected(claim: &Claim) -> String {
    let Question::Parts(parts) = &claim.question else { return String::new() };
    told_once(parts.iter().map(|part| part.expectation.told.as_str()))
}

fn told_once<'a>(told: impl Iterator<Item = &'a str>) -> String {
    let mut told: Vec<_> = told.collect();
    told.dedup();
    told.join("; ")
}

/// The row of a claim whose parts found what `asked` says.
///
/// A model that was given, or fitted to, what a sentence says is no evidence for it; that it says
/// something else all the same is one against it, or against the model.
pub fn row(claim: &Claim, source: Source, asked: &[Asked<'_>]) -> ClaimRow {
    let untested = not_testable(claim, source, &nothing_found(asked));
    let Some(quantifier) = claim.quantifier else { return untested };
    let judged = |reading| {
        let parts: Vec<_> =
            asked.iter().map(|asked| Judged::of(quantifier, asked, reading)).collect();
        let verdicts: Vec<_> = parts.iter().map(|part| part.verdict).collect();
        (of_parts(quantifier, &verdicts), parts)
    };
    let (strictly, strict) = judged(Reading::Strict);
    let (generously, _) = judged(Reading::Generous);
    if asked.iter().all(|asked| asked.cells.is_empty()) {
        return untested;
    }
    let is_evidence = untested.basis.is_none_or(|basis| basis == Basis::Predicted);
    let of_worth = |verdict| match verdict {
        Verdict::Supported | Verdict::TrueInPart if !is_evidence => Verdict::NotTestable,
        verdict => verdict,
    };
    let told = why::Told {
        quantifier,
        asked,
        strict: &strict,
        generous: generously,
        verdict: strictly,
        basis: untested.basis,
    };
    let (value, low, high) = headline(asked);
    let profiles: BTreeSet<_> = asked.iter().flat_map(|asked| &asked.profiles).collect();
    let profiles = profiles.into_iter().map(String::as_str).collect::<Vec<_>>().join(" ");
    ClaimRow {
        profile: Some(profiles).filter(|profiles| !profiles.is_empty()),
        value,
        low,
        high,
        expected: told_once(asked.iter().map(|asked| asked.expectation.told.as_str())),
        verdict: of_worth(strictly),
        generous: of_worth(generously),
        why: told.line(),
        ..untested
    }
}

fn nothing_found(asked: &[Asked<'_>]) -> String {
    let alone: usize = asked.iter().map(|asked| asked.alone).sum();
    let valueless: usize = asked.iter().map(|asked| asked.valueless).sum();
    match (alone, valueless) {
        (0, 0) => asked.iter().find_map(told_lack).unwrap_or_else(|| nothing_like_it(asked)),
        (0, 1) => "1 row, without a value of this kind".to_owned(),
        (0, rows) => format!("{rows} rows, none with a value of this kind"),
        (1, _) => "1 row, and no other to compare it with".to_owned(),
        (rows, _) => format!("{rows} rows, none with another to compare with"),
    }
}

/// Why nothing answers, where there is more to say than that. Of tables those that are not of runs: those of runs are many, of designs that sentences do not speak of.
fn told_lack(asked: &Asked<'_>) -> Option<String> {
    let table = asked.part.table;
    match (asked.lack.as_ref()?, table.writer()) {
        (Lack::Elsewhere(why), _) => Some((*why).to_owned()),
        (_, None) => None,
        (Lack::Table, Some(command)) => {
            Some(format!("there is no table of {table}: `{command}` writes one"))
        }
        (Lack::Valid { rows, doubts }, Some(_)) => {
            let doubts: Vec<_> = doubts.iter().map(String::as_str).collect();
            let none = if *rows == 1 { "which is not valid" } else { "none of them valid" };
            Some(format!("{}, {none}: {}", counted(*rows, "row"), doubts.join(", ")))
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
