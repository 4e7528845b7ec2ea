//! The table of predictions: what the simulator says of conditions that were measured.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{
    table::{Row, Versioned},
    version,
    vocabulary::{
        Campaign, CodeGeneration, LoadKind, LoadNode, Locality, LoopShape, Operation,
        PredictedQuantity, PredictionRole, Source, WorkerOperation,
    },
};

/// A condition with what was measured and what is predicted, a row of `predictions.csv.gz`.
///
/// Columns of the same name are those of a condition.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct PredictionRow {
    /// Version of this format.
    pub schema_version: u32,
    /// Where what was measured comes from.
    pub source: Source,
    /// The machine's profile.
    pub profile: String,
    /// Which conditions were held out, in words.
    pub split: String,
    /// What this condition was used for.
    pub role: PredictionRole,
    /// Why it was used for nothing; absent where it was used.
    pub why: Option<String>,
    /// Name of the design point: the same of both localities.
    pub design_point: String,
    /// Whether the measured difference of the two localities is beyond what runs of one condition
    /// differ by (95 %); absent where only one of them was used.
    pub significant: Option<bool>,
    /// Which of the study's programs.
    pub code_generation: Option<CodeGeneration>,
    /// Which group of the study's runs.
    pub campaign: Option<Campaign>,
    /// Designs that its runs belong to, separated by spaces.
    pub experiments: String,
    /// What the clients asked for.
    pub operation: Operation,
    /// What the server's workers did to the same memory.
    pub worker_operation: WorkerOperation,
    /// Whether the accessed memory was on the server's network card's node.
    pub locality: Option<Locality>,
    /// Whether the client's threads were on its network card's node.
    pub client_locality: Option<Locality>,
    /// Queue pairs in all.
    pub queue_pairs: u32,
    /// Bytes moved by one operation.
    pub access_bytes: u32,
    /// Path MTU in use.
    pub mtu_bytes: Option<u32>,
    /// When the next request was posted.
    #[serde(rename = "loop")]
    pub loop_shape: LoopShape,
    /// Server worker threads.
    pub workers: u32,
    /// Share of writes among the accesses of mixed workers.
    pub worker_write_fraction: Option<f64>,
    /// Load beside clients and workers.
    pub load_kind: LoadKind,
    /// Memory that the load ranges over.
    pub load_bytes: Option<u64>,
    /// Where the load ran.
    pub load_node: LoadNode,
    /// Runs that were measured.
    pub runs: u32,
    /// What is predicted; absent, as the next three are, where the model says nothing or nothing was
    /// measured.
    pub quantity: Option<PredictedQuantity>,
    /// What was measured: operations per second, or nanoseconds.
    pub measured: Option<f64>,
    /// The same of the model; absent where it says nothing.
    pub predicted: Option<f64>,
    /// Predicted by measured, less 1.
    pub relative_error: Option<f64>,
}

impl Row for PredictionRow {
    const FILE: &'static str = "predictions.csv.gz";
    const VERSIONED: Versioned = Versioned::EveryRow(version::PREDICTIONS);
}
