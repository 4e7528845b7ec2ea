//! What is written.

use std::io::Read;

use onesided_results::{
    RunConfiguration,
    record::Outcome,
    vocabulary::{Operation, Source},
};

use crate::{
    place::{Place, READ_NS},
    run, runs,
};

/// Lines of a compressed table, each column by its name.
fn rows(place: &Place, name: &str) -> Vec<std::collections::BTreeMap<String, String>> {
    let file = std::fs::File::open(place.raw().with_file_name("tables").join(name)).expect(name);
    let mut text = String::new();
    flate2::read::GzDecoder::new(file).read_to_string(&mut text).expect("a table");
    let mut reader = csv::Reader::from_reader(text.as_bytes());
    reader.deserialize().map(|row| row.expect("a row")).collect()
}

#[test]
fn check_and_collect_take_simulated_runs_as_they_take_others() {
    let runs = runs();
    let place = Place::new(&runs);
    let told = place.simulate("").with(0, &["0 of 5 runs are complete, 5 to do"]);
    assert_eq!(told.stdout.lines().count(), 1 + runs.len(), "{}", told.stdout);
    for run in &runs {
        let path = format!("check raw/{}/by-hand/{}", run.profile, run.run_id);
        place.onesided(&path).with(0, &[]);
    }
    place.onesided("check --table runs.csv --raw raw").with(0, &["5 runs in the table, 0 not"]);
    place.onesided("collect --raw raw --out tables").with(0, &["5 runs collected, 0 of them not"]);
    let table = rows(&place, "runs.csv.gz");
    assert_eq!(table.len(), runs.len());
    for row in &table {
        assert_eq!((row["source"].as_str(), row["back_end"].as_str()), ("simulated", "sim"));
        assert_eq!(row["client_locality"], "rdma-local");
        assert!(row["throughput_ops"].parse::<f64>().unwrap() > 0.0, "{row:?}");
    }
    let of = |run_id: &str| table.iter().find(|row| row["run_id"] == run_id).expect("a row");
    assert_eq!(of("run-3")["locality"], "rdma-remote");
    assert_eq!(of("run-4")["worker_locality"], "rdma-local");
    assert_eq!(of("run-4")["worker_accesses_per_second"], "", "nobody counted them");
    assert_eq!(of("run-4")["doubts"], "host-accesses-not-counted");
    assert_eq!(of("run-5")["load_node"], "rdma-local");
    assert_eq!(rows(&place, "clients.csv.gz").len(), 1 + 3 + 1 + 2 + 1);
}

#[test]
fn the_same_table_and_profile_give_the_same_bytes_with_any_number_of_jobs() {
    let runs = runs();
    let (first, second) = (Place::new(&runs), Place::new(&runs));
    let alone = first.simulate("--jobs 1").with(0, &[]);
    let together = second.simulate("--jobs 4").with(0, &[]);
    assert_eq!(alone.stdout, together.stdout);
    assert_eq!(first.files(), second.files());
    assert_eq!(first.files().len(), 3 * runs.len());
}

#[test]
fn one_queue_pair_in_a_closed_loop_takes_the_sum_of_its_stations() {
    let place = Place::new(&[run(1)]);
    place.simulate("").with(0, &[]);
    let record = place.record(&run(1));
    let totals = record.totals.expect("totals");
    let only = &totals.queue_pairs[0];
    assert_eq!((only.latency_min_ns, only.latency_max_ns), (Some(READ_NS), Some(READ_NS)));
    assert_eq!(only.latency_mean_ns, Some(READ_NS as f64));
    // One after the other without a pause: so many end in 20 ms.
    assert!(totals.operations.abs_diff(20_000_000 / READ_NS) <= 1, "{}", totals.operations);
    assert_eq!(totals.samples, totals.operations);
    assert_eq!(record.outcome, Outcome::Valid);
    assert_eq!((record.source, record.clock), (Source::Simulated, None));
    assert_eq!(record.started_at, "1970-01-01T00:00:00.000Z");
}

#[test]
fn of_a_share_the_record_says_so() {
    let limited = RunConfiguration {
        operation: Operation::Write,
        operations_per_queue_pair: Some(10),
        run_id: "limited".to_owned(),
        warm_up_ms: 0,
        ..run(2)
    };
    let place = Place::new(&[run(1), limited.clone()]);
    place.simulate("--share 0.5").with(0, &[]);
    let record = place.record(&run(1));
    assert_eq!(record.configuration, run(1), "what was asked for stays what it was");
    assert_eq!(record.totals.expect("totals").measured_ns, 10_000_000);
    assert_eq!(record.simulation.expect("what it follows from").share, 0.5);
    let doubt = &record.doubts[0];
    assert_eq!((doubt.doubt.as_str(), doubt.invalidates), ("simulated-in-part", false));
    assert!(doubt.explanation.starts_with("10000000 ns of the 20000000 ns"), "{doubt:?}");
    assert_eq!(place.record(&limited).totals.expect("totals").operations, 5);
    place.onesided("collect --raw raw --out tables").with(0, &[]);
    for row in rows(&place, "runs.csv.gz") {
        assert_eq!(row["doubts"], "simulated-in-part");
    }
}

#[test]
fn places_that_were_left_open_are_taken_and_doubted() {
    let open = RunConfiguration {
        server_region: "any".to_owned(),
        client_threads: "any".to_owned(),
        client_buffers: "any".to_owned(),
        ..run(1)
    };
    let place = Place::new(&[open.clone(), run(2)]);
    place.simulate("").with(0, &[]);
    let (open, given) = (place.record(&open), place.record(&run(2)));
    assert_eq!(open.doubts[0].doubt, "places-assumed");
    assert!(open.doubts[0].explanation.contains("server_region as rdma-local"), "{open:?}");
    assert_eq!(open.totals, given.totals);
}

#[test]
fn memory_on_another_node_takes_longer_by_the_interconnect() {
    let far = RunConfiguration { server_region: "rdma-remote".to_owned(), ..run(1) };
    let mut place = Place::new(std::slice::from_ref(&far));
    place.change("line_ns.read.remote", 64.0);
    place.simulate("").with(0, &[]);
    let totals = place.record(&far).totals.expect("totals");
    assert_eq!(totals.queue_pairs[0].latency_mean_ns, Some((READ_NS + 4096) as f64));
}
