//! How a verdict came about: a sentence, then the numbers.

use onesided_results::{
    vocabulary::{Answer, Basis, Quantifier, Verdict, counted},
    word::Word as _,
};

use super::{Asked, first_found};
use crate::{
    aggregate::Aggregate,
    cell::{Cell, name, told_value},
    columns::Table,
    contrast::add,
    judged::Judged,
    value::{Estimate, Origin, Origins},
};

/// What is told of a claim's parts, judged strictly and generously.
pub struct Told<'a> {
    /// Of how many cells the sentence speaks.
    pub quantifier: Quantifier,
    /// What was found.
    pub asked: &'a [Asked<'a>],
    /// By intervals.
    pub strict: &'a [Judged],
    /// The verdict by points.
    pub generous: Verdict,
    /// The verdict by intervals.
    pub verdict: Verdict,
    /// What a model's values are worth.
    pub basis: Option<Basis>,
}

impl Told<'_> {
    /// A sentence, then the numbers, in one line.
    pub fn line(&self) -> String {
        let asked = self.asked;
        let mut told: Vec<String> = Vec::new();
        if let Some(basis) = self.basis.filter(|&basis| basis != Basis::Predicted) {
            let is_evidence = matches!(self.verdict, Verdict::Contradicted | Verdict::TooImprecise);
            told.push(format!(
                "{}{}",
                if is_evidence { "" } else { "no evidence: " },
                worth(basis)
            ));
        }
        told.extend(self.sentences());
        if self.generous != self.verdict && self.basis.is_none_or(|b| b == Basis::Predicted) {
            told.push(format!("by points alone: {}", self.generous.word()));
        }
        let mut origins = Origins::new();
        for cell in asked.iter().flat_map(|asked| &asked.cells) {
            add(&mut origins, &cell.origins);
        }
        told.extend(behind(asked));
        told.extend(told_headline(asked));
        told.extend(worst(asked));
        for (part, selected) in (1..).zip(asked.iter().map(selected)) {
            let of_part =
                |told| if asked.len() > 1 { format!("part {part}: {told}") } else { told };
            told.extend(selected.map(of_part));
        }
        origins.remove(&Origin::Fact);
        if !origins.is_empty() {
            let kinds: Vec<_> = origins
                .iter()
                .map(|(origin, count)| format!("{} {count}", origin.told()))
                .collect();
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
        told.join("; ")
    }

    /// A sentence for each part.
    fn sentences(&self) -> Vec<String> {
        let parts = self.strict.iter().zip(self.asked);
        let one = |judged: &Judged, asked: &Asked<'_>| {
            if asked.cells.is_empty() {
                return super::nothing_found(std::slice::from_ref(asked));
            }
            sentence(self.quantifier, judged)
        };
        if let [judged] = self.strict {
            return vec![one(judged, &self.asked[0])];
        }
        let numbered = (1..).zip(parts).map(|(part, (judged, asked))| {
            format!("part {part} {}: {}", judged.verdict.word(), one(judged, asked))
        });
        numbered.collect()
    }
}

fn worth(basis: Basis) -> &'static str {
    match basis {
        Basis::PutIn => "the model was given this number",
        Basis::Chosen => "a part of the model was chosen with this number in sight",
        Basis::Fitted => "the model was fitted to what this sentence is about",
        Basis::Predicted => "the model predicts it",
    }
}

/// How many values hold, fail and are unsure, and where.
fn sentence(quantifier: Quantifier, judged: &Judged) -> String {
    let answers = &judged.answers;
    let all = answers.len();
    let hold = answers.iter().filter(|answer| answer.holds(quantifier)).count();
    let fail = answers.iter().filter(|answer| answer.fails(quantifier)).count();
    let values = if all == 1 { "value" } else { "values" };
    if quantifier == Quantifier::UpTo {
        let exceed = answers.iter().filter(|answer| answer.together == Answer::Above).count();
        return format!(
            "{hold} of {all} {values} certainly reach it, {exceed} certainly exceed it, {fail} are \
             certainly less"
        );
    }
    if let Some(named) = judged.named.as_ref().filter(|_| judged.verdict != Verdict::Supported) {
        return format!("certainly holds for {}, certainly fails for {}", named.holds, named.fails);
    }
    let mut told = format!("of {all} {values} {hold} certainly hold");
    if all == 1 {
        told = match (hold, fail) {
            (1, _) => "the value certainly holds".to_owned(),
            (_, 1) => "the value certainly fails".to_owned(),
            _ => "the value is unsure".to_owned(),
        };
        return told;
    }
    told.push_str(&format!(", {fail} certainly fail, {} are unsure", all - hold - fail));
    if let Some((mean, answer)) = judged.mean {
        told.push_str(&format!(
            ", and their mean, {}, {}",
            told_estimate(&mean),
            certainly(answer)
        ));
    }
    told
}

