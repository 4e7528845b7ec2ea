mod asked;
mod fixture;
mod memory;
mod told;

use std::path::{Path, PathBuf};

use onesided_results::{
    RunRow,
    row::ClientRow,
    table::{Row as _, write_table},
    vocabulary::{Operation, Quantifier, Verdict},
};

use super::*;
use crate::ask::QUESTIONS;
use fixture::{client, pair, remote, run, tables, with};

/// A claim that remote reads lose as `expect` says; `more` are keys of the claim.
fn claims(more: &str, expect: &str) -> Claims {
    let text = format!(
        "sources = ['measured', 'published']\n[[claim]]\nid = 'loss'\npaper = 'paper'\n\
         section = 'V'\nquote = 'remote reads are slower'\nunit = '% loss'\nfigure = 'none'\nquantifier = 'typically'\n{more}\n\
         [[claim.part]]\nwhere = {{ operation = 'read' }}\nvalue = 'throughput_ops'\n\
         contrast = [{{ factor = 'locality', of = 'rdma-remote', over = 'rdma-local' }}]\n\
         as = 'loss-percent'\nexpect = {{ {expect} }}\n"
    );
    Claims::parse(Path::new("claims.toml"), &text).unwrap()
}

const LOSS: &str = "range = [5, 15], no-effect = 0";

fn only(runs: &[RunRow], claims: &Claims) -> ClaimRow {
    let rows = evaluate(claims, &tables(runs)).unwrap();
    let [row] = &rows[..] else { panic!("{rows:#?}") };
    row.clone()
}

#[test]
fn a_claim_is_supported_if_most_values_certainly_agree() {
    let row = only(&[pair(8, 0.9), pair(64, 0.92)].concat(), &claims("", LOSS));
    assert_eq!((row.verdict, row.profile.as_deref()), (Verdict::Supported, Some("cluster")));
    assert_eq!(row.value, Some(9.0), "the median of 10 and 8");
    assert!(row.low < Some(8.0) && row.high > Some(10.0), "{row:?}");
    assert_eq!(
        row.why,
        "of 2 values 2 certainly hold, 0 certainly fail, 0 are unsure; 12 runs; median of 2 values, \
         [low, high] spans their intervals; intervals from: runs of like conditions 4"
    );
    assert_eq!((row.expected.as_str(), row.quote.as_str()), ("5 to 15", "remote reads are slower"));
    assert_eq!((row.generous, row.quantifier), (Verdict::Supported, Some(Quantifier::Typically)));
}

#[test]
fn a_claim_is_true_in_part_if_a_factor_parts_where_it_holds_from_where_it_fails() {
    let runs = [pair(8, 0.9), pair(64, 1.2)].concat();
    let row = only(&runs, &claims("", LOSS));
    assert_eq!(row.verdict, Verdict::TrueInPart);
    let named = "certainly holds for access_bytes 8 (1 of 2), certainly fails for access_bytes 64 \
                 (1 of 2); 12 runs; median of 2";
    assert!(row.why.starts_with(named), "{}", row.why);
    assert!(row.why.contains("; farthest: -20 ["), "{}", row.why);
    assert!(row.why.contains("at access_bytes 64;"), "{}", row.why);
    let all = claims("", LOSS).0.into_iter();
    let all = all.map(|claim| Claim { quantifier: Some(Quantifier::All), ..claim }).collect();
    let row = only(&runs, &Claims(all));
    assert_eq!(row.verdict, Verdict::Contradicted, "one certain counterexample is enough");
    assert!(row.why.starts_with("certainly holds for access_bytes 8"), "{}", row.why);
}

#[test]
fn a_claim_is_contradicted_if_values_certainly_disagree() {
    let row = only(&[pair(8, 1.1), pair(64, 1.2)].concat(), &claims("", LOSS));
    assert_eq!((row.verdict, row.generous), (Verdict::Contradicted, Verdict::Contradicted));
}

