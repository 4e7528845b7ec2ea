//! The times of the contract are those of the simulation.

use std::time::Duration;

use onesided_load::{LoadPlan, MixPlan, PatternPlan, PostedOperation, ShapePlan, SlotLayout};
use onesided_sim::{
    ByReach, ByVerb, Completed, Connection, HostLoad, Locality, Moment, Observer, Parameters,
    Scenario, Workers, simulate, transport::HostConditions,
};
use onesided_transport::{Endpoint, Opcode, Transport, WorkCompletion};

use crate::hosts::{Hosts, attributes};

/// Powers of two, so that a sum tells which stations are in it.
pub fn distinct() -> Parameters {
    Parameters {
        post_ns: ByVerb::all(1.0),
        doorbell_ns: 2.0,
        request_ns: ByVerb::all(4.0),
        packet_ns: 8.0,
        one_way_ns: 16.0,
        respond_ns: ByVerb::all(32.0),
        line_ns: ByVerb::all(ByReach { local: 64.0, remote: 1e6 }),
        memory_ns: ByVerb::all(128.0),
        interconnect_ns: ByVerb::all(1e6),
        completion_ns: 256.0,
        poll_ns: 512.0,
        ..Parameters::ideal()
    }
}

/// A machine on which requests wait for each other everywhere.
fn crowded() -> Parameters {
    Parameters {
        post_ns: ByVerb { read: 101.0, write: 97.0, atomic: 89.0 },
        post_next_ns: 31.0,
        poll_ns: 53.0,
        doorbell_ns: 211.0,
        completion_ns: 307.0,
        request_ns: ByVerb { read: 61.0, write: 43.0, atomic: 83.0 },
        gather_ns_per_byte: 0.11,
        request_cache_entries: 5.0,
        request_miss_ns: 17.0,
        link_ns_per_byte: 0.147,
        packet_ns: 9.5,
        one_way_ns: 199.0,
        respond_ns: ByVerb::all(41.0),
        context_entries: 2.0,
        context_miss_ns: 13.0,
        pcie_ns_per_byte: 0.127,
        memory_ns: ByVerb { read: 503.0, write: 203.0, atomic: 601.0 },
        interconnect_ns: ByVerb { read: 103.0, write: 71.0, atomic: 109.0 },
        line_ns: ByVerb::all(ByReach { local: 19.0, remote: 23.0 }),
        posted_writes: 4.0,
        atomic_slots: 2.0,
        atomic_ns: 29.0,
        controller_wait_ns: 37.0,
        cache_bytes: 1e6,
        ..Parameters::ideal()
    }
}

struct Times(Vec<(usize, Moment)>);

impl Observer for Times {
    fn completed(&mut self, completed: Completed) {
        self.0.push((completed.queue_pair, completed.at));
    }
}

/// So many operations of each of `threads` queue pairs, `window` of them outstanding.
fn simulated(
    parameters: &Parameters,
    (operation, access_bytes): (PostedOperation, u32),
    (threads, window): (usize, u32),
    (operations, server): (u64, HostConditions),
) -> Vec<(usize, Moment)> {
    let think_time = Duration::ZERO;
    let scenario = Scenario {
        load: LoadPlan {
            shape: ShapePlan::ClosedLoop { window, think_time, post_list: 1 },
            pattern: PatternPlan::OwnSlot,
            mix: MixPlan::Single(operation),
            access_bytes,
            slot_layout: SlotLayout::Padded,
            region_bytes: 4096,
            queue_pairs: 0..threads,
            run_queue_pairs: threads,
            operations_per_queue_pair: Some(operations),
            units_per_second: Scenario::UNITS_PER_SECOND,
            seed: 1,
        },
        threads,
        client_hosts: 1,
        region: server.memory,
        client: Locality::RdmaLocal,
        connection: Connection { mtu_bytes: 256, max_rd_atomic: 1, inline_bytes: 0 },
        workers: server.workers,
        host_load: server.load,
        end: Moment(1_000_000_000_000),
    };
    let mut times = Times(Vec::new());
    simulate(parameters, &scenario, &mut times).unwrap();
    times.0
}

/// The same through the contract, threads polled in turn.
fn through_the_contract(
    parameters: &Parameters,
    (opcode, length): (Opcode, u32),
    (threads, window): (usize, u32),
    (operations, server): (u64, HostConditions),
) -> Vec<(usize, Moment)> {
    let mut hosts = Hosts::connected(parameters, threads, server, &attributes());
    let request = |hosts: &Hosts, thread| hosts.request(thread, opcode, length);
    let mut left = vec![operations - u64::from(window); threads];
    for thread in 0..threads {
        let list = vec![request(&hosts, thread); window as usize];
        hosts.post(thread, &list).unwrap();
    }
    let mut times = Vec::new();
    let mut one = [WorkCompletion::EMPTY];
    while times.len() < threads * operations as usize {
        for (thread, left) in left.iter_mut().enumerate() {
            while hosts.threads[thread].poll(&mut one).unwrap() == 1 {
                times.push((thread, hosts.fabric.now()));
                if *left > 0 {
                    *left -= 1;
                    let next = request(&hosts, thread);
                    hosts.post(thread, &[next]).unwrap();
                }
            }
        }
    }
    times
}

