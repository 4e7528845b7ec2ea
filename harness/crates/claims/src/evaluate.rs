//! Claims asked of tables.

use onesided_results::{row::ClaimRow, vocabulary::Source};

use crate::{
    ask::ask,
    error::EvaluateError,
    file::{Claim, Claims, Question},
    report::{self, Asked, Lack},
    tables::Tables,
};

/// One row for each claim, source and machine that it speaks of, in the order of the claims.
///
/// A source that has no rows for a claim has a row, too: it is not testable with that data.
///
/// # Errors
/// When a contrast could compare with several rows.
pub fn evaluate(claims: &Claims, tables: &Tables) -> Result<Vec<ClaimRow>, EvaluateError> {
    let mut rows = Vec::new();
    for claim in &claims.0 {
        for source in tables.sources() {
            rows.extend(of_source(claim, tables, source)?);
        }
    }
    Ok(rows)
}

fn of_source(
    claim: &Claim,
    tables: &Tables,
    source: Source,
) -> Result<Vec<ClaimRow>, EvaluateError> {
    let why_not = match &claim.question {
        Question::WhyNot(why) => Some(why.clone()),
        Question::Parts(_) => claim.barred(source),
    };
    if let Some(why) = why_not {
        return Ok(vec![report::not_testable(claim, source, &why)]);
    }
    let asked = ask(claim, tables, source)?;
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
        return Ok(nearest.map(|(_, row)| row).into_iter().collect());
    }
    Ok(testable.into_iter().map(|(_, row)| row).collect())
}

#[cfg(test)]
mod tests;
