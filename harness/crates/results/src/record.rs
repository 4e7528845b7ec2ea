//! `run.json`: everything known about one run.

mod clients;
mod environment;
mod host_load;
mod placement;

pub use clients::{ClientClockRecord, FurtherClientRecord};
pub use environment::{DeviceRecord, HostManifest, NodeRecord, SimulationRecord};
pub use host_load::{CacheRecord, DirectIoRecord, HostLoadRecord, LoadThreadTotals};
pub use onesided_vocabulary::MemoryLockLimit;
pub use placement::{CpuSample, MisplacedPages, PlacementProof, ThreadActivity, ThreadProof};

use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::{
    RunConfiguration,
    factors::Factors,
    regular_file, version,
    vocabulary::{Phase, Source},
};

/// One run: what was asked, where it ran, what was proven, how it ended.
///
/// The counts themselves are beside it, in the tables of [`crate::series`].
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RunRecord {
    /// Version of this format.
    #[schemars(extend("enum" = version::RECORD.all()))]
    pub schema_version: u32,
    /// What was asked.
    pub configuration: RunConfiguration,
    /// Where the numbers come from.
    pub source: Source,
    /// The back end's own name.
    pub back_end: String,
    /// When the run started, UTC, as in RFC 3339; of a simulated one the beginning of 1970, as its
    /// time is virtual.
    pub started_at: String,
    /// How it ended.
    pub outcome: Outcome,
    /// Everything that speaks against the numbers.
    pub doubts: Vec<DoubtRecord>,
    /// What both ends agreed on; absent if they never did.
    pub negotiated: Option<NegotiatedRecord>,
    /// The client's end, of several the one that did the run table; absent if the run failed before
    /// it was known.
    pub client: Option<SideRecord>,
    /// The other client hosts, in the order of their threads; empty where there was one.
    pub further_clients: Vec<FurtherClientRecord>,
    /// The clock of each client host beside the server's, in the same order and the one of `client`
    /// first; empty where there was one host, whose clock needs no other.
    pub client_clocks: Vec<ClientClockRecord>,
    /// The server's end; absent if the run failed before it was known.
    pub server: Option<SideRecord>,
    /// The clock that times are taken from; absent for virtual time.
    pub clock: Option<ClockRecord>,
    /// How long each phase took, in their order.
    pub phases: Vec<PhaseTiming>,
    /// Sums over all queue pairs; absent if nothing was measured.
    pub totals: Option<RunTotals>,
    /// What was compared after the run, and what came out.
    pub verification: Vec<VerificationRecord>,
    /// What it was computed from; absent where it was measured.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub simulation: Option<SimulationRecord>,
}

/// How a run ended.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "status", rename_all = "kebab-case", deny_unknown_fields)]
pub enum Outcome {
    /// Nothing speaks against the numbers.
    Valid,
    /// The numbers count, with the doubts that are listed.
    Doubtful,
    /// The numbers do not count, for a doubt that is listed.
    Invalid,
    /// There are no numbers, or not all.
    Failed {
        /// The phase that could not be finished.
        phase: Phase,
        /// What went wrong and what to do.
        message: String,
    },
}

impl Outcome {
    /// Whether the numbers may be used.
    pub fn is_valid(&self) -> bool {
        matches!(self, Self::Valid | Self::Doubtful)
    }

    /// The outcome of a run that came to its end with `doubts`.
    pub fn of_doubts(doubts: &[DoubtRecord]) -> Self {
        match doubts {
            [] => Self::Valid,
            some if some.iter().any(|doubt| doubt.invalidates) => Self::Invalid,
            _ => Self::Doubtful,
        }
    }
}

/// A reason to distrust a run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct DoubtRecord {
    /// Its name, in kebab-case.
    pub doubt: String,
    /// Whether the numbers do not count because of it.
    pub invalidates: bool,
    /// What was found and what it means.
    pub explanation: String,
}

/// What both ends agreed on.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct NegotiatedRecord {
    /// Path MTU.
    pub mtu_bytes: u32,
    /// Reads and atomics of one queue pair in flight.
    pub max_rd_atomic: u8,
}

