//! Shapes, patterns and mixes against answers worked out by hand.

mod driving;

use std::{num::NonZeroU32, time::Duration};

use driving::{Step, drive, offsets, plan, posts};
use onesided_load::{
    ArrivalPlan, Instant, LoadPlan, MixPlan, Next, PatternPlan, PlanError, PostedOperation, Shape,
    ShapePlan, SlotLayout, SlotsError, region_bytes, shape::ClosedLoop,
};

fn closed_loop(window: u32, post_list: u32, think_ns: u64) -> LoadPlan {
    let think_time = Duration::from_nanos(think_ns);
    LoadPlan { shape: ShapePlan::ClosedLoop { window, think_time, post_list }, ..plan() }
}

fn batch(window: u32, post_list: u32) -> LoadPlan {
    LoadPlan { shape: ShapePlan::Batch { window, post_list }, ..plan() }
}

fn open_loop(arrivals: ArrivalPlan, max_outstanding: u32) -> LoadPlan {
    LoadPlan { shape: ShapePlan::OpenLoop { arrivals, max_outstanding }, ..plan() }
}

fn fixed(operations_per_second: f64) -> ArrivalPlan {
    ArrivalPlan::FixedInterval { operations_per_second }
}

fn step(advance: u64, completions: u32) -> Step {
    Step { advance, completions }
}

#[test]
fn a_closed_loop_posts_at_each_completion() {
    let trace = drive(&closed_loop(1, 1, 0), &[step(0, 0), step(70, 0), step(30, 1), step(50, 1)]);
    assert_eq!(trace.posted_at, [0, 100, 150]);
    assert_eq!(trace.posts[1].intended, Instant(100));
    assert_eq!(trace.backlog, None);
}

#[test]
fn a_post_list_waits_for_room_and_then_goes_out_whole() {
    let trace = drive(&closed_loop(4, 3, 0), &[step(0, 0), step(10, 1), step(10, 1), step(10, 3)]);
    // Room for 4, then 1 + 1, 1 + 2, and 3 completions that leave all 4.
    assert_eq!(trace.posted_at, [0, 0, 0, 20, 20, 20, 30, 30, 30]);
}

#[test]
fn the_last_post_list_is_as_short_as_the_limit_leaves_it() {
    let plan = LoadPlan { operations_per_queue_pair: Some(5), ..closed_loop(4, 4, 0) };
    let trace = drive(&plan, &[step(0, 0), step(10, 1), step(10, 3), step(10, 1)]);
    assert_eq!(trace.posted_at, [0, 0, 0, 0, 10]);
    assert_eq!(trace.ends[1..], [Next::WaitForCompletion, Next::WaitForCompletion, Next::Finished]);
}

#[test]
fn a_batch_waits_until_all_of_the_last_have_completed() {
    let steps = [step(0, 0), step(10, 2), step(10, 1), step(10, 1), step(10, 4)];
    let trace = drive(&batch(4, 1), &steps);
    // A closed loop would have posted two at 10, and one each at 20 and 30.
    assert_eq!(trace.posted_at, [0, 0, 0, 0, 30, 30, 30, 30, 40, 40, 40, 40]);
    assert_eq!(trace.ends[1..3], [Next::WaitForCompletion, Next::WaitForCompletion]);
    assert_eq!(trace.backlog, None);
}

#[test]
fn the_last_batch_is_as_short_as_the_limit_leaves_it() {
    let plan = LoadPlan { operations_per_queue_pair: Some(5), ..batch(4, 1) };
    let trace = drive(&plan, &[step(0, 0), step(10, 4), step(10, 1)]);
    assert_eq!(trace.posted_at, [0, 0, 0, 0, 10]);
    assert_eq!(trace.ends[1..], [Next::WaitForCompletion, Next::Finished]);
}

#[test]
fn each_place_of_a_window_thinks_after_its_own_completion() {
    let steps = [step(0, 0), step(10, 1), step(20, 1), step(79, 0), step(1, 0), step(20, 0)];
    let trace = drive(&closed_loop(2, 1, 100), &steps);
    assert_eq!(trace.posted_at, [0, 0, 110, 130]);
    let until = |moment| Next::WaitUntil(Instant(moment));
    assert_eq!(trace.ends[1..4], [until(110), until(110), until(110)]);
    assert_eq!(trace.ends[4], until(130));
}

