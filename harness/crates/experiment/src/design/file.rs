//! The shape of a design file, and its reading.

use std::{collections::BTreeMap, path::Path};

use serde::Deserialize;
use toml::{Spanned, Value};

use super::{Design, DesignError, reading::Reading};
use crate::Level;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct DesignFile {
    replicates: Spanned<u32>,
    #[serde(default = "by_replicate")]
    block_by: Vec<Spanned<String>>,
    experiment: ExperimentTable,
    #[serde(default)]
    fixed: Fixed,
    factors: Factors,
    #[serde(default)]
    together: Vec<Factors>,
    #[serde(default)]
    level: LevelTables,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ExperimentTable {
    name: Spanned<String>,
    title: String,
    question: String,
    #[serde(default)]
    figures: Vec<String>,
    #[serde(default)]
    claims: Vec<String>,
    #[serde(default)]
    cost: CostTable,
}

/// What the runs of each level cost, as the author of the design says.
#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct CostTable {
    full: Option<Spanned<StatedCost>>,
    reproduce: Option<Spanned<StatedCost>>,
    smoke: Option<Spanned<StatedCost>>,
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
struct LevelTables {
    smoke: Option<ChangeTable>,
    reproduce: Option<ChangeTable>,
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

pub(super) fn parse(path: &Path, text: &str) -> Result<Design, DesignError> {
    let reading = Reading { path, text };
    let file: DesignFile = toml::from_str(text).map_err(|error| reading.malformed(&error))?;
    reading.check_name(&file.experiment.name)?;
    let mut changes = BTreeMap::new();
    for (level, table) in
        [(Level::Smoke, file.level.smoke), (Level::Reproduce, file.level.reproduce)]
    {
        if let Some(table) = table {
            changes.insert(level, reading.change(table)?);
        }
    }
    let settings = reading.settings(file.fixed, file.factors, file.together)?;
    let mut design = Design {
        path: path.to_owned(),
        name: file.experiment.name.into_inner(),
        title: file.experiment.title,
        question: file.experiment.question,
        figures: file.experiment.figures,
        claims: file.experiment.claims,
        costs: BTreeMap::new(),
        replicates: reading.replicates(&file.replicates)?,
        block_by: reading.block_by(&file.block_by, &settings)?,
        settings,
        changes,
    };
    let CostTable { full, reproduce, smoke } = file.experiment.cost;
    for (level, stated) in
        [(Level::Full, full), (Level::Reproduce, reproduce), (Level::Smoke, smoke)]
    {
        if let Some(stated) = stated {
            design.costs.insert(level, reading.cost(&design, level, &stated)?);
        }
    }
    Ok(design)
}
