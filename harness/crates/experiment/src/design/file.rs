//! The reading of a design file.

use std::{collections::BTreeMap, path::Path};

use onesided_results::{toml_file, vocabulary::Level};

use super::{
    error::DesignError,
    parts::Design,
    reading::Reading,
    tables::{CostTable, DesignFile},
};

pub(super) fn parse(path: &Path, text: &str) -> Result<Design, DesignError> {
    let reading = Reading { path, text };
    let file: DesignFile = toml_file::parse(path, text)?;
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
        stretch: 1,
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
