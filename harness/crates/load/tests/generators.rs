//! What generators ask for, whatever completes when.

mod driving;

use std::time::Duration;

use driving::{Step, drive, offsets, plan, posts};
use onesided_load::{
    ArrivalPlan, Generator, LINE_BYTES, LoadPlan, MixPlan, PatternPlan, PostedOperation, ShapePlan,
    SlotLayout, Visitor, region_bytes, with_generator,
};
use proptest::prelude::*;

fn closed_loop(window: u32, post_list: u32, think_ns: u64) -> ShapePlan {
    ShapePlan::ClosedLoop { window, post_list, think_time: Duration::from_nanos(think_ns) }
}

fn fixed_interval(operations_per_second: f64, max_outstanding: u32) -> ShapePlan {
    let arrivals = ArrivalPlan::FixedInterval { operations_per_second };
    ShapePlan::OpenLoop { arrivals, max_outstanding }
}

fn poisson(operations_per_second: f64, max_outstanding: u32) -> ShapePlan {
    ShapePlan::OpenLoop {
        arrivals: ArrivalPlan::Poisson { operations_per_second },
        max_outstanding,
    }
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let step = (0_u64..2_000, 0_u32..20);
    let step = step.prop_map(|(advance, completions)| Step { advance, completions });
    prop::collection::vec(step, 1..200)
}

fn shapes() -> impl Strategy<Value = ShapePlan> {
    let closed = (1_u32..64, 0.0_f64..1.0, prop_oneof![Just(0_u64), 1_u64..5_000]);
    prop_oneof![
        closed.prop_map(|(window, list, think_ns)| {
            closed_loop(window, 1 + (f64::from(window) * list) as u32, think_ns)
        }),
        (1_u32..64).prop_map(|window| ShapePlan::Batch { window, post_list: window }),
        (1e3_f64..1e9, 1_u32..64).prop_map(|(rate, most)| fixed_interval(rate, most)),
        (1e3_f64..1e9, 1_u32..64).prop_map(|(rate, most)| poisson(rate, most)),
    ]
}

fn patterns() -> impl Strategy<Value = PatternPlan> {
    let working_set = 4_096_u64..1_000_000;
    prop_oneof![
        Just(PatternPlan::OwnSlot),
        working_set
            .clone()
            .prop_map(|working_set_bytes| PatternPlan::Sequential { working_set_bytes }),
        working_set
            .clone()
            .prop_map(|working_set_bytes| PatternPlan::Uniform { working_set_bytes }),
        (working_set, 0.1_f64..3.0).prop_map(|(working_set_bytes, exponent)| PatternPlan::Zipf {
            working_set_bytes,
            exponent
        }),
    ]
}

fn mixes() -> impl Strategy<Value = MixPlan> {
    prop_oneof![
        Just(MixPlan::Single(PostedOperation::WriteWithImmediate)),
        (0.0_f64..=1.0).prop_map(|write_fraction| MixPlan::ReadWrite { write_fraction }),
        (0.0_f64..=1.0).prop_map(|atomic_fraction| MixPlan::ReadAtomic { atomic_fraction }),
    ]
}

fn layouts() -> impl Strategy<Value = SlotLayout> {
    prop_oneof![
        Just(SlotLayout::Packed),
        Just(SlotLayout::Padded),
        Just(SlotLayout::Unaligned),
        Just(SlotLayout::Spread)
    ]
}

const fn most_outstanding(shape: ShapePlan) -> u32 {
    match shape {
        ShapePlan::ClosedLoop { window, .. } | ShapePlan::Batch { window, .. } => window,
        ShapePlan::OpenLoop { max_outstanding, .. } => max_outstanding,
    }
}

