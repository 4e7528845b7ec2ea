use std::collections::BTreeSet;

use proptest::prelude::*;

use super::*;

fn plan(pattern: WorkerPattern, operation: WorkerOperation) -> WorkerPlan {
    WorkerPlan {
        pattern,
        operation,
        write_fraction: 0.5,
        object_bytes: 8,
        access_bytes: 8,
        region_bytes: 4096,
        worker: 0,
        workers: 1,
        seed: 7,
    }
}

fn mixed(pattern: WorkerPattern, write_fraction: f64) -> WorkerPlan {
    WorkerPlan { write_fraction, ..plan(pattern, WorkerOperation::Mixed) }
}

/// The first so many accesses.
struct First(usize);

impl WorkerVisitor for First {
    type Output = Vec<Access>;

    fn visit<const BYTES: usize, A: Accesses + Send>(self, mut accesses: A) -> Vec<Access> {
        (0..self.0).map(|_| accesses.next_access()).collect()
    }
}

struct Kind;

impl WorkerVisitor for Kind {
    type Output = (usize, AccessKind, ClockReadings);

    fn visit<const BYTES: usize, A: Accesses + Send>(self, _: A) -> Self::Output {
        (BYTES, A::KIND, A::CLOCK)
    }
}

fn first(plan: &WorkerPlan, count: usize) -> Vec<Access> {
    with_worker(plan, First(count)).unwrap()
}

fn offsets(plan: &WorkerPlan, count: usize) -> Vec<u64> {
    first(plan, count).into_iter().map(|access| access.offset).collect()
}

fn writes(plan: &WorkerPlan, count: usize) -> usize {
    first(plan, count).iter().filter(|access| access.direction == Direction::Write).count()
}

/// Pearson's statistic of offsets over equally likely cells.
fn chi_square(offsets: &[u64], cell_bytes: u64, cells: usize) -> f64 {
    let mut counts = vec![0_u64; cells];
    for offset in offsets {
        counts[(offset / cell_bytes) as usize] += 1;
    }
    let expected = offsets.len() as f64 / cells as f64;
    counts.iter().map(|count| (*count as f64 - expected).powi(2) / expected).sum()
}

#[test]
fn uniform_offsets_pass_a_chi_square_test_over_their_objects() {
    const OBJECTS: usize = 512;
    for worker in 0..4 {
        let mut plan = plan(WorkerPattern::Uniform, WorkerOperation::Read);
        (plan.worker, plan.workers) = (worker, 4);
        let statistic = chi_square(&offsets(&plan, 512_000), 8, OBJECTS);
        // 511 degrees of freedom: mean 511, standard deviation sqrt(2 x 511) = 32; within four.
        assert!((383.0..639.0).contains(&statistic), "worker {worker}: {statistic}");
    }
}

#[test]
fn uniform_offsets_follow_each_other_without_relation() {
    // Pairs of neighbours over 16 x 16 cells of a region that is no power of two.
    let mut plan = plan(WorkerPattern::Uniform, WorkerOperation::Read);
    plan.region_bytes = 16 * 1000 * 8;
    let drawn = offsets(&plan, 200_001);
    let pairs: Vec<u64> =
        drawn.windows(2).map(|pair| pair[0] / 8000 * 16 + pair[1] / 8000).collect();
    let statistic = chi_square(&pairs, 1, 256);
    // 255 degrees of freedom: standard deviation 22.6; within five.
    assert!((142.0..368.0).contains(&statistic), "{statistic}");
}

#[test]
fn the_choice_of_operation_has_nothing_to_do_with_the_object() {
    let mut plan = mixed(WorkerPattern::Uniform, 0.5);
    plan.region_bytes = 8 * 8;
    let mut cells = [[0_f64; 2]; 8];
    for access in first(&plan, 80_000) {
        cells[(access.offset / 8) as usize][access.direction as usize] += 1.0;
    }
    let statistic: f64 = cells.iter().flatten().map(|n| (n - 5000.0).powi(2) / 5000.0).sum();
    // 15 degrees of freedom: beyond 44.3 once in 10 000 seeds.
    assert!(statistic < 44.3, "{statistic}: {cells:?}");
}

#[test]
fn a_ratio_is_kept_within_five_standard_deviations_of_the_binomial_distribution() {
    const DRAWS: usize = 100_000;
    for write_fraction in [0.1, 0.5, 0.9] {
        let plan = mixed(WorkerPattern::Uniform, write_fraction);
        let expected = DRAWS as f64 * write_fraction;
        let deviation = (expected * (1.0 - write_fraction)).sqrt();
        let found = writes(&plan, DRAWS) as f64;
        assert!((found - expected).abs() < 5.0 * deviation, "{found} of {expected}");
    }
}

