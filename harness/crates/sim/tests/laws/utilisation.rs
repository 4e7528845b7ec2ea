//! The utilisation law: what it says of each station, and what the simulation makes of it.

use onesided_load::{LoadPlan, MixPlan, PatternPlan, PostedOperation, SlotLayout};
use onesided_sim::{ByReach, ByVerb, Connection, Parameters, Scenario, utilisations};

use crate::machine::{assert_near, closed, count, poisson, scenario};

const READ: PostedOperation = PostedOperation::Read;
const WRITE: PostedOperation = PostedOperation::Write;
const ADD: PostedOperation = PostedOperation::FetchAndAdd;

/// 16 queue pairs of 4 client hosts that always have 16 requests under way.
fn saturating(operation: PostedOperation) -> Scenario {
    let connection = Connection { mtu_bytes: 4096, max_rd_atomic: 16, inline_bytes: 0 };
    Scenario { client_hosts: 4, connection, ..scenario(closed(16), operation, 16) }
}

fn busiest(parameters: &Parameters, scenario: &Scenario) -> (&'static str, f64) {
    let rate = count(parameters, scenario).rate();
    let stations = utilisations(parameters, scenario, rate);
    let first =
        stations.into_iter().reduce(|a, b| if b.utilisation > a.utilisation { b } else { a });
    first.map(|first| (first.station, first.utilisation)).unwrap()
}

/// 32 counters, so far apart, that all of 32 queue pairs add to.
fn spread(distance: u64) -> Scenario {
    let base = saturating(ADD);
    let pattern = PatternPlan::Uniform { working_set_bytes: 32 * distance };
    let what = (base.load.shape, pattern, base.load.mix);
    let load = Scenario::load_of(what, (SlotLayout::Spread, 8), 32).unwrap();
    Scenario { load, threads: 32, ..base }
}

/// A machine on which one station alone takes time, and what so many client hosts ask of it.
struct Case {
    station: &'static str,
    operation: PostedOperation,
    client_hosts: usize,
    machine: Parameters,
}

/// One for each station.
fn cases() -> Vec<Case> {
    let delay = || Parameters { one_way_ns: 100.0, ..Parameters::ideal() };
    let case = |station, operation, machine| Case { station, operation, client_hosts: 4, machine };
    let alone = |case| Case { client_hosts: 1, ..case };
    let line = ByReach { local: 800.0, remote: 0.0 };
    let lines = ByVerb { write: ByReach { local: 100.0, remote: 0.0 }, ..ByVerb::default() };
    let is_written = Parameters { line_ns: lines, atomic_write_back: 1.0, ..delay() };
    let to_memory = Parameters { memory_ns: ByVerb::all(400.0), posted_writes: 4.0, ..delay() };
    let by_byte = || Parameters { link_ns_per_byte: 12.5, ..delay() };
    let by_packet = || Parameters { pcie_packet_ns: 100.0, ..delay() };
    let requests = Parameters { request_ns: ByVerb::all(400.0), ..delay() };
    let answers = Parameters { respond_ns: ByVerb::all(100.0), ..delay() };
    vec![
        case("client threads", READ, Parameters { poll_ns: 1600.0, ..delay() }),
        case("stores of requests", READ, Parameters { wqe_line_ns: 400.0, ..delay() }),
        case("requester's card", READ, requests),
        alone(case("requester's link", WRITE, by_byte())),
        case("responder's link, in", WRITE, Parameters { packet_ns: 100.0, ..delay() }),
        case("responder's card", READ, answers),
        case("responder's PCI Express", READ, by_packet()),
        case("responder's link, out", READ, by_byte()),
        // What an atomic moves at the responder is not in the law, nor in the model.
        alone(case("requester's PCI Express", ADD, by_packet())),
        case("lock slots", ADD, Parameters { atomic_ns: 100.0, ..delay() }),
        case("lock slots", ADD, is_written),
        case("cache lines", READ, Parameters { line_ns: ByVerb::all(line), ..delay() }),
        case("posted writes", WRITE, to_memory),
    ]
}

#[test]
fn a_station_that_all_wait_for_is_busy_all_the_time() {
    for Case { station, operation, client_hosts, machine } in cases() {
        let scenario = Scenario { client_hosts, ..saturating(operation) };
        let (found, utilisation) = busiest(&machine, &scenario);
        assert_eq!(found, station);
        assert_near(utilisation, 1.0, 0.01);
    }
}

#[test]
fn below_its_limit_a_station_is_busy_for_its_service_time_of_each_arrival() {
    let machine = Parameters {
        respond_ns: ByVerb { read: 50.0, write: 80.0, atomic: 20.0 },
        atomic_card_share: 0.5,
        atomic_ns: 60.0,
        ..Parameters::ideal()
    };
    let of = |operation, expected: f64| {
        let scenario = scenario(poisson(1e6), operation, 4);
        let rate = count(&machine, &scenario).rate();
        assert_near(rate, 4e6, 0.03);
        let card = utilisations(&machine, &scenario, 4e6);
        let card = card.iter().find(|of| of.station == "responder's card").unwrap();
        assert_near(card.utilisation, expected, 1e-9);
    };
    of(READ, 0.2);
    of(WRITE, 0.32);
    of(ADD, 0.2);
}

#[test]
fn each_low_bit_that_addresses_share_halves_the_locks_until_there_is_one() {
    let machine = Parameters { atomic_slots: 4096.0, atomic_ns: 400.0, ..Parameters::ideal() };
    for (bits, locks) in
        [(7, 32.0), (8, 16.0), (10, 4.0), (11, 2.0), (12, 1.0), (13, 1.0), (14, 1.0)]
    {
        let scenario = spread(1 << bits);
        // 512 requests draw among so many: of a closed network with exponential times that is exact.
        let busy = 512.0 / (512.0 + locks - 1.0);
        assert_near(count(&machine, &scenario).rate(), busy * locks / 400e-9, 0.03);
        let law = utilisations(&machine, &scenario, locks / 400e-9);
        let slots = law.iter().find(|of| of.station == "lock slots").unwrap();
        assert_near(slots.utilisation, 1.0, 1e-9);
    }
}

#[test]
fn lock_slots_are_those_that_addresses_reach() {
    let machine = Parameters { atomic_slots: 4096.0, atomic_ns: 100.0, ..Parameters::ideal() };
    let utilisation = |access_bytes: u32, objects: u64| {
        let working_set_bytes = objects * u64::from(access_bytes);
        let base = saturating(READ);
        let load = LoadPlan {
            mix: MixPlan::ReadAtomic { atomic_fraction: 1.0 },
            pattern: PatternPlan::Uniform { working_set_bytes },
            slot_layout: SlotLayout::Packed,
            access_bytes,
            region_bytes: working_set_bytes,
            ..base.load.clone()
        };
        let all = utilisations(&machine, &Scenario { load, ..base }, 1e7);
        all.iter().find(|of| of.station == "lock slots").unwrap().utilisation
    };
    // 64-byte objects have 64 addresses modulo 4096, words 512; fewer objects fewer.
    assert_near(utilisation(64, 1 << 20), 1.0 / 64.0, 1e-9);
    assert_near(utilisation(8, 1 << 20), 1.0 / 512.0, 1e-9);
    assert_near(utilisation(8, 16), 1.0 / 16.0, 1e-9);
}
