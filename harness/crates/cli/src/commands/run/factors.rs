//! The factors of a single run, as flags: one of each factor that is declared.

mod flags;
mod implied;

use std::{collections::BTreeMap, time::SystemTime};

use clap::{ArgMatches, Args, Command, FromArgMatches};
use onesided_results::{RunConfiguration, table::with_cell};

use flags::{AS_PUBLISHED, by_flags, flags};

/// The factors that were given, by name, as cells of a run table.
#[derive(Clone, Debug, Default)]
pub struct Factors {
    given: BTreeMap<&'static str, String>,
    as_published: bool,
}

impl Args for Factors {
    fn augment_args(command: Command) -> Command {
        flags().fold(command, |command, flag| command.arg(flag))
    }

    fn augment_args_for_update(command: Command) -> Command {
        Self::augment_args(command)
    }
}

impl FromArgMatches for Factors {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, clap::Error> {
        let mut factors = Self::default();
        factors.update_from_arg_matches(matches)?;
        Ok(factors)
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        let cell = |field| matches.try_get_one::<String>(field).ok().flatten();
        let given = RunConfiguration::fields().iter();
        self.given = given.filter_map(|&field| Some((field, cell(field)?.clone()))).collect();
        self.as_published = matches.get_flag(AS_PUBLISHED);
        Ok(())
    }
}

impl Factors {
    /// The whole configuration of the run.
    pub fn configuration(&self, started: SystemTime) -> anyhow::Result<RunConfiguration> {
        let time = humantime::format_rfc3339_seconds(started).to_string().replace(':', "");
        // Two of one second have names of their own.
        let run_id = format!("adhoc-{time}-{}", std::process::id());
        let mut run = RunConfiguration { run_id, ..Default::default() };
        for (field, cell) in &self.given {
            run = with_cell(&run, field, cell).map_err(anyhow::Error::msg)?;
        }
        implied::set(&mut run, |field| self.given.contains_key(field), self.as_published);
        run.check().map_err(|error| anyhow::anyhow!(by_flags(&error.to_string())))?;
        Ok(run)
    }
}

#[cfg(test)]
mod tests;
