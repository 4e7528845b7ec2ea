use onesided_load::MixPlan;
use onesided_results::row::ShapeRow;

use super::*;

/// A card that takes 10 ns for a request and locks one slot for 100 ns, 1 µs away.
fn machine() -> Parameters {
    Parameters {
        one_way_ns: 500.0,
        respond_ns: ByVerb::all(10.0),
        atomic_ns: 100.0,
        ..Parameters::ideal()
    }
}

fn near(found: f64, expected: f64) -> bool {
    (found - expected).abs() < 0.02 * expected
}

#[test]
fn every_study_can_be_simulated_at_every_point_and_names_are_told_apart() {
    for study in Study::ALL {
        assert_eq!(Study::of(study.name).unwrap().name, study.name);
        let points = study.points();
        for (at, point) in points.iter().enumerate() {
            if point.message.is_none() {
                let scenario = point.scenario(Moment(1)).unwrap();
                onesided_sim::check(&scenario).unwrap();
                scenario.load.slots().unwrap();
            }
            assert!(!points[..at].contains(point), "{}: {point:?} twice", study.name);
        }
    }
    let told = Study::of("atomic").unwrap_err().to_string();
    assert!(told.contains("did you mean \"atomics\"?"), "{told}");
}

#[test]
fn a_put_is_two_atomics_and_a_get_is_one_read() {
    let of = |put_fraction| {
        let points = Study::of("key-value").unwrap().points();
        points.into_iter().find(|point| point.put_fraction == Some(put_fraction)).unwrap()
    };
    let fraction = |put_fraction| match of(put_fraction).mix().unwrap() {
        MixPlan::ReadAtomic { atomic_fraction } => atomic_fraction,
        other => panic!("{other:?}"),
    };
    assert_eq!([fraction(0.0), fraction(1.0)], [0.0, 1.0]);
    // 10 PUTs among 100: 20 atomics, 90 reads.
    assert!(near(fraction(0.1), 20.0 / 110.0));
    let rate = |put_fraction| shape(&machine(), &of(put_fraction)).unwrap().throughput_ops;
    assert!(near(rate(0.0), 1e8), "{}", rate(0.0));
    // The lock is the limit: 2 times 100 ns for each PUT.
    assert!(near(rate(1.0), 5e6), "{}", rate(1.0));
    assert!(near(rate(0.5), 1e7), "{}", rate(0.5));
    assert_eq!(of(0.5).payload_bytes(), 40.0);
}

#[test]
fn the_limit_is_the_busiest_station_or_what_keeps_it_idle() {
    let limit = |machine: &Parameters, study: &str, at: usize| {
        let point = &Study::of(study).unwrap().points()[at];
        let found = shape(machine, point).unwrap();
        (found.limit, found.limit_utilisation.unwrap())
    };
    let (station, utilisation) = limit(&machine(), "size", 0);
    assert!(station == "responder's card" && near(utilisation, 1.0), "{station} {utilisation}");
    // One request each in 1 µs: nothing is busy.
    let (station, utilisation) = limit(&machine(), "window", 0);
    assert!(station == "window" && utilisation < 0.2, "{station} {utilisation}");
    let far = Parameters { one_way_ns: 50_000.0, ..machine() };
    assert_eq!(limit(&far, "size", 0).0, "reads in flight");
    let in_order =
        Parameters { atomic_slots: 4096.0, atomic_ns: 400.0, atomics_waiting: 1.0, ..machine() };
    // 64 counters in 64 slots, in order: some ten at once.
    let (station, utilisation) = limit(&in_order, "atomics", 6);
    assert!(station == "lock slots, in order" && utilisation < 0.9, "{station} {utilisation}");
}

#[test]
fn a_host_that_asks_enough_others_waits_for_no_responders_card() {
    let slow =
        Parameters { request_ns: ByVerb::all(20.0), respond_ns: ByVerb::all(500.0), ..machine() };
    let point = &Study::of("outbound").unwrap().points()[0];
    let found = shape(&slow, point).unwrap();
    assert!(near(found.throughput_ops, 5e7), "{found:?}");
    assert_eq!(found.limit, "requester's card");
}