proptest! {
    #[test]
    fn outstanding_never_exceeds_the_window_and_a_limit_is_met_exactly(
        shape in shapes(), steps in steps(), limit in 0_u64..300,
    ) {
        let plan = LoadPlan { shape, operations_per_queue_pair: Some(limit), ..plan() };
        let trace = drive(&plan, &steps);
        prop_assert!(trace.most_outstanding <= most_outstanding(shape));
        prop_assert!(trace.posts.len() as u64 <= limit);
        prop_assert_eq!(trace.finished, trace.posts.len() as u64 == limit && trace.outstanding == 0);
    }

    #[test]
    fn everything_is_posted_in_the_end(shape in shapes(), steps in steps(), limit in 1_u64..300) {
        let plan = LoadPlan { shape, operations_per_queue_pair: Some(limit), ..plan() };
        // Enough time, and enough completions: a think time or interval each, and more.
        let mut steps = steps;
        steps.extend(std::iter::repeat_n(Step { advance: 10_000_000, completions: 64 }, 700));
        let trace = drive(&plan, &steps);
        prop_assert!(trace.finished, "{} of {limit} posted", trace.posts.len());
        prop_assert_eq!(trace.posts.len() as u64, limit);
    }

    #[test]
    fn intended_times_of_an_open_loop_are_the_schedule_whatever_completions_do(
        rate in 1e5_f64..1e9, most in 1_u32..32, steps in steps(), random: bool,
    ) {
        let shape = |most| if random { poisson(rate, most) } else { fixed_interval(rate, most) };
        let intended = |shape, steps: &[Step]| -> Vec<u64> {
            drive(&LoadPlan { shape, ..plan() }, steps).posts.iter().map(|post| post.intended.0).collect()
        };
        let slow = intended(shape(most), &steps);
        let end: u64 = steps.iter().map(|step| step.advance).sum();
        // Every nanosecond in turn, with room for all: the schedule itself. The first step is the
        // moment at which both begin.
        let mut every = vec![Step { advance: steps[0].advance, completions: 0 }];
        every.extend((steps[0].advance..end).map(|_| Step { advance: 1, completions: u32::MAX }));
        let schedule = intended(shape(1_000_000), &every);
        prop_assert!(slow.len() <= schedule.len());
        prop_assert_eq!(&slow[..], &schedule[..slow.len()]);
        prop_assert!(schedule.is_sorted());
    }

    #[test]
    fn accesses_stay_within_the_region_and_are_aligned_as_promised(
        pattern in patterns(), layout in layouts(), access_bytes in 1_u32..4_096, queue_pairs in 1_usize..20,
    ) {
        let region_bytes = region_bytes(pattern, layout, access_bytes, queue_pairs);
        prop_assume!(region_bytes.is_ok());
        let region_bytes = region_bytes.unwrap();
        let plan = LoadPlan {
            pattern, slot_layout: layout, access_bytes, region_bytes,
            queue_pairs: 0..queue_pairs, run_queue_pairs: queue_pairs, ..plan()
        };
        let access = u64::from(access_bytes);
        for offset in offsets(&plan, 200).into_iter().flatten() {
            prop_assert!(offset + access <= region_bytes);
            match layout {
                SlotLayout::Packed | SlotLayout::Spread => prop_assert_eq!(offset % access, 0),
                SlotLayout::Padded => prop_assert_eq!(offset % LINE_BYTES, 0),
                SlotLayout::Unaligned => prop_assert_eq!((offset - 1) % access, 0),
            }
        }
        let short = LoadPlan { region_bytes: region_bytes - 1, ..plan };
        prop_assert!(with_generator(&short, Count).is_err());
    }

    #[test]
    fn the_same_seed_gives_the_same_sequence_however_queue_pairs_are_spread(
        pattern in patterns(), mix in mixes(), shape in shapes(), seed: u64,
    ) {
        let region_bytes = region_bytes(pattern, SlotLayout::Packed, 64, 8).unwrap();
        let whole = LoadPlan {
            pattern, mix, shape, seed, region_bytes, access_bytes: 64,
            queue_pairs: 0..8, run_queue_pairs: 8, ..plan()
        };
        let together = posts(&whole, 50);
        let mut apart = posts(&LoadPlan { queue_pairs: 0..3, ..whole.clone() }, 50);
        apart.extend(posts(&LoadPlan { queue_pairs: 3..8, ..whole }, 50));
        prop_assert_eq!(together, apart);
    }
}

/// How many generators there are.
struct Count;

impl Visitor for Count {
    type Output = usize;

    fn visit<G: Generator>(self, generators: Vec<G>) -> usize {
        generators.len()
    }
}

/// Whether the type says that time alone makes posts due.
struct Timed;

impl Visitor for Timed {
    type Output = bool;

    fn visit<G: Generator>(self, _generators: Vec<G>) -> bool {
        G::TIMED
    }
}

#[test]
fn only_a_plain_closed_loop_need_not_look_at_the_clock() {
    let timed = |shape| with_generator(&LoadPlan { shape, ..plan() }, Timed).unwrap();
    assert!(!timed(closed_loop(1, 1, 0)));
    assert!(timed(closed_loop(1, 1, 500)));
    assert!(timed(fixed_interval(1e6, 1)));
    assert!(timed(poisson(1e6, 1)));
}

#[test]
fn there_is_one_generator_for_each_queue_pair_of_the_thread() {
    let plan = LoadPlan { queue_pairs: 2..5, run_queue_pairs: 8, ..plan() };
    assert_eq!(with_generator(&plan, Count), Ok(3));
}
