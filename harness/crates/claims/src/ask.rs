//! How a claim is asked of tables.

#[cfg(test)]
use std::cell::RefCell;
use std::collections::BTreeSet;

use onesided_results::vocabulary::Source;

use crate::{
    cell::Cell,
    columns::Table,
    error::EvaluateError,
    file::{Claim, Part, Question},
    frame::Frame,
    level::Level,
    report::{self, Asked, Lack},
    tables::Tables,
    value::{Confidence, Origin},
};

/// The column that leaves out rows which are not of what they say.
const VALID: &str = "valid";

#[cfg(test)]
thread_local! {
    /// What was asked on this thread, of which source.
    pub static QUESTIONS: RefCell<Vec<(String, Source)>> = const { RefCell::new(Vec::new()) };
}

/// What each machine's rows say to each part of a claim; to a claim without parts, nothing.
pub fn ask<'a>(
    claim: &'a Claim,
    tables: &Tables,
    source: Source,
) -> Result<Vec<Vec<Asked<'a>>>, EvaluateError> {
    let Question::Parts(parts) = &claim.question else { return Ok(Vec::new()) };
    #[cfg(test)]
    QUESTIONS.with_borrow_mut(|asked| asked.push((claim.id.clone(), source)));
    let machines: Vec<Option<&str>> = if claim.across_profiles {
        vec![None]
    } else {
        tables.profiles(source).map(Some).collect()
    };
    let of_machine = |machine| {
        let is_elsewhere = claim.is_elsewhere(source, machine, tables);
        let asker = Asker { claim, tables, source, machine, is_elsewhere };
        parts.iter().enumerate().map(|(index, part)| asker.ask(index, part)).collect()
    };
    machines.into_iter().map(of_machine).collect()
}

struct Asker<'a> {
    claim: &'a Claim,
    tables: &'a Tables,
    source: Source,
    machine: Option<&'a str>,
    /// Whether numbers that the sentence states are of other machines than this one.
    is_elsewhere: bool,
}

/// Cells, and what is told beside them.
struct Found<'a> {
    cells: Vec<Cell>,
    counts: Asked<'a>,
}

