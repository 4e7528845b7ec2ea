//! `onesided advise`: where memory should be for a workload, and whether the model can tell.

mod print;
mod workload;

use std::{
    io::{Write, stdout},
    path::PathBuf,
};

use anyhow::Context;
use clap::Args;
use onesided_prediction::{
    Effort, FILE, HeldOutError, SimulationProfile, Split, advise, read_profile,
};
use onesided_results::row::ConditionRow;

use self::workload::Workload;
use super::calibrate::conditions_of;
use crate::{arguments::profile_name, ending::Ending};

/// Predicts a workload for memory near the network card and far from it, and says which is better.
///
/// The numbers are the simulator's, with the parameters of profiles/NAME/simulation.toml. How far
/// they may be off is taken from measured conditions that the parameters were not fitted to; where
/// that leaves both places possible, the answer is that the model cannot tell. Workers are beside
/// the memory wherever it is.
#[derive(Args)]
#[command(after_help = "Examples:
  onesided advise --profile nurdma-cx3 --operation write --workers 16 --worker-operation write
  onesided advise --profile nurdma-cx3 --operation read
  onesided advise --profile nurdma-cx4 --operation write --queue-pairs 8 --workers 8 \\
      --worker-operation mixed --worker-write-fraction 0.5 --json")]
pub struct Arguments {
    /// Name of the machine's profile
    #[arg(long, value_name = "NAME", value_parser = profile_name)]
    profile: String,
    /// Directory of profiles
    #[arg(long, value_name = "DIRECTORY", default_value = "profiles")]
    profiles: PathBuf,
    /// The table of measured conditions
    #[arg(long, value_name = "FILE", default_value = "data/published/conditions.csv.gz")]
    conditions: PathBuf,
    /// A set-up of the profile [default: the last one, or none where there is none]
    #[arg(long, value_name = "NAME")]
    set_up: Option<String>,
    #[command(flatten)]
    workload: Workload,
    /// As JSON on stdout
    #[arg(long)]
    json: bool,
}

/// The split that the committed parameters were fitted with.
const SPLIT: Split = Split::DesignPoints { seed: 1, held_out: 0.5 };

/// Predicts and prints.
pub fn run(arguments: &Arguments) -> anyhow::Result<Ending> {
    let profile = read_profile(&arguments.profiles.join(&arguments.profile).join(FILE))?;
    let set_up = set_up(&profile, arguments)?;
    let conditions = conditions_of(&arguments.conditions, &arguments.profile)?;
    let effort = Effort::QUICK;
    let alike = |condition: &ConditionRow| arguments.workload.is_like(condition);
    let error = HeldOutError::of(&profile, &conditions, SPLIT, effort, alike)
        .with_context(|| format!("{}: cannot predict its conditions", arguments.profile))?;
    let (workload, alone) = arguments.workload.scenarios(effort.end())?;
    let advice = advise(&profile.parameters(set_up), &workload, &alone, error, effort)
        .context("the workload cannot be simulated")?;
    let text = match arguments.json {
        true => serde_json::to_string_pretty(&print::json(&advice, error))? + "\n",
        false => print::text(&advice, error),
    };
    stdout().write_all(text.as_bytes())?;
    Ok(Ending::Valid)
}

fn set_up(profile: &SimulationProfile, arguments: &Arguments) -> anyhow::Result<Option<usize>> {
    let Some(name) = &arguments.set_up else { return Ok(profile.set_ups.len().checked_sub(1)) };
    let known = profile.set_ups.iter().position(|set_up| set_up.name == *name);
    let names: Vec<&str> = profile.set_ups.iter().map(|set_up| set_up.name.as_str()).collect();
    let known = known.with_context(|| {
        format!("--set-up {name}: {} has {}", arguments.profile, names.join(", "))
    })?;
    Ok(Some(known))
}