#[test]
fn the_ends_of_a_ratio_are_exact_and_a_single_operation_is_always_itself() {
    let stored = |fraction| writes(&mixed(WorkerPattern::OwnLine, fraction), 10_000);
    assert_eq!((stored(0.0), stored(1.0)), (0, 10_000));
    assert_eq!(writes(&plan(WorkerPattern::Uniform, WorkerOperation::Read), 1000), 0);
    assert_eq!(writes(&plan(WorkerPattern::Uniform, WorkerOperation::FetchAndAdd), 1000), 1000);
}

#[test]
fn a_sequential_worker_visits_every_object_once_before_any_again() {
    for (worker, start) in [(0, 0), (1, 168 * 8), (2, 336 * 8)] {
        let mut plan = plan(WorkerPattern::Sequential, WorkerOperation::Read);
        // 504 objects and a rest that holds none.
        (plan.region_bytes, plan.worker, plan.workers) = (504 * 8 + 7, worker, 3);
        let round = offsets(&plan, 504);
        assert_eq!(round[0], start);
        assert_eq!(round.iter().copied().collect::<BTreeSet<_>>().len(), 504);
        assert!(round.windows(2).all(|pair| pair[1] == (pair[0] + 8) % (504 * 8)));
        assert_eq!(offsets(&plan, 505)[504], start);
    }
}

#[test]
fn own_lines_are_one_for_each_worker_and_the_shared_line_is_the_first() {
    let at = |pattern, worker| {
        let mut plan = plan(pattern, WorkerOperation::FetchAndAdd);
        (plan.region_bytes, plan.worker, plan.workers) = (256, worker, 9);
        let distinct: BTreeSet<u64> = offsets(&plan, 100).into_iter().collect();
        distinct.into_iter().collect::<Vec<_>>()
    };
    let own: Vec<_> = (0..6).map(|worker| at(WorkerPattern::OwnLine, worker)).collect();
    assert_eq!(own, [[0], [64], [128], [192], [0], [64]]);
    assert_eq!(at(WorkerPattern::SharedLine, 0), at(WorkerPattern::SharedLine, 8));
    assert_eq!(at(WorkerPattern::SharedLine, 8), [0]);
}

#[test]
fn as_published_reads_and_writes_go_where_the_table_and_the_walk_say() {
    let pattern = WorkerPattern::AsPublished;
    for operation in [WorkerOperation::Read, WorkerOperation::Write] {
        let mut plan = plan(pattern, operation);
        (plan.access_bytes, plan.region_bytes, plan.worker, plan.workers) = (1, 1000, 3, 4);
        let mut draw = Draw::new(7, 3);
        let table: Vec<u64> = (0..TABLE_ENTRIES).map(|_| draw.next_bits() & 0x7fff_ffff).collect();
        let count = TABLE_ENTRIES + 10;
        let expected: Vec<u64> =
            (0..count).map(|i| (8 * 3 + table[i % TABLE_ENTRIES] + i as u64) % 1000).collect();
        assert_eq!(offsets(&plan, count), expected);
    }
}

#[test]
fn as_published_a_mix_walks_byte_by_byte_whatever_its_table_holds() {
    let mut plan = mixed(WorkerPattern::AsPublished, 0.9);
    plan.object_bytes = 64;
    (plan.access_bytes, plan.region_bytes, plan.worker, plan.workers) = (1, 100, 1, 2);
    let expected: Vec<u64> = (0..250).map(|i| (64 + i) % 100).collect();
    assert_eq!(offsets(&plan, 250), expected);
    // Five standard deviations: 5 x sqrt(100 000 x 0.9 x 0.1) = 474.
    assert!(writes(&plan, 100_000).abs_diff(90_000) < 474);
}

#[test]
fn as_published_atomics_walk_word_by_word() {
    let pattern = WorkerPattern::AsPublished;
    for operation in [WorkerOperation::CompareAndSwap, WorkerOperation::FetchAndAdd] {
        let mut plan = plan(pattern, operation);
        (plan.region_bytes, plan.worker, plan.workers) = (32, 2, 4);
        assert_eq!(offsets(&plan, 6), [16, 24, 0, 8, 16, 24]);
    }
}

#[test]
fn only_what_is_as_published_reads_a_clock() {
    let of = |pattern, operation, access_bytes| {
        with_worker(&WorkerPlan { access_bytes, ..plan(pattern, operation) }, Kind).unwrap()
    };
    let published = WorkerPattern::AsPublished;
    let (read, swap) = (WorkerOperation::Read, WorkerOperation::CompareAndSwap);
    assert_eq!(of(published, read, 1), (1, AccessKind::Reads, ClockReadings::EachAccess));
    assert_eq!(
        of(published, swap, 8),
        (8, AccessKind::CompareAndSwapUntilDone, ClockReadings::EachAccess)
    );
    let uniform = WorkerPattern::Uniform;
    assert_eq!(of(uniform, swap, 8), (8, AccessKind::CompareAndSwap, ClockReadings::None));
    for bytes in [1, 2, 4, 8, 16, 32, 64] {
        let found = of(uniform, read, bytes);
        assert_eq!(found, (bytes as usize, AccessKind::Reads, ClockReadings::None));
    }
}

