//! Tables made by hand.

use onesided_results::{
    RunRow,
    row::ClientRow,
    table::{Row as _, write_table},
    version,
    vocabulary::{Locality, LoopShape, Operation, SlotLayout, Source},
};

use crate::Tables;

/// A read of 8 bytes; local, and so many operations a second.
pub fn run(replicate: u32, ops: f64) -> RunRow {
    RunRow {
        back_end: "verbs".to_owned(),
        profile: "cluster".to_owned(),
        nic: Some("ConnectX-6".to_owned()),
        experiment: "size".to_owned(),
        run_id: format!("run-{replicate}-{ops}"),
        replicate: Some(replicate),
        locality: Some(Locality::RdmaLocal),
        client_locality: Some(Locality::RdmaLocal),
        queue_pairs: 8,
        threads: Some(1),
        access_bytes: 8,
        mtu_bytes: Some(256),
        max_rd_atomic: Some(16),
        window: Some(128),
        slot_layout: Some(SlotLayout::Padded),
        operations: Some(8000),
        throughput_published_ops: Some(ops),
        ..with(
            Some(ops),
            RunRow::known_by(Source::Measured, Operation::Read, LoopShape::Saturating),
        )
    }
}

/// The run with another throughput, and its interval, or without one.
pub fn with(ops: Option<f64>, run: RunRow) -> RunRow {
    RunRow {
        throughput_ops: ops,
        throughput_low_ops: ops.map(|ops| ops * 0.999),
        throughput_high_ops: ops.map(|ops| ops * 1.001),
        ..run
    }
}

pub fn remote(run: RunRow) -> RunRow {
    let run_id = format!("remote-{}", run.run_id);
    RunRow { run_id, locality: Some(Locality::RdmaRemote), ..run }
}

/// Three local and three remote runs of `bytes`, remote ones at `share` of the local rate.
pub fn pair(bytes: u32, share: f64) -> Vec<RunRow> {
    let runs = [0.99, 1.0, 1.01].into_iter().zip(1..).flat_map(|(noise, replicate)| {
        let local = RunRow { access_bytes: bytes, ..run(replicate, 1e6 * noise) };
        [local.clone(), remote(with(Some(share * 1e6 * noise), local))]
    });
    runs.collect()
}

pub fn tables(runs: &[RunRow]) -> Tables {
    let directory = tempfile::tempdir().unwrap();
    write_table(&directory.path().join(RunRow::FILE), runs).unwrap();
    Tables::read(&[directory.path().to_owned()], false).unwrap()
}

/// A queue pair of `run`, 100 ns slower than the one before it.
pub fn client(run: &RunRow, queue_pair: u32) -> ClientRow {
    ClientRow {
        schema_version: version::CLIENTS.written,
        source: run.source,
        profile: run.profile.clone(),
        experiment: run.experiment.clone(),
        run_id: run.run_id.clone(),
        queue_pair,
        operations: 1000,
        samples: Some(1000),
        latency_mean_ns: Some(1000.0 + 100.0 * f64::from(queue_pair)),
        latency_sd_ns: Some(10.0),
        latency_p1_ns: None,
        latency_p5_ns: None,
        latency_p25_ns: None,
        latency_p50_ns: None,
        latency_p75_ns: None,
        latency_p95_ns: None,
        latency_p99_ns: None,
    }
}