#[test]
fn a_post_list_after_thinking_waits_for_its_last_place() {
    let steps = [step(0, 0), step(10, 1), step(20, 1), step(90, 0), step(10, 0)];
    let trace = drive(&closed_loop(2, 2, 100), &steps);
    assert_eq!(trace.posted_at, [0, 0, 130, 130]);
    assert_eq!(trace.ends[1..3], [Next::WaitForCompletion, Next::WaitUntil(Instant(130))]);
}

#[test]
fn think_time_is_converted_to_the_callers_unit() {
    let plan = LoadPlan { units_per_second: 2_400_000_000, ..closed_loop(1, 1, 500) };
    let trace = drive(&plan, &[step(0, 0), step(1_000, 1)]);
    assert_eq!(trace.ends[1], Next::WaitUntil(Instant(2_200)));
}

#[test]
fn a_fixed_interval_does_not_drift_where_it_is_not_a_whole_number_of_units() {
    // 3 000 000 per second are 333.33 ns: arrival k is at k × 1000 / 3, cut to whole ns.
    let first = &posts(&open_loop(fixed(3e6), 1), 3_001)[0];
    let intended: Vec<u64> = first.iter().map(|post| post.intended.0).collect();
    for (arrival, &at) in intended.iter().enumerate() {
        assert!(at.abs_diff(arrival as u64 * 1_000 / 3) <= 1, "arrival {arrival} at {at}");
    }
    assert!(intended[3_000].abs_diff(1_000_000) <= 1);
}

#[test]
fn queue_pairs_with_the_same_interval_do_not_arrive_in_step() {
    let plan = LoadPlan { queue_pairs: 0..4, run_queue_pairs: 4, ..open_loop(fixed(1e6), 1) };
    let firsts: Vec<u64> = posts(&plan, 1).iter().map(|posts| posts[0].intended.0).collect();
    assert_eq!(firsts, [0, 250, 500, 750]);
}

#[test]
fn an_open_loop_that_is_full_falls_behind_and_keeps_the_scheduled_times() {
    let plan = open_loop(fixed(1e7), 2);
    let trace = drive(&plan, &[step(0, 0), step(1_000, 0)]);
    assert_eq!(trace.posted_at, [0, 1_000]);
    assert_eq!(trace.ends[1], Next::WaitForCompletion);
    // The arrival at 200 waits.
    assert_eq!(trace.backlog, Some(800));
    let trace = drive(&plan, &[step(0, 0), step(1_000, 0), step(0, 1), step(0, 1)]);
    let intended: Vec<u64> = trace.posts.iter().map(|post| post.intended.0).collect();
    assert_eq!(intended, [0, 100, 200, 300]);
}

#[test]
fn an_open_loop_on_time_has_no_backlog_and_waits_for_the_next_arrival() {
    let trace = drive(&open_loop(fixed(1e7), 8), &[step(0, 0), step(150, 2)]);
    assert_eq!(trace.ends, [Next::WaitUntil(Instant(100)), Next::WaitUntil(Instant(200))]);
    assert_eq!(trace.backlog, Some(0));
}

#[test]
fn own_slots_are_neighbours_in_the_layout_that_was_asked_for() {
    let of = |slot_layout| {
        let plan = LoadPlan { slot_layout, queue_pairs: 0..3, run_queue_pairs: 3, ..plan() };
        offsets(&plan, 2)
    };
    assert_eq!(of(SlotLayout::Packed), [[0, 0], [8, 8], [16, 16]]);
    assert_eq!(of(SlotLayout::Padded), [[0, 0], [64, 64], [128, 128]]);
    assert_eq!(of(SlotLayout::Unaligned), [[1, 1], [9, 9], [17, 17]]);
}

