//! `onesided calibrate`: fits a machine's parameters to some conditions, and judges them on others.

mod choices;
mod print;

use std::{
    io::{Write, stdout},
    num::NonZeroU32,
    path::{Path, PathBuf},
};

use anyhow::{Context, ensure};
use clap::Args;
use onesided_prediction::{
    Calibration, Effort, FILE, SimulationProfile, Split, calibrate, read_profile,
};
use onesided_results::{
    row::ConditionRow,
    table::{Extra, TableReader, write_table},
};

use self::choices::HoldOut;
use crate::{arguments::profile_name, ending::Ending};

/// Fits the free parameters of a machine to measured conditions, and judges it on the others.
///
/// The parameters are those of profiles/NAME/simulation.toml that are marked free. By default half
/// of the design points are held out; which ones, the seed says. The table of predictions has every
/// condition with what was measured and predicted, or why the model says nothing of it.
#[derive(Args)]
#[command(after_help = "Examples:
  onesided calibrate nurdma-cx3
  onesided calibrate nurdma-cx3 --hold-out experiments --experiment workers
  onesided calibrate nurdma-cx3 --as-it-is          no fit: what the committed parameters predict
  onesided calibrate nurdma-cx4 --hold-out everything --parameters-of nurdma-cx3
  onesided calibrate nurdma-cx3 --write profiles/nurdma-cx3/simulation.toml")]
pub struct Arguments {
    /// Name of the machine's profile, as its conditions have it
    #[arg(value_name = "PROFILE", value_parser = profile_name)]
    profile: String,
    /// Directory of profiles
    #[arg(long, value_name = "DIRECTORY", default_value = "profiles")]
    profiles: PathBuf,
    /// The table of conditions
    #[arg(long, value_name = "FILE", default_value = "data/published/conditions.csv.gz")]
    conditions: PathBuf,
    /// What is not fitted to, and judged
    #[arg(long, value_name = "WHAT", default_value = "design-points")]
    hold_out: HoldOut,
    /// Share of the design points that is held out
    #[arg(long, value_name = "SHARE", default_value_t = 0.5)]
    share: f64,
    /// Seed of the draw of design points
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// An experiment that is held out; can be repeated
    #[arg(long = "experiment", value_name = "NAME")]
    experiments: Vec<String>,
    /// Begin so many fits, all but the first at random around the profile's start, and keep the best
    #[arg(long, value_name = "NUMBER", default_value = "1", conflicts_with = "as_it_is")]
    starts: NonZeroU32,
    /// Judge the parameters as they are, without a fit
    #[arg(long)]
    as_it_is: bool,
    /// Take the parameters of another machine
    #[arg(long, value_name = "PROFILE", value_parser = profile_name)]
    parameters_of: Option<String>,
    /// Virtual microseconds that are simulated of a condition, after a ninth of it as warm-up
    #[arg(long, value_name = "NUMBER", default_value_t = 900,
          value_parser = clap::value_parser!(u64).range(100..=1_000_000))]
    microseconds: u64,
    /// Write the table of predictions; figures and the report look for predictions.csv.gz
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
    /// Write the fitted parameters, each with its interval
    #[arg(long, value_name = "FILE", conflicts_with = "as_it_is")]
    write: Option<PathBuf>,
    /// What came out as JSON on stdout, instead of tables
    #[arg(long)]
    json: bool,
}

/// Fits, judges, prints.
pub fn run(arguments: &Arguments) -> anyhow::Result<Ending> {
    let split = arguments.split()?;
    let named = arguments.parameters_of.as_ref().unwrap_or(&arguments.profile);
    let path = arguments.profiles.join(named).join(FILE);
    let profile = read_profile(&path)?;
    let conditions = conditions_of(&arguments.conditions, &arguments.profile)?;
    ensure!(
        !conditions.is_empty(),
        "{} has no condition of {}",
        arguments.conditions.display(),
        arguments.profile
    );
    ensure!(
        arguments.experiments.iter().all(|name| known(&conditions, name)),
        "--experiment {}: not all of them are experiments of {} in {}",
        arguments.experiments.join(","),
        arguments.profile,
        arguments.conditions.display()
    );
    let effort = Effort {
        warm_up_us: arguments.microseconds.div_ceil(9),
        measured_us: arguments.microseconds,
    };
    let fit = !arguments.as_it_is && arguments.parameters_of.is_none();
    let starts = fit.then_some(arguments.starts);
    let calibration = calibrate(&profile, &conditions, split, starts, effort, |step, error| {
        say!("step {step}: {:.2} % off, root of the mean square", 100.0 * error);
    })
    .with_context(|| format!("{}: cannot calibrate", arguments.profile))?;
    if let Some(path) = &arguments.out {
        write_table(path, &calibration.rows)?;
    }
    if let Some(path) = &arguments.write {
        write_profile(path, &calibration, arguments)?;
    }
    let text = match arguments.json {
        true => serde_json::to_string_pretty(&print::json(&calibration))? + "\n",
        false => print::tables(&calibration, &profile),
    };
    stdout().write_all(text.as_bytes())?;
    Ok(Ending::Valid)
}

impl Arguments {
    fn split(&self) -> anyhow::Result<Split> {
        ensure!((0.0..=1.0).contains(&self.share), "--share {} is not within 0 and 1", self.share);
        ensure!(
            self.hold_out == HoldOut::Experiments || self.experiments.is_empty(),
            "--experiment needs --hold-out experiments"
        );
        Ok(match self.hold_out {
            HoldOut::DesignPoints => Split::DesignPoints { seed: self.seed, held_out: self.share },
            HoldOut::Everything => Split::All,
            HoldOut::Experiments => {
                ensure!(!self.experiments.is_empty(), "--hold-out experiments needs --experiment");
                Split::Experiments(self.experiments.clone())
            }
        })
    }
}

/// The conditions of a profile.
pub fn conditions_of(path: &Path, profile: &str) -> anyhow::Result<Vec<ConditionRow>> {
    let mut conditions = Vec::new();
    for row in TableReader::<ConditionRow>::open(path, Extra::Skipped)? {
        let row = row?;
        if row.profile == profile {
            conditions.push(row);
        }
    }
    Ok(conditions)
}

fn known(conditions: &[ConditionRow], experiment: &str) -> bool {
    conditions.iter().any(|row| row.experiments.split(' ').any(|one| one == experiment))
}

fn write_profile(
    path: &Path,
    calibration: &Calibration,
    arguments: &Arguments,
) -> anyhow::Result<()> {
    let Some(fitted) = &calibration.fitted else {
        anyhow::bail!("--write {}: nothing was fitted", path.display());
    };
    let fitted_to = format!(
        "fitted: onesided calibrate --starts {}, {} conditions of {}; held out were {}",
        arguments.starts,
        calibration.on_fitted.points,
        arguments.conditions.display(),
        calibration.split
    );
    let mut profile: SimulationProfile = fitted.profile.clone();
    profile.attribute_fitted(&fitted_to);
    std::fs::write(path, profile.to_text())
        .with_context(|| format!("cannot write {}", path.display()))
}
