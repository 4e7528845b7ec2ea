use std::sync::{
    Arc,
    atomic::{AtomicU64, Ordering::Relaxed},
};

use onesided_load::worker::{WorkerOperation, WorkerPattern};
use onesided_placement::{BoundMemory, PageSize};

use super::*;

fn memory(bytes: usize) -> SharedMemory {
    SharedMemory::of(Arc::new(BoundMemory::allocate(bytes, PageSize::Base, None).unwrap()))
}

fn words(memory: &SharedMemory) -> Vec<u64> {
    let start = memory.start().as_ptr().cast::<u64>();
    // SAFETY: whole words of the memory.
    let word = |index| unsafe { AtomicU64::from_ptr(start.add(index)) }.load(Relaxed);
    (0..memory.length() / 8).map(word).collect()
}

fn plan(pattern: WorkerPattern, operation: WorkerOperation, access_bytes: u32) -> WorkerPlan {
    WorkerPlan {
        pattern,
        operation,
        write_fraction: 0.25,
        object_bytes: 8,
        access_bytes,
        region_bytes: 4096,
        worker: 2,
        workers: 4,
        seed: 3,
    }
}

fn done(memory: &SharedMemory, plan: &WorkerPlan, accesses: u32) -> Done {
    batch_of(memory, plan).unwrap().run(accesses)
}

#[test]
fn a_store_of_each_width_writes_so_many_bytes_of_the_workers_number_and_no_more() {
    for bytes in [1, 2, 4, 8, 16, 32, 64] {
        let memory = memory(4096);
        let plan = plan(WorkerPattern::SharedLine, WorkerOperation::Write, bytes);
        assert_eq!(done(&memory, &plan, 5), Done { writes: 5, ..Done::default() });
        let words = words(&memory);
        let (whole, rest) = (bytes as usize / 8, bytes % 8);
        assert!(words[..whole].iter().all(|word| *word == 2), "{bytes}: {words:?}");
        assert_eq!(words[whole], if rest > 0 { 2 } else { 0 });
        assert!(words[whole + 1..].iter().all(|word| *word == 0));
    }
}

#[test]
fn a_sequential_round_of_stores_writes_every_object() {
    let memory = memory(4096);
    let plan = plan(WorkerPattern::Sequential, WorkerOperation::Write, 8);
    done(&memory, &plan, 512);
    assert_eq!(words(&memory), vec![2; 512]);
}

#[test]
fn loads_change_nothing() {
    let memory = memory(4096);
    let pattern = WorkerPattern::Uniform;
    assert_eq!(done(&memory, &plan(pattern, WorkerOperation::Read, 8), 10_000), Done::default());
    let none = WorkerPlan { write_fraction: 0.0, ..plan(pattern, WorkerOperation::Mixed, 8) };
    assert_eq!(done(&memory, &none, 10_000), Done::default());
    assert_eq!(words(&memory), vec![0; 512]);
}

#[test]
fn a_mix_stores_where_and_as_often_as_it_says() {
    let memory = memory(1 << 16);
    let mixed = plan(WorkerPattern::Uniform, WorkerOperation::Mixed, 8);
    let plan = WorkerPlan { region_bytes: 1 << 16, ..mixed };
    let accesses = 4096;
    let writes = done(&memory, &plan, accesses).writes;
    // Five standard deviations: 5 x sqrt(4096 x 0.25 x 0.75) = 139.
    assert!(writes.abs_diff(1024) < 139, "{writes}");
    // Of 8192 objects, so many are hit by at least one of so many stores.
    let expected = 8192.0 * (1.0 - (1.0_f64 - 1.0 / 8192.0).powf(writes as f64));
    let written = words(&memory).iter().filter(|word| **word == 2).count() as f64;
    assert!((written - expected).abs() < 60.0, "{written} of {expected}");
}

#[test]
fn additions_add_up_to_the_accesses() {
    let memory = memory(4096);
    let plan = plan(WorkerPattern::Uniform, WorkerOperation::FetchAndAdd, 8);
    assert_eq!(done(&memory, &plan, 1000), Done { atomics: 1000, ..Done::default() });
    assert_eq!(words(&memory).iter().sum::<u64>(), 1000);
}

#[test]
fn swaps_that_nobody_disturbs_all_succeed() {
    let memory = memory(4096);
    let plan = plan(WorkerPattern::Uniform, WorkerOperation::CompareAndSwap, 8);
    assert_eq!(done(&memory, &plan, 1000), Done { writes: 0, atomics: 1000, swapped: 1000 });
    assert_eq!(words(&memory).iter().sum::<u64>(), 1000);
}

#[test]
fn as_published_a_swap_leaves_the_workers_number_whatever_was_there() {
    let memory = memory(4096);
    let add = plan(WorkerPattern::SharedLine, WorkerOperation::FetchAndAdd, 8);
    done(&memory, &add, 77);
    let swap = plan(WorkerPattern::AsPublished, WorkerOperation::CompareAndSwap, 8);
    assert_eq!(done(&memory, &swap, 512), Done { writes: 0, atomics: 512, swapped: 512 });
    assert_eq!(words(&memory), vec![2; 512]);
}

#[test]
#[should_panic(expected = "a region within its memory")]
fn a_region_beyond_its_memory_is_never_accessed() {
    let plan = plan(WorkerPattern::Uniform, WorkerOperation::Read, 8);
    drop(batch_of(&memory(4096), &WorkerPlan { region_bytes: 4097, ..plan }));
}