#[test]
fn a_sequential_walk_starts_apart_for_each_queue_pair_and_comes_round() {
    let pattern = PatternPlan::Sequential { working_set_bytes: 32 };
    let plan = LoadPlan { pattern, queue_pairs: 0..2, run_queue_pairs: 2, ..plan() };
    assert_eq!(offsets(&plan, 5), [[0, 8, 16, 24, 0], [16, 24, 0, 8, 16]]);
}

#[test]
fn uniform_addresses_are_uniform() {
    const SLOTS: u64 = 128;
    let pattern = PatternPlan::Uniform { working_set_bytes: SLOTS * 8 };
    let mut seen = [0_u32; SLOTS as usize];
    let drawn = offsets(&LoadPlan { pattern, ..plan() }, 128_000).remove(0);
    drawn.iter().for_each(|offset| seen[(offset / 8) as usize] += 1);
    let chi_square: f64 =
        seen.iter().map(|&count| (f64::from(count) - 1_000.0).powi(2) / 1_000.0).sum();
    // 127 degrees of freedom: about the 0.1 % and 99.9 % points.
    assert!((83.0..181.0).contains(&chi_square), "{chi_square}");
}

#[test]
fn operations_are_independent_of_addresses() {
    // Half of each: were they drawn from the same numbers, one quadrant would be empty.
    let pattern = PatternPlan::Uniform { working_set_bytes: 16 };
    let mix = MixPlan::ReadWrite { write_fraction: 0.5 };
    let drawn = posts(&LoadPlan { pattern, mix, ..plan() }, 40_000).remove(0);
    for operation in [PostedOperation::Read, PostedOperation::Write] {
        for offset in [0, 8] {
            let here = drawn
                .iter()
                .filter(|post| (post.operation, post.remote_offset) == (operation, offset));
            // Five standard deviations: 5 × sqrt(40 000 × 3/16) = 433.
            assert!(here.count().abs_diff(10_000) < 433);
        }
    }
}

#[test]
fn the_first_operations_of_seed_42_stay_what_they_are() {
    // From a second implementation of the generators, written apart from this one.
    let working_set_bytes = 1 << 20;
    let mix = MixPlan::ReadWrite { write_fraction: 0.5 };
    let base =
        LoadPlan { mix, ..open_loop(ArrivalPlan::Poisson { operations_per_second: 1e6 }, 4) };
    let uniform = LoadPlan { pattern: PatternPlan::Uniform { working_set_bytes }, ..base.clone() };
    let zipf = PatternPlan::Zipf { working_set_bytes, exponent: 0.99 };
    let zipf = LoadPlan { pattern: zipf, ..base };
    let first = &posts(&uniform, 6)[0];
    let arrivals: Vec<u64> = first.iter().map(|post| post.intended.0).collect();
    let writes: Vec<bool> =
        first.iter().map(|post| post.operation == PostedOperation::Write).collect();
    assert_eq!(arrivals, [1103, 1196, 2271, 4273, 9474, 10633]);
    assert_eq!(writes, [true, false, true, true, false, true]);
    assert_eq!(offsets(&uniform, 6)[0], [106048, 386024, 802512, 547728, 652392, 1005712]);
    assert_eq!(offsets(&zipf, 6)[0], [320704, 13112, 88, 1968, 560, 0]);
}

#[test]
#[should_panic(expected = "2 operations completed of 1 outstanding")]
fn completions_that_were_never_posted_are_noticed() {
    let one = NonZeroU32::MIN;
    let mut shape = ClosedLoop::new(one, one).unwrap();
    shape.next(Instant(0), 1);
    shape.completed(2, Instant(1));
}

fn refusal(plan: &LoadPlan) -> PlanError {
    struct Unreached;
    impl onesided_load::Visitor for Unreached {
        type Output = ();
        fn visit<G: onesided_load::Generator>(self, _generators: Vec<G>) {}
    }
    onesided_load::with_generator(plan, Unreached).expect_err("an invalid plan")
}

