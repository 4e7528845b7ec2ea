//! What was read, as rows of the tables. Numbers are rounded here and nowhere else.

use onesided_estimate::printed::{ClientSummary, EPOCH_NS};
use onesided_results::{
    RunRow,
    row::{ClientRow, PublishedClient, PublishedClientRow, PublishedRun, PublishedRunRow},
    version,
    vocabulary::{RawStatus, Source},
};

use super::{Estimates, RawFile};
use crate::{
    digits::six_digits,
    factors::{Content, Factors, OPERATIONS_PER_CLIENT},
    key_value::Placement,
    latencies::{self, Latency},
};

/// The program that made the runs, as the tables' back end.
const BACK_END: &str = "nurdma";

/// A run on which no number is known yet.
pub(crate) fn run(
    file: &RawFile,
    factors: &Factors,
    sha256: &str,
    status: RawStatus,
) -> PublishedRunRow {
    PublishedRunRow { common: common(file, factors), own: own(file, factors, sha256, status) }
}

/// The run's name: its path, in the letters of a name.
fn run_id(raw_path: &str) -> String {
    raw_path.trim_end_matches(".result").replace(['/', '_'], "-")
}

fn common(file: &RawFile, factors: &Factors) -> RunRow {
    let of_program = factors.content != Content::KeyValue;
    RunRow {
        back_end: BACK_END.to_owned(),
        profile: factors.testbed.profile().to_owned(),
        nic: Some(factors.testbed.nic().to_owned()),
        experiment: factors.experiment.to_owned(),
        run_id: run_id(&file.raw_path),
        worker_operation: factors.worker_operation(),
        locality: Some(factors.locality),
        client_locality: factors.client_locality,
        worker_locality: factors.worker_locality(),
        queue_pairs: factors.queue_pairs,
        threads: factors.threads(),
        access_bytes: factors.access_bytes,
        mtu_bytes: factors.mtu_bytes,
        // Fixed in the study's programs.
        max_rd_atomic: of_program.then_some(1),
        window: (factors.content == Content::Latencies).then_some(1),
        workers: factors.workers,
        worker_write_fraction: factors.write_fraction(),
        load_kind: factors.load.kind(),
        load_bytes: factors.load.bytes,
        load_node: factors.load.place(),
        slot_layout: factors.slot_layout(),
        cache_state: factors.cache_state,
        ddio: factors.ddio,
        ..RunRow::known_by(Source::Published, factors.operation, factors.loop_shape())
    }
}

fn own(file: &RawFile, factors: &Factors, sha256: &str, status: RawStatus) -> PublishedRun {
    PublishedRun {
        raw_path: file.raw_path.clone(),
        raw_sha256: sha256.to_owned(),
        code_generation: factors.generation,
        campaign: factors.campaign,
        operation_label: factors.operation_label.map(str::to_owned),
        worker_operation_label: factors.worker_label.map(str::to_owned),
        access_bytes_label: factors.access_label,
        closure: None,
        window_fraction: None,
        fast_regime_fraction: None,
        stalled_ns: None,
        throughput_running_ops: None,
        status,
        duplicate_of: None,
    }
}

/// Fills in what a file of rates says of its run.
pub(super) fn estimates(row: &mut PublishedRunRow, lines: usize, estimates: &Estimates) {
    let PublishedRunRow { common, own } = row;
    common.samples = Some(lines as u64);
    common.throughput_published_ops = estimates.published.map(six_digits);
    let active = estimates.clients.iter().filter(|client| client.first_active.is_some());
    common.operations = Some(active.count() as u64 * u64::from(OPERATIONS_PER_CLIENT));
    let Some(steady) = &estimates.steady else { return };
    own.closure = (own.status == RawStatus::Ok).then(|| six_digits(steady.closure));
    own.window_fraction = (own.status == RawStatus::Ok).then(|| six_digits(steady.window_fraction));
    own.fast_regime_fraction = estimates.fast.map(six_digits);
    let Some(throughput) = steady.throughput else { return };
    own.stalled_ns = Some(u64::from(steady.stalled) * EPOCH_NS);
    own.throughput_running_ops = steady.running_ops.map(six_digits);
    common.throughput_ops = Some(six_digits(throughput.ops));
    common.throughput_low_ops = throughput.interval.map(|interval| six_digits(interval.low));
    common.throughput_high_ops = throughput.interval.map(|interval| six_digits(interval.high));
}

