//! The shape of a design file.

use std::collections::BTreeMap;

use serde::Deserialize;
use toml::{Spanned, Value};

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct DesignFile {
    pub(super) replicates: Spanned<u32>,
    #[serde(default = "by_replicate")]
    pub(super) block_by: Vec<Spanned<String>>,
    pub(super) experiment: ExperimentTable,
    #[serde(default)]
    pub(super) fixed: Fixed,
    pub(super) factors: Factors,
    #[serde(default)]
    pub(super) together: Vec<Factors>,
    #[serde(default)]
    pub(super) level: LevelTables,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct ExperimentTable {
    pub(super) name: Spanned<String>,
    pub(super) title: String,
    pub(super) question: String,
    #[serde(default)]
    pub(super) figures: Vec<String>,
    #[serde(default)]
    pub(super) claims: Vec<String>,
    #[serde(default)]
    pub(super) cost: CostTable,
}

/// What the runs of each level cost, as the author of the design says.
#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct CostTable {
    pub(super) full: Option<Spanned<StatedCost>>,
    pub(super) reproduce: Option<Spanned<StatedCost>>,
    pub(super) smoke: Option<Spanned<StatedCost>>,
}

/// What the runs of one level cost.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct StatedCost {
    pub(super) runs: Spanned<u64>,
    pub(super) blocks: Spanned<u64>,
    pub(super) seconds: Spanned<u64>,
}

/// `full` is not among them: it is the design itself.
#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct LevelTables {
    pub(super) smoke: Option<ChangeTable>,
    pub(super) reproduce: Option<ChangeTable>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct ChangeTable {
    pub(super) replicates: Option<Spanned<u32>>,
    #[serde(default)]
    pub(super) fixed: Fixed,
    #[serde(default)]
    pub(super) factors: Factors,
    #[serde(default)]
    pub(super) together: Vec<Factors>,
}

pub(super) type Fixed = BTreeMap<Spanned<String>, Spanned<Value>>;
pub(super) type Factors = BTreeMap<Spanned<String>, Spanned<Vec<Spanned<Value>>>>;

fn by_replicate() -> Vec<Spanned<String>> {
    vec![Spanned::new(0..0, "replicate".to_owned())]
}
