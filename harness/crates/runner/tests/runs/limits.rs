//! Runs that a number of operations ends, or is to end.

use std::time::Duration;

use onesided_conformance::reference::Fabric;
use onesided_results::{
    RunConfiguration,
    record::{Outcome, RunRecord},
    vocabulary::{LoopShape, Operation, Phase},
};

use crate::{
    evidence::{has_doubt, sound},
    fabrics::{run_rightly, session_on},
    session::short,
};

/// Fetch-and-adds: their sum on the server tells how many there were.
fn adds_done(record: &RunRecord) -> u64 {
    let [verification] = &record.verification[..] else {
        panic!("one check: {:?}", record.verification)
    };
    assert_eq!(verification.mismatched, 0, "{verification:?}");
    verification.checked
}

#[test]
fn a_limit_of_operations_ends_every_queue_pair_there_warm_up_included() {
    let configuration = RunConfiguration {
        operation: Operation::FetchAndAdd,
        operations_per_queue_pair: Some(300),
        think_time_ns: 1_000_000,
        queue_pairs: 3,
        warm_up_ms: 100,
        duration_ms: 5000,
        ..short()
    };
    let result = run_rightly(&configuration);
    let counts = sound(&result);
    assert!(counts.operations() < 900, "those of the warm-up are not counted");
    assert_eq!(adds_done(&result.record), 900);
    assert!(!has_doubt(&result.record, "ended-by-time"), "{:?}", result.record.doubts);
}

#[test]
fn the_rate_of_a_run_that_operations_end_is_over_the_time_they_took() {
    let configuration = RunConfiguration {
        operations_per_queue_pair: Some(300),
        think_time_ns: 1_000_000,
        queue_pairs: 2,
        warm_up_ms: 50,
        duration_ms: 60_000,
        window_ms: 1000,
        ..short()
    };
    let result = run_rightly(&configuration);
    sound(&result);
    let took_ms = result.record.phases.iter().find(|timing| timing.phase == Phase::Measure);
    let took_ns = took_ms.expect("it was measured").took_ms * 1e6;
    let totals = result.record.totals.expect("it was measured");
    assert!((totals.measured_ns as f64 - took_ns).abs() < 1e6, "{took_ns} ns: {totals:?}");
    for queue_pair in &totals.queue_pairs {
        let rate = queue_pair.operations as f64 * 1e9 / totals.measured_ns as f64;
        assert_eq!(queue_pair.rate_ops, rate, "{queue_pair:?}");
        // The pause of 1 ms lets no more than 1000 through, and the first comes without a pause.
        let most = 1000.0 * (1.0 + 1.0 / (queue_pair.operations as f64 - 1.0));
        assert!(rate <= most, "{queue_pair:?}");
    }
}

#[test]
fn a_run_that_time_ends_before_its_operations_says_so() {
    let configuration = RunConfiguration {
        operation: Operation::FetchAndAdd,
        operations_per_queue_pair: Some(1000),
        think_time_ns: 1_000_000,
        ..short()
    };
    let result = run_rightly(&configuration);
    sound(&result);
    let done = adds_done(&result.record);
    let doubt = result.record.doubts.iter().find(|doubt| doubt.doubt == "ended-by-time");
    let told = doubt.map(|doubt| doubt.explanation.as_str());
    let due = format!("time ended the run after {done} of 1000 operations");
    assert_eq!(told, Some(due.as_str()));
}

#[test]
fn a_run_whose_operations_were_all_done_in_the_warm_up_is_invalid() {
    let configuration = RunConfiguration { operations_per_queue_pair: Some(5), ..short() };
    let result = session_on(Fabric::right(), |session| session.run(&configuration));
    assert_eq!(result.record.totals.as_ref().unwrap().operations, 0);
    assert!(has_doubt(&result.record, "nothing-measured"), "{:?}", result.record.doubts);
    assert_eq!(result.record.outcome, Outcome::Invalid);
}

/// 30 is no multiple of 4: were the last two not signaled, only the time would end this run.
#[test]
fn a_load_ends_with_its_last_operation_in_every_loop() {
    for loop_shape in [LoopShape::Closed, LoopShape::Saturating, LoopShape::Batch] {
        let configuration = RunConfiguration {
            operation: Operation::FetchAndAdd,
            loop_shape,
            operations_per_queue_pair: Some(30),
            signal_every: 4,
            window: 4,
            warm_up_ms: 0,
            duration_ms: 60_000,
            window_ms: 1_000,
            ..short()
        };
        let result = session_on(Fabric::right(), |session| session.run(&configuration));
        let totals = result.record.totals.as_ref().expect("it measured");
        assert_eq!(totals.completions, 8, "{loop_shape}: {totals:?}");
        assert!(totals.measured_ns < 30_000_000_000, "{loop_shape}: {totals:?}");
        assert_eq!(adds_done(&result.record), 30, "{loop_shape}");
    }
}

#[test]
fn an_unsignaled_tail_is_no_stall_however_long_the_run_goes_on() {
    // Longer than the patience of a thread, which is 5 s and what the device may need to retry.
    let patience = Duration::from_secs(5);
    let configuration = RunConfiguration {
        operation: Operation::FetchAndAdd,
        // The fourth of the window is unsignaled, and the next ones come after the run.
        signal_every: 3,
        window: 4,
        think_time_ns: 60_000_000_000,
        timeout_exponent: 1,
        retry_count: 0,
        warm_up_ms: 1,
        duration_ms: 5_600,
        window_ms: 100,
        ..short()
    };
    assert!(configuration.duration_ms > patience.as_millis() as u64 + 500);
    let result = session_on(Fabric::right(), |session| session.run(&configuration));
    assert!(!matches!(result.record.outcome, Outcome::Failed { .. }), "{:?}", result.record);
    assert_eq!(adds_done(&result.record), 4);
}