#[test]
fn runs_that_were_not_repeated_are_too_imprecise_and_generously_read_by_their_points() {
    let runs = [run(1, 1e6), remote(run(1, 0.9e6))];
    let row = only(&runs, &claims("", LOSS));
    assert_eq!((row.verdict, row.generous), (Verdict::TooImprecise, Verdict::Supported));
    let told = "the value is unsure; by points alone: supported; 2 runs; intervals from: within \
                single runs 2";
    assert_eq!(row.why, told);
    // Three settings that agree say it of settings like them.
    let three: Vec<_> = [8, 16, 32]
        .into_iter()
        .flat_map(|bytes| [1.0, 0.9].map(|share| (bytes, share)))
        .map(|(bytes, share)| {
            let run = RunRow { access_bytes: bytes, ..run(bytes, share * 1e6) };
            if share < 1.0 { remote(run) } else { run }
        })
        .collect();
    let row = only(&three, &claims("", LOSS));
    assert_eq!(row.verdict, Verdict::Supported, "{}", row.why);
    assert!(row.why.contains("3 are unsure, and their mean, 10, certainly holds;"), "{}", row.why);
}

#[test]
fn a_number_of_the_study_is_not_asked_of_another_machine_but_its_direction_is() {
    let with = |expect: &str| {
        let claims = claims("", expect).0.into_iter();
        let elsewhere = |claim| Claim { machines: vec!["nurdma".to_owned()], ..claim };
        only(&pair(8, 0.7), &Claims(claims.map(elsewhere).collect()))
    };
    let row = with(LOSS);
    assert_eq!(row.expected, "above 0 (its size is of the study's machines)");
    assert_eq!(row.verdict, Verdict::Supported);
    let row = with("range = [5, 15]");
    assert_eq!(row.verdict, Verdict::NotTestable);
    assert_eq!(row.why, "the number is one of the study's machines");
    let row = with("equal = 0, tolerance = 2.5");
    assert_eq!((row.verdict, row.expected.as_str()), (Verdict::Contradicted, "0 ± 2.5"));
    let of_it = claims("", LOSS).0.into_iter();
    let of_it = of_it.map(|claim| Claim { machines: vec!["cluster".to_owned()], ..claim });
    assert_eq!(only(&pair(8, 0.7), &Claims(of_it.collect())).verdict, Verdict::Contradicted);
}

#[test]
fn a_model_that_was_given_what_it_is_asked_is_no_evidence_for_it() {
    let runs = |share| {
        let simulated = |run: RunRow| RunRow { source: Source::Simulated, ..run };
        pair(8, share).into_iter().map(simulated).collect::<Vec<_>>()
    };
    let verdict = |basis: &str, share| {
        let more = format!("sources = ['simulated']\nbasis = '{basis}'");
        let row = only(&runs(share), &claims(&more, LOSS));
        (row.verdict, row.why)
    };
    assert_eq!(verdict("predicted", 0.9).0, Verdict::Supported);
    for (basis, worth) in [
        ("fitted", "no evidence: the model was fitted to what this sentence is about; "),
        ("chosen", "no evidence: a part of the model was chosen with this number in sight; "),
        ("put-in", "no evidence: the model was given this number; "),
    ] {
        let (found, why) = verdict(basis, 0.9);
        assert_eq!(found, Verdict::NotTestable);
        assert!(why.starts_with(&format!("{worth}the value certainly holds")), "{why}");
        let (found, why) = verdict(basis, 0.5);
        assert_eq!(found, Verdict::Contradicted, "that it fails is evidence");
        assert!(why.starts_with(worth.trim_start_matches("no evidence: ")), "{why}");
    }
}

#[test]
fn a_claim_without_rows_is_not_testable_and_says_why() {
    let writes: Vec<_> =
        pair(8, 0.9).into_iter().map(|run| RunRow { operation: Operation::Write, ..run }).collect();
    let row = only(&writes, &claims("", LOSS));
    assert_eq!((row.verdict, row.value, row.profile), (Verdict::NotTestable, None, None));
    assert_eq!(row.why, "no run has what is asked for");
    let row = only(&[run(1, 1e6)], &claims("", LOSS));
    assert_eq!(row.why, "no run has what is asked for", "nothing to compare: nothing remote");
    let row = only(&[remote(run(1, 1e6))], &claims("", LOSS));
    assert_eq!(row.why, "1 row, and no other to compare it with");
    let row = only(&[with(None, run(1, 1e6))], &claims("", LOSS));
    assert_eq!(row.why, "1 row, without a value of this kind");
}

#[test]
fn a_source_that_cannot_speak_to_a_claim_has_a_row_that_says_so() {
    let row = only(&pair(8, 0.9), &claims("sources = ['published']", LOSS));
    assert_eq!((row.verdict, row.source), (Verdict::NotTestable, Source::Measured));
    assert_eq!(row.why, "measured data cannot speak to it");
}

