//! Throughput in time, of the runs where somebody will ask whether it was steady.

use onesided_estimate::printed::{ClientSummary, EPOCH_NS, Steady};
use onesided_results::{RunRow, row::TraceRow, version};

use crate::{digits::six_digits, run::RawFile};

/// Folders behind figures 4, 5a and 5b of the study.
const FIGURES: [&str; 6] = [
    "cache_aligned/memsize/clients_eight/",
    "cache_aligned/workers/eight_byte/clients_eight/cread/srw/",
    "cache_aligned/workers/eight_byte/clients_eight/cwrite/srw/",
    "cache_aligned/workers/xfour/eight_byte/results/cread/srw/",
    "cache_aligned/workers/xfour/eight_byte/results/cwrite/srw/",
    "cache_aligned/load/ninetyp/no_load/eight_byte/clients_eight/",
];

/// Writes at three times the usual speed, and one that changes.
const BISTABLE: [&str; 5] = [
    "cache_aligned/workers/sixtyfour_byte/clients_eight/cwrite/sread/numa_zero/1workers.result",
    "cache_aligned/workers/sixtyfour_byte/clients_eight/cwrite/sread/numa_one/1workers.result",
    "cache_aligned/load/ninetyp/onek/sixtyfour_byte/clients_eight/cwrite/sread/numa_one/0workers.result",
    "cache_aligned/load/ninetyp/tenk/sixtyfour_byte/clients_eight/cwrite/sread/numa_zero/0workers.result",
    "cache_aligned/load/ninetyp/onemil/sixtyfour_byte/clients_eight/cwrite/sread/numa_one/0workers.result",
];

/// Whether the course of this run is written down.
pub fn wanted(file: &RawFile) -> bool {
    FIGURES.iter().any(|folder| file.raw_path.starts_with(folder))
        || BISTABLE.contains(&file.raw_path.as_str())
}

/// A row for each epoch of the recovered clock.
pub fn rows(run: &RunRow, steady: &Steady, clients: &[ClientSummary]) -> Vec<TraceRow> {
    let row = |(window, &micro_ops): (u32, &u64)| TraceRow {
        schema_version: version::TRACES.written,
        source: run.source,
        profile: run.profile.clone(),
        experiment: run.experiment.clone(),
        run_id: run.run_id.clone(),
        window,
        start_ns: u64::from(window) * EPOCH_NS,
        clients: active(clients, window),
        throughput_ops: six_digits(ops(micro_ops)),
    };
    (0..).zip(&steady.micro_ops).map(row).collect()
}

/// Clients that had begun and not ended.
fn active(clients: &[ClientSummary], epoch: u32) -> u32 {
    let active = clients.iter().filter(|client| {
        client.first_active.is_some_and(|start| start <= epoch) && epoch < client.end
    });
    active.map(|_| 1).sum()
}

#[expect(clippy::cast_precision_loss, reason = "rates have fewer digits than a double")]
fn ops(micro_ops: u64) -> f64 {
    micro_ops as f64 / 1e6
}
