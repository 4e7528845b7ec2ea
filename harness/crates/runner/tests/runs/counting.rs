//! The common start, and which operations belong to the measured interval.

use onesided_conformance::reference::Fabric;
use onesided_measure::{QueuePairCounts, RunCounts};
use onesided_results::RunConfiguration;
use onesided_runner::RunResult;

use crate::{
    evidence::{has_doubt, sound},
    fabrics::{run_rightly, session_on},
    session::{Session, devices, patient, session, short},
};

#[test]
fn threads_count_from_one_t0_to_one_end() {
    let configuration = RunConfiguration {
        threads: 3,
        queue_pairs: 3,
        warm_up_ms: 200,
        window_ms: 200,
        duration_ms: 400,
        ..short()
    };
    let busy = |counted: &QueuePairCounts| counted.windows.iter().all(|count| *count > 0);
    let all_busy = |result: &RunResult| {
        result.record.outcome.is_valid()
            && result
                .counts
                .iter()
                .flat_map(RunCounts::queue_pairs)
                .all(|(_, counted)| busy(counted))
    };
    let run = |session: Session<'_, _>| session.run_until(&configuration, 4, all_busy);
    let result = session_on(Fabric::right(), run);
    sound(&result);
    assert!(all_busy(&result), "{:?}", result.counts);
}

#[test]
fn threads_that_miss_t0_say_so() {
    // Without a warm-up t0 is the moment in which the last thread arrives; what it does first, such
    // as making its recorder, is already within the interval.
    let configuration = RunConfiguration { warm_up_ms: 0, threads: 2, queue_pairs: 16, ..short() };
    let result = run_rightly(&configuration);
    sound(&result);
    let late = result.record.doubts.iter().find(|doubt| doubt.doubt == "late-start");
    let late = late.expect("threads that begin after t0");
    let late_ns = late.explanation.split_whitespace().find_map(|word| word.parse::<u64>().ok());
    assert!(late_ns.is_some_and(|late_ns| late_ns > 0), "{late:?}");
}

#[test]
fn more_threads_than_processors_are_told() {
    let cpus = std::thread::available_parallelism().unwrap().get() as u32;
    let configuration = RunConfiguration { threads: cpus + 1, queue_pairs: cpus + 1, ..short() };
    let result = run_rightly(&configuration);
    assert!(has_doubt(&result.record, "oversubscribed"), "{:?}", result.record.doubts);
}

#[test]
fn one_session_does_many_runs_one_after_another() {
    let (client, server) = devices(Fabric::right());
    let (results, served) = session(
        (&client, &server),
        &patient(),
        |direct| direct,
        |session| {
            [1, 4, 2].map(|queue_pairs| {
                session.run_soundly(&RunConfiguration { queue_pairs, duration_ms: 100, ..short() })
            })
        },
    );
    for result in &results {
        sound(result);
    }
    let served = served.unwrap();
    assert!(served.finished >= 3 && served.failed == 0, "{served:?}");
}
