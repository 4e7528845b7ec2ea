use onesided_estimate::bootstrap::Interval;
use proptest::prelude::*;

use super::*;
use crate::{expectation::ExpectationText, value::Origin};

fn expectation(text: &str) -> Expectation {
    toml::from_str::<ExpectationText>(text).unwrap().check().unwrap()
}

fn estimate(low: f64, point: f64, high: f64) -> Estimate {
    let interval = Some(Interval { low, high });
    Estimate { point, interval, origin: Origin::LikeConditions, freedom: 9.0 }
}

fn strict(low: f64, point: f64, high: f64, text: &str) -> Answer {
    super::strict(&estimate(low, point, high), &expectation(text))
}

fn generous(low: f64, point: f64, high: f64, text: &str) -> Answer {
    super::generous(&estimate(low, point, high), &expectation(text))
}

#[test]
fn strictly_all_of_the_interval_must_agree_or_none() {
    const RANGE: &str = "range = [3, 5]\nno-effect = 0";
    assert_eq!(strict(3.0, 4.0, 5.0, RANGE), Answer::Holds);
    assert_eq!(strict(2.9, 4.0, 5.0, RANGE), Answer::Unsure);
    assert_eq!(strict(2.0, 2.5, 3.0, RANGE), Answer::Unsure, "it reaches the lower end");
    assert_eq!(strict(2.0, 2.5, 2.9, RANGE), Answer::Below);
    assert_eq!(strict(5.1, 6.0, 7.0, RANGE), Answer::Above);
    assert_eq!(strict(-2.4, 0.0, 2.4, "equal = 0\ntolerance = 2.5"), Answer::Holds);
}

#[test]
fn generously_the_point_must_agree_or_the_interval_not_reach() {
    const RANGE: &str = "range = [3, 5]\nno-effect = 0";
    assert_eq!(generous(-9.0, 4.0, 9.0, RANGE), Answer::Holds);
    assert_eq!(generous(2.0, 2.5, 3.0, RANGE), Answer::Unsure);
    assert_eq!(generous(2.0, 2.5, 2.9, RANGE), Answer::Below);
}

#[test]
fn an_end_that_means_no_effect_does_not_agree() {
    const MORE: &str = "at-least = 0\nno-effect = 0";
    assert_eq!(strict(0.0, 0.0, 0.0, MORE), Answer::Below);
    assert_eq!(strict(0.0, 1.0, 2.0, MORE), Answer::Unsure);
    assert_eq!(strict(0.1, 1.0, 2.0, MORE), Answer::Holds);
    assert_eq!(strict(0.0, 1.0, 2.0, "at-least = 0"), Answer::Holds);
}

#[test]
fn what_is_not_over_runs_is_never_certain() {
    for origin in [Origin::WithinRun, Origin::None] {
        let estimate = Estimate { origin, ..estimate(3.0, 4.0, 5.0) };
        assert_eq!(super::strict(&estimate, &expectation("at-least = 9")), Answer::Unsure);
        assert_eq!(super::generous(&estimate, &expectation("at-least = 9")), Answer::Below);
    }
    let bare = Estimate::bare(4.0);
    assert_eq!(super::strict(&bare, &expectation("at-least = 3")), Answer::Unsure);
    assert_eq!(super::generous(&bare, &expectation("at-least = 3")), Answer::Holds);
}

/// Answers from letters: holds, below, above, unsure; "H" and "B" only by itself, not among others.
fn answers(letters: &str) -> Vec<Answers> {
    let one = |letter| {
        let (alone, together) = match letter {
            'h' => (Answer::Holds, Answer::Holds),
            'H' => (Answer::Holds, Answer::Unsure),
            'b' => (Answer::Below, Answer::Below),
            'B' => (Answer::Below, Answer::Unsure),
            'a' => (Answer::Above, Answer::Above),
            _ => (Answer::Unsure, Answer::Unsure),
        };
        Answers { alone, together, reaches: matches!(together, Answer::Holds | Answer::Above) }
    };
    letters.chars().map(one).collect()
}

fn verdict(quantifier: Quantifier, letters: &str) -> Verdict {
    joined(quantifier, &answers(letters), Answer::Unsure)
}

#[test]
fn one_certain_counterexample_contradicts_all() {
    use Verdict::{Contradicted, NotTestable, Supported, TooImprecise};
    let all = |letters| verdict(Quantifier::All, letters);
    assert_eq!(all("hhH"), Supported, "they err only together: each is asked by itself");
    assert_eq!(all("hhhhhhhhhb"), Contradicted);
    assert_eq!(all("hhhB"), TooImprecise, "a counterexample is searched for among many");
    assert_eq!(all("hh-"), TooImprecise);
    assert_eq!(all(""), NotTestable);
}