impl Asker<'_> {
    fn ask<'p>(&self, index: usize, part: &'p Part) -> Result<Asked<'p>, EvaluateError> {
        let Some(frame) = self.tables.frame(part.table) else {
            return Ok(Asked::nothing(part));
        };
        let expectation = if self.is_elsewhere {
            match part.expectation.elsewhere() {
                Ok(expectation) => expectation,
                Err(why) => {
                    return Ok(Asked { lack: Some(Lack::Elsewhere(why)), ..Asked::nothing(part) });
                }
            }
        } else {
            part.expectation.clone()
        };
        let rows = self.rows(frame, part);
        let lack = if rows.is_empty() { self.lack(frame, part) } else { None };
        let found = self.found(index, part, &rows, Confidence::USUAL)?;
        let cells = found.cells;
        // One value alone has the usual confidence.
        let together = match cells.len() {
            0 | 1 => cells.clone(),
            many => self.found(index, part, &rows, Confidence::of_each(many))?.cells,
        };
        let runs = frame.runs(cells.iter().flat_map(|cell| cell.rows.iter().copied()));
        Ok(Asked { part, expectation, cells, together, runs, lack, ..found.counts })
    }

    /// The cells of `rows` with intervals of `confidence`.
    fn found<'p>(
        &self,
        index: usize,
        part: &'p Part,
        rows: &[usize],
        confidence: Confidence,
    ) -> Result<Found<'p>, EvaluateError> {
        let mut counts = Asked::nothing(part);
        let Some(frame) = self.tables.frame(part.table) else {
            return Ok(Found { cells: Vec::new(), counts });
        };
        let cells =
            rows.iter().filter_map(|&row| Cell::of_row(frame, row, &part.value, confidence));
        let cells: Vec<_> = cells.collect();
        counts.valueless = rows.len() - cells.len();
        let (mut cells, alone) = self.contrasted(index, part, cells, confidence)?;
        if part.table == Table::Clients {
            // Queue pairs of one run: how they differ says nothing of how runs do.
            for cell in &mut cells {
                cell.estimate.origin = cell.estimate.origin.max(Origin::WithinRun);
            }
        }
        counts.alone = alone;
        counts.profiles = report::profiles(frame, &cells);
        counts.found = cells.len();
        // That there are none of a kind is said only of a machine that the part asks about.
        let cells = if rows.is_empty() && !self.speaks(frame, part) {
            Vec::new()
        } else {
            part.aggregate.apply(cells, part.counted, confidence)
        };
        Ok(Found { cells, counts })
    }

    /// What the part's contrasts make of `cells`, as it is to be told, and how many cells had
    /// nothing to be compared with.
    fn contrasted(
        &self,
        index: usize,
        part: &Part,
        mut cells: Vec<Cell>,
        confidence: Confidence,
    ) -> Result<(Vec<Cell>, usize), EvaluateError> {
        let mut alone = 0;
        for contrast in &part.contrasts {
            let compared = contrast.apply(&cells, part.scale, confidence).map_err(|ambiguous| {
                EvaluateError::Ambiguous {
                    id: self.claim.id.clone(),
                    part: index + 1,
                    factor: contrast.factor.clone(),
                    source_word: self.source,
                    names: ambiguous.names,
                }
            })?;
            cells = compared.cells;
            alone += compared.alone;
        }
        for cell in &mut cells {
            cell.estimate = part.scale.tell(cell.estimate);
        }
        Ok((cells, alone))
    }

    /// Whether the frame has rows of this source and machine, and the part asks for such.
    fn speaks(&self, frame: &Frame, part: &Part) -> bool {
        let filters = part.filters_of(self.source).flatten();
        let of_machine = filters.filter(|(column, _)| *column == "profile");
        !self.admitted(frame, of_machine).is_empty()
    }

    /// Rows that the part asks for.
    fn rows(&self, frame: &Frame, part: &Part) -> Vec<usize> {
        let mut filters: Vec<_> = part.filters_of(self.source).flatten().collect();
        let valid = (VALID.to_owned(), Level::only("true"));
        let asks_validity = filters.iter().any(|(column, _)| *column == VALID);
        if part.table != Table::Conditions && !asks_validity {
            filters.push((&valid.0, &valid.1));
        }
        self.admitted(frame, filters.into_iter())
    }

    /// Why the part found no row, if there is more to say than that.
    fn lack(&self, frame: &Frame, part: &Part) -> Option<Lack> {
        if self.admitted(frame, std::iter::empty()).is_empty() {
            return Some(Lack::Table);
        }
        let filters = part.filters_of(self.source).flatten();
        let rows = self.admitted(frame, filters.filter(|(column, _)| *column != VALID));
        let doubts = rows.iter().filter_map(|&row| frame.cell(row, "doubts"));
        let doubts: BTreeSet<_> = doubts.map(ToString::to_string).collect();
        (!rows.is_empty()).then_some(Lack::Valid { rows: rows.len(), doubts })
    }

    /// Rows of this source and machine that pass all `filters`.
    fn admitted<'f>(
        &self,
        frame: &Frame,
        filters: impl Iterator<Item = (&'f String, &'f Level)>,
    ) -> Vec<usize> {
        let mut rows: Vec<_> =
            (0..frame.len()).filter(|&row| frame.source(row) == self.source).collect();
        let mut keep = |column: &str, level: &Level| {
            let (cells, is_list) = (frame.cells(column), frame.is_list(column));
            rows.retain(|&row| level.admits(cells.get(row), is_list));
        };
        if let Some(machine) = self.machine {
            keep("profile", &Level::only(machine));
        }
        for (column, level) in filters {
            keep(column, level);
        }
        rows
    }
}
