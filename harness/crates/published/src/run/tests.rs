use onesided_results::row::PublishedRun;

use super::*;
use crate::{grammar, oddities};

fn file(path: &str) -> RawFile {
    let factors = Some(grammar::factors(path).unwrap());
    RawFile { raw_path: path.to_owned(), oddity: oddities::known(path), factors }
}

fn read_text(path: &str, text: &str) -> Result<ReadFile, String> {
    read(Path::new(path), &file(path), text.as_bytes(), &mut Scratch::default())
        .map_err(|error| error.to_string())
}

/// Lines of so many epochs of clients of one rate.
fn steady_lines(clients: u32, epochs: u32, ops: u64) -> String {
    let line = |epoch, client| format!("{client}\t{epoch}\t{ops}.000000\n");
    (1..=epochs).flat_map(|epoch| (0..clients).map(move |client| line(epoch, client))).collect()
}

const BASELINE: &str = "cache_aligned/baseline/clients_two/cread/sread/numa_one/0workers.result";

#[test]
fn a_run_of_steady_clients_has_the_numbers_that_are_computed_by_hand() {
    // Two clients at 500 000 a second for 2 s: a million each.
    let read = read_text(BASELINE, &steady_lines(2, 200, 500_000)).unwrap();
    let (row, doubts) = &read.runs[0];
    let common = &row.common;
    assert_eq!(
        (read.lines, common.samples, common.operations),
        (Some(400), Some(400), Some(2_000_000))
    );
    assert_eq!(common.throughput_published_ops, Some(1_000_000.0));
    assert_eq!(common.throughput_ops, Some(1_000_000.0));
    assert_eq!(common.throughput_low_ops, common.throughput_high_ops);
    let PublishedRun { closure, window_fraction, fast_regime_fraction, .. } = row.own;
    assert_eq!((closure, window_fraction, fast_regime_fraction), (Some(1.0), Some(1.0), None));
    assert_eq!(doubts[..], []);
    let client = &read.clients[1];
    assert_eq!((client.common.queue_pair, client.common.operations), (1, 1_000_000));
    let sums = (client.own.rate_mean_ops, client.own.recovered_operations);
    assert_eq!(sums, (Some(500_000.0), Some(1_000_000.0)));
    let active = (client.own.first_active_ns, client.own.end_ns);
    assert_eq!(active, (Some(0), Some(2_000_000_000)));
}

