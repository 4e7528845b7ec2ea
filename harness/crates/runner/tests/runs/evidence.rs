//! What the record and the counts of every good run have in common.

use onesided_measure::RunCounts;
use onesided_results::{
    record::{Outcome, RunRecord, SideRecord},
    vocabulary::{Moment, Phase, Source},
};
use onesided_runner::RunResult;

/// Whether a record has a doubt.
pub fn has_doubt(record: &RunRecord, name: &str) -> bool {
    record.doubts.iter().any(|doubt| doubt.doubt == name)
}

/// Why a run failed: its phase and its message.
pub fn failure(result: &RunResult) -> (Phase, &str) {
    match &result.record.outcome {
        Outcome::Failed { phase, message } => (*phase, message),
        other => panic!("expected a failed run, got {other:?}: {:?}", result.record.totals),
    }
}

/// Checks that a run may be used and that its numbers agree; gives the counts.
pub fn sound(result: &RunResult) -> &RunCounts {
    let record = &result.record;
    assert!(record.outcome.is_valid(), "{:?} {:?}", record.outcome, record.doubts);
    assert_eq!(
        (record.back_end.as_str(), record.source),
        ("reference-in-process", Source::Emulated)
    );
    let counts = result.counts.as_ref().expect("a run that ended has counts");
    totals_agree(record, counts);
    queue_pairs_took_part(record, counts);
    latencies_are_plausible(record, counts);
    content_was_verified(record);
    let phases: Vec<_> = record.phases.iter().map(|timing| timing.phase).collect();
    let due = [Phase::SetUp, Phase::Connect, Phase::WarmUp, Phase::Measure, Phase::Drain];
    assert_eq!(phases, [&due[..], &[Phase::Verify]].concat());
    for side in [&record.client, &record.server] {
        both_moments_were_proven(side.as_ref().expect("a run that ended has both sides"));
    }
    counts
}

fn totals_agree(record: &RunRecord, counts: &RunCounts) {
    let totals = record.totals.as_ref().expect("a run that ended has totals");
    assert_eq!(counts.windows().iter().sum::<u64>(), totals.operations);
    assert!(totals.operations > 0, "{totals:?}");
    assert_eq!(totals.completions, totals.signaled);
    let by_queue_pair = totals.queue_pairs.iter().map(|totals| totals.operations);
    assert_eq!(by_queue_pair.sum::<u64>(), totals.operations);
    let latency = counts.latency();
    assert_eq!((latency.samples, latency.saturated), (totals.samples, 0));
    assert_eq!(latency.buckets.iter().map(|bucket| bucket.count).sum::<u64>(), totals.samples);
    let configuration = &record.configuration;
    let asked_ns = configuration.duration_ms * 1_000_000;
    match configuration.operations_per_queue_pair {
        None => assert_eq!(totals.measured_ns, asked_ns),
        Some(_) => assert!((1..=asked_ns).contains(&totals.measured_ns), "{totals:?}"),
    }
    let expected = configuration.duration_ms / configuration.window_ms;
    assert_eq!(counts.windows().len() as u64, expected);
    if configuration.signal_every == 1 {
        assert_eq!(totals.samples, counts.operations(), "every operation has its own completion");
    }
}

fn queue_pairs_took_part(record: &RunRecord, counts: &RunCounts) {
    let numbers: Vec<_> = counts.queue_pairs().map(|(number, _)| number).collect();
    assert_eq!(numbers, (0..record.configuration.queue_pairs as usize).collect::<Vec<_>>());
    for (number, counted) in counts.queue_pairs() {
        assert!(counted.operations_in_windows() > 0, "queue pair {number} did nothing");
        assert_eq!(counted.before_start, 0, "queue pair {number} was recorded before t0");
    }
}

/// In no less than no time, and in no more than the whole run took.
fn latencies_are_plausible(record: &RunRecord, counts: &RunCounts) {
    let latency = counts.latency();
    let (least, most) = (latency.min_ns.unwrap(), latency.max_ns.unwrap());
    let median = latency.quantile_ns(0.5).unwrap();
    assert!(0 < least && least <= median, "{least} ns, {median} ns");
    let took_ms: f64 = record.phases.iter().map(|timing| timing.took_ms).sum();
    assert!((most as f64) <= took_ms * 1e6, "{most} ns in a run of {took_ms} ms");
}

/// Memory and rings, before the first request and after the last; in the middle where the run came
/// as far.
pub fn both_moments_were_proven(side: &SideRecord) {
    let moments: Vec<_> = side.placement.iter().map(|proof| proof.when).collect();
    let ends: Vec<_> = moments.iter().filter(|when| **when != Moment::During).collect();
    assert_eq!(ends, [&Moment::Before, &Moment::Before, &Moment::After, &Moment::After]);
    assert!(moments.is_sorted_by_key(|when| match when {
        Moment::Before => 0,
        Moment::During => 1,
        Moment::After => 2,
    }));
}

fn content_was_verified(record: &RunRecord) {
    let told = has_doubt(record, "content-unverified");
    assert!(told || !record.verification.is_empty(), "neither verified nor doubted");
    for verification in &record.verification {
        assert!(verification.checked > 0 && verification.mismatched == 0, "{verification:?}");
    }
}
