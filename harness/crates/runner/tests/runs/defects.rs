//! What a back end may do wrong ends up in the record.

use std::time::{Duration, Instant};

use onesided_conformance::reference::Defect;
use onesided_results::{
    RunConfiguration,
    record::Outcome,
    vocabulary::{AddressPattern, Operation, Phase, SlotLayout},
};

use crate::{
    evidence::{failure, has_doubt},
    fabrics::run_wrongly,
    session::short,
};

/// Runs on a fabric that changes memory wrongly; expects the comparison of content to see it.
fn assert_content_is_wrong(defect: Defect, configuration: &RunConfiguration) {
    let result = run_wrongly(defect, configuration);
    let record = &result.record;
    assert_eq!(record.outcome, Outcome::Invalid, "{defect:?}: {:?}", record.doubts);
    assert!(has_doubt(record, "content-wrong"), "{defect:?}: {:?}", record.doubts);
    let wrong = record.verification.iter().filter(|verification| verification.mismatched > 0);
    assert!(wrong.clone().count() > 0, "{defect:?}: {:?}", record.verification);
    wrong.for_each(|wrong| assert!(wrong.first_mismatch.is_some(), "{wrong:?}"));
}

/// Runs on a fabric that reports wrongly; expects the run to fail in one of `phases` with `message`.
fn assert_fails(defect: Defect, configuration: &RunConfiguration, phases: &[Phase], message: &str) {
    let result = run_wrongly(defect, configuration);
    let (phase, found) = failure(&result);
    assert!(phases.contains(&phase) && found.contains(message), "{defect:?}: {phase}: {found}");
    assert!(result.counts.is_none(), "a failed run has no numbers");
}

fn adds() -> RunConfiguration {
    RunConfiguration { operation: Operation::FetchAndAdd, window: 4, ..short() }
}

fn writes() -> RunConfiguration {
    RunConfiguration { operation: Operation::Write, access_bytes: 32, window: 4, ..short() }
}

#[test]
fn a_lost_add_makes_the_run_invalid() {
    assert_content_is_wrong(Defect::LosesAnAdd, &adds());
}

#[test]
fn adds_that_come_between_each_other_make_the_run_invalid() {
    // All queue pairs add to the same few words.
    let configuration = RunConfiguration {
        address_pattern: AddressPattern::Uniform,
        working_set_bytes: Some(8),
        queue_pairs: 4,
        ..adds()
    };
    assert_content_is_wrong(Defect::TearsAdds, &configuration);
}

#[test]
fn a_lost_swap_makes_the_run_invalid() {
    let configuration = RunConfiguration { operation: Operation::CompareAndSwap, ..adds() };
    assert_content_is_wrong(Defect::LosesASwap, &configuration);
}

#[test]
fn a_torn_write_makes_the_run_invalid() {
    assert_content_is_wrong(Defect::DropsTheLastByteOfWrites, &writes());
}

#[test]
fn a_write_into_the_neighbour_makes_the_run_invalid() {
    let configuration = RunConfiguration {
        address_pattern: AddressPattern::Uniform,
        // What lies behind the last item is still in its page.
        working_set_bytes: Some(4000),
        ..writes()
    };
    assert_content_is_wrong(Defect::WritesOneByteTooFar, &configuration);
}

#[test]
fn reads_that_bring_nothing_make_the_run_invalid() {
    let configuration = RunConfiguration { max_rd_atomic: 2, window: 8, ..short() };
    assert_content_is_wrong(Defect::ForgetsReadsBeyondTheLimit, &configuration);
}

#[test]
fn data_at_another_address_makes_the_run_invalid() {
    let configuration = RunConfiguration { slot_layout: SlotLayout::Unaligned, ..writes() };
    assert_content_is_wrong(Defect::AlignsAddresses, &configuration);
}

const FLOWING: [Phase; 2] = [Phase::WarmUp, Phase::Measure];

#[test]
fn a_completion_that_comes_twice_fails_the_run() {
    let message = "belongs to no work request in flight";
    assert_fails(Defect::DuplicatesACompletion, &writes(), &FLOWING, message);
    // That one is only seen by a poll that finds nothing else.
    let pausing = RunConfiguration { think_time_ns: 100_000, ..writes() };
    assert_fails(Defect::RepeatsTheLastCompletion, &pausing, &FLOWING, message);
}

#[test]
fn a_completion_of_nothing_that_was_posted_fails_the_run() {
    let message = "belongs to no work request in flight";
    assert_fails(Defect::GivesAStaleId, &writes(), &FLOWING, message);
}

#[test]
fn a_completion_of_another_queue_pair_fails_the_run() {
    let configuration = RunConfiguration { queue_pairs: 2, ..writes() };
    let message = "belongs to no work request in flight";
    assert_fails(Defect::NamesTheFirstQueuePair, &configuration, &FLOWING, message);
}

#[test]
fn completions_out_of_order_fail_the_run() {
    let message = "belongs to no work request in flight";
    assert_fails(Defect::ReordersCompletions, &writes(), &FLOWING, message);
}

#[test]
fn a_completion_that_was_not_asked_for_fails_the_run() {
    let configuration = RunConfiguration { signal_every: 4, ..writes() };
    let message = "completions reported";
    assert_fails(Defect::ReportsUnsignaledRequests, &configuration, &[Phase::Drain], message);
}

#[test]
fn a_lost_completion_behind_which_others_come_fails_the_run_at_its_end() {
    // The 999th completion is lost; the last is the 1500th.
    let configuration = RunConfiguration {
        queue_pairs: 2,
        operations_per_queue_pair: Some(750),
        duration_ms: 20_000,
        ..writes()
    };
    let message = "1500 signaled work requests were posted and 1499 completions reported";
    assert_fails(Defect::LosesACompletion, &configuration, &[Phase::Drain], message);
}

#[test]
fn a_completion_that_never_comes_fails_the_run_in_bounded_time() {
    // One request in flight: nothing comes after the lost completion. The thread waits for what the
    // device may take to give up (16 us here) and 5 s more.
    let configuration = RunConfiguration {
        operation: Operation::Write,
        timeout_exponent: 1,
        retry_count: 0,
        duration_ms: 60_000,
        window_ms: 1000,
        ..short()
    };
    let began = Instant::now();
    assert_fails(
        Defect::LosesACompletion,
        &configuration,
        &FLOWING,
        "did not complete within 5.0 s",
    );
    assert!(began.elapsed() < Duration::from_secs(15), "{:?}", began.elapsed());
}

#[test]
fn a_packet_lost_from_the_middle_of_a_write_makes_the_run_invalid() {
    let configuration = RunConfiguration { access_bytes: 4096, mtu_bytes: 256, ..writes() };
    assert_content_is_wrong(Defect::LosesThePacketAfterTheSeventh, &configuration);
}

#[test]
fn a_send_queue_shallower_than_it_was_made_fails_the_run() {
    let configuration = RunConfiguration { window: 128, ..writes() };
    let message = "the queue is full at request";
    assert_fails(Defect::GivesHalfTheDepth, &configuration, &[Phase::WarmUp], message);
}