#[test]
fn runs_that_are_not_valid_do_not_count_unless_they_are_asked_for() {
    let invalid = |run| RunRow { valid: false, ..run };
    let runs: Vec<_> = pair(8, 0.9).into_iter().map(invalid).collect();
    assert_eq!(only(&runs, &claims("", LOSS)).verdict, Verdict::NotTestable);
    let runs = [runs, vec![run(9, 1e6)]].concat();
    assert_eq!(count(&runs, "runs", "operation = 'read'").value, Some(1.0));
    assert_eq!(count(&runs, "runs", "valid = false").value, Some(6.0));
    assert_eq!(count(&runs, "runs", "valid = [true, false]").value, Some(7.0));
}

/// The row of a claim that there are no such rows of `table`.
fn count(runs: &[RunRow], table: &str, filters: &str) -> ClaimRow {
    let text = format!(
        "sources = ['measured']\n[[claim]]\nid = 'none'\npaper = 'paper'\nsection = 'V'\n\
         quote = 'q'\nunit = '-'\nfigure = 'none'\nquantifier = 'all'\n[[claim.part]]\ntable = '{table}'\n\
         where = {{ {filters} }}\nvalue = 'queue_pairs'\naggregate = 'count'\ncounted = {{}}\n\
         expect = {{ equal = 0 }}\n"
    );
    only(runs, &Claims::parse(Path::new("claims.toml"), &text).unwrap())
}

#[test]
fn each_machine_and_source_has_a_verdict_of_its_own() {
    let elsewhere = |run: RunRow| RunRow { profile: "elsewhere".to_owned(), ..run };
    let simulated = |run: RunRow| RunRow { source: Source::Simulated, ..run };
    let mut runs = pair(8, 0.9);
    runs.extend(pair(8, 1.2).into_iter().map(elsewhere));
    runs.extend(pair(8, 0.9).into_iter().map(simulated));
    let rows = evaluate(&claims("", LOSS), &tables(&runs)).unwrap();
    let told: Vec<_> = rows
        .iter()
        .map(|row| (row.source, row.profile.as_deref().unwrap_or("-"), row.verdict))
        .collect();
    assert_eq!(
        told,
        [
            (Source::Measured, "cluster", Verdict::Supported),
            (Source::Measured, "elsewhere", Verdict::Contradicted),
            (Source::Simulated, "-", Verdict::NotTestable),
        ]
    );
    let together = claims("across-profiles = true", LOSS);
    let rows = evaluate(&together, &tables(&runs[..12])).unwrap();
    let [row] = &rows[..] else { panic!("{rows:#?}") };
    assert_eq!(
        (row.profile.as_deref(), row.verdict),
        (Some("cluster elsewhere"), Verdict::TrueInPart)
    );
}

#[test]
fn a_machine_that_has_no_such_rows_has_no_verdict_beside_one_that_has() {
    let write = |run: RunRow| RunRow {
        profile: "elsewhere".to_owned(),
        operation: Operation::Write,
        ..run
    };
    let mut runs = pair(8, 0.9);
    runs.extend(pair(8, 0.9).into_iter().map(write));
    assert_eq!(only(&runs, &claims("", LOSS)).profile.as_deref(), Some("cluster"));
}

#[test]
fn what_no_machine_answers_is_told_of_the_one_that_has_such_runs() {
    let elsewhere = |run: RunRow| RunRow { profile: "elsewhere".to_owned(), ..run };
    let without = |run: RunRow| with(None, run);
    let write = RunRow { operation: Operation::Write, ..run(1, 1e6) };
    for (here, there) in [(elsewhere(write.clone()), run(2, 1e6)), (write, elsewhere(run(2, 1e6)))]
    {
        let row = only(&[here, without(there)], &claims("", LOSS));
        assert_eq!(row.why, "1 row, without a value of this kind");
    }
}

#[test]
fn the_rows_of_a_source_do_not_depend_on_the_order_of_runs() {
    let runs = [pair(8, 0.9), pair(64, 1.2)].concat();
    let backwards: Vec<_> = runs.iter().rev().cloned().collect();
    assert_eq!(only(&runs, &claims("", LOSS)), only(&backwards, &claims("", LOSS)));
}

#[test]
fn designs_with_equal_factors_are_compared_each_within_itself() {
    let elsewhere = |run: RunRow| RunRow { experiment: "queue-pairs".to_owned(), ..run };
    let mut runs = pair(8, 0.9);
    runs.extend(pair(8, 0.94).into_iter().map(elsewhere));
    let row = only(&runs, &claims("", LOSS));
    assert_eq!(row.value, Some(8.0), "the median of 10 and 6: {row:?}");
    assert!(row.why.starts_with("of 2 values "), "{}", row.why);
}

