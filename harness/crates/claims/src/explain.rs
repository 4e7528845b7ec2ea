//! The values behind a verdict.

use onesided_results::vocabulary::Source;

use crate::{
    cell::{name, told_estimate},
    error::EvaluateError,
    evaluate::ask,
    file::Claims,
    tables::Tables,
    verdict::Answer,
};

/// One value that was held against an expectation.
#[derive(Clone, Debug, PartialEq)]
pub struct Explained {
    /// Where the number comes from.
    pub source: Source,
    /// Which part of the claim asked for it, from 1.
    pub part: usize,
    /// Machine and factors in which it differs from the other values.
    pub at: String,
    /// The value and its 95 % interval.
    pub value: String,
    /// What is expected.
    pub expected: String,
    /// What it says by its interval.
    pub answer: Answer,
    /// What the interval is made from.
    pub interval_from: &'static str,
}

/// Every value behind the verdicts of `claims`.
///
/// # Errors
/// As [`crate::evaluate()`].
pub fn explain(claims: &Claims, tables: &Tables) -> Result<Vec<Explained>, EvaluateError> {
    let mut lines = Vec::new();
    for claim in &claims.0 {
        for source in tables.sources().into_iter().filter(|s| claim.barred(*s).is_none()) {
            for machine in ask(claim, tables, source)? {
                for (part, asked) in (1..).zip(&machine) {
                    let profiles: Vec<_> = asked.profiles.iter().map(String::as_str).collect();
                    lines.extend(asked.cells.iter().map(|cell| Explained {
                        source,
                        part,
                        at: format!("{}: {}", profiles.join(" "), name(cell, &asked.cells)),
                        value: told_estimate(&cell.estimate),
                        expected: asked.expectation.told.clone(),
                        answer: Answer::strict(&cell.estimate, &asked.expectation),
                        interval_from: cell.estimate.origin.told(),
                    }));
                }
            }
        }
    }
    Ok(lines)
}
