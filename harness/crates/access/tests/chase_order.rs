//! In which order a chase visits lines, and that it is one ring through all of them.

use std::collections::BTreeSet;

use onesided_access::chase::{
    BLOCK_BYTES, ChaseError, ChaseMemory, Cycle, GROUP_BYTES, LINE_BYTES, Order, Pages,
    WORKING_SET_STEP_BYTES, visits,
};
use proptest::prelude::*;

const ORDERS: [Order; 2] = [Order::Blocks, Order::WholeRange];
const GROUP_LINES: u32 = (GROUP_BYTES / LINE_BYTES) as u32;
const BLOCK_LINES: u32 = (BLOCK_BYTES / LINE_BYTES) as u32;

fn memory(bytes: u64) -> ChaseMemory {
    ChaseMemory::allocate(bytes, Some(Pages::Base), None).expect("some base pages")
}

/// Share of steps whose distance is the commonest of all distances.
fn commonest_step(order: &[u32]) -> f64 {
    let mut steps: Vec<i64> =
        order.windows(2).map(|pair| i64::from(pair[1]) - i64::from(pair[0])).collect();
    steps.sort_unstable();
    let longest = steps.chunk_by(|a, b| a == b).map(<[i64]>::len).max().expect("steps");
    longest as f64 / steps.len() as f64
}

proptest! {
    #[test]
    fn every_line_is_visited_once_a_lap(groups in 1_u32..5_000, seed: u64) {
        for order in ORDERS {
            let visited = visits(groups * GROUP_LINES, order, seed);
            let mut ascending = visited.clone();
            ascending.sort_unstable();
            prop_assert!(ascending.into_iter().eq(0..groups * GROUP_LINES), "{order:?}");
        }
    }

    #[test]
    fn the_links_in_memory_are_one_ring_through_every_line(groups in 1_u64..600, seed: u64) {
        let bytes = groups * GROUP_BYTES;
        let mut memory = memory(bytes);
        for order in ORDERS {
            let mut cycle = Cycle::build(&mut memory, bytes, order, seed).expect("it fits");
            for walked in [0, 1, 1_000] {
                cycle.walk(walked);
                let offsets = cycle.offsets();
                prop_assert_eq!(offsets.len() as u64, cycle.lines(), "closes early or never");
                let distinct: BTreeSet<u64> = offsets.into_iter().collect();
                prop_assert!(distinct.into_iter().eq((0..bytes).step_by(LINE_BYTES as usize)));
            }
        }
    }

    #[test]
    fn a_pass_in_blocks_finishes_a_block_before_the_next_and_takes_a_line_of_each_group(
        blocks in 1_u32..6, partial in 0_u32..3, seed: u64,
    ) {
        let lines = blocks * BLOCK_LINES + partial * GROUP_LINES;
        let visited = visits(lines, Order::Blocks, seed);
        for pass in visited.chunks((lines / GROUP_LINES) as usize) {
            let groups: BTreeSet<u32> = pass.iter().map(|line| line / GROUP_LINES).collect();
            prop_assert_eq!(groups.len(), pass.len(), "a group twice in a pass");
            let mut blocks: Vec<u32> = pass.iter().map(|line| line / BLOCK_LINES).collect();
            blocks.dedup();
            let distinct: BTreeSet<u32> = blocks.iter().copied().collect();
            prop_assert_eq!(blocks.len(), distinct.len(), "a block was left and entered again");
        }
    }
}

#[test]
fn no_order_is_an_arithmetic_progression_or_near_one() {
    for order in ORDERS {
        for seed in 0..20 {
            let share = commonest_step(&visits(4 * BLOCK_LINES, order, seed));
            // In blocks of 1024 groups a distance of some 4 KiB is drawn once in about 1024.
            assert!(share < 0.01, "{order:?}, seed {seed}: {share}");
        }
    }
    let ascending: Vec<u32> = (0..1_000).collect();
    assert_eq!(commonest_step(&ascending), 1.0, "the measure tells a progression");
}

#[test]
fn the_same_seed_makes_the_same_order_and_another_does_not() {
    for order in ORDERS {
        assert_eq!(visits(4_096, order, 7), visits(4_096, order, 7));
        assert_ne!(visits(4_096, order, 7), visits(4_096, order, 8));
    }
}

#[test]
fn which_neighbour_a_pass_takes_differs_from_group_to_group() {
    let visited = visits(BLOCK_LINES, Order::Blocks, 3);
    let first_pass = &visited[..(BLOCK_LINES / GROUP_LINES) as usize];
    let mut counts = [0_u32; GROUP_LINES as usize];
    first_pass.iter().for_each(|line| counts[(line % GROUP_LINES) as usize] += 1);
    // 256 of 1024 each, standard deviation 14.
    assert!(counts.iter().all(|count| (170..350).contains(count)), "{counts:?}");
}

#[test]
fn a_walk_of_one_lap_ends_where_it_began() {
    let bytes = 128 * LINE_BYTES;
    let mut memory = memory(bytes);
    let mut cycle = Cycle::build(&mut memory, bytes, Order::WholeRange, 1).expect("it fits");
    let before = cycle.offsets();
    cycle.walk(128);
    assert_eq!(cycle.offsets(), before);
    cycle.walk(1);
    assert_eq!(Cycle::rounded(1), 32, "whole turns of the unrolled loop");
    let expected: Vec<u64> = before[32..].iter().chain(&before[..32]).copied().collect();
    assert_eq!(cycle.offsets(), expected);
}

#[test]
fn a_working_set_that_cannot_be_chased_through_is_refused_with_its_size() {
    let mut memory = memory(4096);
    let bytes = memory.bytes();
    for working_set_bytes in [0, 1, WORKING_SET_STEP_BYTES + 64, bytes + WORKING_SET_STEP_BYTES] {
        let error = Cycle::build(&mut memory, working_set_bytes, Order::Blocks, 1).unwrap_err();
        assert!(matches!(error, ChaseError::WorkingSet { at_most, .. } if at_most == bytes));
        assert!(error.to_string().contains(&format!("{working_set_bytes} bytes")), "{error}");
    }
}