#[test]
fn a_read_takes_the_sum_of_its_stations_and_what_the_simulation_says() {
    let mut hosts = Hosts::new(&distinct(), 1);
    assert_eq!(hosts.fabric.now(), Moment(0));
    let read = hosts.request(0, Opcode::Read, 8);
    hosts.post(0, &[read]).unwrap();
    let (_, at) = hosts.wait(0);
    // Packets and one way count twice.
    let sum = 1 + 2 + 4 + 2 * (8 + 16) + 32 + 64 + 128 + 256 + 512;
    assert_eq!(at, Moment(sum * 1_000));
    let rest = (1, HostConditions::default());
    let told = simulated(&distinct(), (PostedOperation::Read, 8), (1, 1), rest);
    assert_eq!(told, [(0, at)]);
}

#[test]
fn operations_that_wait_for_each_other_take_what_the_simulation_says() {
    let add = Opcode::FetchAndAdd { add: 1 };
    let load = HostLoad { on_node: 0.5, crossing: 0.5, bytes: 4_000_000 };
    let far = HostConditions { memory: Locality::RdmaRemote, workers: Workers::NONE, load };
    for (opcode, operation, bytes) in [
        (Opcode::Read, PostedOperation::Read, 8),
        (Opcode::Read, PostedOperation::Read, 1_000),
        (Opcode::Write, PostedOperation::Write, 8),
        (Opcode::Write, PostedOperation::Write, 1_000),
        (add, PostedOperation::FetchAndAdd, 8),
    ] {
        for (threads, window) in [(1, 1), (1, 4), (3, 1), (4, 8)] {
            for server in [HostConditions::default(), far] {
                let (shape, rest) = ((threads, window), (20, server));
                // The simulation takes windows for full, which they are not while a thread posts.
                let parameters = Parameters { request_miss_ns: 0.0, ..crowded() };
                let mut told = simulated(&parameters, (operation, bytes), shape, rest);
                let mut found = through_the_contract(&parameters, (opcode, bytes), shape, rest);
                told.sort_unstable();
                found.sort_unstable();
                assert_eq!(found, told, "{opcode:?} {bytes} {shape:?} {server:?}");
            }
        }
    }
}

#[test]
fn the_same_program_has_the_same_times_although_some_are_drawn() {
    let workers = Workers { threads: 3.0, write_share: 1.0, lines: 8 };
    let server = HostConditions { workers, ..HostConditions::default() };
    let transfer_ns = ByVerb::all(ByReach { local: 100.0, remote: 100.0 });
    let parameters = Parameters { transfer_ns, ..crowded() };
    let run = || through_the_contract(&parameters, (Opcode::Read, 64), (4, 8), (50, server));
    let first = run();
    assert_eq!(run(), first);
    let calm = HostConditions::default();
    // Something was drawn.
    let other = through_the_contract(&parameters, (Opcode::Read, 64), (4, 8), (50, calm));
    assert_ne!(other, first);
}

#[test]
fn time_goes_on_by_polls_with_something_under_way_and_only_by_them() {
    let mut hosts = Hosts::new(&distinct(), 1);
    let mut one = [WorkCompletion::EMPTY];
    assert_eq!(hosts.threads[0].poll(&mut one).unwrap(), 0);
    assert_eq!(hosts.fabric.now(), Moment(0));
    let read = hosts.request(0, Opcode::Read, 8);
    hosts.post(0, &[read]).unwrap();
    assert_eq!(hosts.fabric.now(), Moment(0));
    let mut before = hosts.fabric.now();
    while hosts.threads[0].poll(&mut one).unwrap() == 0 {
        assert!(hosts.fabric.now() > before, "a poll got nowhere");
        before = hosts.fabric.now();
    }
    let after = hosts.fabric.now();
    assert_eq!(hosts.threads[0].poll(&mut one).unwrap(), 0);
    assert_eq!(hosts.fabric.now(), after);
}

#[test]
fn a_device_says_that_it_is_simulated() {
    let fabric = std::sync::Arc::new(onesided_sim::transport::SimFabric::new(&distinct(), 1));
    let device = onesided_sim::transport::SimDevice::new(&fabric, HostConditions::default());
    assert_eq!(device.description().back_end, "sim");
}
