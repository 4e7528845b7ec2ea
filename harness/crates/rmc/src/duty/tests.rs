use std::time::Instant;

use super::*;
use crate::{RmcDevice, RmcOptions, responder::Turn};

fn polled_node(fabric: &tempfile::TempDir) -> RmcDevice {
    let (fabric, serving) = (fabric.path().to_owned(), Serving::Polls);
    RmcDevice::open(&RmcOptions { fabric, serving, ..RmcOptions::default() }).unwrap()
}

/// The stand-in may have it for a moment.
fn take(duty: &Duty) -> Held<'_> {
    let start = Instant::now();
    loop {
        if let Some(held) = duty.take() {
            return held;
        }
        assert!(start.elapsed() < Duration::from_secs(20), "nobody gives it back");
        thread::sleep(LOOK_AGAIN);
    }
}

#[test]
fn one_has_it_at_a_time_and_gives_it_back() {
    let duty = Duty::new();
    let held = duty.take().expect("nobody has it");
    assert!(duty.take().is_none());
    drop(held);
    assert!(duty.take().is_some());
}

#[test]
fn who_polls_has_it_for_a_round_and_who_does_not_get_it_says_so() {
    let fabric = tempfile::tempdir_in("/dev/shm").unwrap();
    let device = polled_node(&fabric);
    let (local, duty) = (&device.node().local, &device.node().duty);
    let mut held = take(duty);
    duty.is_wanted.store(false, Ordering::Relaxed);
    let polled = duty.polled.load(Ordering::Relaxed);
    serve(local, duty);
    assert!(duty.is_wanted.load(Ordering::Relaxed), "whoever has it is told");
    assert_eq!(duty.polled.load(Ordering::Relaxed), polled, "it was no round");
    assert!(held.round(local) == Turn::Nothing);
    drop(held);
    let start = Instant::now();
    while duty.polled.load(Ordering::Relaxed) == polled {
        serve(local, duty);
        assert!(start.elapsed() < Duration::from_secs(20), "a poll never has a round");
    }
    drop(take(duty));
}

/// Freeing anything waits until whoever has the duty has come round: nobody polls here.
#[test]
fn a_node_that_nobody_polls_is_settled_by_its_thread() {
    let fabric = tempfile::tempdir_in("/dev/shm").unwrap();
    let device = polled_node(&fabric);
    for _ in 0..3 {
        device.node().local.settle();
    }
    assert_eq!(device.node().duty.polled.load(Ordering::Relaxed), 0);
}