#[test]
fn typically_is_more_than_half_for_certain() {
    use Verdict::{Contradicted, Supported, TooImprecise};
    let typically = |letters| verdict(Quantifier::Typically, letters);
    assert_eq!(typically("hh-"), Supported);
    assert_eq!(typically("hhb"), Supported, "exceptions are allowed");
    assert_eq!(typically("hb"), Contradicted, "half is not most");
    assert_eq!(typically("hHH-"), TooImprecise);
    assert_eq!(typically("h--b"), TooImprecise);
    let by_mean = |letters, mean| joined(Quantifier::Typically, &answers(letters), mean);
    assert_eq!(by_mean("----", Answer::Holds), Supported);
    assert_eq!(by_mean("----", Answer::Above), Contradicted);
    assert_eq!(by_mean("", Answer::Holds), Verdict::NotTestable);
}

#[test]
fn up_to_is_reached_and_not_exceeded() {
    use Verdict::{Contradicted, Supported, TooImprecise};
    let up_to = |letters| verdict(Quantifier::UpTo, letters);
    assert_eq!(up_to("bbh"), Supported);
    assert_eq!(up_to("bbb"), Contradicted, "nothing comes near");
    assert_eq!(up_to("hha"), Contradicted, "it is exceeded");
    assert_eq!(up_to("bb-"), TooImprecise);
    let wide = estimate(260.0, 340.0, 420.0);
    let expected = expectation("range = [300, 300]\ntolerance = 50\nno-effect = 0");
    let found = Answers::of(&wide, &wide, &expected, Reading::Strict);
    assert_eq!((found.together, found.reaches), (Answer::Unsure, true));
    assert_eq!(joined(Quantifier::UpTo, &[found], Answer::Unsure), Supported);
}

#[test]
fn one_is_enough_for_can_and_too_many_for_none() {
    use Verdict::{Contradicted, Supported, TooImprecise};
    assert_eq!(verdict(Quantifier::AtLeastOne, "bbh"), Supported);
    assert_eq!(verdict(Quantifier::AtLeastOne, "bbB"), Contradicted);
    assert_eq!(verdict(Quantifier::AtLeastOne, "bbH"), TooImprecise);
    assert_eq!(verdict(Quantifier::None, "bbB"), Supported);
    assert_eq!(verdict(Quantifier::None, "bbh"), Contradicted);
    assert_eq!(verdict(Quantifier::None, "bb-"), TooImprecise);
}

#[test]
fn parts_are_all_said_by_one_sentence() {
    use Verdict::{Contradicted, NotTestable, Supported, TooImprecise, TrueInPart};
    let of = |parts: &[Verdict]| of_parts(Quantifier::Typically, parts);
    assert_eq!(of(&[Supported, Supported]), Supported);
    assert_eq!(of(&[Supported, TooImprecise]), TooImprecise);
    assert_eq!(of(&[Supported, Contradicted]), TrueInPart);
    assert_eq!(of(&[TooImprecise, Contradicted]), Contradicted);
    assert_eq!(of(&[Supported, NotTestable]), NotTestable);
    assert_eq!(of(&[Contradicted, NotTestable]), Contradicted);
    assert_eq!(of(&[TrueInPart, Supported]), TrueInPart);
    assert_eq!(of(&[NotTestable]), NotTestable);
    assert_eq!(of(&[]), NotTestable);
    assert_eq!(of_parts(Quantifier::All, &[Supported, Contradicted]), Contradicted);
}

/// What says the opposite: of the quantifier, and of the value.
fn negated(quantifier: Quantifier) -> Quantifier {
    match quantifier {
        Quantifier::All => Quantifier::AtLeastOne,
        Quantifier::AtLeastOne => Quantifier::All,
        other => other,
    }
}

proptest! {
    /// "All are at least 3" and "one is less than 3"; "most are" and "most are not"; and so on.
    #[test]
    fn a_sentence_and_its_negation_are_never_both_supported(
        cells in prop::collection::vec((-1.0..1.0_f64, 0.0..1.5_f64, 0.0..1.5_f64), 1..9),
        wider in 1.0..3.0_f64,
        quantifier in prop::sample::select(vec![
            Quantifier::All, Quantifier::Typically, Quantifier::AtLeastOne,
        ]),
        reading in prop::sample::select(vec![Reading::Strict, Reading::Generous]),
    ) {
        let verdict = |text: &str, quantifier| {
            let expectation = expectation(text);
            let of = |&(point, below, above): &(f64, f64, f64)| {
                let alone = estimate(point - below, point, point + above);
                let together = estimate(point - wider * below, point, point + wider * above);
                Answers::of(&alone, &together, &expectation, reading)
            };
            joined(quantifier, &cells.iter().map(of).collect::<Vec<_>>(), Answer::Unsure)
        };
        let more = verdict("at-least = 0\nno-effect = 0", quantifier);
        let less = verdict("at-most = 0\nno-effect = 0", negated(quantifier));
        prop_assert!(
            (more, less) != (Verdict::Supported, Verdict::Supported),
            "{cells:?}"
        );
        // "None is more than 0" denies that one is.
        let none = verdict("at-least = 0\nno-effect = 0", Quantifier::None);
        let one = verdict("at-least = 0\nno-effect = 0", Quantifier::AtLeastOne);
        prop_assert!((none, one) != (Verdict::Supported, Verdict::Supported), "{cells:?}");
    }
}
