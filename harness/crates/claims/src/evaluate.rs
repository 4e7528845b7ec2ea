//! Claims held against tables.

use onesided_results::{
    row::{ClaimCellRow, ClaimRow},
    vocabulary::Source,
};

use crate::{
    ask::ask,
    cells::cells_of,
    error::EvaluateError,
    file::{Claim, Claims, Question},
    report::{self, Asked, Lack},
    tables::Tables,
};

/// What tables say to claims.
#[derive(Clone, Debug, PartialEq)]
pub struct Evaluation {
    /// One row for each claim, source and machine that it speaks of, in the order of the claims.
    ///
    /// A source that has no rows for a claim has a row, too: it is not testable with that data.
    pub verdicts: Vec<ClaimRow>,
    /// Every value behind them, in the order of the claims, sources and parts.
    pub cells: Vec<ClaimCellRow>,
}

/// Verdicts and the values behind them; each claim is asked once for both.
///
/// # Errors
/// When a contrast could compare with several rows.
pub fn evaluate_with_cells(claims: &Claims, tables: &Tables) -> Result<Evaluation, EvaluateError> {
    let (mut verdicts, mut cells) = (Vec::new(), Vec::new());
    for_each_answer(claims, tables, |claim, source, answer| {
        verdicts.extend(verdicts_of(claim, source, answer));
        cells.extend(cells_of(claim, source, answer, tables));
    })?;
    Ok(Evaluation { verdicts, cells })
}

/// The verdicts of [`evaluate_with_cells()`] alone.
///
/// # Errors
/// As there.
pub fn evaluate(claims: &Claims, tables: &Tables) -> Result<Vec<ClaimRow>, EvaluateError> {
    let mut verdicts = Vec::new();
    for_each_answer(claims, tables, |claim, source, answer| {
        verdicts.extend(verdicts_of(claim, source, answer));
    })?;
    Ok(verdicts)
}

/// The values of [`evaluate_with_cells()`] alone.
///
/// # Errors
/// As there.
pub fn cells(claims: &Claims, tables: &Tables) -> Result<Vec<ClaimCellRow>, EvaluateError> {
    let mut cells = Vec::new();
    for_each_answer(claims, tables, |claim, source, answer| {
        cells.extend(cells_of(claim, source, answer, tables));
    })?;
    Ok(cells)
}

/// What the tables of a source say to a claim.
pub enum Answer<'a> {
    /// They are not asked, and why.
    NotAsked(String),
    /// What the rows of each machine say to each part.
    Found(Vec<Vec<Asked<'a>>>),
}

/// Asks each claim once of each source, and gives each answer to `tell` before the next is asked for, so
/// that no more than one is kept.
fn for_each_answer<'a>(
    claims: &'a Claims,
    tables: &Tables,
    mut tell: impl FnMut(&'a Claim, Source, &Answer<'a>),
) -> Result<(), EvaluateError> {
    for claim in &claims.0 {
        for source in tables.sources() {
            let why_not = match &claim.question {
                Question::WhyNot(why) => Some(why.clone()),
                Question::Parts(_) => claim.barred(source),
            };
            let answer = match why_not {
                Some(why) => Answer::NotAsked(why),
                None => Answer::Found(ask(claim, tables, source)?),
            };
            tell(claim, source, &answer);
        }
    }
    Ok(())
}

/// The verdicts of a claim and source.
fn verdicts_of(claim: &Claim, source: Source, answer: &Answer<'_>) -> Vec<ClaimRow> {
    let asked = match answer {
        Answer::NotAsked(why) => return vec![report::not_testable(claim, source, why)],
        Answer::Found(asked) => asked,
    };
    let rows = asked.iter().map(|asked| (asked, report::row(claim, source, asked)));
    // A machine that a claim does not speak of says nothing to it.
    let answers = |asked: &[Asked<'_>]| asked.iter().any(|asked| !asked.cells.is_empty());
    let (testable, others): (Vec<_>, Vec<_>) = rows.partition(|(asked, _)| answers(asked));
    if testable.is_empty() {
        // The one that came nearest tells why: it may have the runs, but no such value of them.
        let near = |asked: &Vec<Asked<'_>>| {
            let lacking: usize = asked.iter().map(|asked| asked.alone + asked.valueless).sum();
            (lacking, asked.iter().any(|asked| asked.lack != Some(Lack::Table)))
        };
        let nearest = others.into_iter().rev().max_by_key(|(asked, _)| near(asked));
        return nearest.map(|(_, row)| row).into_iter().collect();
    }
    testable.into_iter().map(|(_, row)| row).collect()
}

#[cfg(test)]
mod tests;