#[test]
fn a_plan_that_cannot_be_is_refused_with_what_of_it() {
    let good = plan(WorkerPattern::Uniform, WorkerOperation::Read);
    let refused = |change: &dyn Fn(&mut WorkerPlan)| {
        let mut plan = good.clone();
        change(&mut plan);
        with_worker(&plan, Kind).unwrap_err().to_string()
    };
    let published = WorkerPattern::AsPublished;
    for (change, told) in [
        (
            &(|plan: &mut WorkerPlan| plan.access_bytes = 3) as &dyn Fn(&mut WorkerPlan),
            "3 bytes is none of",
        ),
        (&|plan| plan.access_bytes = 0, "0 bytes is none of"),
        (&|plan| plan.region_bytes = 7, "7 bytes is too small: 8 bytes"),
        (&|plan| plan.region_bytes = 1 << 44, "wider accesses"),
        (&|plan| plan.worker = 1, "worker 1 is not one of 1"),
        (
            &|plan| *plan = mixed(WorkerPattern::Uniform, 1.5),
            "fraction of 1.5 is not within 0 to 1",
        ),
        (&|plan| *plan = mixed(WorkerPattern::Uniform, f64::NAN), "NaN is not within"),
        (&|plan| plan.operation = WorkerOperation::None, "a worker has one"),
        (
            &|plan| {
                plan.operation = WorkerOperation::FetchAndAdd;
                plan.access_bytes = 4;
            },
            "8 bytes, asked: 4",
        ),
        (
            &|plan| {
                plan.pattern = WorkerPattern::OwnLine;
                plan.region_bytes = 63;
            },
            "63 bytes is too small: 64 bytes",
        ),
        (&|plan| plan.pattern = published, "have 1 byte, asked: 8"),
        (
            &|plan| {
                plan.pattern = published;
                plan.operation = WorkerOperation::CompareAndSwap;
                plan.region_bytes = 4095;
            },
            "region of 4095",
        ),
    ] {
        let message = refused(change);
        assert!(message.contains(told), "{message}");
    }
}

#[test]
fn a_write_fraction_at_either_end_draws_nothing_and_one_outside_is_refused() {
    let kind = |fraction| {
        let operation = WorkerOperation::of_write_fraction(fraction);
        let plan = WorkerPlan { operation, ..mixed(WorkerPattern::Uniform, fraction) };
        with_worker(&plan, Kind).map(|(_, kind, _)| kind)
    };
    assert_eq!(kind(0.0), Ok(AccessKind::Reads));
    assert_eq!(kind(1.0), Ok(AccessKind::Writes));
    assert_eq!(kind(0.25), Ok(AccessKind::Mixed));
    for fraction in [-0.5, 1.5] {
        assert_eq!(
            kind(fraction),
            Err(WorkerPlanError::WriteFraction { write_fraction: fraction })
        );
    }
    assert!(kind(f64::NAN).is_err());
}

fn pattern() -> impl Strategy<Value = WorkerPattern> {
    prop_oneof![
        Just(WorkerPattern::Uniform),
        Just(WorkerPattern::Sequential),
        Just(WorkerPattern::OwnLine),
        Just(WorkerPattern::SharedLine),
    ]
}

proptest! {
    #[test]
    fn every_access_is_within_the_region_and_aligned_to_itself(
        pattern in pattern(),
        width in 0_u32..7,
        region_bytes in 64_u64..1 << 40,
        worker in 0_u32..100,
        seed: u64,
    ) {
        let access_bytes = 1 << width;
        let workers = 100;
        let mixed = mixed(pattern, 0.5);
        let plan = WorkerPlan { access_bytes, region_bytes, worker, workers, seed, ..mixed };
        for access in first(&plan, 200) {
            prop_assert!(access.offset + u64::from(access_bytes) <= region_bytes);
            prop_assert!(access.offset.is_multiple_of(u64::from(access_bytes)));
        }
    }

    #[test]
    fn the_same_seed_and_worker_give_the_same_accesses_and_another_worker_others(seed: u64) {
        let mut one = mixed(WorkerPattern::Uniform, 0.5);
        (one.seed, one.workers, one.region_bytes) = (seed, 2, 1 << 30);
        prop_assert_eq!(first(&one, 50), first(&one.clone(), 50));
        let other = WorkerPlan { worker: 1, ..one.clone() };
        prop_assert_ne!(first(&one, 50), first(&other, 50));
    }

    #[test]
    fn as_published_never_leaves_a_region_whose_size_is_any(region_bytes in 1_u64..5000) {
        let mut plan = plan(WorkerPattern::AsPublished, WorkerOperation::Read);
        plan.object_bytes = 24;
        (plan.access_bytes, plan.region_bytes, plan.worker, plan.workers) = (1, region_bytes, 5, 6);
        prop_assert!(offsets(&plan, 20).iter().all(|offset| *offset < region_bytes));
    }
}