/// Fills in what a file of latencies says of its run.
pub(super) fn latencies(row: &mut PublishedRunRow, clients: &[Latency]) {
    let operations = clients.len() as u64 * u64::from(OPERATIONS_PER_CLIENT);
    let together = latencies::together(clients);
    row.common.operations = Some(operations);
    row.common.samples = Some(operations);
    row.common.latency_mean_ns = together.map(|latency| six_digits(latency.mean_ns));
    row.common.latency_sd_ns = together.map(|latency| six_digits(latency.sd_ns));
}

/// What a cell of a Memcached table is of.
pub(crate) fn factors_of_cell(factors: &Factors, placement: Placement, clients: u32) -> Factors {
    Factors {
        queue_pairs: clients,
        locality: placement.server,
        client_locality: Some(placement.client),
        ..factors.clone()
    }
}

/// A cell of a Memcached table, which is a run of its own.
pub(crate) fn of_cell(
    file: &RawFile,
    factors: &Factors,
    placement: Placement,
    sha256: &str,
) -> PublishedRunRow {
    let mut row = run(file, factors, sha256, RawStatus::Ok);
    let clients = factors.queue_pairs;
    row.common.run_id = format!("{}-{clients}clients-{}", row.common.run_id, placement.name);
    row
}

fn client(run: &RunRow, queue_pair: u32, operations: u64, samples: u64) -> PublishedClientRow {
    let common = ClientRow {
        schema_version: version::CLIENTS.written,
        source: run.source,
        profile: run.profile.clone(),
        experiment: run.experiment.clone(),
        run_id: run.run_id.clone(),
        queue_pair,
        operations,
        samples: Some(samples),
        latency_mean_ns: None,
        latency_sd_ns: None,
        latency_p1_ns: None,
        latency_p5_ns: None,
        latency_p25_ns: None,
        latency_p50_ns: None,
        latency_p75_ns: None,
        latency_p95_ns: None,
        latency_p99_ns: None,
    };
    let own = PublishedClient {
        rate_mean_ops: None,
        recovered_operations: None,
        first_active_ns: None,
        end_ns: None,
    };
    PublishedClientRow { common, own }
}

/// A client of a file of latencies.
pub(super) fn client_of_latency(run: &RunRow, index: u32, latency: Latency) -> PublishedClientRow {
    let operations = u64::from(OPERATIONS_PER_CLIENT);
    let mut row = client(run, index, operations, operations);
    row.common.latency_mean_ns = Some(six_digits(latency.mean_ns));
    row.common.latency_sd_ns = Some(six_digits(latency.sd_ns));
    row
}

/// A client of a file of rates.
pub(super) fn client_of_rates(
    run: &RunRow,
    index: u32,
    summary: &ClientSummary,
) -> PublishedClientRow {
    let active = summary.first_active.is_some();
    let operations = if active { u64::from(OPERATIONS_PER_CLIENT) } else { 0 };
    let mut row = client(run, index, operations, summary.lines as u64);
    let ns = |epochs: u32| u64::from(epochs) * EPOCH_NS;
    row.own = PublishedClient {
        rate_mean_ops: summary.mean_ops().map(six_digits),
        recovered_operations: Some(six_digits(summary.operations())),
        first_active_ns: summary.first_active.map(ns),
        end_ns: Some(ns(summary.end)),
    };
    row
}