#[test]
fn plans_that_make_no_sense_are_refused_with_their_values() {
    assert_eq!(refusal(&closed_loop(0, 1, 0)), PlanError::EmptyWindow);
    assert_eq!(refusal(&open_loop(fixed(1e6), 0)), PlanError::EmptyWindow);
    let too_long = PlanError::PostList { post_list: 5, window: 4 };
    assert_eq!(refusal(&closed_loop(4, 5, 0)), too_long);
    assert_eq!(refusal(&closed_loop(4, 5, 10)), too_long);
    assert_eq!(refusal(&batch(0, 1)), PlanError::EmptyWindow);
    assert_eq!(refusal(&batch(4, 5)), too_long);
    assert_eq!(refusal(&batch(4, 0)), PlanError::PostList { post_list: 0, window: 4 });
    assert_eq!(refusal(&closed_loop(4, 0, 0)), PlanError::PostList { post_list: 0, window: 4 });
    for rate in [0.0, -1.0, f64::INFINITY] {
        let expected =
            PlanError::Rate { operations_per_second: rate, units_per_second: 1_000_000_000 };
        assert_eq!(refusal(&open_loop(fixed(rate), 1)), expected);
        let poisson = ArrivalPlan::Poisson { operations_per_second: rate };
        assert_eq!(refusal(&open_loop(poisson, 1)), expected);
    }
    let mix = MixPlan::ReadWrite { write_fraction: 90.0 };
    assert_eq!(
        refusal(&LoadPlan { mix, ..plan() }),
        PlanError::WriteFraction { write_fraction: 90.0 }
    );
    let mix = MixPlan::ReadAtomic { atomic_fraction: -0.1 };
    let expected = PlanError::AtomicFraction { atomic_fraction: -0.1 };
    assert_eq!(refusal(&LoadPlan { mix, ..plan() }), expected);
    let pattern = PatternPlan::Zipf { working_set_bytes: 64, exponent: 0.0 };
    assert_eq!(refusal(&LoadPlan { pattern, ..plan() }), PlanError::ZipfExponent { exponent: 0.0 });
    assert_eq!(refusal(&LoadPlan { units_per_second: 0, ..plan() }), PlanError::NoClock);
    let foreign = LoadPlan { queue_pairs: 6..9, run_queue_pairs: 8, ..plan() };
    assert_eq!(refusal(&foreign), PlanError::QueuePairs { first: 6, end: 9, run_queue_pairs: 8 });
    let none = LoadPlan { queue_pairs: 0..0, ..plan() };
    assert_eq!(refusal(&none), PlanError::QueuePairs { first: 0, end: 0, run_queue_pairs: 1 });
    let forever = LoadPlan { units_per_second: u64::MAX, ..closed_loop(1, 1, 2_000_000_000) };
    assert!(matches!(refusal(&forever), PlanError::ThinkTime { .. }));
}

#[test]
fn loads_that_do_not_fit_the_region_are_refused() {
    let bytes = |layout| region_bytes(PatternPlan::OwnSlot, layout, 8, 8);
    assert_eq!(bytes(SlotLayout::Packed), Ok(64));
    assert_eq!(bytes(SlotLayout::Padded), Ok(512));
    assert_eq!(bytes(SlotLayout::Unaligned), Ok(65));
    let short = LoadPlan { region_bytes: 63, run_queue_pairs: 8, ..plan() };
    let expected = SlotsError::DoesNotFit { needed_bytes: 64, region_bytes: 63 };
    assert_eq!(refusal(&short), PlanError::Slots(expected));
    let mix = MixPlan::Single(PostedOperation::FetchAndAdd);
    let misaligned = LoadPlan { mix, slot_layout: SlotLayout::Unaligned, ..plan() };
    let expected = SlotsError::UnfitForAtomics { access_bytes: 8, layout: SlotLayout::Unaligned };
    assert_eq!(refusal(&misaligned), PlanError::Slots(expected));
    let mix = MixPlan::ReadAtomic { atomic_fraction: 0.5 };
    let misaligned = LoadPlan { mix, access_bytes: 12, slot_layout: SlotLayout::Packed, ..plan() };
    let layout = SlotLayout::Packed;
    let expected = SlotsError::UnfitForAtomicsWithin { access_bytes: 12, layout };
    assert_eq!(refusal(&LoadPlan { region_bytes: 96, ..misaligned }), PlanError::Slots(expected));
}
