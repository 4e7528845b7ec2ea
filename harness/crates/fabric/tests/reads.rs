//! Reads between two nodes of the emulated fabric.

use std::time::Duration;

use onesided_fabric::{
    Buffers, FabricError,
    reads::{Asked, Found, Pair, Plan, Requesters, most_under_way},
    round_trip::core_to_core,
};
use onesided_measure::Clock;
use onesided_placement::{CpuId, cpus_of_current_thread};
use onesided_rmc::{RmcDevice, RmcOptions, Serving};
use onesided_transport::ConnectionAttributes;

const SHORT: Duration = Duration::from_millis(20);

fn cpus() -> [CpuId; 2] {
    let all: Vec<_> = cpus_of_current_thread().unwrap().iter().collect();
    [all[0], all[all.len() - 1]]
}

fn found(asked: Asked, window: u64, requesters: Requesters) -> Found {
    served(asked, window, requesters, Serving::Thread)
}

fn served(asked: Asked, window: u64, requesters: Requesters, serving: Serving) -> Found {
    let folder = tempfile::tempdir_in("/dev/shm").expect("/dev/shm can be written");
    let fabric = folder.path().join("fabric");
    let options = RmcOptions { fabric, serving, ..RmcOptions::default() };
    let [one, other] = [0, 1].map(|_| RmcDevice::open(&options).expect("a node is free"));
    let clock = Clock::calibrate().unwrap();
    let buffers = [Buffers::default(); 2];
    let mut pair = Pair::connect([&one, &other], buffers, &ConnectionAttributes::reliable(128))
        .expect("they connect");
    pair.measure(&clock, &Plan { asked, window, longest: SHORT }, requesters).expect("it lasts")
}

#[test]
fn reads_of_all_sizes_bring_what_is_there() {
    for (bytes, window) in [(64, 1), (64, 64), (4096, 16), (8192, 1)] {
        let found = found(Asked::Read { bytes }, window, Requesters::One(cpus()[0]));
        assert_eq!(found.differing_words, 0, "{bytes}: {found:?}");
        assert!(found.operations > 0 && found.rate.is_some(), "{bytes}: {found:?}");
    }
}

#[test]
fn both_nodes_may_ask_at_the_same_time() {
    let found = found(Asked::Read { bytes: 256 }, 16, Requesters::Both(cpus()));
    assert_eq!(found.differing_words, 0, "{found:?}");
}

#[test]
fn one_thread_a_node_may_ask_and_answer_in_turns() {
    for requesters in [Requesters::OneOfTwo(cpus()), Requesters::Both(cpus())] {
        for (asked, window) in [
            (Asked::Read { bytes: 64 }, 1),
            (Asked::Read { bytes: 8192 }, 16),
            (Asked::FetchAndAdd, most_under_way()),
        ] {
            let found = served(asked, window, requesters, Serving::Polls);
            assert_eq!(found.differing_words, 0, "{requesters:?}: {found:?}");
            assert!(found.operations > 0, "{requesters:?}: {found:?}");
        }
    }
}

#[test]
fn a_thread_that_may_not_run_where_it_should_is_told_and_nobody_waits_for_it() {
    let nowhere = CpuId(4_000);
    let folder = tempfile::tempdir_in("/dev/shm").expect("/dev/shm can be written");
    let fabric = folder.path().join("fabric");
    let serving = Serving::Polls;
    let options = RmcOptions { fabric, serving, ..RmcOptions::default() };
    let [one, other] = [0, 1].map(|_| RmcDevice::open(&options).expect("a node is free"));
    let clock = Clock::calibrate().unwrap();
    let attributes = ConnectionAttributes::reliable(128);
    let mut pair = Pair::connect([&one, &other], [Buffers::default(); 2], &attributes).unwrap();
    let plan = Plan { asked: Asked::FetchAndAdd, window: 4, longest: SHORT };
    let here = cpus()[0];
    for cpus in [[here, nowhere], [nowhere, here]] {
        for requesters in [Requesters::OneOfTwo(cpus), Requesters::Both(cpus)] {
            let ended = pair.measure(&clock, &plan, requesters);
            assert!(matches!(ended, Err(FabricError::Pin { .. })), "{ended:?}");
        }
    }
}

#[test]
fn every_addition_is_made_once() {
    for requesters in [Requesters::One(cpus()[0]), Requesters::Both(cpus())] {
        for window in [1, most_under_way()] {
            let found = found(Asked::FetchAndAdd, window, requesters);
            assert_eq!(found.differing_words, 0, "{found:?}");
        }
    }
}

#[test]
fn a_round_trip_of_cores_is_between_two() {
    let clock = Clock::calibrate().unwrap();
    let [here, there] = cpus();
    assert_eq!(core_to_core(&clock, here, here, SHORT).unwrap(), None);
    if here != there {
        // On a busy host one of the two may have its CPU taken for all of a short measurement.
        let mut longest = SHORT;
        let trip = (0..5).find_map(|_| {
            let trip = core_to_core(&clock, here, there, longest).unwrap();
            longest *= 4;
            trip
        });
        let trip = trip.expect("two CPUs answer each other within one of five measurements");
        assert!(trip.low > 0.0 && trip.low <= trip.high, "{trip:?}");
    }
}
