//! Verdicts and the values behind them, of answers that are asked for once.

use super::*;

/// What `evaluating` asks, in its order.
fn questions(evaluating: impl FnOnce()) -> Vec<(String, Source)> {
    QUESTIONS.take();
    evaluating();
    QUESTIONS.take()
}

#[test]
fn each_claim_is_asked_once_of_each_source_for_its_verdict_and_the_values_behind_it() {
    let simulated = |run: RunRow| RunRow { source: Source::Simulated, ..run };
    let runs: Vec<_> =
        pair(8, 0.9).into_iter().chain(pair(64, 1.2).into_iter().map(simulated)).collect();
    let tables = tables(&runs);
    let more = "sources = ['measured', 'simulated']\nbasis = 'predicted'";
    let both = claims(more, LOSS).0.into_iter();
    let both = both.map(|claim| Claim { id: "of-both".to_owned(), ..claim });
    let mut claims = claims("", LOSS);
    claims.0.extend(both);

    let mut evaluation = None;
    let asked = questions(|| evaluation = Some(evaluate_with_cells(&claims, &tables).unwrap()));
    let expected =
        [("loss", Source::Measured), ("of-both", Source::Measured), ("of-both", Source::Simulated)];
    assert_eq!(asked, expected.map(|(id, source)| (id.to_owned(), source)));

    // What is told together is what is told alone.
    let Evaluation { verdicts, cells: values } = evaluation.unwrap();
    assert_eq!((verdicts.len(), values.len()), (4, 3));
    assert_eq!(verdicts, evaluate(&claims, &tables).unwrap());
    assert_eq!(values, cells(&claims, &tables).unwrap());
}
