//! `onesided calibrate`: fits a machine's parameters to some conditions, and judges them on others.

mod print;

use std::{
    io::{Write, stdout},
    num::NonZeroU32,
    path::{Path, PathBuf},
};

use anyhow::{Context, ensure};
use clap::{Args, ValueEnum};
use onesided_estimate::stored::read_conditions;
use onesided_prediction::{
    Calibration, Effort, FILE, FitOf, SimulationProfile, Split, calibrate, read_profile,
};
use onesided_results::{row::ConditionRow, table::write_table};

use crate::{arguments::profile_name, ending::Ending, printed::json, stored::check_folder};

/// Fits the free parameters of a machine to measured conditions, and judges it on the others.
///
/// The parameters are those of profiles/NAME/simulation.toml that are marked free. By default half
/// of the design points are held out; which ones, the seed says. Parameters of set-ups with ddio = off
/// are fitted last, to their own conditions, with all others kept. The table of predictions has every
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
    /// Share of the design points that is held out [default: 0.5]
    #[arg(long, value_name = "SHARE")]
    share: Option<f64>,
    /// Seed of the draw of design points [default: 1]
    #[arg(long, value_name = "NUMBER")]
    seed: Option<u64>,
    /// An experiment that is held out; can be repeated
    #[arg(long = "experiment", value_name = "NAME")]
    experiments: Vec<String>,
    /// Begin so many fits, all but the first at random around the profile's start, and keep the best
    /// [default: 1]
    #[arg(long, value_name = "NUMBER", conflicts_with_all = ["as_it_is", "parameters_of"])]
    starts: Option<NonZeroU32>,
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

/// What is not fitted to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum HoldOut {
    /// A share of the design points, both localities of each
    DesignPoints,
    /// The experiments that are named
    Experiments,
    /// Everything: nothing is fitted
    Everything,
}

impl HoldOut {
    /// As it is asked for.
    pub fn word(self) -> String {
        let value = self.to_possible_value().expect("none of them is hidden");
        value.get_name().to_owned()
    }
}

/// Fits, judges, prints.
pub fn run(arguments: &Arguments) -> anyhow::Result<Ending> {
    let split = arguments.split()?;
    let profile = arguments.profile(&split)?;
    let conditions = arguments.known_conditions()?;
    let effort = Effort {
        warm_up_us: arguments.microseconds.div_ceil(9),
        measured_us: arguments.microseconds,
    };
    let starts = arguments.starts(&split);
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
    if arguments.json {
        json(&print::json(&calibration, &arguments.profile, arguments.named()))?;
    } else {
        write!(stdout(), "{}", print::tables(&calibration, &profile))?;
    }
    Ok(Ending::Valid)
}

/// Share of the design points that is held out, if nothing else is asked for.
const HALF: f64 = 0.5;

impl Arguments {
    /// The machine that the parameters are of.
    fn named(&self) -> &str {
        self.parameters_of.as_ref().unwrap_or(&self.profile)
    }

    fn profile(&self, split: &Split) -> anyhow::Result<SimulationProfile> {
        let mut profile = read_profile(&self.profiles.join(self.named()).join(FILE))?;
        let own = self.profiles.join(&self.profile).join(FILE);
        if self.parameters_of.is_some() && own.exists() {
            // What is wrong with conditions is no parameter of the other machine.
            profile.set_asides = read_profile(&own)?.set_asides;
        }
        self.check_split(&profile, split)?;
        Ok(profile)
    }

    /// The machine's conditions, which have all experiments that are named.
    fn known_conditions(&self) -> anyhow::Result<Vec<ConditionRow>> {
        let conditions = conditions_of(&self.conditions, &self.profile)?;
        let file = self.conditions.display();
        ensure!(!conditions.is_empty(), "{file} has no condition of {}", self.profile);
        ensure!(
            self.experiments.iter().all(|name| known(&conditions, name)),
            "--experiment {}: not all of them are experiments of {} in {file}",
            self.experiments.join(","),
            self.profile
        );
        Ok(conditions)
    }

    /// How many fits are begun; absent where nothing is fitted.
    fn starts(&self, split: &Split) -> Option<NonZeroU32> {
        let fits = !self.as_it_is && self.parameters_of.is_none() && *split != Split::All;
        fits.then(|| self.starts.unwrap_or(NonZeroU32::MIN))
    }

    /// Parameters as they are can be judged only on what was held out of their own fit.
    fn check_split(&self, profile: &SimulationProfile, split: &Split) -> anyhow::Result<()> {
        let own = self.named() == self.profile && self.starts(split).is_none();
        let other = profile.fitted_otherwise(split).filter(|_| own);
        ensure!(
            other.is_none(),
            "nothing is fitted anew, and {} was fitted with {} held out: of {split} some were fitted to",
            self.profile,
            other.map_or("", |fit| &fit.held_out)
        );
        Ok(())
    }

    fn split(&self) -> anyhow::Result<Split> {
        let held_out = self.share.unwrap_or(HALF);
        ensure!(
            held_out > 0.0 && held_out < 1.0,
            "--share {held_out}: a share that is held out is above 0 and below 1"
        );
        for (flag, is_given, needs) in [
            ("--share", self.share.is_some(), HoldOut::DesignPoints),
            ("--seed", self.seed.is_some(), HoldOut::DesignPoints),
            ("--experiment", !self.experiments.is_empty(), HoldOut::Experiments),
        ] {
            ensure!(
                !is_given || self.hold_out == needs,
                "{flag} needs --hold-out {}",
                needs.word()
            );
        }
        ensure!(
            self.hold_out != HoldOut::Everything || self.starts.is_none(),
            "--starts: with --hold-out everything nothing is fitted"
        );
        Ok(match self.hold_out {
            HoldOut::DesignPoints => Split::DesignPoints { seed: self.seed.unwrap_or(1), held_out },
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
    if let Some(folder) = path.parent() {
        check_folder(folder)?;
    }
    let mut conditions = read_conditions(path)?;
    conditions.retain(|row| row.profile == profile);
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
    let mut profile: SimulationProfile = fitted.profile.clone();
    for part in &fitted.parts {
        let held_out = calibration.split.to_string();
        let fitted_to = format!(
            "fitted: onesided calibrate --starts {}, {} conditions of {}; held out were {}",
            arguments.starts.unwrap_or(NonZeroU32::MIN),
            part.conditions,
            arguments.conditions.display(),
            held_out
        );
        let fit = FitOf { ddio: part.ddio, conditions: part.conditions, held_out };
        profile.attribute_fitted(fit, &fitted_to);
    }
    std::fs::write(path, profile.to_text())
        .with_context(|| format!("cannot write {}", path.display()))
}
