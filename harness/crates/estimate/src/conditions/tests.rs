use onesided_results::vocabulary::{
    CacheState, Ddio, LoadKind, LoadNode, Locality, LoopShape, Operation, SlotLayout, Source,
    WorkerOperation,
};

use super::*;

/// A measured run, as `onesided collect` writes it.
fn run(replicate: u32, ops: f64) -> RunRow {
    RunRow {
        back_end: "verbs".to_owned(),
        profile: "lab".to_owned(),
        nic: Some("rxe".to_owned()),
        experiment: "queue-pairs".to_owned(),
        run_id: format!("read-{replicate}"),
        replicate: Some(replicate),
        locality: Some(Locality::RdmaLocal),
        client_locality: Some(Locality::RdmaLocal),
        queue_pairs: 8,
        threads: Some(1),
        access_bytes: 8,
        mtu_bytes: Some(1024),
        max_rd_atomic: Some(16),
        window: Some(128),
        slot_layout: Some(SlotLayout::Padded),
        operations: Some(1000),
        throughput_published_ops: Some(ops),
        throughput_ops: Some(ops),
        throughput_low_ops: Some(ops - 1.0),
        throughput_high_ops: Some(ops + 1.0),
        latency_mean_ns: Some(50.0),
        latency_sd_ns: Some(1.0),
        latency_p50_ns: Some(50),
        latency_p99_ns: Some(52),
        latency_p999_ns: Some(53),
        samples: Some(1000),
        doubts: "software-device".to_owned(),
        ..RunRow::known_by(Source::SoftRoce, Operation::Read, LoopShape::Saturating)
    }
}

fn of_designs(runs: &[RunRow]) -> Vec<ConditionRow> {
    conditions(runs.iter().map(|run| (run, Stratum::of_design(run))))
}

#[test]
fn replicates_are_one_condition_whose_interval_comes_from_them() {
    let conditions = of_designs(&[run(1, 100.0), run(2, 104.0), run(3, 102.0)]);
    let [condition] = &conditions[..] else { panic!("{conditions:#?}") };
    assert_eq!((condition.runs, condition.throughput_interval), (3, IntervalOrigin::Replicates));
    assert!((condition.throughput_ops.unwrap() - 101.987).abs() < 1e-3);
    // Far wider than the windows' ±1: t with two degrees of freedom is 4.3.
    assert!(condition.throughput_low_ops.unwrap() < 97.5);
    assert_eq!(condition.doubts, "software-device");
}

#[test]
fn one_run_has_the_interval_of_its_windows_and_says_so() {
    let condition = &of_designs(&[run(1, 100.0)])[0];
    assert_eq!((condition.runs, condition.throughput_interval), (1, IntervalOrigin::Windows));
    assert_eq!((condition.throughput_low_ops, condition.throughput_log_sd), (Some(99.0), None));
    assert_eq!(condition.throughput_published_low_ops, None);
    let without = RunRow { throughput_low_ops: None, throughput_high_ops: None, ..run(1, 100.0) };
    assert_eq!(of_designs(&[without])[0].throughput_interval, IntervalOrigin::None);
}

#[test]
fn windows_of_one_of_several_runs_are_no_interval_of_the_condition() {
    let short = RunRow {
        throughput_ops: None,
        throughput_low_ops: None,
        throughput_high_ops: None,
        ..run(2, 100.0)
    };
    let condition = &of_designs(&[run(1, 100.0), short])[0];
    assert_eq!((condition.runs, condition.throughput_interval), (2, IntervalOrigin::None));
    assert_eq!((condition.throughput_ops, condition.throughput_low_ops), (Some(100.0), None));
}

#[test]
fn runs_that_are_not_valid_are_left_out() {
    let bad = RunRow { valid: false, ..run(2, 900.0) };
    let conditions = of_designs(&[bad.clone(), run(1, 100.0)]);
    assert_eq!((conditions.len(), conditions[0].throughput_ops), (1, Some(100.0)));
    assert!(of_designs(&[bad]).is_empty());
}

#[test]
fn any_factor_makes_another_condition_and_a_replicate_or_seed_does_not() {
    let changes: [fn(&mut RunRow); 25] = [
        |run| run.source = Source::Measured,
        |run| run.back_end = "other".to_owned(),
        |run| run.profile = "other".to_owned(),
        |run| run.nic = None,
        |run| run.experiment = "other".to_owned(),
        |run| run.operation = Operation::Write,
        |run| run.worker_operation = WorkerOperation::Read,
        |run| run.locality = Some(Locality::RdmaRemote),
        |run| run.client_locality = None,
        |run| run.worker_locality = Some(Locality::RdmaLocal),
        |run| run.queue_pairs = 1,
        |run| run.threads = Some(2),
        |run| run.access_bytes = 64,
        |run| run.mtu_bytes = Some(256),
        |run| run.max_rd_atomic = Some(1),
        |run| run.window = None,
        |run| run.loop_shape = LoopShape::Closed,
        |run| run.workers = 1,
        |run| run.worker_write_fraction = Some(0.5),
        |run| run.load_kind = LoadKind::Independent,
        |run| run.load_bytes = Some(800),
        |run| run.load_node = LoadNode::Agnostic,
        |run| run.slot_layout = Some(SlotLayout::Packed),
        |run| run.cache_state = CacheState::Flushed,
        |run| run.ddio = Ddio::Off,
    ];
    for (index, change) in changes.iter().enumerate() {
        let mut other = run(2, 100.0);
        change(&mut other);
        assert_eq!(of_designs(&[run(1, 100.0), other]).len(), 2, "change {index}");
    }
}

#[test]
fn strata_of_equal_factors_are_never_pooled() {
    let (a, b) = (run(1, 6.0), run(2, 18.0));
    let stratum = |regime| Stratum { regime: Some(regime), ..Stratum::default() };
    let pooled = conditions([(&a, stratum(Regime::Usual)), (&b, stratum(Regime::Fast))]);
    assert_eq!(pooled.iter().map(|row| row.runs).collect::<Vec<_>>(), [1, 1]);
    assert_eq!(pooled[1].regime, Some(Regime::Fast));
}

#[test]
fn designs_are_pooled_only_if_the_stratum_lets_them() {
    let (a, b) = (run(1, 6.0), RunRow { experiment: "again".to_owned(), ..run(1, 6.0) });
    assert_eq!(of_designs(&[a.clone(), b.clone()]).len(), 2);
    let pooled = conditions([(&a, Stratum::default()), (&b, Stratum::default())]);
    assert_eq!((pooled.len(), pooled[0].experiments.as_str()), (1, "again queue-pairs"));
}
