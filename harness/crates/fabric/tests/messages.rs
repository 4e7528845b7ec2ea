//! Messages between ends on the emulated fabric.

use std::time::Duration;

use onesided_fabric::{
    FabricError,
    messages::{Ends, Found, Loopback, Threads},
};
use onesided_measure::Clock;
use onesided_messaging::{ALWAYS_PULL, ALWAYS_PUSH, Settings};
use onesided_placement::{CpuId, cpus_of_current_thread};
use onesided_rmc::{RmcDevice, RmcOptions};
use onesided_transport::ConnectionAttributes;

fn found(length: usize, threshold_bytes: u32, is_alone: bool) -> Found {
    let folder = tempfile::tempdir_in("/dev/shm").expect("/dev/shm can be written");
    let options = RmcOptions { fabric: folder.path().join("fabric"), ..RmcOptions::default() };
    let [one, other] = [0, 1].map(|_| RmcDevice::open(&options).expect("a node is free"));
    let clock = Clock::calibrate().unwrap();
    let settings = Settings { threshold_bytes, ..Settings::default() };
    let cpus: Vec<_> = cpus_of_current_thread().unwrap().iter().collect();
    let (devices, threads) = match is_alone {
        true => ([&one, &one], Threads::Alone(cpus[0])),
        false => ([&one, &other], Threads::Two([cpus[0], cpus[cpus.len() - 1]])),
    };
    let mut ends = Ends::connect(devices, &settings, &ConnectionAttributes::reliable(16))
        .expect("they connect");
    ends.measure(&clock, length, Duration::from_millis(20), threads).expect("it lasts")
}

#[test]
fn messages_of_all_lengths_and_ways_are_what_was_sent() {
    for is_alone in [true, false] {
        for threshold in [ALWAYS_PUSH, ALWAYS_PULL, 1000] {
            for length in [64, 2048, 65_536] {
                let found = found(length, threshold, is_alone);
                let what = format!("{length}, {threshold}, {is_alone}: {found:?}");
                assert_eq!(found.differing_messages, 0, "{what}");
                assert!(found.messages > 32 && found.rate.is_some(), "{what}");
            }
        }
    }
}

/// A ring that is full most of the time: an end has room again only when the other, which the same
/// thread has, says what it has taken; and the word of that may be on its way while more is taken.
#[test]
fn one_thread_with_both_ends_gets_on_where_there_is_room_for_a_message_only() {
    let folder = tempfile::tempdir_in("/dev/shm").expect("/dev/shm can be written");
    let fabric = folder.path().join("fabric");
    let hop_delay = Duration::from_micros(20);
    let node = RmcDevice::open(&RmcOptions { fabric, hop_delay, ..RmcOptions::default() });
    let node = node.expect("a node is free");
    let clock = Clock::calibrate().unwrap();
    let cpu = cpus_of_current_thread().unwrap().first();
    for (ring_lines, length) in [(4, 64), (5, 128), (8, 200), (16, 500)] {
        let settings = Settings { ring_lines, threshold_bytes: ALWAYS_PUSH, ..Settings::default() };
        let attributes = ConnectionAttributes::reliable(16);
        let mut ends = Ends::connect([&node, &node], &settings, &attributes).expect("they connect");
        let longest = Duration::from_millis(20);
        let found = ends.measure(&clock, length, longest, Threads::Alone(cpu)).expect("it lasts");
        assert_eq!(found.differing_messages, 0, "{ring_lines} lines: {found:?}");
    }
}

#[test]
fn messages_over_tcp_are_what_was_sent_too() {
    let clock = Clock::calibrate().unwrap();
    let cpus: Vec<_> = cpus_of_current_thread().unwrap().iter().collect();
    let cpus = [cpus[0], cpus[cpus.len() - 1]];
    let mut ends = Loopback::connect().expect("there is a loopback");
    for length in [1, 64, 2048, 65_536] {
        let found = ends.measure(&clock, length, Duration::from_millis(20), cpus);
        let found = found.expect("it lasts");
        assert_eq!(found.differing_messages, 0, "{length}: {found:?}");
        assert!(found.messages > 32 && found.rate.is_some(), "{length}: {found:?}");
        let without_cpu = found.without_cpu;
        assert!(
            without_cpu.is_none_or(|share| (0.0..=1.0).contains(&share)),
            "{length}: {found:?}"
        );
    }
}

#[test]
fn an_end_that_may_not_run_where_it_should_leaves_the_other_not_waiting() {
    let clock = Clock::calibrate().unwrap();
    let (here, nowhere) = (cpus_of_current_thread().unwrap().first(), CpuId(4_000));
    for cpus in [[here, nowhere], [nowhere, here]] {
        let mut ends = Loopback::connect().expect("there is a loopback");
        let ended = ends.measure(&clock, 64, Duration::from_millis(5), cpus);
        assert!(matches!(ended, Err(FabricError::Pin { .. })), "{ended:?}");
    }
}