#[test]
fn the_checksum_is_that_of_the_file() {
    let read = read_text(EMPTY, "").unwrap();
    // Of no byte: FIPS 180-4, examples.
    assert_eq!(read.sha256, "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
}

#[test]
fn a_clock_that_does_not_close_is_a_doubt() {
    // 200 epochs of 10 ms at 400 000 are 800 000 operations, not a million.
    let read = read_text(BASELINE, &steady_lines(2, 200, 400_000)).unwrap();
    let (row, doubts) = &read.runs[0];
    assert_eq!((row.own.closure, &doubts[..]), (Some(0.8), &[Doubt::ClockNotClosed][..]));
}

#[test]
fn too_short_a_time_together_has_no_robust_estimate_and_is_a_doubt() {
    let read = read_text(BASELINE, &steady_lines(2, 4, 25_000_000)).unwrap();
    let (row, doubts) = &read.runs[0];
    assert_eq!((row.common.throughput_ops, &doubts[..]), (None, &[Doubt::NoCommonWindow][..]));
    assert_eq!(row.common.throughput_published_ops, Some(50_000_000.0));
}

#[test]
fn fast_writes_are_told_from_usual_ones() {
    let path = "cache_aligned/workers/eight_byte/clients_eight/cwrite/srw/numa_one/0workers.result";
    let regime = |text: &str| {
        let read = read_text(path, text).unwrap();
        (read.runs[0].0.own.fast_regime_fraction, read.runs[0].1.clone())
    };
    assert_eq!(regime(&steady_lines(8, 132, 757_576)), (Some(0.0), vec![]));
    assert_eq!(regime(&steady_lines(8, 45, 2_222_222)), (Some(1.0), vec![Doubt::RegimeFast]));
    let mut text = steady_lines(8, 60, 757_576);
    for epoch in 61..=85 {
        (0..8).for_each(|client| text += &format!("{client}\t{epoch}\t2200000.000000\n"));
    }
    let (fraction, doubts) = regime(&text);
    assert_eq!((fraction, doubts), (Some(0.294_118), vec![Doubt::RegimeMixed]));
}

#[test]
fn slow_writes_of_the_other_card_are_told_from_usual_ones_where_workers_do_not_slow_them() {
    let doubts = |place: &str, text: &str| {
        let path =
            format!("cache_aligned/workers/xfour/eight_byte/results/cwrite/sread/{place}.result");
        let read = read_text(&path, text).unwrap();
        read.runs[0].1.iter().map(Doubt::name).collect::<Vec<_>>()
    };
    let (slow, fast) = (steady_lines(8, 109, 917_431), steady_lines(8, 54, 1_851_852));
    let place = "client-place-unknown";
    assert_eq!(doubts("numa_zero/16workers", &fast), [place]);
    assert_eq!(doubts("numa_zero/16workers", &slow), [place, "regime-slow"]);
    assert_eq!(doubts("numa_one/0workers", &slow), [place, "regime-slow"]);
    assert_eq!(doubts("numa_one/16workers", &slow), [place], "workers may have slowed them");
}

#[test]
fn a_run_that_stops_is_told_with_both_throughputs() {
    let mut text = steady_lines(2, 90, 1_000_000);
    for epoch in 91..=110 {
        let rate = if epoch <= 100 { 0 } else { 1_000_000 };
        (0..2).for_each(|client| text += &format!("{client}\t{epoch}\t{rate}.000000\n"));
    }
    let read = read_text(BASELINE, &text).unwrap();
    let (row, doubts) = &read.runs[0];
    assert_eq!(row.own.stalled_ns, Some(100_000_000));
    assert_eq!(row.own.throughput_running_ops, Some(2_000_000.0));
    assert_eq!(row.common.throughput_ops, Some(1_818_180.0));
    let told = Doubt::Stalled { threads: 2, of: 2, longest_ms: 100.0 };
    assert_eq!(doubts[..], [told]);
}

const EMPTY: &str =
    "cache_aligned/workers/sixtyfour_byte/clients_eight/cwrite/swrite/numa_zero/2workers.result";

#[test]
fn the_one_empty_file_is_a_row_without_numbers_and_any_other_an_error() {
    let read = read_text(EMPTY, "").unwrap();
    let (row, doubts) = &read.runs[0];
    assert_eq!((row.own.status, &doubts[..]), (RawStatus::Empty, &[Doubt::Empty][..]));
    assert_eq!((row.common.operations, row.common.throughput_published_ops), (None, None));
    assert!(read_text(BASELINE, "").unwrap_err().contains("is empty"));
}

#[test]
fn zeros_are_accepted_where_they_are_known_and_nowhere_else() {
    let known = "xfour/openloop_two/ccas/sread/numa_one/0workers.result";
    let zeros = "0\t1\t0.000000\n1\t1\t0.000000\n";
    let read = read_text(known, zeros).unwrap();
    let (row, doubts) = &read.runs[0];
    assert_eq!((row.own.status, &doubts[..]), (RawStatus::AllZero, &[Doubt::AllZero][..]));
    assert_eq!((row.common.operations, row.common.throughput_ops), (Some(0), None));
    assert!(read_text(BASELINE, zeros).unwrap_err().contains("not known of this file"));
    let error = read_text(known, &steady_lines(2, 9, 5)).unwrap_err();
    assert!(error.contains("a rate is not 0"), "{error}");
}

#[test]
fn latencies_become_a_run_with_their_true_deviation() {
    let path =
        "cache_aligned/closedloop/sixtyfour_byte/clients_two/cread/sread/numa_one/0workers.result";
    let read =
        read_text(path, "0\t2000ns\t0.1ns\n1\t3000ns\t0.3ns\ntotal\t2500ns\t0.2ns\n").unwrap();
    let (row, doubts) = &read.runs[0];
    let latency = (row.common.latency_mean_ns, row.common.latency_sd_ns);
    assert_eq!((latency, &doubts[..]), ((Some(2500.0), Some(547.723)), &[][..]));
    assert_eq!((row.common.samples, row.common.throughput_ops), (Some(2_000_000), None));
    assert_eq!(read.clients[1].common.latency_sd_ns, Some(300.0));
}

#[test]
fn each_cell_of_a_memcached_table_is_a_run() {
    let read = read_text("memcached/numa_one.result", "4\t300.0\t200.0\t250.0\t1.5\t1.2").unwrap();
    let ids: Vec<_> = read.runs.iter().map(|(row, _)| row.common.run_id.as_str()).collect();
    let placements = ["both-local", "both-remote", "client-local"];
    assert_eq!(ids, placements.map(|name| format!("memcached-numa-one-4clients-{name}")));
    let row = &read.runs[2].0.common;
    assert_eq!((row.queue_pairs, row.throughput_published_ops), (4, Some(250.0)));
    assert_ne!(row.locality, row.client_locality);
}