/// One end of a run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SideRecord {
    /// The machine.
    pub host: HostManifest,
    /// The device; absent if none was opened.
    pub device: Option<DeviceRecord>,
    /// The address chosen on the device's port; absent if none was needed or chosen.
    pub gid: Option<GidRecord>,
    /// Where memory was asked for and where it was.
    pub placement: Vec<PlacementProof>,
    /// Where threads were asked to run and where they were seen.
    pub threads: Vec<ThreadProof>,
    /// Counters of the device and of the hardware outside the cores, around the measured time.
    pub counters: CounterRecord,
    /// What its own threads did to memory; absent without workers and load.
    pub load: Option<HostLoadRecord>,
    /// What was done to its caches; absent if nothing was asked.
    pub caches: Option<CacheRecord>,
    /// Whether the card writes into the cache; absent on the client.
    pub direct_io: Option<DirectIoRecord>,
    /// Who else measured on this machine meanwhile; absent if nobody is known to have.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub measured_beside: Option<String>,
}

impl SideRecord {
    /// An end on `host` of which nothing else is known.
    pub fn on(host: HostManifest) -> Self {
        Self {
            host,
            device: None,
            gid: None,
            placement: Vec::new(),
            threads: Vec::new(),
            counters: CounterRecord::default(),
            load: None,
            caches: None,
            direct_io: None,
            measured_beside: None,
        }
    }
}

/// An address of a port, and why it was chosen.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct GidRecord {
    /// Entry of the GID table; absent where none is needed.
    pub index: Option<u32>,
    /// The address in its usual notation; absent where none is needed.
    pub gid: Option<String>,
    /// Why this one.
    pub reason: String,
}

/// What the card, the hardware outside the cores and the machine say of themselves: counters by name. What
/// cannot be told is absent, and a note says why.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct CounterRecord {
    /// Just before the first request.
    pub before: BTreeMap<String, u64>,
    /// Just after the last completion.
    pub after: BTreeMap<String, u64>,
    /// State of the card's port just after the last completion, in kebab-case.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub port_state_after: Option<String>,
    /// What is to be known of them: why some are not offered, which are scaled up.
    pub notes: Vec<String>,
}

/// A clock and how well it is known.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ClockRecord {
    /// Its name, for instance `tsc` or `monotonic-raw`.
    pub source: String,
    /// Its frequency.
    pub frequency_hz: u64,
    /// Time that one reading takes.
    pub cost_ns: f64,
    /// Smallest step seen.
    pub resolution_ns: f64,
    /// Whether its frequency is independent of the CPU's; absent if it cannot be told.
    pub invariant: Option<bool>,
    /// The clock source of the kernel; absent if it cannot be told.
    pub kernel_clocksource: Option<String>,
    /// How far it moved from the kernel's raw clock since calibration, in parts per million;
    /// absent if not measured.
    pub drift_ppm: Option<f64>,
}

/// How long a phase took.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PhaseTiming {
    /// The phase.
    pub phase: Phase,
    /// Its length.
    pub took_ms: f64,
}

/// Sums over all queue pairs of a run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RunTotals {
    /// Operations completed within the measured interval.
    pub operations: u64,
    /// Operations completed after it, in the last poll or while draining; they are in no window.
    pub operations_after_end: u64,
    /// Work requests posted that asked for a completion, warm-up and drain included.
    pub signaled: u64,
    /// Completions received, warm-up and drain included.
    pub completions: u64,
    /// Messages that the client sent, warm-up and drain included; absent where `messages_received` is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub messages_sent: Option<u64>,
    /// Messages that receive requests of the server took, warm-up and drain included. Absent of one-sided
    /// operations and ping-pongs; over a reliable connection present only where receive queues are shared or
    /// messages are empty.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub messages_received: Option<u64>,
    /// Latencies recorded.
    pub samples: u64,
    /// Latencies above what the histogram holds, recorded as its largest value.
    pub saturated_samples: u64,
    /// Length of the measured interval.
    pub measured_ns: u64,
    /// The same by queue pair, with what latencies amount to.
    pub queue_pairs: Vec<QueuePairTotals>,
}