#[test]
fn several_rows_to_compare_with_are_told_with_claim_part_and_columns() {
    let mut runs = pair(8, 0.9);
    runs.push(RunRow { mtu_bytes: Some(512), ..run(1, 5e5) });
    let text = "sources = ['measured']\n[[claim]]\nid = 'loss'\npaper = 'paper'\nsection = 'V'\n\
        quote = 'q'\nunit = '-'\nfigure = 'none'\nquantifier = 'all'\n[[claim.part]]\nvalue = 'throughput_ops'\n\
        contrast = [{ factor = 'locality', over = 'rdma-local', along = ['mtu_bytes'] }]\n\
        as = 'ratio'\nexpect = { at-least = 0 }\n";
    let claims = Claims::parse(Path::new("claims.toml"), text).unwrap();
    let error = evaluate(&claims, &tables(&runs)).unwrap_err().to_string();
    assert!(error.starts_with("claim loss: part 1: contrast of locality: measured has"), "{error}");
    assert!(error.contains("differ in mtu_bytes:"), "{error}");
}

#[test]
fn two_directories_with_runs_of_one_machine_are_refused() {
    let directories: Vec<_> = (0..2).map(|_| tempfile::tempdir().unwrap()).collect();
    let paths: Vec<PathBuf> = directories.iter().map(|d| d.path().to_owned()).collect();
    write_table(&paths[0].join(RunRow::FILE), &pair(8, 0.9)).unwrap();
    write_table(&paths[1].join(RunRow::FILE), &pair(8, 0.8)).unwrap();
    let error = Tables::read(&paths, false).err().unwrap();
    assert!(matches!(error, EvaluateError::SameMachine { .. }), "{error:?}");
    let elsewhere = |run: RunRow| RunRow { profile: "elsewhere".to_owned(), ..run };
    let runs: Vec<_> = pair(8, 0.8).into_iter().map(elsewhere).collect();
    write_table(&paths[1].join(RunRow::FILE), &runs).unwrap();
    let tables = Tables::read(&paths, false).unwrap();
    assert_eq!(tables.profiles(Source::Measured).collect::<Vec<_>>(), ["cluster", "elsewhere"]);
}

#[test]
fn a_count_of_nothing_is_a_number_where_the_machine_is_asked_about() {
    let count = |filters| count(&pair(8, 0.9), "conditions", filters);
    assert_eq!(count("operation = 'write'").verdict, Verdict::Supported);
    assert_eq!(count("operation = 'read'").value, Some(2.0));
    assert_eq!(count("profile = 'elsewhere'").verdict, Verdict::NotTestable);
}

#[test]
fn queue_pairs_have_the_factors_of_their_run() {
    let directory = tempfile::tempdir().unwrap();
    let runs = [run(1, 1e6)];
    write_table(&directory.path().join(RunRow::FILE), &runs).unwrap();
    let clients: Vec<_> = (0..4).map(|index| client(&runs[0], index)).collect();
    write_table(&directory.path().join(ClientRow::FILE), &clients).unwrap();
    let tables = Tables::read(&[directory.path().to_owned()], true).unwrap();
    let text = "sources = ['measured']\n[[claim]]\nid = 'later'\npaper = 'paper'\nsection = 'V'\n\
        quote = 'q'\nunit = 'ns'\nfigure = 'none'\nquantifier = 'all'\n[[claim.part]]\ntable = 'clients'\n\
        where = { operation = 'read' }\nvalue = 'latency_mean_ns'\ncontrast = [{ factor = \
        'queue_pair', of = { at-least = 2 }, over = { at-most = 1 }, pool = true }]\n\
        as = 'difference'\nexpect = { at-least = 0, no-effect = 0 }\n";
    let claims = Claims::parse(Path::new("claims.toml"), text).unwrap();
    let row = &evaluate(&claims, &tables).unwrap()[0];
    assert_eq!(row.value, Some(200.0), "{row:?}");
    assert!(row.why.contains("; 1 run;"), "{}", row.why);
    let explained = cells(&claims, &tables).unwrap();
    assert_eq!((explained.len(), explained[0].part), (1, 1));
    assert_eq!(explained[0].interval_from, "within single runs");
    let measured = (explained[0].measure.as_deref(), explained[0].measure_unit.as_deref());
    assert_eq!(measured, (Some("latency_mean_ns"), Some("ns")));
}
