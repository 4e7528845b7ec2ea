//! What a device's atomics are atomic to. The emulated back end's are to the processors, too, which
//! its own tests show (`crates/rmc/tests/memory`); an adapter may promise it to its own operations
//! only, and then a processor's additions to the same word get lost.

use std::{
    sync::atomic::{AtomicBool, AtomicU64, Ordering},
    thread,
};

use onesided_transport::{AtomicCapability, Opcode, Transport};
use onesided_verbs::VerbsDevice;

use crate::{Test, loop_back::LoopBack};

/// Remote additions. Ours: in software emulation a second.
const ADDITIONS: u64 = 400;

pub const TESTS: &[Test] = &[(
    "additions_of_a_device_are_not_lost_and_a_processors_are_not_where_it_says_so",
    beside_a_processor,
)];

fn beside_a_processor(device: &VerbsDevice) {
    let mut pair = LoopBack::single(device);
    let word = pair.server_memory.remote(0).address as usize;
    let over = AtomicBool::new(false);
    let local = thread::scope(|scope| {
        let adder = scope.spawn(|| {
            // SAFETY: the word is aligned and lives as long as the pair; the device may change it
            // at any time, this thread by atomics only.
            let word = unsafe { AtomicU64::from_ptr(word as *mut u64) };
            let mut added = 0;
            while !over.load(Ordering::Relaxed) {
                word.fetch_add(1, Ordering::Relaxed);
                added += 1;
            }
            added
        });
        for addition in 0..ADDITIONS {
            pair.execute(pair.request(addition, Opcode::FetchAndAdd { add: 1 }, 8));
        }
        over.store(true, Ordering::Relaxed);
        adder.join().expect("it only adds")
    });
    let found = pair.server_memory.get(0);
    let lost = (local + ADDITIONS).checked_sub(found).expect("nothing was added twice");
    let capability = device.description().atomic_capability;
    println!(
        "   {lost} of {local} additions of a processor lost beside {ADDITIONS} of {capability:?}"
    );
    match capability {
        AtomicCapability::Global => assert_eq!(lost, 0, "the device says its atomics are global"),
        _ => assert!(found >= ADDITIONS, "additions of the device itself were lost"),
    }
}
