//! The tables of the study's raw results, as `onesided import nurdma` writes them.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{ClientRow, RunRow};
use crate::{
    table::{Extended, Row, Versioned},
    version,
    vocabulary::{Campaign, CodeGeneration, RawStatus, Source},
};

/// One run of the study, a row of its `runs.csv.gz`.
pub type PublishedRunRow = Extended<RunRow, PublishedRun>;

/// One client of a run of the study, a row of its `clients.csv.gz`.
pub type PublishedClientRow = Extended<ClientRow, PublishedClient>;

/// What only an imported run has: where it is from, and what was read from its name.
///
/// Where a label of the release is wrong, the label is here and the truth in the factor's column.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct PublishedRun {
    /// The raw file, from the folder `results` of the release.
    pub raw_path: String,
    /// Its checksum.
    pub raw_sha256: String,
    /// Which program made it.
    pub code_generation: Option<CodeGeneration>,
    /// Which group of runs it belongs to, where there are groups.
    pub campaign: Option<Campaign>,
    /// The client's operation as the folder spells it.
    pub operation_label: Option<String>,
    /// The workers' operation as the folder spells it, also where there are no workers.
    pub worker_operation_label: Option<String>,
    /// The access size that the name says.
    pub access_bytes_label: Option<u32>,
    /// Operations on the recovered clock by operations issued; 1 if the clock is right.
    pub closure: Option<f64>,
    /// Share of the run in which all clients were active.
    pub window_fraction: Option<f64>,
    /// Share of the queue pairs' time in that part which was fast, where writes have two speeds.
    pub fast_regime_fraction: Option<f64>,
    /// Time in that part in which hardly anything completed.
    pub stalled_ns: Option<u64>,
    /// Throughput in the rest of it, operations per second: while the run was running.
    pub throughput_running_ops: Option<f64>,
    /// What is in the file.
    pub status: RawStatus,
    /// `run_id` of the run that the file is a copy of.
    pub duplicate_of: Option<String>,
}

/// What only an imported client has: quantiles of its printed rates, and when it was active.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct PublishedClient {
    /// Mean of its printed rates, operations per second.
    pub rate_mean_ops: Option<f64>,
    /// Their population standard deviation.
    pub rate_sd_ops: Option<f64>,
    /// Rate that 1 % of them do not exceed.
    pub rate_p1_ops: Option<f64>,
    /// Rate that 5 % of them do not exceed.
    pub rate_p5_ops: Option<f64>,
    /// Rate that 25 % of them do not exceed.
    pub rate_p25_ops: Option<f64>,
    /// Their median.
    pub rate_p50_ops: Option<f64>,
    /// Rate that 75 % of them do not exceed.
    pub rate_p75_ops: Option<f64>,
    /// Rate that 95 % of them do not exceed.
    pub rate_p95_ops: Option<f64>,
    /// Rate that 99 % of them do not exceed.
    pub rate_p99_ops: Option<f64>,
    /// Start of its first epoch with an operation, on the recovered clock of the run.
    pub first_active_ns: Option<u64>,
    /// End of its last epoch with an operation, on the recovered clock of the run.
    pub last_active_ns: Option<u64>,
}

/// One raw file, a row of `manifest.csv`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ManifestRow {
    /// Version of this format.
    pub schema_version: u32,
    /// The file, from the folder `results` of the release.
    pub raw_path: String,
    /// Its size.
    pub bytes: Option<u64>,
    /// Its checksum.
    pub sha256: Option<String>,
    /// Its lines.
    pub rows: Option<u64>,
    /// `ok`, `empty`, `missing`, or `odd: ` and why.
    pub verdict: String,
}

/// Operations of all clients of a run in one window, a row of `traces.csv.gz`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct TraceRow {
    /// Version of this format.
    pub schema_version: u32,
    /// Where the numbers come from.
    pub source: Source,
    /// The machine's profile.
    pub profile: String,
    /// The design that the run belongs to.
    pub experiment: String,
    /// The run's name.
    pub run_id: String,
    /// Index of the window, from 0.
    pub window: u32,
    /// Its start on the recovered clock.
    pub start_ns: u64,
    /// Clients that had begun and not ended.
    pub clients: u32,
    /// Operations by these windows' length, operations per second.
    pub throughput_ops: f64,
}

impl Row for ManifestRow {
    const FILE: &'static str = "manifest.csv";
    const VERSIONED: Versioned = Versioned::EveryRow(version::MANIFEST);
}

impl Row for TraceRow {
    const FILE: &'static str = "traces.csv.gz";
    const VERSIONED: Versioned = Versioned::EveryRow(version::TRACES);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_columns_of_the_contract_stand_behind_those_of_every_run() {
        let columns = PublishedRunRow::columns();
        let (common, own) = columns.split_at(RunRow::columns().len());
        assert_eq!(common, RunRow::columns());
        let contract = "raw_path raw_sha256 code_generation campaign operation_label \
            worker_operation_label access_bytes_label closure window_fraction \
            fast_regime_fraction stalled_ns throughput_running_ops status duplicate_of";
        assert_eq!(own, contract.split_whitespace().collect::<Vec<_>>());
    }
}
