//! The values behind verdicts, and the runs behind these.

use std::collections::BTreeSet;

use onesided_results::{row::ClaimCellRow, version, vocabulary::Source};

use crate::{
    ask::ask,
    cell::{Cell, name},
    error::EvaluateError,
    file::{Claim, Claims},
    number::six_digits,
    report::Asked,
    tables::Tables,
    verdict::strict,
};

/// Every value that `claims` were held against, in the order of the claims, sources and parts.
///
/// # Errors
/// As [`crate::evaluate()`].
pub fn cells(claims: &Claims, tables: &Tables) -> Result<Vec<ClaimCellRow>, EvaluateError> {
    let mut rows = Vec::new();
    for claim in &claims.0 {
        for source in tables.sources().into_iter().filter(|s| claim.barred(*s).is_none()) {
            for machine in ask(claim, tables, source)? {
                for (part, asked) in (1..).zip(&machine) {
                    rows.extend(of_part(claim, source, part, asked, tables));
                }
            }
        }
    }
    Ok(rows)
}

fn of_part(
    claim: &Claim,
    source: Source,
    part: u32,
    asked: &Asked<'_>,
    tables: &Tables,
) -> Vec<ClaimCellRow> {
    let row = |(number, cell): (u32, &Cell)| {
        let named = |rows: &BTreeSet<usize>| {
            let names = tables.run_names(asked.part.table, rows);
            words(names.iter().map(String::as_str))
        };
        ClaimCellRow {
            schema_version: version::CLAIM_CELLS.written,
            id: claim.id.clone(),
            source,
            profile: words(asked.profiles.iter().map(String::as_str)),
            part,
            cell: number,
            at: Some(name(cell, &asked.cells)).filter(|name| !name.is_empty()),
            value: six_digits(cell.estimate.point),
            low: cell.estimate.interval.map(|ends| six_digits(ends.low)),
            high: cell.estimate.interval.map(|ends| six_digits(ends.high)),
            unit: claim.unit.clone(),
            expected: asked.expectation.told.clone(),
            answer: strict(&cell.estimate, &asked.expectation),
            interval_from: cell.estimate.origin.told().to_owned(),
            runs: named(&(&cell.rows - &cell.over)),
            over_runs: named(&cell.over),
        }
    };
    (1..).zip(&asked.cells).map(row).collect()
}

/// The words separated by spaces; absent where there are none.
fn words<'a>(words: impl Iterator<Item = &'a str>) -> Option<String> {
    Some(words.collect::<Vec<_>>().join(" ")).filter(|text| !text.is_empty())
}
