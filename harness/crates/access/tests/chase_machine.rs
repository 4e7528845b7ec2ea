//! Latencies of the machine the tests run on, whichever it is, with bounds that only a chase that
//! is none would miss.

use std::io::Write;
use std::num::{NonZeroU32, NonZeroU64};

use onesided_access::chase::{
    ChaseError, ChaseMemory, Effort, Order, Pages, Probe, caches, plateaus::Level,
    plateaus::ranges, probe,
};
use onesided_measure::Clock;
use onesided_placement::{CpuId, MemoryError, NodeId, current_cpu};

/// Written past libtest's capture, so that a skipped test is never taken for a passed one.
fn skipped(reason: &str) {
    let line = format!("SKIPPED: {reason}\n");
    std::io::stderr().write_all(line.as_bytes()).expect("standard error");
}

fn asked(working_sets_bytes: Vec<u64>) -> Probe {
    Probe {
        cpu: current_cpu().0,
        memory_node: None,
        working_sets_bytes,
        pages: Some(Pages::Base),
        order: Order::Blocks,
        seed: 1,
        effort: Effort {
            repetitions: NonZeroU32::new(5).expect("not 0"),
            loads: NonZeroU64::new(1 << 16).expect("not 0"),
        },
    }
}

#[test]
fn memory_takes_at_least_twice_as_long_as_the_first_level_cache() {
    let ranges = ranges(&caches::of(current_cpu().0));
    let start = |level| ranges.iter().find(|r| r.level == level).map(|range| range.from_bytes);
    let (Some(near), Some(far)) = (start(Level::Cache(1)), start(Level::Memory)) else {
        return skipped("the kernel does not tell the caches");
    };
    let clock = Clock::calibrate().expect("a clock");
    let mut heard = 0;
    let readings = probe(&asked(vec![near, far]), &clock, |_| heard += 1).expect("two readings");
    let [near, far] = [0, 1].map(|index| readings[index].latency.median_ns);
    assert_eq!(heard, 2);
    // The unoptimised loop of a debug build adds its own time to both.
    assert!(near > 0.1 && near < 100.0, "{near} ns for a load from the first-level cache");
    assert!(far > 2.0 * near && far < 10_000.0, "{far} ns for memory, {near} ns for a cache");
}

#[test]
fn a_reading_says_what_was_measured_and_where_its_memory_was() {
    let clock = Clock::calibrate().expect("a clock");
    let readings = probe(&asked(vec![8192, 4096]), &clock, |_| ()).expect("two readings");
    let sizes: Vec<u64> = readings.iter().map(|reading| reading.working_set_bytes).collect();
    assert_eq!(sizes, [8192, 4096], "in the order asked for");
    let latency = readings[0].latency;
    assert_eq!((latency.repetitions, latency.loads), (5, 1 << 16));
    assert!(latency.min_ns <= latency.low_quartile_ns);
    assert!(latency.low_quartile_ns <= latency.median_ns);
    assert!(latency.median_ns <= latency.high_quartile_ns);
    assert_eq!((readings[0].pages, readings[0].residency.page_bytes), (Pages::Base, 4096));
    assert_eq!(readings[0].residency.pages, 2, "every page of the memory was looked up");
}

#[test]
fn transparent_huge_pages_are_proven_or_refused_and_never_assumed() {
    let bytes = 3 << 20;
    match ChaseMemory::allocate(bytes, Some(Pages::TransparentHuge), None) {
        Ok(memory) => {
            assert_eq!((memory.pages(), memory.page_bytes()), (Pages::TransparentHuge, 2 << 20));
            assert_eq!(memory.bytes(), 4 << 20);
            assert_eq!(memory.residency().expect("looked up").pages, 1024);
        }
        Err(ChaseError::NotTransparentHuge { asked_bytes, huge_bytes }) => {
            assert!(huge_bytes < asked_bytes);
            skipped("no transparent huge pages here");
        }
        Err(error) => panic!("{error}"),
    }
    let chosen = ChaseMemory::allocate(bytes, None, None).expect("the choice falls back to base");
    assert!(chosen.bytes() >= bytes);
}

#[test]
fn what_cannot_be_measured_is_refused_with_what_was_asked() {
    let clock = Clock::calibrate().expect("a clock");
    let refused = |asked: Probe| probe(&asked, &clock, |_| ()).expect_err("it cannot be");
    let error = refused(Probe { cpu: CpuId(60_000), ..asked(vec![4096]) });
    assert!(matches!(error, ChaseError::Affinity { cpu: CpuId(60_000), .. }), "{error}");
    let error = refused(Probe { memory_node: Some(NodeId(1023)), ..asked(vec![4096]) });
    let ChaseError::Memory { source: MemoryError::NodeUnavailable { node } } = error else {
        panic!("{error}")
    };
    assert_eq!(node, NodeId(1023));
    let error = refused(Probe { memory_node: Some(current_cpu().1), ..asked(vec![1 << 50]) });
    assert!(matches!(error, ChaseError::Memory { .. }), "{error}");
    assert!(matches!(refused(asked(vec![])), ChaseError::NoWorkingSet));
}
