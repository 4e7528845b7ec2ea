//! The values behind verdicts, and the runs behind these.

use std::collections::BTreeSet;

use onesided_results::{row::ClaimCellRow, schema::columns::unit, version, vocabulary::Source};

use crate::{
    cell::{Cell, name},
    evaluate::Answer,
    file::Claim,
    number::six_digits,
    report::Asked,
    tables::Tables,
    verdict::strict,
};

/// Every value that a claim was held against, in the order of its machines and parts.
pub fn cells_of(
    claim: &Claim,
    source: Source,
    answer: &Answer<'_>,
    tables: &Tables,
) -> Vec<ClaimCellRow> {
    let Answer::Found(machines) = answer else { return Vec::new() };
    let parts = machines.iter().flat_map(|machine| (1..).zip(machine));
    parts.flat_map(|(part, asked)| of_part(claim, source, part, asked, tables)).collect()
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
            measure: Some(asked.part.value.clone()),
            measure_unit: unit(&asked.part.value).map(str::to_owned),
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
