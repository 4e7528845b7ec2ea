//! What the data says to a claim: the one place where a verdict is made.
//!
//! # A cell
//! Read *strictly*, a cell answers by its interval: it *holds* if all of the interval agrees with
//! the sentence, *fails* if none of it does, and else it is *unsure*. A cell whose interval is not
//! over runs (`Origin::is_over_runs`) is unsure whatever it
//! says. Read *generously*, as the authors of a figure read its points, a cell holds if its point
//! agrees, and fails if neither point nor 95 % interval does.
//!
//! # A part of a claim
//! Cells are joined as the sentence's quantifier says. With `n` cells, intervals are of 95 % where
//! every cell must be sure of its answer for the verdict, since then they err only together
//! (Berger 1982), and else of `1 - 5 % / n` (Bonferroni), so that all of them together have 95 %.
//!
//! | quantifier | supported | contradicted |
//! |---|---|---|
//! | all | every cell holds | a cell fails |
//! | typically | more than half hold, or the mean does (below) | half or more fail, or the mean does |
//! | up-to | a cell reaches what is said, none exceeds it | all are below it, or one exceeds it |
//! | at-least-one | a cell holds | every cell fails |
//! | none | every cell fails | a cell holds |
//!
//! *The mean does*: more than half of the points agree, and so does all of Student's 95 % interval of
//! the mean of three or more cells; or fewer than half, and none of it. Cells with a run in common are
//! averaged first. This is what says something where no run was repeated.
//!
//! Else the part is *too imprecise*. A part that speaks of most cells is *true in part* instead
//! where a factor parts the cells in which it certainly holds from those in which it certainly
//! fails (`named`).
//!
//! # A claim
//! Supported if all parts are; contradicted if one is and no other holds, or the sentence speaks of
//! all; true in part if one is, or some parts hold and others fail; not testable if nothing answers
//! to a part; else too imprecise.
//!
//! So a sentence and its negation are never both supported: for each row of the table, what supports
//! one excludes what supports the other.

use onesided_results::vocabulary::{Answer, Quantifier, Verdict};

use crate::{expectation::Expectation, value::Estimate};

/// What a value says by its interval: all of it, or none.
pub fn strict(estimate: &Estimate, expectation: &Expectation) -> Answer {
    let interval = estimate.interval.filter(|_| estimate.origin.is_over_runs());
    match interval {
        None => Answer::Unsure,
        Some(ends) if expectation.is_below(ends.high) => Answer::Below,
        Some(ends) if expectation.is_above(ends.low) => Answer::Above,
        Some(ends) if expectation.holds(ends.low) && expectation.holds(ends.high) => Answer::Holds,
        Some(_) => Answer::Unsure,
    }
}

/// What it says by its point, unless the interval reaches what is said.
pub fn generous(estimate: &Estimate, expectation: &Expectation) -> Answer {
    let ends = estimate.interval.map_or((estimate.point, estimate.point), |i| (i.low, i.high));
    if expectation.holds(estimate.point) {
        Answer::Holds
    } else if expectation.is_below(ends.1) {
        Answer::Below
    } else if expectation.is_above(ends.0) {
        Answer::Above
    } else {
        Answer::Unsure
    }
}

/// How a value is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reading {
    /// By its interval.
    Strict,
    /// By its point.
    Generous,
}

/// What a value says at 95 %, and at the confidence that all values together have 95 % with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Answers {
    /// By itself.
    pub alone: Answer,
    /// Among the others.
    pub together: Answer,
    /// Whether it is certainly no smaller than what is said.
    pub reaches: bool,
}

impl Answers {
    /// Of a value with its interval by itself and among the others.
    pub fn of(
        alone: &Estimate,
        together: &Estimate,
        expectation: &Expectation,
        reading: Reading,
    ) -> Self {
        let judge = match reading {
            Reading::Strict => strict,
            Reading::Generous => generous,
        };
        let (alone, together) = match reading {
            Reading::Strict => (alone, together),
            Reading::Generous => (alone, alone),
        };
        let reached = Expectation { high: None, ..expectation.clone() };
        Self {
            alone: judge(alone, expectation),
            together: judge(together, expectation),
            reaches: judge(together, &reached) == Answer::Holds,
        }
    }

    /// Whether the value is certainly as said, for a sentence with that quantifier.
    pub fn holds(self, quantifier: Quantifier) -> bool {
        match quantifier {
            Quantifier::UpTo => self.reaches,
            Quantifier::All => self.alone == Answer::Holds,
            _ => self.together == Answer::Holds,
        }
    }

    /// Whether it is certainly not.
    pub fn fails(self, quantifier: Quantifier) -> bool {
        match quantifier {
            Quantifier::UpTo => self.alone == Answer::Below,
            Quantifier::AtLeastOne | Quantifier::None => self.alone.fails(),
            _ => self.together.fails(),
        }
    }
}

/// The verdict of a part whose cells say `answers`, but for names; `mean` is what their mean says,
/// if it says something.
pub fn joined(quantifier: Quantifier, answers: &[Answers], mean: Answer) -> Verdict {
    let hold = answers.iter().filter(|answer| answer.holds(quantifier)).count();
    let fail = answers.iter().filter(|answer| answer.fails(quantifier)).count();
    let all = answers.len();
    let (supported, contradicted) = match quantifier {
        _ if all == 0 => return Verdict::NotTestable,
        Quantifier::All => (hold == all, fail > 0),
        Quantifier::Typically => {
            (2 * hold > all || mean == Answer::Holds, 2 * fail >= all || mean.fails())
        }
        Quantifier::AtLeastOne => (hold > 0, fail == all),
        Quantifier::None => (fail == all, hold > 0),
        Quantifier::UpTo => {
            let exceeds = answers.iter().any(|answer| answer.together == Answer::Above);
            (hold > 0 && !exceeds, fail == all || exceeds)
        }
    };
    match (supported, contradicted) {
        (true, _) => Verdict::Supported,
        (false, true) => Verdict::Contradicted,
        (false, false) => Verdict::TooImprecise,
    }
}

/// The verdict of a claim whose parts have these.
pub fn of_parts(quantifier: Quantifier, parts: &[Verdict]) -> Verdict {
    let any = |wanted| parts.contains(&wanted);
    let holds_somewhere = any(Verdict::Supported) || any(Verdict::TrueInPart);
    if parts.iter().all(|&part| part == Verdict::NotTestable) {
        Verdict::NotTestable
    } else if any(Verdict::Contradicted) {
        let is_of_all = quantifier == Quantifier::All;
        if holds_somewhere && !is_of_all { Verdict::TrueInPart } else { Verdict::Contradicted }
    } else if any(Verdict::NotTestable) {
        Verdict::NotTestable
    } else if any(Verdict::TrueInPart) {
        Verdict::TrueInPart
    } else if any(Verdict::TooImprecise) {
        Verdict::TooImprecise
    } else {
        Verdict::Supported
    }
}

#[cfg(test)]
mod tests;