#[test]
fn a_row_says_what_was_asked_and_what_came_out() {
    let study = Study::of("size").unwrap();
    let point = &study.points()[3];
    let found = shape(&machine(), point).unwrap();
    let row: ShapeRow = found.row(("some", None), study, point, Some(2e8));
    assert_eq!((row.access_bytes, row.client_hosts), (Some(64), Some(16)));
    assert_eq!((row.study.as_str(), row.profile.as_str()), ("size", "some"));
    assert!(near(row.bytes_per_second.unwrap(), 64.0 * row.throughput_ops.unwrap()));
    assert!(near(row.relative_throughput.unwrap(), 0.5));
}

#[test]
fn sweeps_over_queue_pairs_and_hosts_end_where_the_card_is_busy() {
    let places = |study: &str, operation, count: u32| {
        let points = Study::of(study).unwrap().points().into_iter();
        let of_study = points.filter(move |point| point.operation == operation);
        let counted = |point: &ShapePoint| match study {
            "queue-pairs" => point.queue_pairs,
            _ => point.client_hosts,
        };
        let found: Vec<_> = of_study.filter(|point| counted(point) == count).collect();
        assert_eq!([found[0].region, found[1].region], [Locality::RdmaLocal, Locality::RdmaRemote]);
        let far = Parameters {
            interconnect_ns: ByVerb::all(500.0),
            request_ns: ByVerb::all(50.0),
            ..machine()
        };
        [0, 1].map(|place| shape(&far, &found[place]).unwrap())
    };
    let [local, remote] = places("queue-pairs", Operation::Read, 1);
    assert_eq!([local.limit, remote.limit], ["reads in flight"; 2]);
    assert!(remote.throughput_ops < 0.75 * local.throughput_ops);
    for place in places("queue-pairs", Operation::Read, 10_000) {
        assert!(place.limit == "requester's card" && near(place.throughput_ops, 2e7), "{place:?}");
        // Everything that is posted waits for the card: Little's law.
        assert!(near(place.latency_mean_ns.unwrap(), 160_000.0 * 50.0), "{place:?}");
    }
    let [many, _] = places("client-hosts", Operation::Write, 64);
    assert!(many.limit == "responder's card" && near(many.throughput_ops, 1e8));
}

/// Powers of two, so that a sum tells which stations are in it.
fn distinct() -> Parameters {
    Parameters {
        post_ns: ByVerb::all(1.0),
        doorbell_ns: 2.0,
        request_ns: ByVerb::all(4.0),
        packet_ns: 8.0,
        one_way_ns: 16.0,
        respond_ns: ByVerb::all(32.0),
        memory_ns: ByVerb::all(128.0),
        completion_ns: 256.0,
        poll_ns: 0.25,
        copy_ns_per_byte: 1024.0,
        // Else a message waits until the one before is in memory.
        posted_writes: 32.0,
        ..Parameters::ideal()
    }
}

fn message(way: &str, bytes: u32) -> f64 {
    let points = Study::of(way).unwrap().points();
    let point = points.iter().find(|point| point.access_bytes == bytes).unwrap();
    let found = shape(&distinct(), point).unwrap();
    assert_eq!(found, shape(&distinct(), point).unwrap(), "the same twice");
    found.latency_mean_ns.unwrap()
}

#[test]
fn a_pushed_message_takes_a_write_and_a_look_and_a_pulled_one_a_read_more() {
    let pushed = 1.0 + 2.0 + 4.0 + 8.0 + 16.0 + 32.0 + 0.25;
    let read = pushed + 128.0 + 8.0 + 16.0 + 256.0;
    // In one line.
    for bytes in [8, 32] {
        let copies = 2.0 * 1024.0 * f64::from(bytes);
        assert_eq!(message("messages-pushed", bytes), pushed + copies);
        assert_eq!(message("messages-pulled", bytes), pushed + read + copies);
    }
}
