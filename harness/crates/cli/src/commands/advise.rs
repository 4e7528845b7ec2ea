//! `onesided advise`: where memory should be for a workload, and whether the model can tell.

mod measured;
mod print;
mod workload;

use std::{
    io::{Write, stdout},
    path::PathBuf,
};

use anyhow::{Context, bail};
use clap::Args;
use onesided_prediction::{Basis, Effort, FILE, HeldOutError, Split, advise, read_profile};
use onesided_results::{row::ConditionRow, vocabulary::Ddio};

use self::{measured::measured, print::Evidence, workload::Workload};
use super::calibrate::conditions_of;
use crate::{arguments::profile_name, ending::Ending, printed::json};

/// Predicts a workload for memory near the network card and far from it, and says which is better.
///
/// The numbers are the simulator's, with the parameters of profiles/NAME/simulation.toml. Their error
/// is that of held-out conditions: measured, and not used in the fit. The model cannot tell if this
/// error allows both places. It cannot tell either if no held-out condition has the operation and
/// accesses to the same bytes, or if the workload has more queue pairs, workers, bytes or requests in
/// flight than all of them.
/// The advice is for workers on the memory's node, wherever it is (nobody measured others), and for a
/// client on its card's node; pairs of conditions whose client moved with the memory are not counted.
/// If this very workload was measured, the measurement is shown first.
/// An interval covers 19 of 20 held-out conditions. Under load the number of outstanding requests is
/// constant, so latency has the relative error of throughput (Little's law). One operation at a time
/// has no interval: too few such conditions were held out.
#[derive(Args)]
#[command(after_help = "Examples:
  onesided advise --profile nurdma-cx3 --operation write --workers 16 --worker-operation write
  onesided advise --profile nurdma-cx3 --operation read
  onesided advise --profile nurdma-cx3 --operation write --workers 16 --worker-operation write \\
      --working-set 1GiB
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
    /// A set-up of the profile [default: the last one with the same --ddio, none where there is none]
    #[arg(long, value_name = "NAME")]
    set_up: Option<String>,
    /// Whether the card may write into the last-level cache: `default` as the machine has it, or `off`
    #[arg(long, value_name = "STATE", default_value = "default")]
    ddio: Ddio,
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
    let set_up = profile
        .choose_set_up(arguments.set_up.as_deref(), arguments.ddio)
        .with_context(|| arguments.profile.clone())?;
    // What is asked first: it takes no time, and what the model is judged by takes seconds.
    let effort = Effort::QUICK;
    let (workload, alone) =
        arguments.workload.scenarios(&profile.parameters(set_up), effort.end())?;
    let conditions = conditions_of(&arguments.conditions, &arguments.profile)?;
    if let Some(fit) = profile.fitted_otherwise(&SPLIT) {
        bail!(
            "{}: its parameters were fitted with {} held out, and advice needs {SPLIT}",
            arguments.profile,
            fit.held_out
        );
    }
    if let Some(at) = set_up {
        say!("set-up: {}", profile.set_ups[at].name);
    }
    let alike = |condition: &ConditionRow| {
        condition.ddio == arguments.ddio && arguments.workload.is_like(condition)
    };
    let error = HeldOutError::of(&profile, &conditions, SPLIT, effort, alike)
        .with_context(|| format!("{}: cannot predict its conditions", arguments.profile))?;
    let basis = error.map_or(Basis::TooFew, |error| error.basis(&workload));
    let is_it = |condition: &ConditionRow| {
        condition.ddio == arguments.ddio && arguments.workload.is_it(condition)
    };
    let evidence = Evidence {
        assumed: arguments.workload.assumed(),
        measured: measured(&conditions, is_it),
        error: basis.error(),
        with_workers: arguments.workload.has_workers(),
    };
    let advice = advise(&profile.parameters(set_up), &workload, &alone, &basis, effort)
        .context("the workload cannot be simulated")?;
    if arguments.json {
        json(&print::json(&advice, evidence))?;
    } else {
        write!(stdout(), "{}", print::text(&advice, &evidence))?;
    }
    Ok(Ending::Valid)
}