fn certainly(answer: Answer) -> &'static str {
    match answer {
        Answer::Holds => "certainly holds",
        Answer::Below => "certainly fails: it is smaller",
        Answer::Above => "certainly fails: it is larger",
        Answer::Unsure => "is unsure",
    }
}

fn told_estimate(estimate: &Estimate) -> String {
    told_value(estimate.point, estimate.interval.map(|ends| (ends.low, ends.high)))
}

/// How many runs are behind the values, how many measurements that are not runs, and how many
/// points and limits that nobody measured.
fn behind(asked: &[Asked<'_>]) -> impl Iterator<Item = String> {
    let noun = |asked: &Asked<'_>| match asked.part.table {
        Table::Shapes => "simulated point",
        Table::PcieOperations => "computed limit",
        table if table.writer().is_some() => "measurement",
        _ => "run",
    };
    let kinds = ["run", "measurement", "simulated point", "computed limit"];
    kinds.into_iter().filter_map(move |kind| {
        let of_kind: Vec<_> = asked.iter().filter(|asked| noun(asked) == kind).collect();
        let count: u32 = of_kind.iter().map(|asked| asked.runs).sum();
        (!of_kind.is_empty()).then(|| counted(count, kind))
    })
}

/// The value that is farthest from what is expected, if any is not.
fn worst(asked: &[Asked<'_>]) -> Option<String> {
    let distances = asked.iter().flat_map(|asked| {
        asked
            .cells
            .iter()
            .map(move |cell| (asked.expectation.distance(cell.estimate.point), cell, &asked.cells))
    });
    let farthest = distances.reduce(|a, b| if b.0 > a.0 { b } else { a });
    let (_, cell, cells) = farthest.filter(|(distance, ..)| *distance > 0.0)?;
    let value = told_estimate(&cell.estimate);
    match name(cell, cells) {
        name if name.is_empty() => Some(format!("value {value}")),
        name => Some(format!("farthest: {value} at {name}")),
    }
}

/// What the row's value, low and high are, where that is not one value with its interval.
fn told_headline(asked: &[Asked<'_>]) -> Option<String> {
    let (part, first) = first_found(asked)?;
    let of_part = (asked.len() > 1).then(|| format!("value of part {part}"));
    let cells = &first.cells;
    if cells.len() < 2 {
        return of_part;
    }
    let median = format!("median of {} values", cells.len());
    let mut told = of_part.map_or_else(|| median.clone(), |part| format!("{part}: {median}"));
    let mut intervals = cells.iter().filter_map(|cell| cell.estimate.interval).peekable();
    if intervals.peek().is_some() {
        let are_points = intervals.all(|interval| interval.low == interval.high);
        told.push_str(", [low, high] spans ");
        told.push_str(if are_points { "them" } else { "their intervals" });
    }
    Some(told)
}

/// That the value is the extreme of many, where it is: more extreme than another run would be.
fn selected(asked: &Asked<'_>) -> Option<String> {
    let extreme = match asked.part.aggregate {
        Aggregate::Min => "smallest",
        Aggregate::Max => "largest",
        _ => return None,
    };
    let [Cell { estimate: Estimate { interval, .. }, .. }] = &asked.cells[..] else {
        return None;
    };
    let of = (asked.found > 1).then(|| format!("{extreme} of {}", asked.found))?;
    let has_none = interval.is_none_or(|interval| interval.low == interval.high);
    Some(if has_none { of } else { format!("{of}: its interval does not allow for that") })
}
