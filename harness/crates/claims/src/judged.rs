//! A part of a claim, judged in both readings.

use std::collections::BTreeSet;

use onesided_results::vocabulary::{Answer, Quantifier, Verdict};

use crate::{
    cell::Cell,
    expectation::Expectation,
    named::{Certain, Named, named},
    report::Asked,
    value::{Confidence, Estimate, mean_by_spread, number},
    verdict::{Answers, Reading, joined, strict},
};

/// Fewest values whose mean says something of most settings.
const FEWEST_OF_A_MEAN: usize = 3;

/// What the values of a part say in one reading.
#[derive(Clone, Debug)]
pub struct Judged {
    /// What each says.
    pub answers: Vec<Answers>,
    /// Their mean and what it says, of a sentence about most of them, where it says something.
    pub mean: Option<(Estimate, Answer)>,
    /// Where the sentence certainly holds and where it certainly fails, if a factor parts them.
    pub named: Option<Named>,
    /// What they say together.
    pub verdict: Verdict,
}

impl Judged {
    /// Judges `asked`.
    pub fn of(quantifier: Quantifier, asked: &Asked<'_>, reading: Reading) -> Self {
        let expectation = &asked.expectation;
        let pairs = asked.cells.iter().zip(&asked.together);
        let answers: Vec<_> = pairs
            .map(|(alone, together)| {
                Answers::of(&alone.estimate, &together.estimate, expectation, reading)
            })
            .collect();
        let is_of_most = quantifier == Quantifier::Typically;
        let mean = if is_of_most && reading == Reading::Strict {
            of_mean(&asked.cells, expectation)
        } else {
            None
        };
        let certain: Vec<_> = answers.iter().map(|&answers| certain(quantifier, answers)).collect();
        let named = named(&asked.cells, &certain);
        let verdict =
            match joined(quantifier, &answers, mean.map_or(Answer::Unsure, |(_, answer)| answer)) {
                _ if is_of_most && named.is_some() => Verdict::TrueInPart,
                verdict => verdict,
            };
        Self { answers, mean, named, verdict }
    }
}

fn certain(quantifier: Quantifier, answers: Answers) -> Certain {
    if answers.holds(quantifier) {
        Certain::Holds
    } else if answers.fails(quantifier) {
        Certain::Fails
    } else {
        Certain::Unsure
    }
}

/// What the mean of `cells` says, if they are enough: most points agree, and all of the mean's
/// interval; or most do not, and none of it.
///
/// Cells that have a run in common, as those compared with one base, are off together: they are
/// averaged first, and what counts is how these averages vary.
fn of_mean(cells: &[Cell], expectation: &Expectation) -> Option<(Estimate, Answer)> {
    let apart: Vec<_> = apart(cells)
        .into_iter()
        .map(|group| {
            let points: Vec<_> = group.iter().map(|cell| cell.estimate.point).collect();
            Estimate::bare(points.iter().sum::<f64>() / number(points.len()))
        })
        .collect();
    if apart.len() < FEWEST_OF_A_MEAN {
        return None;
    }
    let agree = cells.iter().filter(|cell| expectation.holds(cell.estimate.point)).count();
    let mean = mean_by_spread(&apart, Confidence::USUAL);
    match strict(&mean, expectation) {
        Answer::Holds if 2 * agree > cells.len() => Some((mean, Answer::Holds)),
        fails if fails.fails() && 2 * agree < cells.len() => Some((mean, fails)),
        _ => None,
    }
}

/// The cells in groups of which no two have a run in common.
fn apart(cells: &[Cell]) -> Vec<Vec<&Cell>> {
    let mut groups: Vec<(BTreeSet<usize>, Vec<&Cell>)> = Vec::new();
    for cell in cells {
        let (joined, others): (Vec<_>, Vec<_>) =
            groups.into_iter().partition(|(rows, _)| !rows.is_disjoint(&cell.rows));
        groups = others;
        let mut group = (cell.rows.clone(), vec![cell]);
        for (rows, members) in joined {
            group.0.extend(rows);
            group.1.extend(members);
        }
        groups.push(group);
    }
    groups.into_iter().map(|(_, members)| members).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::expectation::ExpectationText;

    fn cell(rows: &[usize], point: f64) -> Cell {
        Cell {
            key: [].into(),
            estimate: Estimate::bare(point),
            origins: [].into(),
            rows: rows.iter().copied().collect(),
            over: [].into(),
        }
    }

    fn mean(cells: &[Cell], text: &str) -> Answer {
        let expectation = toml::from_str::<ExpectationText>(text).unwrap().check().unwrap();
        of_mean(cells, &expectation).map_or(Answer::Unsure, |(_, answer)| answer)
    }

    #[test]
    fn most_points_and_all_of_the_mean_must_agree() {
        let cells = [(1, 9.0), (2, 10.0), (3, 11.0)].map(|(row, point)| cell(&[row], point));
        // Student's interval of three with deviation 1 is 10 ± 2.48.
        assert_eq!(mean(&cells, "at-least = 7"), Answer::Holds);
        assert_eq!(mean(&cells, "at-least = 8"), Answer::Unsure);
        assert_eq!(mean(&cells, "at-least = 13"), Answer::Below);
        assert_eq!(mean(&cells[..2], "at-least = 0"), Answer::Unsure, "two are too few");
    }

    #[test]
    fn cells_that_share_a_run_count_once() {
        let shared = [(1, 9.0), (2, 10.0), (3, 11.0)].map(|(row, point)| cell(&[0, row], point));
        assert_eq!(mean(&shared, "at-least = 0"), Answer::Unsure);
        let bridged = [cell(&[1, 2], 1.0), cell(&[3, 4], 1.0), cell(&[2, 3], 1.0), cell(&[9], 1.0)];
        let sizes: Vec<_> = apart(&bridged).iter().map(Vec::len).collect();
        assert_eq!(sizes, [3, 1]);
    }
}