/// What one queue pair did within the measured interval.
///
/// Mean and deviation are exact, from the sums of all latencies; quantiles follow from the
/// histogram in `latency.csv`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct QueuePairTotals {
    /// Index of the queue pair over all threads, from 0.
    pub queue_pair: u32,
    /// Operations completed.
    pub operations: u64,
    /// Operations per second of the measured interval.
    pub rate_ops: f64,
    /// Latencies recorded.
    pub samples: u64,
    /// Smallest latency; absent without samples, as the following are.
    pub latency_min_ns: Option<u64>,
    /// Largest latency.
    pub latency_max_ns: Option<u64>,
    /// Mean latency.
    pub latency_mean_ns: Option<f64>,
    /// Population standard deviation of the latencies.
    pub latency_population_sd_ns: Option<f64>,
    /// Standard error of the mean: the population standard deviation by the root of the samples.
    /// It takes latencies for independent, which neighbours are not.
    pub latency_standard_error_ns: Option<f64>,
}

/// Something that was compared after the run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct VerificationRecord {
    /// What was compared, in a few words.
    pub what: String,
    /// How many things were compared.
    pub checked: u64,
    /// How many of them differed.
    pub mismatched: u64,
    /// The first that differed: where, found and expected.
    pub first_mismatch: Option<String>,
}

/// A record that cannot be read.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ReadRecordError {
    /// The file cannot be read.
    #[error("cannot read {}", path.display())]
    Open {
        /// The file.
        path: PathBuf,
        /// What the system says.
        source: std::io::Error,
    },
    /// The file was written by another version of this format.
    #[error(
        "{} has schema version {found}, this program reads {}: use the program's version that wrote \
         it, or run again", path.display(), version::RECORD
    )]
    UnknownVersion {
        /// The file.
        path: PathBuf,
        /// Its version.
        found: u64,
    },
    /// The text is not a record.
    #[error("{} is not a run record", path.display())]
    Malformed {
        /// The file.
        path: PathBuf,
        /// Where and why, with line and column.
        source: serde_json::Error,
    },
}

impl RunRecord {
    /// Reads `run.json`.
    ///
    /// # Errors
    /// When it cannot be read, is of another version, or is not a record.
    pub fn read(path: &Path) -> Result<Self, ReadRecordError> {
        #[derive(Deserialize)]
        struct Version {
            schema_version: u64,
        }
        let path_buf = || path.to_owned();
        let text = regular_file::text(path)
            .map_err(|source| ReadRecordError::Open { path: path_buf(), source })?;
        let malformed = |source| ReadRecordError::Malformed { path: path_buf(), source };
        let Version { schema_version: found } = serde_json::from_str(&text).map_err(malformed)?;
        if !version::RECORD.reads(found) {
            return Err(ReadRecordError::UnknownVersion { path: path_buf(), found });
        }
        let later = Factors::ADDED.iter().filter(|(_, added)| u64::from(*added) > found);
        let later: Vec<_> = later.map(|(factor, _)| *factor).collect();
        if later.is_empty() {
            return serde_json::from_str(&text).map_err(malformed);
        }
        let mut record = serde_json::from_str(&text).map_err(malformed)?;
        add_factors(&mut record, &later);
        serde_json::from_value(record).map_err(malformed)
    }

    /// The record as it is written: indented, with a final line break.
    ///
    /// # Panics
    /// Never: every key is a string or a number, and there is nothing else that JSON refuses.
    pub fn to_json(&self) -> String {
        let mut text = serde_json::to_string_pretty(self).expect("a record is always valid JSON");
        text.push('\n');
        text
    }
}

/// Sets factors that the record's version did not have yet to their defaults.
fn add_factors(record: &mut Value, later: &[&str]) {
    let defaults = serde_json::to_value(RunConfiguration::default()).expect("plain values");
    if let Some(configuration) = record["configuration"].as_object_mut() {
        for factor in later {
            configuration.entry(*factor).or_insert_with(|| defaults[factor].clone());
        }
    }
}

#[cfg(test)]
mod tests;
#[cfg(test)]
pub(crate) use tests::example;
